package openai_test

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
	"github.com/toolpost/toolpost/provider/openai"
	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

func ExampleChat() {
	server := httptest.NewServer(llmtest.NewServer(llmtest.Chat(llmtest.Turn{Text: "Four."})))
	defer server.Close()

	p := &openai.Chat{BaseURL: server.URL + "/v1", Model: "some-model"}
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

func ExampleDialectFor() {
	for _, url := range []string{"https://api.openai.com/v1", "http://localhost:11434/v1", "https://openrouter.ai/api/v1", "http://10.0.0.5:8000/v1"} {
		d, _ := openai.DialectFor("", url, "mistralai/devstral-2")
		fmt.Println(d.Name, d.IDs.Name)
	}
	// Output:
	// openai mistral9
	// ollama mistral9
	// openrouter mistral9
	// generic mistral9
}

// TestRequests compares the body that each dialect is sent for one conversation
// with testdata/requests.txtar.
func TestRequests(t *testing.T) {
	file := filepath.Join("testdata", "requests.txtar")
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, f := range a.Files {
		want[f.Name] = string(f.Data)
	}
	out := &txtar.Archive{Comment: a.Comment}
	for _, name := range openai.Dialects() {
		got := requestOf(t, name)
		out.Files = append(out.Files, txtar.File{Name: name, Data: []byte(got)})
		if !*update {
			if diff := cmp.Diff(want[name], got); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// requestOf is the body for the dialect, a member or message per line.
func requestOf(t *testing.T, dialect string) string {
	d, ok := openai.DialectFor(dialect, "", "")
	if !ok {
		t.Fatalf("no dialect %q", dialect)
	}
	c, s := serve(t, llmtest.Chat(llmtest.Turn{Text: "ok"}))
	c.Name, c.Dialect = "own", &d
	in, err := schema.Parse([]byte(`{"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}`))
	if err != nil {
		t.Fatal(err)
	}
	temp := 0.5
	req := &llm.Request{System: "Be brief.", Messages: llmtest.History("own", openai.API, "m"), MaxTokens: 100, Serial: true, Effort: "low", Temp: &temp, Session: "s1",
		Tools: []tool.Spec{{Name: "web.shot", Description: "Take a picture."}, {Name: "read_file", Description: "Read a file.", Input: in}}, Extra: json.RawMessage(`{"seed": 7}`)}
	if _, err := llmtest.Ask(context.Background(), c, req); err != nil {
		t.Fatal(err)
	}
	return llmtest.ShowRequest(t, s.Requests()[0].Body)
}

func TestChoices(t *testing.T) {
	tools := []tool.Spec{{Name: "a.b"}}
	for _, tc := range []struct {
		dialect, effort string
		choice          llm.Choice
		want            string // in the request, or in the error
	}{
		{"openai", "", llm.Choice{Mode: llm.ChoiceNone}, `"tool_choice":"none"`},
		{"openai", "", llm.Choice{Mode: llm.ChoiceRequired}, `"tool_choice":"required"`},
		{"mistral", "", llm.Choice{Mode: llm.ChoiceRequired}, `"tool_choice":"any"`},
		{"openai", "", llm.Choice{Mode: llm.ChoiceTool, Name: "a.b"}, `"tool_choice":{"type":"function","function":{"name":"` + llm.WireName("a.b") + `"}}`},
		{"ollama", "", llm.Choice{Mode: llm.ChoiceRequired}, "ollama does not let a call be forced"},
		{"deepseek", "high", llm.Choice{Mode: llm.ChoiceRequired}, "while the model thinks"},
		{"openai", "", llm.Choice{Mode: "maybe"}, `"maybe" is unknown`},
	} {
		d, _ := openai.DialectFor(tc.dialect, "", "")
		c, s := serve(t, llmtest.Chat(llmtest.Turn{Text: "ok"}))
		c.Dialect = &d
		_, err := llmtest.Ask(context.Background(), c, &llm.Request{Tools: tools, Choice: tc.choice, Effort: tc.effort})
		got := fmt.Sprint(err)
		if rs := s.Requests(); len(rs) > 0 {
			got = string(rs[0].Body)
		}
		if !strings.Contains(got, tc.want) {
			t.Errorf("%s %v: got %s", tc.dialect, tc.choice, got)
		}
	}
}

func TestWhatCannotBeAskedIsSaid(t *testing.T) {
	c, s := serve(t)
	d, _ := openai.DialectFor("openai", "", "")
	c.Dialect = &d
	many := make([]tool.Spec, 129)
	for i := range many {
		many[i].Name = fmt.Sprintf("t%d", i)
	}
	for want, req := range map[string]*llm.Request{
		"129 tools are on offer and openai takes 128": {Tools: many},
		"must be a JSON object":                       {Extra: json.RawMessage(`[1]`)},
		`must not set "model"`:                        {Extra: json.RawMessage(`{"model":"x"}`)},
	} {
		if _, err := llmtest.Ask(context.Background(), c, req); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests were made", n)
	}
}

func TestKeysAndHeaders(t *testing.T) {
	c, s := serve(t, llmtest.Chat(llmtest.Turn{Text: "ok"}), llmtest.Refuse(401, "invalid_api_key", "no"), llmtest.Refuse(401, "invalid_api_key", "no"))
	c.Key = func() string { return " sk-test\n" }
	c.Header = http.Header{"x-team": {"a"}, "User-Agent": {"toolpost"}}
	if _, err := llmtest.Ask(context.Background(), c, &llm.Request{}); err != nil {
		t.Fatal(err)
	}
	if h := s.Requests()[0].Header; h.Get("Authorization") != "Bearer sk-test" || h.Get("X-Team") != "a" || h.Get("User-Agent") != "toolpost" {
		t.Errorf("got %v", h)
	}
	c.KeyName = "models.test.api_key"
	if _, err := llmtest.Ask(context.Background(), c, &llm.Request{}); !strings.Contains(err.Error(), "refused: check models.test.api_key") || strings.Contains(err.Error(), "sk-test") {
		t.Errorf("got %v", err)
	}
	c.Key = nil
	if _, err := llmtest.Ask(context.Background(), c, &llm.Request{}); !strings.Contains(err.Error(), "no API key was sent: set models.test.api_key") {
		t.Errorf("got %v", err)
	}
	for url, local := range map[string]bool{"http://127.0.0.1:1/v1": true, "http://localhost/v1": true, "http://192.168.1.5/v1": true, "http://[::1]:5/v1": true, "https://api.openai.com/v1": false, "": false} {
		if got := (&openai.Chat{BaseURL: url}).Local(); got != local {
			t.Errorf("%s: local is %v", url, got)
		}
	}
}
