package anthropic_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/llm/llmtest"
	"github.com/toolpost/toolpost/provider/anthropic"
	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

// serve is a Messages that asks a server with these answers.
func serve(t testing.TB, answers ...llmtest.Answer) (*anthropic.Messages, *llmtest.Server) {
	t.Helper()
	s := llmtest.NewServer(answers...)
	ts := httptest.NewServer(s)
	t.Cleanup(ts.Close)
	return &anthropic.Messages{Name: "test", BaseURL: ts.URL, Model: "m"}, s
}

func ExampleMessages() {
	server := httptest.NewServer(llmtest.NewServer(reply(llmtest.Turn{Text: "Four."})))
	defer server.Close()

	p := &anthropic.Messages{BaseURL: server.URL, Model: "some-model"}
	var r llm.Reply
	for d, err := range p.Stream(context.Background(), &llm.Request{Messages: []llm.Message{llm.User("2 + 2?")}}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		r.Add(d)
	}
	msg := r.Message()
	fmt.Println(msg.Text(), msg.Stop)
	// Output: Four. stop
}

func ExampleDecode() {
	recorded := strings.Join(reply(llmtest.Turn{Calls: []llmtest.Call{{ID: "toolu_1", Name: "add", Args: `{"a":2,"b":2}`}}}).Chunks, "")
	var r llm.Reply
	for d, err := range anthropic.Decode(strings.NewReader(recorded)) {
		if err != nil {
			fmt.Println(err)
			return
		}
		r.Add(d)
	}
	msg := r.Message()
	fmt.Println(msg.Blocks[0].Call.Tool, string(msg.Blocks[0].Call.Args), msg.Stop)
	// Output: add {"a":2,"b":2} tool_calls
}

func block(kind tool.ContentType, set func(*llm.Block)) llm.Block {
	b := llm.Block{Content: tool.Content{Type: kind}}
	set(&b)
	return b
}

func thought(text, sig string) llm.Block {
	return block(llm.BlockThinking, func(b *llm.Block) { b.Thinking, b.Signature = text, sig })
}

func opaque(raw string) llm.Block {
	return block(llm.BlockOpaque, func(b *llm.Block) { b.Opaque = json.RawMessage(raw) })
}

func from(model string, blocks ...llm.Block) llm.Message {
	return llm.Message{Role: llm.RoleAssistant, Provider: "test", API: anthropic.API, Model: model, Blocks: blocks}
}

func answer(id, text string) llm.Message {
	r := tool.Text(text)
	r.ID, r.Tool = id, "read_file"
	return llm.Message{Role: llm.RoleTool, Blocks: []llm.Block{llm.ResultBlock(r)}}
}

