package gemini_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/llm/llmtest"
	"github.com/toolpost/toolpost/provider/gemini"
	"github.com/toolpost/toolpost/tool"
)

// chunk is a chunk with a text, a reason and a token; "" leaves each out.
func chunk(text, reason, token string) string {
	c := object("index", 0)
	if text != "" {
		c["content"] = object("role", "model", "parts", []any{object("text", text)})
	}
	if reason != "" {
		c["finishReason"] = reason
	}
	if token != "" {
		c["continuationToken"] = token
	}
	return "data: " + marshal(object("candidates", []any{c}, "usageMetadata", object("promptTokenCount", 10, "candidatesTokenCount", 2))) + "\n\n"
}

func answer(chunks ...string) llmtest.Answer { return llmtest.Answer{Chunks: chunks} }

// asked is what the server was asked: the token of each request.
func tokens(t *testing.T, s *llmtest.Server, member string) []string {
	t.Helper()
	var list []string
	for _, r := range s.Requests() {
		var m map[string]json.RawMessage
		if err := json.Unmarshal(r.Body, &m); err != nil {
			t.Fatal(err)
		}
		var token string
		if m[member] != nil {
			if err := json.Unmarshal(m[member], &token); err != nil {
				t.Fatal(err)
			}
		}
		list = append(list, token)
	}
	return list
}

func TestAReplyGoesOnByItsToken(t *testing.T) {
	junk := "data: {malformed json\n\n"
	down := refused(503, "unavailable", "Down.")
	for _, tc := range []struct {
		name    string
		answers []llmtest.Answer
		text    string
		stop    llm.Stop
		tokens  []string
		err     string
		output  int64
	}{
		{"until it is whole", []llmtest.Answer{
			answer(chunk("One, ", "", ""), chunk("", "CONTINUATION", "t1")),
			answer(chunk("two, ", "CONTINUATION", "t2")),
			answer(chunk("three.", "STOP", ""))}, "One, two, three.", llm.StopEnd, []string{"", "t1", "t2"}, "", 6},
		{"behind a checkpoint, when the stream ends or breaks", []llmtest.Answer{
			answer(chunk("One, ", "", "t1")),
			answer(chunk("two, ", "", "t2"), junk),
			answer(chunk("three, ", "", "stale"), chunk("four.", "STOP", ""))}, "One, two, three, four.", llm.StopEnd, []string{"", "t1", "t2"}, "", 6},
		{"from where it was, when nothing new came", []llmtest.Answer{
			answer(chunk("One, ", "CONTINUATION", "t1")), answer(junk), answer(chunk("", "", "")),
			answer(chunk("two.", "STOP", ""))}, "One, two.", llm.StopEnd, []string{"", "t1", "t1", "t1"}, "", 6},
		{"three times at most without anything new", []llmtest.Answer{
			answer(chunk("One, ", "CONTINUATION", "t1")), answer(), answer(), answer(), answer()}, "One, ", llm.StopBroken, []string{"", "t1", "t1", "t1", "t1"}, "before the reply did", 2},
		{"not when what came last lies behind the token", []llmtest.Answer{
			answer(chunk("One, ", "", "t1"), chunk("two", "", ""))}, "One, two", llm.StopBroken, []string{""}, "before the reply did", 2},
		{"not by the token it was begun with", []llmtest.Answer{
			answer(chunk("One, ", "CONTINUATION", "t1")), answer(chunk("two.", "CONTINUATION", "t1"))}, "One, two.", llm.StopContinue, []string{"", "t1"}, "", 4},
		{"not when it ended", []llmtest.Answer{
			answer(chunk("One.", "", "t1"), chunk("", "MAX_TOKENS", ""))}, "One.", llm.StopLength, []string{""}, "", 2},
		{"not when the server refuses", []llmtest.Answer{
			answer(chunk("One, ", "CONTINUATION", "t1")), down}, "One, ", llm.StopBroken, []string{"", "t1"}, "HTTP 503", 2},
		{"not when the server fails at once", []llmtest.Answer{
			answer(chunk("One, ", "CONTINUATION", "t1")), answer(`data: {"error":{"code":503,"message":"Down."}}` + "\n\n")}, "One, ", llm.StopBroken, []string{"", "t1"}, "Down.", 2},
		{"not when the prompt is refused", []llmtest.Answer{
			answer(chunk("One, ", "", "t1"), `data: {"promptFeedback":{"blockReason":"SAFETY"}}`+"\n\n")}, "One, ", llm.StopRefused, []string{""}, "", 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, s := serve(t, tc.answers...)
			msg, err := llmtest.Ask(context.Background(), c, &llm.Request{Messages: []llm.Message{llm.User("Count.")}})
			if (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("got error %v, want %q", err, tc.err)
			}
			if msg.Text() != tc.text || msg.Stop != tc.stop {
				t.Errorf("got %q, stop %s", msg.Text(), msg.Stop)
			}
			if diff := cmp.Diff(tc.tokens, tokens(t, s, "continuationToken")); diff != "" {
				t.Error(diff)
			}
			if tc.err == "" && msg.Usage.Output != tc.output {
				t.Errorf("%d tokens, want %d: those of all requests", msg.Usage.Output, tc.output)
			}
			if n := len(msg.Blocks); n != 1 {
				t.Errorf("%d blocks", n)
			}
		})
	}
}

