package sandbox

import (
	"strings"
	"time"
)

// Cmd is a command to be started by [Cell.Start]. Either Line or Argv is set.
type Cmd struct {
	// Line is run by the shell: sh -c, or cmd /c on Windows.
	Line string

	// Argv is a program with its arguments, started without a shell. A name
	// without a slash is looked up in the absolute folders of PATH; a relative
	// path starts at Dir.
	Argv []string

	// Dir is the folder to start in, inside the workspace; empty is the
	// workspace itself. It is held open from the check to the start.
	Dir string

	// Env adds or replaces variables. Names that make programs load or run
	// other code are refused; [CheckEnv] says which.
	Env map[string]string

	// Stdin is given to the command, and then its standard input is closed.
	// Without Stdin, OpenStdin and TTY it is closed from the start.
	Stdin []byte

	// OpenStdin keeps standard input open for [Process.Write].
	OpenStdin bool

	// TTY gives the command a terminal of this size, as its controlling
	// terminal, instead of pipes. Stdin is then typed into it.
	TTY *Size

	// Limits lower those of the profile.
	Limits Limits
}

// Size is the size of a terminal in characters. Zero fields are 24 and 80.
type Size struct{ Rows, Cols uint16 }

func (s Size) orDefault() Size {
	if s.Rows == 0 {
		s.Rows = 24
	}
	if s.Cols == 0 {
		s.Cols = 80
	}
	return s
}

// maxLine is the longest argument that Linux takes, MAX_ARG_STRLEN less the NUL.
const maxLine = 128<<10 - 1

func (c Cmd) check() error {
	switch {
	case c.Line == "" && len(c.Argv) == 0:
		return fail(KindInvalid, "", "the command is empty; give a line or a program with arguments")
	case c.Line != "" && len(c.Argv) > 0:
		return fail(KindInvalid, "", "both a line and an argument list are given; give one of them")
	case strings.TrimSpace(c.Line) == "" && len(c.Argv) == 0:
		return fail(KindInvalid, "", "the command line is blank")
	case len(c.Argv) > 0 && c.Argv[0] == "":
		return fail(KindInvalid, "", "the program name is empty")
	}
	for _, arg := range append([]string{c.Line}, c.Argv...) {
		if strings.IndexByte(arg, 0) >= 0 {
			return fail(KindInvalid, "", "the command holds a NUL byte")
		}
		if len(arg) > maxLine {
			return fail(KindTooLarge, "", "the command has an argument of more than 131071 bytes; write it to a file or give it on standard input")
		}
	}
	return CheckEnv(c.Env)
}

// Stream tells where a piece of output came from.
type Stream string

// The streams of a command. A terminal has only one, since the program writes
// standard output and standard error to the same place.
const (
	Stdout   Stream = "stdout"
	Stderr   Stream = "stderr"
	Terminal Stream = "terminal"
)

// Sink receives the output of a command, in the order of arrival over both
// streams and never from two goroutines at once. The bytes are valid during
// the call only. While it runs nothing more is read, so that a slow sink slows
// the command down; it must return. It is not called after [Process.Done].
type Sink func(from Stream, chunk []byte)

// Reason is why a command is over.
type Reason string

// The reasons.
const (
	ReasonExited        Reason = "exited"         // it ended by itself, with a code
	ReasonSignaled      Reason = "signaled"       // a signal that did not come from here ended it
	ReasonTimeout       Reason = "timeout"        // Limits.Wall or the deadline of the context
	ReasonCancelled     Reason = "cancelled"      // the context was cancelled or the Cell closed
	ReasonKilled        Reason = "killed"         // Process.Kill
	ReasonOutputLimit   Reason = "output_limit"   // Limits.OutputBytes
	ReasonMemoryLimit   Reason = "memory_limit"   // Limits.Memory
	ReasonProcessLimit  Reason = "process_limit"  // Limits.Processes
	ReasonNotFound      Reason = "not_found"      // the shell found no such program (code 127)
	ReasonNotExecutable Reason = "not_executable" // the shell could not run it (code 126)
)

// Exit is how a command ended.
type Exit struct {
	Reason   Reason
	Code     int           // exit code; 128 + signal when a signal ended it, as shells have it
	Signal   string        // name of that signal, such as SIGKILL; else empty
	Duration time.Duration // from start to the end of the first process
	Output   int64         // bytes given to the sink

	// Detached is set when something that the command left running still had
	// its output open; what that writes later is not read.
	Detached bool
}
