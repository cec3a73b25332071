package sandbox

import "time"

// Profile says what the tools of one session may reach. The zero value with a
// Workspace works. A Profile is read once, when a [Root] or [Cell] is made.
type Profile struct {
	// Workspace is the folder that files are confined to and commands start
	// in; relative to the process's working folder, or absolute.
	Workspace string

	// Protected names paths inside the workspace that are read-only besides
	// the built-in ones of [Protected], whether they exist or not.
	Protected []string

	// Limits bound every command; a [Cmd] can only lower them.
	Limits Limits

	// Env names variables that commands inherit besides the safe ones of
	// [DefaultEnv]. A name may end in "*". Values never stand here.
	Env []string

	// Confine says which walls stand around commands; its zero value is none.
	Confine Confine
}

// Limits bound one command and everything it starts. Zero means the default
// given with each field. A limit that this system cannot enforce is refused
// by [Cell.Start]; none is silently ignored.
type Limits struct {
	// Wall is the time from start to end; 0 is none. Past it the command is
	// ended with [ReasonTimeout].
	Wall time.Duration

	// OutputBytes is how much is read from standard output, standard error and
	// terminal together; 0 is [DefaultOutputBytes]. At the limit the command is killed
	// with [ReasonOutputLimit] and nothing more is read.
	OutputBytes int64

	// Memory is the most that all processes of the command may hold in
	// memory, in bytes, counting shared pages once; 0 is none. It is sampled
	// every 50 ms, so that a fast program can pass it for a moment. Linux only.
	Memory int64

	// Processes is the most processes that the command may have at one time;
	// 0 is none. Sampled like Memory. Linux only.
	Processes int

	// OpenFiles is the most descriptors of each process; 0 is inherited. Not on Windows.
	OpenFiles int

	// FileBytes is the largest file that a process may write, in bytes, rounded
	// down to blocks of 512; 0 is none. Not on Windows.
	FileBytes int64
}

// DefaultOutputBytes is the output limit of a command that names none.
const DefaultOutputBytes = 64 << 20

// narrow returns the stricter of two sets of limits, field by field.
func (l Limits) narrow(m Limits) Limits {
	return Limits{
		Wall:        stricter(l.Wall, m.Wall),
		OutputBytes: stricter(l.OutputBytes, m.OutputBytes),
		Memory:      stricter(l.Memory, m.Memory),
		Processes:   stricter(l.Processes, m.Processes),
		OpenFiles:   stricter(l.OpenFiles, m.OpenFiles),
		FileBytes:   stricter(l.FileBytes, m.FileBytes),
	}
}

func stricter[T int | int64 | time.Duration](a, b T) T {
	if a <= 0 {
		return max(b, 0)
	}
	if b <= 0 {
		return a
	}
	return min(a, b)
}
