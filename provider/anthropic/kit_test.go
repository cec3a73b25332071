package anthropic_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"testing"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/llm/llmtest"
	"github.com/toolpost/toolpost/provider/anthropic"
)

func TestKit(t *testing.T) {
	llmtest.Run(t, llmtest.Wire{
		New:    func(url string) llm.Provider { return &anthropic.Messages{BaseURL: url} },
		Reply:  reply,
		Refuse: refuse,
	})
}

// event is one server-sent event.
func event(v map[string]any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // it is made of strings and numbers
	}
	return "event: " + v["type"].(string) + "\ndata: " + string(b) + "\n\n"
}

// reply is a Turn as the Messages API streams it, a few characters at a time.
func reply(t llmtest.Turn) llmtest.Answer {
	var a llmtest.Answer
	say := func(v map[string]any) { a.Chunks = append(a.Chunks, event(v)) }
	say(map[string]any{"type": "message_start", "message": map[string]any{"id": "msg_1", "type": "message", "role": "assistant", "model": "test-model", "content": []any{}, "usage": map[string]any{"input_tokens": 100, "output_tokens": 1}}})
	n := 0
	block := func(start map[string]any, kind, field, text string) {
		say(map[string]any{"type": "content_block_start", "index": n, "content_block": start})
		for r := []rune(text); len(r) > 0; {
			k := min(7, len(r))
			say(map[string]any{"type": "content_block_delta", "index": n, "delta": map[string]any{"type": kind, field: string(r[:k])}})
			r = r[k:]
		}
		say(map[string]any{"type": "content_block_stop", "index": n})
		n++
	}
	if t.Thinking != "" {
		block(map[string]any{"type": "thinking", "thinking": "", "signature": "sig"}, "thinking_delta", "thinking", t.Thinking)
	}
	if t.Text != "" {
		block(map[string]any{"type": "text", "text": ""}, "text_delta", "text", t.Text)
	}
	for _, c := range t.Calls {
		block(map[string]any{"type": "tool_use", "id": c.ID, "name": c.Name, "input": map[string]any{}}, "input_json_delta", "partial_json", c.Args)
	}
	stop := t.Finish
	if stop == "" {
		stop = "end_turn"
		if len(t.Calls) > 0 {
			stop = "tool_use"
		}
	}
	say(map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": map[string]any{"output_tokens": 20}})
	say(map[string]any{"type": "message_stop"})
	return a
}

func refuse(status int, kind, message string) llmtest.Answer {
	b, err := json.Marshal(map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message}, "request_id": "req_1"})
	if err != nil {
		panic(err) // it is made of strings
	}
	return llmtest.Answer{Status: status, Header: http.Header{"Content-Type": {"application/json"}, "Request-Id": {"req_" + strconv.Itoa(status)}}, Chunks: []string{string(b)}}
}
