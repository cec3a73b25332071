package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// History is a conversation that began with another model and went on with the
// one named: a foreign call, a reply that was cut, two calls at once, one with
// arguments that are not JSON, a result with an image and a failed one, in
// another order than their calls.
func History(provider, api, model string) []llm.Message {
	shot := tool.Image([]byte("png"), "image/png", "a page")
	shot.ID, shot.Tool, shot.ProviderID = "1", "web.shot", "toolu_01A"
	failed := tool.Fail(tool.Errorf(tool.CodeNotFound, "no such file"))
	failed.ID, failed.Tool, failed.ProviderID = "2", "read_file", "toolu_01B"
	empty := tool.Text("")
	empty.ID, empty.Tool, empty.ProviderID = "0", "read_file", "toolu_01C|fc_1"
	return []llm.Message{
		llm.User("Begin."),
		{Role: llm.RoleAssistant, Provider: "other", API: "other", Model: "m", Blocks: []llm.Block{
			{Content: tool.Content{Type: llm.BlockThinking}, Thinking: "Foreign."}, CallBlock("0", "toolu_01C|fc_1", "read_file", `{}`)}},
		{Role: llm.RoleTool, Blocks: []llm.Block{llm.ResultBlock(empty)}},
		llm.User("Look."),
		{Role: llm.RoleAssistant, Stop: llm.StopBroken, Blocks: []llm.Block{llm.TextBlock("I l")}},
		{Role: llm.RoleAssistant, Provider: provider, API: api, Model: model, Blocks: []llm.Block{
			{Content: tool.Content{Type: llm.BlockThinking}, Thinking: "Both."},
			CallBlock("1", "toolu_01A", "web.shot", `{"url": "x"}`), CallBlock("2", "toolu_01B", "read_file", `"not json"`)}},
		{Role: llm.RoleTool, Blocks: []llm.Block{llm.ResultBlock(failed), llm.ResultBlock(shot)}},
		llm.User("And?"),
		{Role: llm.RoleAssistant, Blocks: []llm.Block{llm.TextBlock("Done.")}},
		llm.User("Thanks \x00 <b>"),
	}
}

// CallBlock is a call in a message: its own id, the provider's, the tool and its
// arguments.
func CallBlock(id, providerID, name, args string) llm.Block {
	return llm.Block{Content: tool.Content{Type: llm.BlockCall}, Call: &tool.Call{Ref: tool.Ref{ID: id, Tool: name}, ProviderID: providerID, Args: json.RawMessage(args)}}
}

// ShowRequest is the body of a request as text, a member to a line, and each
// element of a list that is a member on a line of its own.
func ShowRequest(t testing.TB, body []byte) string {
	t.Helper()
	if !json.Valid(body) {
		t.Fatalf("the request is not JSON: %s", body)
	}
	var all bytes.Buffer
	dec := json.NewDecoder(bytes.NewReader(body))
	_, _ = dec.Token() // the opening bracket of what is valid
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			t.Fatal(err)
		}
		var list []json.RawMessage
		if json.Unmarshal(v, &list) != nil || len(list) == 0 {
			fmt.Fprintf(&all, "%s: %s\n", key, v)
			continue
		}
		fmt.Fprintf(&all, "%s:\n", key)
		for _, e := range list {
			fmt.Fprintf(&all, "  %s\n", e)
		}
	}
	return all.String()
}
