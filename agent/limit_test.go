package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/agent"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/session"
	"github.com/toolpost/toolpost/tool"
)

func TestOldResultsMakeRoomBeforeTheRunGivesUp(t *testing.T) {
	big := strings.Repeat("x", 4000)
	tools := registry(t, echo("big", func(context.Context, string) (string, error) { return big, nil }))
	m := &model{}
	for range 12 {
		m.turns = append(m.turns, calls(llm.StopCalls, `big {"w":"a"}`))
	}
	m.turns = append(m.turns, says("done"))
	chat := session.NewMemory(llm.User("go"))
	if _, _, err := run(t, t.Context(), &agent.Loop{Provider: m, Tools: tools, Window: 5000}, chat); err != nil {
		t.Fatal(err)
	}
	last := m.asked[len(m.asked)-1].Messages
	text := func(m llm.Message) string { return m.Blocks[0].Result.Content[0].Text }
	if got := text(last[2]); !strings.Contains(got, "left out") {
		t.Errorf("the oldest result was sent whole: %.60s", got)
	}
	if got := text(last[len(last)-1]); !strings.Contains(got, big) {
		t.Errorf("the newest result was not sent whole: %.60s", got)
	}
	if got := chat.Messages()[2].Blocks[0].Result.Content[0].Text; !strings.Contains(got, big) {
		t.Error("the session itself was changed")
	}

	_, _, err := run(t, t.Context(), &agent.Loop{Provider: &model{}, Window: 100}, session.NewMemory(llm.User(big)))
	if !errors.Is(err, &tool.Error{Code: tool.CodeLimit}) {
		t.Errorf("got %v, want LIMIT_EXCEEDED", err)
	}
}

func TestASummaryStandsForOlderMessages(t *testing.T) {
	m := &model{turns: []func(func(llm.Delta, error) bool){says("ok")}}
	msgs := []llm.Message{llm.User(strings.Repeat("a", 3000)), llm.User("now")}
	l := agent.Loop{Provider: m, Window: 500, Summarise: func(_ context.Context, older []llm.Message) (llm.Message, error) {
		return llm.User(fmt.Sprintf("summary of %d", len(older))), nil
	}}
	if _, _, err := run(t, t.Context(), &l, session.NewMemory(msgs...)); err != nil {
		t.Fatal(err)
	}
	if got := m.asked[0].Messages[0].Text(); got != "summary of 2" && got != "summary of 1" {
		t.Errorf("first message %q", got)
	}
}

func TestTheWallClockEndsARunWithItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tools := registry(t, echo("wait", func(ctx context.Context, w string) (string, error) { <-ctx.Done(); return "", ctx.Err() }))
		m := &model{turns: []func(func(llm.Delta, error) bool){calls(llm.StopCalls, `wait {"w":"a"}`)}}
		out, _, err := run(t, t.Context(), &agent.Loop{Provider: m, Tools: tools, Limits: agent.Limits{Wall: time.Minute}}, session.NewMemory(llm.User("go")))
		if !errors.Is(err, &tool.Error{Code: tool.CodeLimit}) || out.Status != agent.StatusLimit {
			t.Errorf("got %v, status %s", err, out.Status)
		}
	})
}

func TestARunEndsBeforeTheToolsOfARoundTooManyAreRun(t *testing.T) {
	var ran atomic.Int64
	tools := registry(t, echo("echo", func(_ context.Context, w string) (string, error) { ran.Add(1); return w, nil }))
	m := &model{}
	for range 10 {
		m.turns = append(m.turns, calls(llm.StopCalls, `echo {"w":"a"}`))
	}
	chat := session.NewMemory(llm.User("go"))
	out, _, err := run(t, t.Context(), &agent.Loop{Provider: m, Tools: tools, MaxTurns: 3}, chat)
	if !errors.Is(err, &tool.Error{Code: tool.CodeLimit}) || !strings.Contains(err.Error(), "max_tool_iterations") {
		t.Errorf("got %v, want LIMIT_EXCEEDED that names the limit", err)
	}
	if ran.Load() != 2 || len(m.asked) != 3 {
		t.Errorf("%d calls ran and the model was asked %d times, want 2 and 3", ran.Load(), len(m.asked))
	}
	if out.Status != agent.StatusLimit {
		t.Errorf("status %s", out.Status)
	}
	if diff := cmp.Diff([]string{"echo ok", "echo ok", "echo error LIMIT_EXCEEDED"}, results(chat.Messages())); diff != "" {
		t.Error("every call has a result:", diff)
	}
}

func TestMaxTurnsHasAFloorOfOne(t *testing.T) {
	m := &model{turns: []func(func(llm.Delta, error) bool){says("hello")}}
	out, _, err := run(t, t.Context(), &agent.Loop{Provider: m, MaxTurns: -5}, session.NewMemory(llm.User("go")))
	if err != nil || out.Text != "hello" {
		t.Errorf("got %q, %v", out.Text, err)
	}
}
