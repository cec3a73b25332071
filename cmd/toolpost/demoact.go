package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/tool"
)

// An act is one part of the demo: the turn with which it begins, and what must
// have happened in it.
type act struct {
	turn  int
	title string
	check func(*showing) error
}

func tour() []act {
	return []act{
		{1, "reads, side by side", (*showing).checkReads},
		{2, "an edit, with its diff", (*showing).checkEdit},
		{3, "a command, with its progress", (*showing).checkCommand},
		{4, "an error, and how the model recovers", (*showing).checkRecovery},
		{6, "a command that hangs, and its timeout", (*showing).checkTimeout},
		{7, "3 MB of output: a part for the model, the whole in an artifact", (*showing).checkExport},
		{8, "the artifact, read back", (*showing).checkArtifact},
		{0, "the record, looked back at", (*showing).checkRecord},
	}
}

// call is the n-th call of the run, which must be of this tool and have this
// status.
func (s *showing) call(n int, name string, status tool.Status) (*audit.Call, error) {
	if n > len(s.view.Calls) {
		return nil, fmt.Errorf("there are %d calls; number %d should be %s", len(s.view.Calls), n, name)
	}
	c := s.view.Calls[n-1]
	switch {
	case c.Tool() != name:
		return nil, fmt.Errorf("call %d is %s, not %s", n, c.Tool(), name)
	case c.Result == nil:
		return nil, fmt.Errorf("call %d has no result", n)
	case c.Result.Status != status:
		return nil, fmt.Errorf("call %d (%s) is %s, not %s: %s", n, name, c.Result.Status, status, clip(textOf(c.Result), 200))
	}
	return c, nil
}

func (s *showing) checkReads() error {
	for n, name := range []string{"list_directory", "read_file", "read_file"} {
		c, err := s.call(n+1, name, tool.StatusOK)
		if err != nil {
			return err
		}
		if c.Turn != 1 {
			return fmt.Errorf("call %d was made in turn %d, not with the others", n+1, c.Turn)
		}
	}
	return nil
}

func (s *showing) checkEdit() error {
	c, err := s.call(4, "edit_file", tool.StatusOK)
	if err != nil {
		return err
	}
	if d := diffOf(c.Result); !strings.Contains(d, "-version = 1.4.2") || !strings.Contains(d, "+version = 1.4.3") {
		return fmt.Errorf("the diff is %q", d)
	}
	if e := effectsOf(c); len(e.Modified) != 1 || e.Modified[0].Path != "app/version.txt" {
		return fmt.Errorf("the effects of the edit are %+v", *e)
	}
	b, err := os.ReadFile(filepath.Join(s.program.dir, "app", "version.txt"))
	if err != nil || strings.TrimSpace(string(b)) != "version = 1.4.3" {
		return fmt.Errorf("the file holds %q (%v)", b, err)
	}
	return nil
}

func (s *showing) checkCommand() error {
	c, err := s.call(5, "exec_shell", tool.StatusOK)
	if err != nil {
		return err
	}
	var d struct {
		ExitCode int `json:"exitCode"`
	}
	if err := json.Unmarshal(c.Result.Data, &d); err != nil || d.ExitCode != 0 {
		return fmt.Errorf("the command ended with exit code %d (%v)", d.ExitCode, err)
	}
	if len(c.Progress) < 3 {
		return fmt.Errorf("the command told of its progress %d times; 3 or more were expected", len(c.Progress))
	}
	return nil
}

func (s *showing) checkRecovery() error {
	c, err := s.call(6, "read_file", tool.StatusError)
	if err != nil {
		return err
	}
	if c.Result.Err.Code != tool.CodeNotFound {
		return fmt.Errorf("call 6 failed with %s, not %s", c.Result.Err.Code, tool.CodeNotFound)
	}
	_, err = s.call(7, "read_file", tool.StatusOK)
	return err
}

func (s *showing) checkTimeout() error {
	c, err := s.call(8, "exec_shell", tool.StatusTimeout)
	if err != nil {
		return err
	}
	if took := c.Ended.Sub(c.Started); took < 900*time.Millisecond || took > 8*time.Second {
		return fmt.Errorf("a timeout of 1s took %s", took)
	}
	b, err := os.ReadFile(filepath.Join(s.program.dir, "app", "wait.pid"))
	if err != nil {
		return err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(string(b), "pid ")))
	if err != nil {
		return fmt.Errorf("read the pid of the command: %w", err)
	}
	if alive(pid) {
		return fmt.Errorf("process %d of the command is still there", pid)
	}
	return nil
}

// alive reports whether a process runs. One that has ended and that nobody has
// asked for its exit code (in a container without an init) does not.
func alive(pid int) bool {
	proc, err := os.FindProcess(pid)
	if err != nil || errors.Is(proc.Signal(syscall.Signal(0)), os.ErrProcessDone) {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

func (s *showing) checkExport() error {
	c, err := s.call(9, "export_orders", tool.StatusOK)
	if err != nil {
		return err
	}
	r := c.Result
	if r.Artifact == nil || r.Artifact.Bytes < 3_000_000 {
		return fmt.Errorf("the artifact is %+v; 3 MB or more were expected", r.Artifact)
	}
	if n := len(textOf(r)); n > 65536 || n < 1000 {
		return fmt.Errorf("the model read %d bytes of it; at most 65536 were expected", n)
	}
	return nil
}

func (s *showing) checkArtifact() error {
	c, err := s.call(10, "read_artifact", tool.StatusOK)
	if err != nil {
		return err
	}
	if !strings.Contains(textOf(c.Result), "order-31000") {
		return fmt.Errorf("what was read back is %q", clip(textOf(c.Result), 200))
	}
	if _, err = s.call(11, "write_file", tool.StatusOK); err != nil {
		return err
	}
	return nil
}

func (s *showing) checkRecord() error {
	const calls = 11
	n := s.view.Counts
	switch {
	case len(s.view.Calls) != calls || n.Calls != calls:
		return fmt.Errorf("%d calls are on record, %d counted; %d were expected", len(s.view.Calls), n.Calls, calls)
	case n.OK != calls-2 || n.Errors != 1 || n.Timeouts != 1:
		return fmt.Errorf("on record are %d ok, %d failed, %d timed out", n.OK, n.Errors, n.Timeouts)
	case s.outcome == nil || s.outcome.Status != "ok":
		return fmt.Errorf("the run ended as %+v", s.outcome)
	}
	return nil
}

// digest is a hash over the call log: tool, arguments and status of each call in
// order. Two showings have the same.
func (s *showing) digest() string {
	h := sha256.New()
	for _, c := range s.view.Calls {
		status := tool.Status("")
		if c.Result != nil {
			status = c.Result.Status
		}
		fmt.Fprintf(h, "%s %s %s\n", c.Tool(), compact(argsOf(c)), status)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
