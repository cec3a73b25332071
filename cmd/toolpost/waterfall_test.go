package main

import (
	"bufio"
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/tool"
)

// TestWaterfallShowsEachPhase draws a run in which a call was queued, one waited
// for a person, one failed, one was refused and one still runs.
func TestWaterfallShowsEachPhase(t *testing.T) {
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(s float64) time.Time { return begin.Add(time.Duration(s * float64(time.Second))) }
	call := func(n int, name, args string, status tool.Status, times ...float64) *audit.Call {
		c := &audit.Call{N: n, Turn: 1, Asked: tool.NewCall(name, args)}
		for i, to := range []*time.Time{&c.Scheduled, &c.Waiting, &c.Started, &c.Ended} {
			if i < len(times) && times[i] >= 0 {
				*to = at(times[i])
			}
		}
		if status != "" {
			c.Result = &tool.Result{Status: status}
			if c.Result.IsError() {
				c.Result.Err = &tool.Error{Code: tool.CodeFailed, Message: "no"}
			}
		}
		return c
	}
	calls := []*audit.Call{
		call(1, "read_file", `{"path":"a.txt"}`, tool.StatusOK, 1, -1, 3, 4),
		call(2, "edit_file", `{"path":"b.txt"}`, tool.StatusOK, 1, 2, 8, 9),
		call(3, "exec_shell", `{"command":"make"}`, tool.StatusTimeout, 1, -1, 1, 6),
		call(4, "exec_shell", `{"command":"sudo ls"}`, tool.StatusBlocked, 1),
		call(5, "exec_shell", `{"command":"make test"}`, "", 1, -1, 2),
	}
	calls[1].Result.Data = []byte(`{"diff":"--- a\n+++ b\n@@\n-x\n+y\n+z\n"}`)
	calls[0].Result.Artifact = &tool.Artifact{ID: "x", Bytes: 3_050_000}
	view := &audit.View{Last: at(10), Live: true, Calls: calls, Turns: []audit.Turn{{Index: 1, Started: at(0), Replied: at(1), Calls: calls}}}
	view.Started = begin
	view.Counts = audit.Counts{Calls: 4, OK: 2, Timeouts: 1, Blocked: 1}

	var buf bytes.Buffer
	o := &output{out: bufio.NewWriter(&buf), form: "text"}
	(&waterfall{out: o, view: view, quiet: true}).draw()
	if err := o.flush(); err != nil {
		t.Fatal(err)
	}
	want := `                                  0                 5s               10s
turn 1  model                     ████                                    1.00s
 ├ 1 read_file a.txt                 ▒▒▒▒▒▒▒█████                         1.00s  ok  3.05 MB kept
 ├ 2 edit_file b.txt                 ▒▒▒▒░░░░░░░░░░░░░░░░░░░░░█████       1.00s  ok  +2 −1
 ├ 3 exec_shell make                 ×××××××××××××××××××                  5.00s  TIMEOUT
 ├ 4 exec_shell sudo ls              ·                                        —  DENIED
 └ 5 exec_shell make test            ▒▒▒▒█████████████████████████████    8.00s  running

4 calls · 2 ok · 1 timed out · 1 denied · longest: 3 exec_shell 5.00s, 50% of the run · 1 artifact (3.05 MB)
`
	if d := cmp.Diff(buf.String(), want); d != "" {
		t.Errorf("%s\n%s", d, buf.String())
	}
}

func TestAxisHasRoundSteps(t *testing.T) {
	for _, tt := range []struct {
		span time.Duration
		want time.Duration
	}{
		{11200 * time.Millisecond, 5 * time.Second},
		{time.Second, 500 * time.Millisecond},
		{90 * time.Second, 50 * time.Second},
		{time.Millisecond, 500 * time.Microsecond},
	} {
		if got := niceStep(tt.span, 3); got != tt.want {
			t.Errorf("%s: a step of %s, want %s", tt.span, got, tt.want)
		}
	}
}