// conversations are the requests of testdata/requests.txtar.
func conversations() []struct {
	name string
	c    anthropic.Messages
	req  llm.Request
} {
	in := schema.MustParse(`{"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}`)
	list := schema.MustParse(`{"type":"array","items":{"type":"number"}}`)
	temp := 0.5
	tools := []tool.Spec{{Name: "web.shot", Description: "Take a picture."}, {Name: "read_file", Description: "Read a file.", Input: in}}
	signed := llmtest.CallBlock("a", "toolu_A", "read_file", `{"path":"a"}`)
	signed.Signature = `{"caller":{"type":"code_execution_20260120","tool_id":"srvtoolu_1"}}`
	paused := from("claude-sonnet-5", llm.TextBlock("I search."), opaque(`{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"x"}}`))
	paused.Stop = llm.StopContinue
	return []struct {
		name string
		c    anthropic.Messages
		req  llm.Request
	}{
		{"a foreign history", anthropic.Messages{}, llm.Request{Model: "claude-sonnet-5", System: "Be brief.", Messages: llmtest.History("test", anthropic.API, "claude-sonnet-5"), Tools: tools, MaxTokens: 100, Serial: true, Effort: "low", Temp: &temp, Extra: json.RawMessage(`{"metadata": {"user_id": "u"}}`)}},
		{"its own thinking goes back as it came", anthropic.Messages{Cache: anthropic.CacheHour}, llm.Request{Model: "claude-sonnet-5", Tools: tools[1:], Messages: []llm.Message{
			llm.User("Go."),
			from("claude-sonnet-5", thought("A\n \u2028<b>", "s1=="), thought("", "s2"), opaque(`{"type":"redacted_thinking","data":"Em\u0041="}`), llm.TextBlock("x"), thought("B", "s3"), signed, llmtest.CallBlock("b", "toolu_B", "read_file", `{"path": 1.50}`)),
			answer("b", "B"), answer("a", " \n"), llm.System("Hurry."), llm.User("More."),
		}}},
		{"that of another model does not", anthropic.Messages{Cache: anthropic.CacheNone}, llm.Request{Model: "claude-opus-5", Messages: []llm.Message{
			llm.User("Go."), from("claude-sonnet-5", thought("A", "s1"), opaque(`{"type":"redacted_thinking","data":"x"}`), llm.TextBlock("x")), llm.User("More."),
		}}},
		{"a paused reply stands last", anthropic.Messages{Cache: anthropic.CacheNone}, llm.Request{Model: "claude-sonnet-5", Messages: []llm.Message{llm.User("Go."), paused}}},
		{"any other does not, and none is first", anthropic.Messages{Cache: anthropic.CacheNone}, llm.Request{Model: "claude-sonnet-5", Messages: []llm.Message{llm.System("One."), llm.System("Two."), from("claude-sonnet-5", llm.TextBlock("Hello."), llm.TextBlock(" \n"))}}},
		{"a budget for thinking", anthropic.Messages{Cache: anthropic.CacheNone}, llm.Request{Model: "anthropic/claude-sonnet-4.5", Effort: "high", Temp: &temp, MaxTokens: 4000, Messages: []llm.Message{llm.User("Go.")}}},
		{"no budget in the midst of calls that began without thinking", anthropic.Messages{Cache: anthropic.CacheNone}, llm.Request{Model: "claude-sonnet-4-5", Effort: "high", Temp: &temp, Messages: []llm.Message{llm.User("Go."), from("x", llmtest.CallBlock("a", "toolu_A", "read_file", `{}`)), answer("a", "A")}}},
		{"too little for a budget", anthropic.Messages{Cache: anthropic.CacheNone}, llm.Request{Model: "claude-sonnet-4-5", Effort: "high", MaxTokens: 500, Messages: []llm.Message{llm.User("Go.")}}},
		{"a model that does not think", anthropic.Messages{Cache: anthropic.CacheNone}, llm.Request{Model: "claude-3-5-haiku-latest", Effort: "high", Messages: []llm.Message{llm.User("Go.")}}},
		{"a forced call excludes thinking", anthropic.Messages{Cache: anthropic.CacheNone}, llm.Request{Model: "claude-sonnet-5", Effort: "high", Tools: tools, Choice: llm.Choice{Mode: llm.ChoiceTool, Name: "web.shot"}, Messages: []llm.Message{llm.User("Go.")}}},
		{"another maker's model, with thinking that has no signature", anthropic.Messages{Cache: anthropic.CacheNone, MaxTokens: 5000}, llm.Request{Model: "deepseek-v4", Messages: []llm.Message{llm.User("Go."), from("deepseek-v4", thought("A", ""), llm.TextBlock("x")), llm.User("On.")}}},
		{"arguments in the form that was offered", anthropic.Messages{Cache: anthropic.CacheNone}, llm.Request{Model: "claude-sonnet-5", Tools: []tool.Spec{{Name: "sum", Input: list}}, Messages: []llm.Message{llm.User("Go."), from("claude-sonnet-5", llmtest.CallBlock("a", "toolu_A", "sum", `[1,2]`))}}},
	}
}

