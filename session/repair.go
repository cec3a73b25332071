package session

import (
	"context"
	"fmt"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// Repair is msgs as a model can be sent them (rule C9): directly after a message
// with calls stands one message with their results, in the order of the calls;
// a call without a result gets one that says so; a second result for a call and
// a result without a call are dropped. Recall, if not nil, is asked first for
// the result of a call that has none, such as from the record of its run. What
// was done is told in notes, one line each. Msgs is not changed; a history that
// needs no repair is returned as it is.
func Repair(msgs []llm.Message, recall func(*tool.Call) *tool.Result) (repaired []llm.Message, notes []string) {
	if whole(msgs) {
		return msgs, nil
	}
	results, notes := collect(msgs)
	out := make([]llm.Message, 0, len(msgs))
	for i := range msgs {
		m := &msgs[i]
		if m.Role == llm.RoleTool {
			continue // its results stand with their calls
		}
		out = append(out, *m)
		if m.Role != llm.RoleAssistant || m.Calls() == 0 || m.Broken() {
			continue
		}
		answer := llm.Message{Role: llm.RoleTool}
		for _, b := range m.Blocks {
			if b.Call == nil {
				continue
			}
			r := results[b.Call.ID]
			if r == nil && recall != nil {
				if r = recall(b.Call); r != nil {
					notes = append(notes, fmt.Sprintf("call %s of %s: its result was taken from the record", b.Call.ID, b.Call.Tool))
				}
			}
			if r == nil {
				r = lost(b.Call)
				notes = append(notes, fmt.Sprintf("call %s of %s had no result: interrupted", b.Call.ID, b.Call.Tool))
			}
			answer.Blocks = append(answer.Blocks, llm.ResultBlock(r))
		}
		out = append(out, answer)
	}
	if len(notes) == 0 {
		notes = append(notes, "results were put directly behind their calls")
	}
	return out, notes
}

// lost is the result of a call whose own was never written.
func lost(c *tool.Call) *tool.Result {
	none := func(context.Context, *tool.Call) (*tool.Result, error) {
		return nil, tool.Errorf(tool.CodeCancelled, "no result: interrupted; whether the tool did anything is not known")
	}
	return tool.Do(context.Background(), none, &tool.Call{Ref: c.Ref, ProviderID: c.ProviderID})
}

// whole reports whether every batch of calls is followed by its results, in
// order, and nothing else.
func whole(msgs []llm.Message) bool {
	for i := 0; i < len(msgs); i++ {
		m := &msgs[i]
		if m.Role == llm.RoleTool {
			return false // one that belongs to calls has been stepped over
		}
		if m.Role != llm.RoleAssistant || m.Calls() == 0 || m.Broken() {
			continue
		}
		if i+1 >= len(msgs) || !answers(&msgs[i+1], m) {
			return false
		}
		i++
	}
	return true
}

func answers(results, calls *llm.Message) bool {
	if results.Role != llm.RoleTool || len(results.Blocks) != calls.Calls() {
		return false
	}
	at := 0
	for i := range calls.Blocks {
		c := calls.Blocks[i].Call
		if c == nil {
			continue
		}
		r := results.Blocks[at].Result
		if r == nil || r.ID != c.ID {
			return false
		}
		at++
	}
	return true
}

// collect is the first result for each call that was made, by call id.
func collect(msgs []llm.Message) (results map[string]*tool.Result, notes []string) {
	asked := map[string]bool{}
	results = map[string]*tool.Result{}
	for i := range msgs {
		for _, b := range msgs[i].Blocks {
			switch {
			case b.Call != nil && !msgs[i].Broken():
				asked[b.Call.ID] = true
			case b.Result == nil:
			case !asked[b.Result.ID]:
				notes = append(notes, fmt.Sprintf("dropped a result for call %s, which was never made", b.Result.ID))
			case results[b.Result.ID] != nil:
				notes = append(notes, fmt.Sprintf("dropped a second result for call %s", b.Result.ID))
			default:
				results[b.Result.ID] = b.Result
			}
		}
	}
	return results, notes
}
