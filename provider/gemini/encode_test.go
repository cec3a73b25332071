package gemini_test

import (
	"bytes"
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
	"github.com/toolpost/toolpost/provider/gemini"
	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

func ExampleClient() {
	server := httptest.NewServer(llmtest.NewServer(generated(llmtest.Turn{Text: "Four."})))
	defer server.Close()

	p := &gemini.Client{BaseURL: server.URL + "/v1beta", Model: "gemini-3-flash"}
	var reply llm.Reply
	for d, err := range p.Stream(context.Background(), &llm.Request{Messages: []llm.Message{llm.User("2 + 2?")}}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		reply.Add(d)
	}
	msg := reply.Message()
	fmt.Println(msg.Text(), msg.Stop)
	// Output: Four. stop
}

func ExampleFamilyFor() {
	for _, model := range []string{"gemini-2.0-flash", "gemini-2.5-pro", "gemini-3-flash", "tunedModels/mine"} {
		f := gemini.FamilyFor(model)
		fmt.Printf("%s %s %q\n", f.Name, f.SchemaIn, f.Thinking)
	}
	// Output:
	// gemini-2.0 parameters ""
	// gemini-2.5-pro parametersJsonSchema "thinkingBudget"
	// gemini-3 parametersJsonSchema "thinkingLevel"
	// gemini-3 parametersJsonSchema "thinkingLevel"
}

func ExampleDecode() {
	body := `data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a":1}}}]},"finishReason":"STOP"}]}` + "\r\n\r\n"
	for d, err := range gemini.Decode(strings.NewReader(body)) {
		fmt.Println(d.Kind == llm.DeltaCall, d.Name, d.Text, d.Stop, err)
	}
	// Output:
	// false    <nil>
	// true f {"a":1}  <nil>
	// false    <nil>
	// false  STOP stop <nil>
}

func ExampleDecodeInteractions() {
	body := `{"id":"v1_x","status":"completed","steps":[{"type":"model_output","content":[{"type":"text","text":"Hi"}]}]}`
	for d := range gemini.DecodeInteractions(strings.NewReader(body)) {
		fmt.Printf("%q %q\n", d.Text, d.Stop)
	}
	// Output:
	// "" ""
	// "Hi" ""
	// "completed" "stop"
}

func block(kind tool.ContentType) llm.Block { return llm.Block{Content: tool.Content{Type: kind}} }

func call(id, providerID, name, args, sign string) llm.Block {
	b := block(llm.BlockCall)
	b.Call, b.Signature = &tool.Call{Ref: tool.Ref{ID: id, Tool: name}, ProviderID: providerID, Args: json.RawMessage(args)}, sign
	return b
}

func thought(text, sign string) llm.Block {
	b := block(llm.BlockThinking)
	b.Thinking, b.Signature = text, sign
	return b
}

func signed(text, sign string) llm.Block {
	b := llm.TextBlock(text)
	b.Signature = sign
	return b
}

func result(r *tool.Result, id, providerID, name string) llm.Block {
	r.ID, r.ProviderID, r.Tool = id, providerID, name
	return llm.ResultBlock(r)
}

// history is a conversation that began with another model and went on with one
// of api: signed parts in their places, parallel calls of which the first is
// signed, ids where they were given, results in another order, one with a
// picture, a failed one, and one that is missing.
func history(api string) []llm.Message {
	raw := block(llm.BlockOpaque)
	raw.Opaque = json.RawMessage(`{"codeExecutionResult": {"output": "1"}}`)
	if api == gemini.Interactions {
		raw.Opaque = json.RawMessage(`{"type": "google_search_call", "id": "g1"}`)
	}
	own := func(blocks ...llm.Block) llm.Message {
		return llm.Message{Role: llm.RoleAssistant, Provider: "test", API: api, Model: "m", Blocks: blocks}
	}
	pic := llm.Block{Content: tool.Content{Type: tool.ContentImage, Data: []byte("jpg"), MIME: "image/jpeg"}}
	return []llm.Message{
		llm.System("In German."),
		{Role: llm.RoleUser, Blocks: []llm.Block{llm.TextBlock("Look:"), pic}},
		{Role: llm.RoleAssistant, Provider: "other", API: "openai-chat", Model: "x", Blocks: []llm.Block{thought("Foreign.", "no"), call("1", "call_x|1", "read_file", `{"path": "a"}`, "no")}},
		{Role: llm.RoleTool, Blocks: []llm.Block{result(tool.Text("alpha"), "1", "call_x|1", "read_file")}},
		own(thought("Hm.", "czE="), signed("Both.", ""), call("2", "call_1", "web.shot", `{"url":"x"}`, "czI="), call("3", "call_2", "read_file", `"no json`+`"`, "")),
		{Role: llm.RoleTool, Blocks: []llm.Block{
			result(tool.Fail(tool.Errorf(tool.CodeNotFound, "no such file")), "3", "call_2", "read_file"),
			result(tool.Image([]byte("png"), "image/png", "a page"), "2", "call_1", "web.shot")}},
		own(call("4", "", "read_file", `{}`, "czM=")),
		llm.User("And?"),
		llm.User("Well?"),
		own(raw, signed("Done", "czQ="), signed("", "czU=")),
		llm.User("Thanks \x00 <b>"),
	}
}

var fileTools = []tool.Spec{
	{Name: "web.shot", Description: "Take a picture."},
	{Name: "read_file", Description: "Read a file.", Input: schema.MustParse(`{"type":"object","properties":{"path":{"type":"string","minLength":1},"from-line":{"type":["integer","null"],"minimum":1}},"required":["path"],"additionalProperties":false}`)},
}

// TestRequests compares what models of each family are sent for one
// conversation with testdata/requests.txtar.
func TestRequests(t *testing.T) {
	file := filepath.Join("testdata", "requests.txtar")
	a, err := txtar.ParseFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, f := range a.Files {
		want[f.Name] = string(f.Data)
	}
	out := &txtar.Archive{Comment: []byte("One conversation, which began with another model, as each family is sent it.\n")}
	for _, model := range []string{"gemini-2.0-flash", "gemini-2.5-flash", "gemini-3-flash", gemini.Interactions} {
		got := requestOf(t, model)
		out.Files = append(out.Files, txtar.File{Name: model, Data: []byte(got)})
		if diff := cmp.Diff(want[model], got); diff != "" && !*update {
			t.Errorf("%s: %s", model, diff)
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func requestOf(t *testing.T, model string) string {
	c, s := serve(t, generated(llmtest.Turn{Text: "ok"}))
	api, extra := gemini.Generate, `{"safetySettings": [], "generationConfig": {"topP": 0.5, "temperature": 1}}`
	if model == gemini.Interactions {
		c, s = serve(t, interacted(llmtest.Turn{Text: "ok"}))
		api, extra = gemini.Interactions, `{"labels": {"a": "b"}, "generation_config": {"seed": 7}}`
	}
	f := gemini.FamilyFor(model)
	c.API, c.Family = api, &f
	temp := 0.5
	req := &llm.Request{Model: "m", System: "Be brief.", Messages: history(api), MaxTokens: 100, Effort: "low", Temp: &temp,
		Choice: llm.Choice{Mode: llm.ChoiceTool, Name: "web.shot"}, Tools: fileTools, Extra: json.RawMessage(extra)}
	before := fmt.Sprint(req)
	if _, err := llmtest.Ask(context.Background(), c, req); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(req) != before {
		t.Error("the request was changed")
	}
	r := s.Requests()[0]
	return "POST " + r.Path + "\n" + lines(t, r.Body)
}

// lines is an object, a member or an element of a list of it per line.
func lines(t *testing.T, body []byte) string {
	if !json.Valid(body) {
		t.Fatalf("the request is not JSON: %s", body)
	}
	var all bytes.Buffer
	dec := json.NewDecoder(bytes.NewReader(body))
	_, _ = dec.Token() // {
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

func TestChoicesAndEfforts(t *testing.T) {
	for _, tc := range []struct {
		model, effort string
		choice        llm.Choice
		want          string // in the request, or in the error
	}{
		{"gemini-3-flash", "", llm.Choice{Mode: llm.ChoiceNone}, `"mode":"NONE"`},
		{"gemini-3-flash", "", llm.Choice{Mode: llm.ChoiceRequired}, `"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}`},
		{"gemini-3-flash", "", llm.Choice{Mode: llm.ChoiceTool, Name: "read_file"}, `{"mode":"ANY","allowedFunctionNames":["read_file"]}`},
		{"gemini-3-flash", "", llm.Choice{Mode: "maybe"}, `"maybe" is unknown`},
		{"gemini-3-flash", "none", llm.Choice{}, `"thinkingConfig":{"includeThoughts":false,"thinkingLevel":"MINIMAL"}`},
		{"gemini-3-flash", "max", llm.Choice{}, `"thinkingLevel":"HIGH"`},
		{"gemini-3-pro", "medium", llm.Choice{}, `"thinkingLevel":"HIGH"`},
		{"gemini-3-pro", "minimal", llm.Choice{}, `"thinkingLevel":"LOW"`},
		{"gemini-2.5-flash", "none", llm.Choice{}, `"thinkingBudget":0`},
		{"gemini-2.5-pro", "none", llm.Choice{}, `"thinkingBudget":128`},
		{"gemini-2.5-pro", "max", llm.Choice{}, `{"includeThoughts":true,"thinkingBudget":32768}`},
		{"gemini-2.0-flash", "high", llm.Choice{}, `"contents"`},
		{"gemini-3-flash", "huge", llm.Choice{}, `"huge" is unknown`},
		{"gemini-2.5-flash", "huge", llm.Choice{}, `"huge" is unknown`},
	} {
		c, s := serve(t, generated(llmtest.Turn{Text: "ok"}))
		_, err := llmtest.Ask(context.Background(), c, &llm.Request{Model: tc.model, Tools: fileTools, Choice: tc.choice, Effort: tc.effort})
		got := fmt.Sprint(err)
		if rs := s.Requests(); len(rs) > 0 {
			got = string(rs[0].Body)
		}
		if !strings.Contains(got, tc.want) {
			t.Errorf("%s %s %v: got %s", tc.model, tc.effort, tc.choice, got)
		}
	}
}

func TestWhatCannotBeAskedIsSaid(t *testing.T) {
	c, s := serve(t)
	many := make([]tool.Spec, 513)
	for i := range many {
		many[i].Name = fmt.Sprintf("t%d", i)
	}
	for want, req := range map[string]*llm.Request{
		"513 tools are on offer":        {Tools: many},
		"must be a JSON object":         {Extra: json.RawMessage(`[1]`)},
		`must not set "contents"`:       {Extra: json.RawMessage(`{"contents":[]}`)},
		`generationConfig of the reque`: {Extra: json.RawMessage(`{"generationConfig":1}`)},
	} {
		if _, err := llmtest.Ask(context.Background(), c, req); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	c.API = "gemini-nonsense"
	if _, err := llmtest.Ask(context.Background(), c, &llm.Request{}); err == nil || !strings.Contains(err.Error(), "use gemini-generate or gemini-interactions") {
		t.Errorf("got %v", err)
	}
	for _, bad := range []string{"127.0.0.1:80", "ftp://x/v1", "http://x/v1beta/models", "http://x/v1beta/interactions", "http://[::1"} {
		if _, err := llmtest.Ask(context.Background(), &gemini.Client{BaseURL: bad}, &llm.Request{}); llm.AsError(err).Code != tool.CodeInvalid {
			t.Errorf("%s: got %v", bad, err)
		}
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests were made", n)
	}
}

func TestAToolThatCannotBeToldIsLeftOut(t *testing.T) {
	c, s := serve(t, generated(llmtest.Turn{Text: "ok"}))
	var left []string
	ctx := llm.WithNotices(context.Background(), func(n llm.Notice) {
		if n.Kind == llm.NoticeLeftOut && n.Err != nil {
			left = append(left, n.Tool)
		}
	})
	bad := tool.Spec{Name: "bad", Input: schema.MustParse(`{"type":"object","properties":{"x":{"$ref":"#/$defs/0"}},"$defs":{` + bomb(40) + `}}`)}
	if _, err := llmtest.Ask(ctx, c, &llm.Request{Model: "gemini-2.0-flash", Tools: append([]tool.Spec{bad}, fileTools...)}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"bad"}, left); diff != "" {
		t.Error(diff)
	}
	if body := string(s.Requests()[0].Body); strings.Contains(body, `"bad"`) || !strings.Contains(body, `"read_file"`) {
		t.Errorf("asked %s", body)
	}
}

// bomb is definitions each of which names the next one twice.
func bomb(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/%d"},"b":{"$ref":"#/$defs/%d"}}},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"%d":{}`, n)
	return b.String()
}

func TestArgumentsAreLedBack(t *testing.T) {
	for api, reply := range map[string]func(llmtest.Turn) llmtest.Answer{gemini.Generate: generated, gemini.Interactions: interacted} {
		c, s := serve(t, reply(llmtest.Turn{Text: "ok"}), reply(llmtest.Turn{Text: "ok"}))
		c.API = api
		ask := func() llm.Message {
			msg, err := llmtest.Ask(context.Background(), c, &llm.Request{Tools: fileTools, Messages: []llm.Message{
				llm.User("x"), {Role: llm.RoleAssistant, Blocks: []llm.Block{call("1", "c", "read_file", `{"path":"a","from-line":2}`, "")}}}})
			if err != nil {
				t.Fatal(err)
			}
			return msg
		}
		ask()
		body := string(s.Requests()[0].Body)
		_, after, ok := strings.Cut(body, `{"path":"a","`)
		alias, _, _ := strings.Cut(after, `"`)
		if !ok || alias == "from-line" || !strings.Contains(body, `"`+alias+`":{`) {
			t.Errorf("%s: the history does not speak of the alias of from-line: %s", api, body)
		}
		c, _ = serve(t, reply(llmtest.Turn{Calls: []llmtest.Call{{ID: "c2", Name: "read_file", Args: `{"path":"a","` + alias + `":7}`}}}))
		c.API = api
		if msg := ask(); msg.Calls() != 1 || string(msg.Blocks[0].Call.Args) != `{"path":"a","from-line":7}` {
			t.Errorf("%s: got %+v", api, msg.Blocks)
		}
	}
}

func TestKeysAndHeaders(t *testing.T) {
	c, s := serve(t, generated(llmtest.Turn{Text: "ok"}), generated(llmtest.Turn{Text: "ok"}), refused(403, "permission_denied", "no"), refused(403, "permission_denied", "no"))
	c.Header = http.Header{"x-team": {"a"}}
	for _, key := range []string{" AIza-test\n", "ya29.token"} {
		c.Key = func() string { return key }
		if _, err := llmtest.Ask(context.Background(), c, &llm.Request{}); err != nil {
			t.Fatal(err)
		}
	}
	rs := s.Requests()
	if h := rs[0].Header; h.Get("X-Goog-Api-Key") != "AIza-test" || h.Get("Authorization") != "" || h.Get("X-Team") != "a" {
		t.Errorf("got %v", h)
	}
	if h := rs[1].Header; h.Get("X-Goog-Api-Key") != "" || h.Get("Authorization") != "Bearer ya29.token" {
		t.Errorf("got %v", h)
	}
	if rs[0].Path != "/v1beta/models/gemini-3-flash:streamGenerateContent" {
		t.Errorf("asked %s", rs[0].Path)
	}
	if _, err := llmtest.Ask(context.Background(), c, &llm.Request{}); !strings.Contains(err.Error(), "refused: check GEMINI_API_KEY") || strings.Contains(err.Error(), "ya29") {
		t.Errorf("got %v", err)
	}
	c.Key, c.KeyName = nil, "models.test.api_key"
	if _, err := llmtest.Ask(context.Background(), c, &llm.Request{}); !strings.Contains(err.Error(), "no API key was sent: set models.test.api_key") {
		t.Errorf("got %v", err)
	}
	for model, path := range map[string]string{"tunedModels/x": "/v1beta/tunedModels/x:generateContent", "models/y": "/v1beta/models/y:generateContent"} {
		c, s := serve(t, llmtest.Answer{Header: http.Header{"Content-Type": {"application/json"}}, Chunks: []string{`{"candidates":[{"content":{"parts":[{"text":"Hi"}]},"finishReason":"STOP"}]}`}})
		c.Whole = true
		msg, err := llmtest.Ask(context.Background(), c, &llm.Request{Model: model})
		if err != nil || msg.Text() != "Hi" || s.Requests()[0].Path != path {
			t.Errorf("%s: %v, %v", s.Requests()[0].Path, msg.Text(), err)
		}
	}
	if !(&gemini.Client{BaseURL: "http://127.0.0.1:1"}).Local() || new(gemini.Client).Local() {
		t.Error("local is told wrongly")
	}
}