// TestRequests compares bodies with testdata/requests.txtar.
func TestRequests(t *testing.T) {
	file := filepath.Join("testdata", "requests.txtar")
	out := &txtar.Archive{Comment: []byte("Conversations as the API is sent them.\n")}
	want := map[string]string{}
	if a, err := txtar.ParseFile(file); err == nil {
		for _, f := range a.Files {
			want[f.Name] = string(f.Data)
		}
	} else if !*update {
		t.Fatal(err)
	}
	for _, x := range conversations() {
		c, s := serve(t, reply(llmtest.Turn{Text: "ok"}))
		x.c.Name, x.c.BaseURL = c.Name, c.BaseURL
		if _, err := llmtest.Ask(context.Background(), &x.c, &x.req); err != nil {
			t.Fatal(err)
		}
		got := llmtest.ShowRequest(t, s.Requests()[0].Body)
		out.Files = append(out.Files, txtar.File{Name: x.name, Data: []byte(got)})
		if !*update {
			if diff := cmp.Diff(want[x.name], got); diff != "" {
				t.Errorf("%s: %s", x.name, diff)
			}
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhatCannotBeAskedIsSaid(t *testing.T) {
	c, s := serve(t)
	for want, req := range map[string]*llm.Request{
		"must be a JSON object":     {Extra: json.RawMessage(`[1]`)},
		`must not set "messages"`:   {Extra: json.RawMessage(`{"messages":[]}`)},
		`choice "maybe" is unknown`: {Choice: llm.Choice{Mode: "maybe"}},
	} {
		if _, err := llmtest.Ask(context.Background(), c, req); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests were made", n)
	}
}

func TestAToolThatCannotBeSaidIsLeftOutAloud(t *testing.T) {
	c, s := serve(t, reply(llmtest.Turn{Text: "ok"}))
	var left []string
	c.Left = func(_ context.Context, name string, why error) { left = append(left, name+": "+why.Error()) }
	const begin, end = `{"type":"array","items":{"enum":["`, `"]}}`
	huge, err := schema.Parse([]byte(begin + strings.Repeat("x", 256<<10-len(begin)-len(end)) + end)) // as large as may be, before it is boxed
	if err != nil {
		t.Fatal(err)
	}
	fits := schema.MustParse(`{"type":"object","properties":{"x":{"type":"string"}}}`)
	if _, err := llmtest.Ask(context.Background(), c, &llm.Request{Tools: []tool.Spec{{Name: "good", Input: fits}, {Name: "huge", Input: huge}}}); err != nil {
		t.Fatal(err)
	}
	body := string(s.Requests()[0].Body)
	if !strings.Contains(body, `"good"`) || strings.Contains(body, `"huge"`) || len(left) != 1 {
		t.Errorf("left out %v of %.300s", left, body)
	}
}

func TestKeysAndHeaders(t *testing.T) {
	c, s := serve(t, reply(llmtest.Turn{Text: "ok"}), reply(llmtest.Turn{Text: "ok"}), refuse(401, "authentication_error", "invalid x-api-key"), refuse(401, "authentication_error", "no"), refuse(404, "not_found_error", "model: m"))
	c.Key = func() string { return " sk-test\n" }
	c.Header = http.Header{"x-team": {"a"}}
	ask := func() error {
		_, err := llmtest.Ask(context.Background(), c, &llm.Request{Model: "claude-sonnet-4-5", Effort: "low", Tools: []tool.Spec{{Name: "f"}}})
		return err
	}
	if err := ask(); err != nil {
		t.Fatal(err)
	}
	if r := s.Requests()[0]; r.Path != "/v1/messages" || r.Header.Get("X-Api-Key") != "sk-test" || r.Header.Get("Anthropic-Version") != "2023-06-01" || r.Header.Get("X-Team") != "a" || r.Header.Get("Authorization") != "" || !strings.Contains(r.Header.Get("Anthropic-Beta"), "interleaved-thinking") {
		t.Errorf("got %s %v", r.Path, r.Header)
	}
	c.Bearer, c.BaseURL = true, c.BaseURL+"/v1/"
	if err := ask(); err != nil {
		t.Fatal(err)
	}
	if r := s.Requests()[1]; r.Path != "/v1/messages" || r.Header.Get("Authorization") != "Bearer sk-test" || r.Header.Get("X-Api-Key") != "" {
		t.Errorf("got %s %v", r.Path, r.Header)
	}
	if err := ask(); !strings.Contains(err.Error(), "refused: check ANTHROPIC_API_KEY") || !strings.Contains(err.Error(), "req_401") || strings.Contains(err.Error(), "sk-test") {
		t.Errorf("got %v", err)
	}
	c.Key = nil
	if err := ask(); !strings.Contains(err.Error(), "no API key was sent: set ANTHROPIC_API_KEY") {
		t.Errorf("got %v", err)
	}
	if err := ask(); !strings.Contains(err.Error(), `check the model "claude-sonnet-4-5"`) {
		t.Errorf("got %v", err)
	}
	for _, bad := range []string{"127.0.0.1:80", "ftp://x", "http://x/v1/messages", "http://[::1"} {
		if _, err := llmtest.Ask(context.Background(), &anthropic.Messages{BaseURL: bad}, &llm.Request{}); llm.AsError(err).Code != tool.CodeInvalid {
			t.Errorf("%s: got %v", bad, err)
		}
	}
}