func TestAReplyInPiecesThatNeverEndsIsGivenUp(t *testing.T) {
	c, s := serve(t)
	for i := range 100 {
		s.Add(answer(chunk("x", "CONTINUATION", fmt.Sprintf("t%d", i))))
	}
	msg, err := llmtest.Ask(context.Background(), c, &llm.Request{})
	if err != nil || msg.Stop != llm.StopContinue || len(s.Requests()) != 65 {
		t.Errorf("stop %s, %v, %d requests", msg.Stop, err, len(s.Requests()))
	}
}

func TestAnInteractionGoesOnByItsToken(t *testing.T) {
	part := func(id, text, status, token string) llmtest.Answer {
		return answer(
			"data: "+marshal(object("event_type", "interaction.created", "interaction", object("id", id, "status", "in_progress")))+"\n\n",
			"data: "+marshal(object("event_type", "step.start", "index", 0, "step", object("type", "model_output")))+"\n\n",
			"data: "+marshal(object("event_type", "step.delta", "index", 0, "delta", object("type", "text", "text", text)))+"\n\n",
			"data: "+marshal(object("event_type", "interaction.completed", "interaction", object("id", id, "status", status, "continuation_token", token, "usage", object("total_output_tokens", 3))))+"\n\n",
			"event: done\ndata: [DONE]\n\n")
	}
	for store, owners := range map[string][]string{`{}`: {"", ""}, `{"store":true}`: {"", "v1_a"}} {
		c, s := serve(t, part("v1_a", "One, ", "requires_continuation", "t1"), part("v1_b", "two.", "completed", ""))
		c.API = gemini.Interactions
		msg, err := llmtest.Ask(context.Background(), c, &llm.Request{Messages: []llm.Message{llm.User("Count.")}, Extra: json.RawMessage(store)})
		if err != nil || msg.Text() != "One, two." || msg.Stop != llm.StopEnd || msg.Usage.Output != 6 {
			t.Errorf("got %+v, %v", msg, err)
		}
		if diff := cmp.Diff([]string{"", "t1"}, tokens(t, s, "continuation_token")); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(owners, tokens(t, s, "previous_interaction_id")); diff != "" {
			t.Errorf("%s: %s", store, diff)
		}
		if again := string(s.Requests()[1].Body); strings.Contains(again, "Count.") == (owners[1] != "") {
			t.Errorf("what the server keeps is sent again, or what it does not keep is not: %s", again)
		}
	}
}

func TestACallThatCouldNotBeReadIsAskedForOnce(t *testing.T) {
	bad := answer(chunk("Let me see. ", "", ""), chunk("", "MALFORMED_FUNCTION_CALL", ""))
	good := generated(llmtest.Turn{Calls: []llmtest.Call{{ID: "c1", Name: "f", Args: `{"a":1}`}}})
	req := &llm.Request{Messages: []llm.Message{llm.User("Call f.")}, Tools: []tool.Spec{{Name: "f"}}}

	c, s := serve(t, bad, good)
	msg, err := llmtest.Ask(context.Background(), c, req)
	if err != nil || msg.Stop != llm.StopCalls || msg.Calls() != 1 || msg.Text() != "Let me see. " || msg.Blocks[1].Broken != nil {
		t.Errorf("got %+v, %v", msg, err)
	}
	var body struct {
		Contents []struct {
			Role  string
			Parts []struct{ Text string }
		}
	}
	if err := json.Unmarshal(s.Requests()[1].Body, &body); err != nil || len(body.Contents) != 3 || body.Contents[1].Role != "model" ||
		body.Contents[1].Parts[0].Text != "Let me see. " || !strings.Contains(body.Contents[2].Parts[0].Text, "malformed") {
		t.Errorf("asked %s", s.Requests()[1].Body)
	}

	c, s = serve(t, bad, bad, good)
	if msg, err = llmtest.Ask(context.Background(), c, req); err != nil || msg.Stop != llm.StopBadCall || len(s.Requests()) != 2 {
		t.Errorf("the second time: stop %s, %v, %d requests", msg.Stop, err, len(s.Requests()))
	}

	// A call that was read already may not be asked for again.
	c, s = serve(t, answer(generated(llmtest.Turn{Calls: []llmtest.Call{{Name: "f", Args: `{}`}}}).Chunks[0], chunk("", "MALFORMED_FUNCTION_CALL", "")), good)
	if msg, err = llmtest.Ask(context.Background(), c, req); err != nil || msg.Stop != llm.StopBadCall || msg.Blocks[0].Broken == nil || len(s.Requests()) != 1 {
		t.Errorf("behind a call: got %+v, %v, %d requests", msg, err, len(s.Requests()))
	}
}
