//go:build unix

package builtin_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/builtin"
	"github.com/toolpost/toolpost/tool"
)

type processData struct {
	Action, SessionID, Status, Output string
	ExitCode                          *int
	StartLine, TotalLines             int
	TimedOut, Truncated               bool
	RetryInMs, Written, Cleared       int
	Sessions                          []struct {
		SessionID, Command, Workdir, Status string
		ExitCode, PID                       int
		TimedOut, Terminal                  bool
	}
}

// background starts a command and returns its session.
func (k *kit) background(command string, more ...object) string {
	k.t.Helper()
	args := object{"command": command, "background": true}
	for _, m := range more {
		for key, v := range m {
			args[key] = v
		}
	}
	return data[execData](k.t, k.ok("exec_shell", args)).SessionID
}

func (k *kit) process(action, id string, more ...object) processData {
	k.t.Helper()
	args := object{"action": action, "sessionId": id}
	for _, m := range more {
		for key, v := range m {
			args[key] = v
		}
	}
	return data[processData](k.t, k.ok("process", args))
}

// pollToEnd polls until the command has ended, and joins its output.
func (k *kit) pollToEnd(id string) processData {
	k.t.Helper()
	var all strings.Builder
	for range 60 {
		p := k.process("poll", id, object{"timeoutMs": 1000})
		all.WriteString(p.Output)
		if p.Status != "running" {
			p.Output = all.String()
			return p
		}
	}
	k.t.Fatal("it does not end")
	return processData{}
}

// pollFor polls until the output has a text.
func (k *kit) pollFor(id, want string) string {
	k.t.Helper()
	var all strings.Builder
	for range 30 {
		p := k.process("poll", id, object{"timeoutMs": 1000})
		all.WriteString(p.Output)
		if strings.Contains(all.String(), want) {
			return all.String()
		}
		if p.Status != "running" {
			break
		}
	}
	k.t.Fatalf("%q does not come; there was %q", want, all.String())
	return ""
}

func TestProcessPoll(t *testing.T) {
	k := newShell(t)
	id := k.background("for i in 1 2 3; do echo $i; while [ ! -e go$i ]; do sleep 0.01; done; done; exit 2")
	for i := 1; i <= 3; i++ {
		if got := k.pollFor(id, fmt.Sprint(i)); got != fmt.Sprintf("%d\n", i) {
			t.Errorf("poll %d: %q is not only what is new", i, got)
		}
		if p := k.process("poll", id); p.Output != "" || p.Status != "running" || p.ExitCode != nil || p.RetryInMs < 1000 {
			t.Errorf("a poll with nothing new: %+v", p)
		}
		k.put(fmt.Sprint("go", i), "")
	}
	if p := k.pollToEnd(id); p.Status != "completed" || *p.ExitCode != 2 || p.RetryInMs != 0 {
		t.Errorf("%+v", p)
	}
}

func TestTheHintOfAPollGrows(t *testing.T) {
	k := newShell(t)
	id := k.background("sleep 60")
	var hints []int
	for range 8 {
		hints = append(hints, k.process("poll", id).RetryInMs)
	}
	if diff := cmp.Diff([]int{1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000}, hints); diff != "" {
		t.Error(diff)
	}
}

func TestProcessLog(t *testing.T) {
	k := newShell(t)
	id := k.background("seq 1 500")
	k.pollToEnd(id)
	last := k.process("log", id)
	if last.StartLine != 301 || last.TotalLines != 500 || !strings.HasPrefix(last.Output, "301\n") || !strings.HasSuffix(last.Output, "500") {
		t.Errorf("the last lines: %+v", last)
	}
	if p := k.process("log", id, object{"offset": 10, "limit": 2}); p.Output != "10\n11\n" || p.StartLine != 10 {
		t.Errorf("lines from 10: %+v", p)
	}
	k.fails("process", object{"action": "log", "sessionId": id, "offset": 501}, tool.CodeInvalid, "500 lines")
}

func TestProcessWithATerminal(t *testing.T) {
	k := newShell(t)
	id := k.background("stty -echo; echo ready; read a; echo \"got $a\"; read b; echo \"then $b\"; trap 'stty size' WINCH; echo watching; while [ ! -e stop ]; do sleep 0.02; done; stty -icanon -isig; echo armed; head -c 1 | od -An -tx1; exit 7", object{"pty": object{}})
	k.pollFor(id, "ready")
	if p := k.process("submit", id, object{"data": "one"}); p.Written != 4 {
		t.Errorf("submit: %+v", p)
	}
	k.pollFor(id, "got one")
	k.process("send_keys", id, object{"keys": []string{"t", "w"}, "hex": []string{"6f"}, "literal": "!"})
	k.process("send_keys", id, object{"keys": []string{"Enter"}})
	if got := k.pollFor(id, "watching"); !strings.Contains(got, "then two!") {
		t.Errorf("%q", got)
	}
	k.process("resize", id, object{"rows": 44, "cols": 99})
	k.pollFor(id, "44 99")
	k.put("stop", "")
	k.pollFor(id, "armed")
	k.process("send_keys", id, object{"keys": []string{"C-c"}})
	if p := k.pollToEnd(id); *p.ExitCode != 7 || !strings.Contains(p.Output, " 03") {
		t.Errorf("%+v", p)
	}
	k.fails("process", object{"action": "submit", "sessionId": id}, tool.CodePrecondition, "takes no input any more")
}

