package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

func childAttr(path string, argv []string, cmd Cmd) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
	if cmd.Line != "" {
		// cmd.exe has quoting rules of its own: with /s it takes off the outer
		// quotes and leaves the rest as it is.
		attr.CmdLine = syscall.EscapeArg(path) + ` /d /s /c "` + cmd.Line + `"`
	}
	return attr
}

func shellFor(line string) (string, []string) {
	path := filepath.Join(os.Getenv("SYSTEMROOT"), "System32", "cmd.exe")
	return path, []string{"cmd.exe", "/d", "/s", "/c", line}
}

var errNoTerminal = errors.New("terminals are not supported on Windows")

func openTerminal(Size) (ours, theirs *os.File, err error) { return nil, nil, errNoTerminal }

func setTerminalSize(*os.File, Size) error { return errNoTerminal }

func exitStatus(state *os.ProcessState) status { return status{code: state.ExitCode()} }

// withLimits changes nothing; checkLimits has refused what it would set.
func withLimits(path string, argv []string, _ Limits) (string, []string) { return path, argv }
