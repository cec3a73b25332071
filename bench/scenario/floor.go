package scenario

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
)

type floorCall struct{ id, name, args string }

type floorMessage struct {
	role, content, call string
	calls               []floorCall
}

// Floor does the work by hand: structs, a map, encoding/json, and goroutines for
// more than one call. It checks nothing and recovers from nothing.
func Floor(_ testing.TB, _ Scenario, s *Script) Runner {
	tools := map[string]func(ctx context.Context, args []byte) (string, error){
		ToolName: func(ctx context.Context, args []byte) (string, error) {
			var in LookupIn
			if err := json.Unmarshal(args, &in); err != nil {
				return "", err
			}
			out, err := s.Lookup(ctx, in)
			if err != nil {
				return "", err
			}
			b, err := json.Marshal(out)
			return string(b), err
		},
	}
	call := func(ctx context.Context, c floorCall) floorMessage {
		reply := "no such tool"
		if fn := tools[c.name]; fn != nil {
			var err error
			if reply, err = fn(ctx, []byte(c.args)); err != nil {
				reply = err.Error()
			}
		}
		return floorMessage{role: "tool", content: reply, call: c.id}
	}
	return Runner{Run: func(ctx context.Context) (string, error) {
		said := []floorMessage{{role: "system", content: System}, {role: "user", content: Prompt}}
		for {
			m := floorModel(s, said)
			said = append(said, m)
			if len(m.calls) == 0 {
				return m.content, nil
			}
			results := make([]floorMessage, len(m.calls))
			if len(m.calls) == 1 {
				results[0] = call(ctx, m.calls[0])
			} else {
				var wg sync.WaitGroup
				for i, c := range m.calls {
					wg.Go(func() { results[i] = call(ctx, c) })
				}
				wg.Wait()
			}
			said = append(said, results...)
		}
	}}
}

func floorModel(s *Script, said []floorMessage) floorMessage {
	ids := s.Next()
	if ids == nil {
		n := 0
		for i := range said {
			if said[i].role == "tool" {
				n++
			}
		}
		s.Saw(n)
		return floorMessage{role: "assistant", content: Final}
	}
	calls := make([]floorCall, len(ids))
	for i, id := range ids {
		calls[i] = floorCall{id, ToolName, ToolArgs}
	}
	return floorMessage{role: "assistant", calls: calls}
}

// FloorOrder decodes and checks nothing.
func FloorOrder(testing.TB) OrderCall {
	return func(_ context.Context, args string) (Verdict, error) {
		var o Order
		if err := json.Unmarshal([]byte(args), &o); err != nil {
			return Refused, nil
		}
		_, err := json.Marshal(Place(o))
		return Ran, err
	}
}
