//go:build unix

package sandbox

import (
	"fmt"
	"math"
	"os"
	"strings"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// childAttr puts the command into a session of its own, so that it has a
// process group to be signalled and no way to the runtime's terminal.
func childAttr(_ string, _ []string, cmd Cmd) *syscall.SysProcAttr {
	if cmd.TTY != nil {
		return &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	}
	return &syscall.SysProcAttr{Setsid: true}
}

// shellFor runs a line by the system's shell. A line that begins like an
// option gets a blank before it.
func shellFor(line string) (string, []string) {
	if strings.HasPrefix(line, "-") || strings.HasPrefix(line, "+") {
		line = " " + line
	}
	return "/bin/sh", []string{"sh", "-c", line}
}

func openTerminal(size Size) (ours, theirs *os.File, err error) {
	ours, theirs, err = pty.Open()
	if err != nil {
		return nil, nil, err
	}
	if err := setTerminalSize(ours, size); err != nil {
		ours.Close()
		theirs.Close()
		return nil, nil, err
	}
	return ours, theirs, nil
}

func setTerminalSize(tty *os.File, size Size) error {
	return pty.Setsize(tty, &pty.Winsize{Rows: size.Rows, Cols: size.Cols})
}

func exitStatus(state *os.ProcessState) status {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok {
		return waited(ws)
	}
	return status{code: state.ExitCode()}
}

func waited(ws syscall.WaitStatus) status {
	if ws.Signaled() {
		return status{128 + int(ws.Signal()), unix.SignalName(ws.Signal())}
	}
	return status{code: ws.ExitStatus()}
}

// withLimits has a shell set the limits of the process and then become the
// command, so that they hold from its first moment on.
func withLimits(path string, argv []string, l Limits) (string, []string) {
	var set strings.Builder
	for _, limit := range []struct {
		option   string
		resource int
		value    int64
	}{
		{"-n", unix.RLIMIT_NOFILE, int64(l.OpenFiles)},
		{"-f", unix.RLIMIT_FSIZE, l.FileBytes},
	} {
		if limit.value <= 0 {
			continue
		}
		var own unix.Rlimit
		if unix.Getrlimit(limit.resource, &own) == nil && own.Max < math.MaxInt64 {
			limit.value = min(limit.value, int64(own.Max))
		}
		if limit.option == "-f" {
			limit.value = max(limit.value/512, 1) // POSIX counts blocks
		}
		fmt.Fprintf(&set, "ulimit %s %d || exit 126; ", limit.option, limit.value)
	}
	if set.Len() == 0 {
		return path, argv
	}
	return "/bin/sh", append([]string{"sh", "-c", set.String() + `exec "$@"`, "sh", path}, argv[1:]...)
}