func TestProcessPaste(t *testing.T) {
	k := newShell(t)
	id := k.background("stty -echo -icanon; echo ready; head -c 19 | od -An -c | tr -d ' \\n'; echo", object{"pty": object{"rows": 24, "cols": 200}})
	k.pollFor(id, "ready")
	k.process("paste", id, object{"data": "a\x1b[201~bcdefg"})
	if p := k.pollToEnd(id); !strings.Contains(p.Output, `033[200~abcdefg033[201~`) {
		t.Errorf("%q", p.Output)
	}
}

func TestProcessRefusesInputWhereThereIsNone(t *testing.T) {
	k := newShell(t)
	id := k.background("sleep 60")
	k.fails("process", object{"action": "write", "sessionId": id, "data": "x"}, tool.CodePrecondition, "closed")
	k.fails("process", object{"action": "resize", "sessionId": id, "rows": 5, "cols": 5}, tool.CodePrecondition, "no terminal")
	k.fails("process", object{"action": "resize", "sessionId": id}, tool.CodeInvalid, `"rows" and "cols" required`)
	k.fails("process", object{"action": "write", "sessionId": id}, tool.CodeInvalid, `"data" required`)
	k.fails("process", object{"action": "paste", "sessionId": id}, tool.CodeInvalid, `"data" required`)
	k.fails("process", object{"action": "send_keys", "sessionId": id}, tool.CodeInvalid, "required")
	k.fails("process", object{"action": "send_keys", "sessionId": id, "keys": []string{"Entr"}}, tool.CodeInvalid, "enter")
	k.fails("process", object{"action": "send_keys", "sessionId": id, "hex": []string{"zz"}}, tool.CodeInvalid, "zz")
	k.fails("process", object{"action": "clear", "sessionId": id}, tool.CodePrecondition, "still runs")
	k.fails("process", object{"action": "poll"}, tool.CodeInvalid, `"sessionId" required`)
	k.fails("process", object{"action": "poll", "sessionId": "nope"}, tool.CodeNotFound, id)
	k.fails("process", object{"action": "pol", "sessionId": id}, tool.CodeInvalid, "poll")
	k.fails("process", object{}, tool.CodeInvalid, `"action" required`)
}

func TestProcessListClearAndRemove(t *testing.T) {
	k := newShell(t, "dir/x", "")
	if p := data[processData](t, k.ok("process", object{"action": "list"})); len(p.Sessions) != 0 {
		t.Errorf("%+v", p)
	}
	ended := k.background("exit 3", object{"workdir": "dir"})
	k.pollToEnd(ended)
	live := k.background("sleep 60", object{"pty": object{}})
	p := data[processData](t, k.ok("process", object{"action": "list"}))
	if len(p.Sessions) != 2 {
		t.Fatalf("%+v", p.Sessions)
	}
	a, b := p.Sessions[0], p.Sessions[1]
	if a.SessionID != ended || a.Status != "completed" || a.ExitCode != 3 || a.Workdir != "dir" || a.Terminal {
		t.Errorf("%+v", a)
	}
	if b.SessionID != live || b.Status != "running" || b.ExitCode != -1 || !b.Terminal || b.PID <= 0 {
		t.Errorf("%+v", b)
	}
	if p := data[processData](t, k.ok("process", object{"action": "clear"})); p.Cleared != 1 {
		t.Errorf("cleared %d", p.Cleared)
	}
	if p := k.dryProcess("kill", live); p.Status != "running" {
		t.Errorf("a dry run killed: %+v", p)
	}
	if p := k.process("remove", live); p.Status != "failed" {
		t.Errorf("%+v", p)
	}
	k.fails("process", object{"action": "poll", "sessionId": live}, tool.CodeNotFound)
}

func (k *kit) dryProcess(action, id string) processData {
	k.t.Helper()
	return data[processData](k.t, k.dry("process", object{"action": action, "sessionId": id}))
}

func TestSessionsAreSeenFromTheirOwnScopeOnly(t *testing.T) {
	type key struct{}
	k := newExec(t, &builtin.Exec{Scope: func(ctx context.Context) string {
		s, _ := ctx.Value(key{}).(string)
		return s
	}})
	in := func(scope string, args object) *tool.Result {
		name := "process"
		if args["command"] != nil {
			name = "exec_shell"
		}
		return k.call(context.WithValue(t.Context(), key{}, scope), tool.NewCall(name, text(t, args)))
	}
	id := data[execData](t, in("a", object{"command": "sleep 60", "background": true})).SessionID
	if r := in("b", object{"action": "kill", "sessionId": id}); r.Err == nil || r.Err.Code != tool.CodeNotFound {
		t.Errorf("another scope reached it: %+v", r)
	}
	if p := data[processData](t, in("b", object{"action": "list"})); len(p.Sessions) != 0 {
		t.Errorf("another scope lists it: %+v", p)
	}
	if p := data[processData](t, in("a", object{"action": "list"})); len(p.Sessions) != 1 {
		t.Errorf("its own does not: %+v", p)
	}
}

func TestAPollEndsWithItsCall(t *testing.T) {
	k := newShell(t)
	id := k.background("sleep 60")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := k.call(ctx, tool.NewCall("process", text(t, object{"action": "poll", "sessionId": id, "timeoutMs": 120000})))
	if r.Status != tool.StatusCancelled {
		t.Errorf("%s %v", r.Status, r.Err)
	}
	if p := k.process("poll", id); p.Status != "running" {
		t.Errorf("the session ended with the poll: %+v", p)
	}
}
