package replay_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/provider/replay"
	"github.com/toolpost/toolpost/tool"
)

func ExampleModel() {
	m := replay.Model{Messages: []llm.Message{{Role: llm.RoleAssistant, Blocks: []llm.Block{llm.TextBlock("hello")}, Stop: llm.StopEnd}}}
	var reply llm.Reply
	for d, err := range m.Stream(context.Background(), new(llm.Request)) {
		if err != nil {
			fmt.Println(err)
			return
		}
		reply.Add(d)
	}
	msg := reply.Message()
	fmt.Println(msg.Text())
	// Output: hello
}

// joined is the message that the n-th reply joins to.
func joined(t *testing.T, m *replay.Model) (llm.Message, error) {
	t.Helper()
	var reply llm.Reply
	var failed error
	for d, err := range m.Stream(t.Context(), new(llm.Request)) {
		if failed = err; err == nil {
			reply.Add(d)
		}
	}
	reply.Fail(failed)
	return reply.Message(), failed
}

// plain is a message without what every reply has of its own.
func plain(t *testing.T, m llm.Message) string {
	t.Helper()
	for i := range m.Blocks {
		if c := m.Blocks[i].Call; c != nil {
			own := *c
			own.ID, own.Created = "", own.Created.Truncate(1<<62)
			m.Blocks[i].Call = &tool.Call{Ref: tool.Ref{Tool: own.Tool}, ProviderID: own.ProviderID, Args: own.Args}
		}
	}
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestAMessageIsSaidAsItWas(t *testing.T) {
	call := func(args string, broken *tool.Error) llm.Block {
		return llm.Block{Content: tool.Content{Type: llm.BlockCall}, Call: &tool.Call{Ref: tool.Ref{Tool: "read_file"}, ProviderID: "c1", Args: json.RawMessage(args)}, Broken: broken, Signature: "s"}
	}
	cut := func(raw string) llm.Message { // as a stream that was cut gives it
		var r llm.Reply
		r.Add(llm.Delta{Kind: llm.DeltaCall, ID: "c1", Name: "read_file", Text: raw})
		r.Add(llm.Delta{Kind: llm.DeltaStop, Stop: llm.StopLength})
		return r.Message()
	}
	for name, m := range map[string]llm.Message{
		"text, thinking and an opaque block": {Role: llm.RoleAssistant, ID: "m1", Provider: "p", API: "a", Model: "x", Served: "x-1", Stop: llm.StopEnd, Usage: &llm.Usage{Input: 3, Output: 4},
			Blocks: []llm.Block{{Content: tool.Content{Type: llm.BlockThinking}, Thinking: "hm", Signature: "sig"}, llm.TextBlock("hello"), {Content: tool.Content{Type: llm.BlockOpaque}, Opaque: json.RawMessage(`{"a":1}`)}}},
		"calls":                       {Role: llm.RoleAssistant, Stop: llm.StopCalls, Blocks: []llm.Block{call(`{"path":"a"}`, nil), call(`{"path":"a"}`, nil)}},
		"a call that was cut off":     cut(`{"path":"a`),
		"a reply that was cut off":    cut(`{"path":"a"}`),
		"a reply that was broken off": {Role: llm.RoleAssistant, Stop: llm.StopBroken, Error: "connection reset", Blocks: []llm.Block{llm.TextBlock("hel")}},
	} {
		t.Run(name, func(t *testing.T) {
			raw, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			model, err := replay.Read([]json.RawMessage{json.RawMessage(`{"role":"user","blocks":[]}`), raw})
			if err != nil {
				t.Fatal(err)
			}
			got, _ := joined(t, model)
			if d := cmp.Diff(plain(t, m), plain(t, got)); d != "" {
				t.Errorf("want (-) and got (+):\n%s", d)
			}
			if _, err := joined(t, model); err == nil || tool.AsError(err).Code != tool.CodePrecondition {
				t.Errorf("asked once more: %v", err)
			}
		})
	}
}

func TestARecordThatIsNoMessageIsRefused(t *testing.T) {
	if _, err := replay.Read([]json.RawMessage{json.RawMessage(`{"role":1}`)}); err == nil {
		t.Error("no error")
	}
}
