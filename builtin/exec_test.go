//go:build unix

package builtin_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/builtin"
	"github.com/toolpost/toolpost/tool"
)

type execData struct {
	Status, Stdout, Stderr, Output, SessionID string
	ExitCode, PID                             int
	DurationMs                                int64
	TimedOut, Truncated                       bool
}

func TestExecShell(t *testing.T) {
	k := newShell(t, "dir/file", "content\n")
	for _, c := range []struct {
		name string
		args object
		want execData
	}{
		{"output and code 0", object{"command": "echo hello"}, execData{Status: "completed", Stdout: "hello\n", Output: "hello\n"}},
		{"a non-zero code is completed", object{"command": "exit 3"}, execData{Status: "completed", ExitCode: 3}},
		{"streams apart and merged", object{"command": "echo a; sleep 0.3; echo b >&2"}, execData{Status: "completed", Stdout: "a\n", Stderr: "b\n", Output: "a\nb\n"}},
		{"in a folder", object{"command": "cat file", "workdir": "dir"}, execData{Status: "completed", Stdout: "content\n", Output: "content\n"}},
		{"with a variable", object{"command": `echo "$GREETING"`, "env": object{"GREETING": "good day"}}, execData{Status: "completed", Stdout: "good day\n", Output: "good day\n"}},
		{"with input", object{"command": "tr a-z A-Z", "stdin": "loud"}, execData{Status: "completed", Stdout: "LOUD", Output: "LOUD"}},
		{"input is closed otherwise", object{"command": "cat; echo end"}, execData{Status: "completed", Stdout: "end\n", Output: "end\n"}},
		{"bytes that are no text", object{"command": `printf 'a\377b'`}, execData{Status: "completed", Stdout: "a\uFFFDb", Output: "a\uFFFDb"}},
		{"a terminal of a size", object{"command": "stty size", "pty": object{"rows": 33, "cols": 101}}, execData{Status: "completed", Stdout: "33 101\r\n", Output: "33 101\r\n"}},
		{"a timeout that is not reached", object{"command": "echo x", "timeout": 5}, execData{Status: "completed", Stdout: "x\n", Output: "x\n"}},
	} {
		r := k.do("exec_shell", c.args)
		if !r.OK() {
			t.Errorf("%s: %v", c.name, r.Err)
			continue
		}
		got := data[execData](t, r)
		if got.PID <= 0 {
			t.Errorf("%s: pid %d", c.name, got.PID)
		}
		got.DurationMs, got.PID = 0, 0
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if !strings.HasPrefix(shown(r), got.Output) || !strings.Contains(shown(r), fmt.Sprintf("[exit code %d after", got.ExitCode)) {
			t.Errorf("%s: the model reads %q", c.name, shown(r))
		}
		effect := &tool.Effects{
			Observed: []string{"run-command"},
			Commands: []tool.CommandRun{{Argv: []string{"sh", "-c", c.args["command"].(string)}, ExitCode: got.ExitCode}},
		}
		if diff := cmp.Diff(effect, r.Effects); diff != "" {
			t.Errorf("%s: effects (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestExecShellFails(t *testing.T) {
	k := newShell(t, "plain", "no program\n", "sub/x", "")
	for _, c := range []struct {
		name    string
		args    object
		code    tool.Code
		says    string
		exit    int
		output  string
		timeout bool
	}{
		{"a program that is not there", object{"command": "no-such-program-at-all"}, tool.CodeNotFound, "127", 127, "not found", false},
		{"a program that cannot run", object{"command": "./plain"}, tool.CodeFailed, "126", 126, "ermission", false},
		{"a signal", object{"command": "echo before; kill -SEGV $$"}, tool.CodeFailed, "SIGSEGV", 139, "before\n", false},
		{"the timeout", object{"command": "echo before; sleep 60", "timeout": 0.3}, tool.CodeTimeout, "did not end within", 143, "before\n", true},
	} {
		r := k.do("exec_shell", c.args)
		if r.Err == nil || r.Err.Code != c.code || !strings.Contains(r.Err.Message, c.says) {
			t.Errorf("%s: %s %v, want %s saying %q", c.name, r.Status, r.Err, c.code, c.says)
			continue
		}
		d := data[execData](t, r)
		if d.Status != "failed" || d.ExitCode != c.exit || d.TimedOut != c.timeout || !strings.Contains(d.Output, c.output) {
			t.Errorf("%s: %+v", c.name, d)
		}
		if !strings.Contains(shown(r), c.output) {
			t.Errorf("%s: the model does not read what there was: %q", c.name, shown(r))
		}
		if r.Effects == nil || len(r.Effects.Commands) != 1 {
			t.Errorf("%s: effects %+v", c.name, r.Effects)
		}
	}
}

func TestExecShellRefuses(t *testing.T) {
	k := newShell(t, "file", "")
	for _, line := range []string{"sudo ls", "rm -rf /", "rm  -fr  '/'", "mkfs.ext4 /dev/sda1", "dd if=/dev/zero of=/dev/sda", ":(){ :|:& };:", "echo x; shutdown now", "env sh -c 'reboot'"} {
		k.fails("exec_shell", object{"command": line}, tool.CodeDenied, "never run")
	}
	k.fails("exec_shell", object{"command": "true", "elevated": true}, tool.CodeDenied, "elevated")
	k.fails("exec_shell", object{"command": "true", "env": object{"LD_PRELOAD": "x.so"}}, tool.CodeInvalid, "LD_PRELOAD")
	k.fails("exec_shell", object{"command": "true", "env": object{"A B": "x"}}, tool.CodeInvalid, "A B")
	k.fails("exec_shell", object{"command": "true", "workdir": "../"}, tool.CodePath)
	k.fails("exec_shell", object{"command": "true", "workdir": "nowhere"}, tool.CodeNotFound)
	k.fails("exec_shell", object{"command": "true", "workdir": "file"}, tool.CodePrecondition)
	k.fails("exec_shell", object{"command": "  "}, tool.CodeInvalid, "blank")
	k.fails("exec_shell", object{"command": ""}, tool.CodeInvalid)
	k.fails("exec_shell", object{"command": "true", "timeout": 3601}, tool.CodeInvalid, "3600")
	k.fails("exec_shell", object{"command": "true", "yieldMs": 5}, tool.CodeInvalid, "10")
	k.fails("exec_shell", object{}, tool.CodeInvalid, `"command" required`)
	for _, line := range []string{`echo "sudo"`, "echo reboot > log; grep reboot log", "mkdir build; rm -rf ./build"} {
		k.ok("exec_shell", object{"command": line})
	}
}

func TestADryRunOfACommandRunsNothing(t *testing.T) {
	k := newShell(t)
	r := k.dry("exec_shell", object{"command": "touch made"})
	if !r.OK() || r.Effects != nil || k.is("made") || !strings.Contains(shown(r), "would run in the workspace: touch made") {
		t.Errorf("%s %+v", shown(r), r.Effects)
	}
	if r := k.dry("exec_shell", object{"command": "sudo ls"}); r.Status != tool.StatusBlocked {
		t.Errorf("a forbidden command: %s", r.Status)
	}
}

func TestExecShellKeepsHeadAndNewestOutput(t *testing.T) {
	k := newShell(t)
	r := k.ok("exec_shell", object{"command": `i=0; while [ $i -lt 60000 ]; do echo "line $i é"; i=$((i+1)); done`})
	d := data[execData](t, r)
	if !d.Truncated || !strings.HasPrefix(d.Output, "line 0 é\n") || !strings.HasSuffix(d.Output, "line 59999 é\n") || !strings.Contains(d.Output, "characters left out") {
		t.Errorf("truncated %v, begins %.20q, ends %q", d.Truncated, d.Output, d.Output[max(0, len(d.Output)-20):])
	}
	if n := utf8.RuneCountInString(d.Output); n < 200_000 || n > 200_100 {
		t.Errorf("%d characters are kept, want 200,000 and the mark", n)
	}
	d = data[execData](t, k.ok("exec_shell", object{"command": "head -c 199999 /dev/zero | tr '\\0' x"}))
	if d.Truncated || len(d.Output) != 199_999 {
		t.Errorf("what fits is cut: %d bytes, %v", len(d.Output), d.Truncated)
	}
}

func TestExecShellDrainsMoreThanAPipeHolds(t *testing.T) {
	k := newShell(t)
	d := data[execData](t, k.ok("exec_shell", object{"command": "head -c 3000000 /dev/zero | tr '\\0' x; head -c 3000000 /dev/zero | tr '\\0' y >&2; echo end", "timeout": 30}))
	if d.ExitCode != 0 || !strings.HasSuffix(d.Stdout, "end\n") || !strings.HasSuffix(d.Stderr, "yyy") {
		t.Errorf("exit code %d", d.ExitCode)
	}
}

func TestExecShellTellsOutputAsItComes(t *testing.T) {
	k := newShell(t)
	var notes []string
	ctx := tool.WithNotes(t.Context(), func(n tool.Note) {
		if n.Kind != tool.NoteProgress {
			return
		}
		notes = append(notes, n.Content[0].Text)
		if len(notes) == 1 {
			k.put("go", "") // the command goes on when it was heard
		}
	})
	r := k.call(ctx, tool.NewCall("exec_shell", `{"command":"echo first; while [ ! -e go ]; do sleep 0.01; done; echo second","timeout":20}`))
	if !r.OK() || len(notes) == 0 || notes[0] != "first\n" {
		t.Errorf("%v, heard %q", r.Err, notes)
	}
}

// gone reports whether a process is over.
func gone(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(stat), ") Z ") // dead, and not yet taken note of
}

// pidIn is the process id in a file.
func (k *kit) pidIn(name string) int {
	k.t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(k.get(name)))
	if err != nil {
		k.t.Fatal(err)
	}
	return pid
}

// await waits until a command has made a file.
func (k *kit) await(name string) {
	k.t.Helper()
	k.ok("exec_shell", object{"command": "while [ ! -e " + name + " ]; do sleep 0.01; done", "yieldMs": 60_000})
}

// forking says "started" when it and its child have each started a child, whose
// process ids are in the files outer and inner.
const forking = `(sleep 300 & echo $! > inner.tmp; mv inner.tmp inner; wait) & sleep 301 & echo $! > outer; while [ ! -e inner ]; do sleep 0.01; done; echo started; touch ready; wait`

func TestNothingIsLeftOfACommand(t *testing.T) {
	for name, end := range map[string]func(k *kit) *tool.Result{
		"by its timeout": func(k *kit) *tool.Result {
			return k.do("exec_shell", object{"command": forking, "timeout": 4})
		},
		"by the deadline of the call": func(k *kit) *tool.Result {
			c := tool.NewCall("exec_shell", text(k.t, object{"command": forking}))
			c.Timeout = 4 * time.Second
			return k.call(k.t.Context(), c)
		},
		"by cancel": func(k *kit) *tool.Result {
			ctx, cancel := context.WithCancel(k.t.Context())
			ctx = tool.WithNotes(ctx, func(n tool.Note) {
				if n.Kind == tool.NoteProgress {
					cancel()
				}
			})
			defer cancel()
			return k.call(ctx, tool.NewCall("exec_shell", text(k.t, object{"command": forking})))
		},
		"by process kill": func(k *kit) *tool.Result {
			id := data[execData](k.t, k.ok("exec_shell", object{"command": forking, "background": true})).SessionID
			k.await("ready")
			k.ok("process", object{"action": "kill", "sessionId": id})
			return nil
		},
		"by Close": func(k *kit) *tool.Result {
			k.ok("exec_shell", object{"command": forking, "background": true})
			k.await("ready")
			if err := k.exec.Close(); err != nil {
				k.t.Error(err)
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newShell(t)
			r := end(k)
			if r != nil {
				want := tool.StatusTimeout
				if name == "by cancel" {
					want = tool.StatusCancelled
				}
				if r.Status != want || !strings.Contains(shown(r), "started") {
					t.Errorf("status %s, want %s with what there was: %q", r.Status, want, shown(r))
				}
				if d := data[execData](t, r); d.TimedOut != (want == tool.StatusTimeout) {
					t.Errorf("timedOut %v", d.TimedOut)
				}
			}
			for _, file := range []string{"inner", "outer"} {
				if pid := k.pidIn(file); !gone(pid) {
					t.Errorf("process %d of %s is left", pid, file)
				}
			}
		})
	}
}

func TestExecShellYields(t *testing.T) {
	k := newShell(t)
	r := k.ok("exec_shell", object{"command": "echo early; while [ ! -e go ]; do sleep 0.01; done; echo late", "yieldMs": 300})
	d := data[execData](t, r)
	if d.Status != "running" || d.SessionID == "" || d.ExitCode != -1 || d.Output != "early\n" || !strings.Contains(shown(r), d.SessionID) {
		t.Fatalf("%+v\n%s", d, shown(r))
	}
	k.put("go", "")
	p := k.pollToEnd(d.SessionID)
	if p.Status != "completed" || *p.ExitCode != 0 || p.Output != "early\nlate\n" {
		t.Errorf("%+v", p)
	}
}

func TestInTheForegroundACommandIsWaitedFor(t *testing.T) {
	k := newExec(t, &builtin.Exec{Foreground: true})
	if _, ok := k.tools.Lookup("process"); ok {
		t.Error("process is on offer")
	}
	d := data[execData](t, k.ok("exec_shell", object{"command": "sleep 0.3; echo done", "yieldMs": 10}))
	if d.Status != "completed" || d.Output != "done\n" {
		t.Errorf("%+v", d)
	}
	k.fails("exec_shell", object{"command": "true", "background": true}, tool.CodePrecondition, "background")
}

func TestTheEndOfABackgroundSessionIsTold(t *testing.T) {
	told := make(chan builtin.Session, 4)
	k := newExec(t, &builtin.Exec{OnEnd: func(s builtin.Session) { told <- s }})
	k.ok("exec_shell", object{"command": "echo foreground"})
	id := data[execData](t, k.ok("exec_shell", object{"command": "echo out; exit 4", "background": true})).SessionID
	select {
	case s := <-told:
		if s.Duration <= 0 {
			t.Errorf("duration %v", s.Duration)
		}
		s.Duration = 0
		want := builtin.Session{ID: id, Command: "echo out; exit 4", Status: "completed", ExitCode: 4, Tail: "out\n"}
		if diff := cmp.Diff(want, s); diff != "" {
			t.Error(diff)
		}
	case <-t.Context().Done():
	}
	id = data[execData](t, k.ok("exec_shell", object{"command": "sleep 60", "background": true, "timeout": 0.2})).SessionID
	if s := <-told; s.ID != id || s.Status != "failed" || !s.TimedOut {
		t.Errorf("%+v", s)
	}
	k.ok("exec_shell", object{"command": "sleep 60", "background": true})
	if err := k.exec.Close(); err != nil {
		t.Fatal(err)
	}
	if len(told) != 0 {
		t.Errorf("Close told of %+v", <-told)
	}
	k.fails("exec_shell", object{"command": "true"}, tool.CodeUnavailable, "over")
}

func TestManyCommandsAtOnce(t *testing.T) {
	k := newShell(t)
	var group sync.WaitGroup
	for i := range 12 {
		group.Go(func() {
			r := k.do("exec_shell", object{"command": fmt.Sprintf("echo %d; exit %d", i, i)})
			if d := data[execData](t, r); d.ExitCode != i || d.Output != fmt.Sprintf("%d\n", i) {
				t.Errorf("command %d: %+v", i, d)
			}
		})
	}
	group.Wait()
}

func TestOnlySoManyRunInTheBackground(t *testing.T) {
	k := newExec(t, &builtin.Exec{MaxSessions: 2})
	for range 2 {
		k.ok("exec_shell", object{"command": "sleep 60", "background": true})
	}
	k.fails("exec_shell", object{"command": "sleep 60", "background": true}, tool.CodeLimit, "2 commands run")
	d := data[execData](t, k.ok("exec_shell", object{"command": "sleep 0.3; echo waited", "yieldMs": 50}))
	if d.Status != "completed" {
		t.Errorf("with no room it is waited for, but: %+v", d)
	}
}

func BenchmarkExecShell(b *testing.B) {
	k := newShell(b)
	for b.Loop() {
		k.ok("exec_shell", object{"command": "true"})
	}
}

func TestTheTimesOfAnExecHoldWhereACallNamesNone(t *testing.T) {
	k := newExec(t, &builtin.Exec{Yield: 50 * time.Millisecond, Timeout: 300 * time.Millisecond})
	d := data[execData](t, k.ok("exec_shell", object{"command": "sleep 60"}))
	if d.Status != "running" {
		t.Fatalf("%+v", d)
	}
	if p := k.pollToEnd(d.SessionID); !p.TimedOut || p.Status != "failed" {
		t.Errorf("%+v", p)
	}
	if d := data[execData](t, k.ok("exec_shell", object{"command": "sleep 0.2", "yieldMs": 60000, "timeout": 60})); d.Status != "completed" {
		t.Errorf("%+v", d)
	}
}
