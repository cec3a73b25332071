package llm_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

func ExampleSanitize() {
	history := []llm.Message{
		llm.User("read a.txt"),
		callOf("id-1", "call_from_another_provider", "read_file", `{"path":"a.txt"}`),
		llm.User("and?"), // the result was lost
	}
	for _, m := range llm.Sanitize(history, llm.Profile{IDs: llm.IDsMistral}) {
		fmt.Println(line(&m))
	}
	// Output:
	// user: read a.txt
	// assistant: read_file({"path":"a.txt"}) as ytZYVfn5l
	// tool: ytZYVfn5l {"status":"error","tool":"read_file","code":"CANCELLED","error":"no result: interrupted"}
	// user: and?
}

func callOf(id, providerID, name, args string) llm.Message {
	return llm.Message{Role: llm.RoleAssistant, Blocks: []llm.Block{callBlock(id, providerID, name, args)}}
}

func callBlock(id, providerID, name, args string) llm.Block {
	c := &tool.Call{Ref: tool.Ref{ID: id, Tool: name}, ProviderID: providerID, Args: json.RawMessage(args)}
	return llm.Block{Content: tool.Content{Type: llm.BlockCall}, Call: c}
}

func resultOf(id, providerID, name, text string) llm.Block {
	r := tool.Text(text)
	r.ID, r.ProviderID, r.Tool = id, providerID, name
	return llm.ResultBlock(r)
}

func results(blocks ...llm.Block) llm.Message { return llm.Message{Role: llm.RoleTool, Blocks: blocks} }

// line is a message on one line.
func line(m *llm.Message) string {
	var parts []string
	for _, b := range m.Blocks {
		switch {
		case b.Call != nil:
			parts = append(parts, fmt.Sprintf("%s(%s) as %s", b.Call.Tool, b.Call.Args, b.Call.ProviderID))
		case b.Result != nil:
			parts = append(parts, b.Result.ProviderID+" "+llm.ResultText(b.Result))
		case b.Type == tool.ContentImage:
			parts = append(parts, "image")
		case b.Type == llm.BlockThinking:
			parts = append(parts, "thinking "+b.Thinking+"/"+b.Signature)
		case b.Type == llm.BlockOpaque:
			parts = append(parts, "opaque "+string(b.Opaque))
		default:
			parts = append(parts, b.Text)
		}
	}
	return string(m.Role) + ": " + strings.Join(parts, " | ")
}

func TestSanitize(t *testing.T) {
	ours := llm.Message{Role: llm.RoleAssistant, Provider: "p", API: "a", Model: "m", Blocks: []llm.Block{
		{Content: tool.Content{Type: llm.BlockThinking}, Thinking: "hm", Signature: "sig"}, {Content: tool.Content{Type: llm.BlockOpaque}, Opaque: json.RawMessage("{}")}, llm.TextBlock("yes")}}
	ownCall := callOf("1", "function-call.1", "f", "{}")
	ownCall.Provider, ownCall.API, ownCall.Model = "p", "a", "m"
	theirs := ours
	theirs.Model = "other"
	own := llm.Profile{Provider: "p", API: "a", Model: "m"}
	image := tool.Image([]byte{1}, "image/png", "see")
	image.ID, image.Tool = "1", "shot"
	for _, tc := range []struct {
		name string
		p    llm.Profile
		in   []llm.Message
		want []string
	}{
		{"failed and aborted replies are left out, with their results", llm.Profile{},
			[]llm.Message{llm.User("a"), {Role: llm.RoleAssistant, Stop: llm.StopAborted, Blocks: callOf("1", "x", "f", "{}").Blocks}, results(resultOf("1", "x", "f", "r")), llm.User("b")},
			[]string{"user: a", "user: b"}},
		{"results stand behind their reply in the order of the calls", llm.Profile{MergeResults: true},
			[]llm.Message{{Role: llm.RoleAssistant, Blocks: []llm.Block{callBlock("1", "x", "f", "{}"), callBlock("2", "y", "g", "{}")}}, results(resultOf("2", "y", "g", "two")), llm.User("meanwhile"), results(resultOf("1", "x", "f", "one"))},
			[]string{"assistant: f({}) as x | g({}) as y", "tool: x one | y two", "user: meanwhile"}},
		{"orphans and doubles are dropped", llm.Profile{},
			[]llm.Message{results(resultOf("9", "z", "f", "orphan")), callOf("1", "x", "f", "{}"), results(resultOf("1", "x", "f", "one"), resultOf("1", "x", "f", "again"))},
			[]string{"assistant: f({}) as x", "tool: x one"}},
		{"the same id twice: results first in, first out", llm.Profile{IDs: llm.IDsOpenAI},
			[]llm.Message{callOf("", "x", "f", "{}"), results(resultOf("", "x", "f", "one")), callOf("", "x", "f", "{}"), results(resultOf("", "x", "f", "two"))},
			[]string{"assistant: f({}) as x", "tool: x one", "assistant: f({}) as vo2XbUsN9LvgwFXYtU47KL1FAuvfKZCx", "tool: vo2XbUsN9LvgwFXYtU47KL1FAuvfKZCx two"}},
		{"arguments are objects", llm.Profile{},
			[]llm.Message{{Role: llm.RoleAssistant, Blocks: []llm.Block{callBlock("1", "x", "f", `"{\"a\":1}"`), callBlock("2", "y", "f", `"{\"a\":"`), callBlock("3", "z", "f", `[1]`), callBlock("4", "w", "f", ``)}}},
			[]string{`assistant: f({"a":1}) as x | f({}) as y | f({}) as z | f({}) as w`, "tool: x " + open("f"), "tool: y " + open("f"), "tool: z " + open("f"), "tool: w " + open("f")}},
		{"reasoning stays with its own model", own, []llm.Message{ours}, []string{"assistant: thinking hm/sig | opaque {} | yes"}},
		{"reasoning of others goes", own, []llm.Message{theirs}, []string{"assistant: yes"}},
		{"a provider gets the ids back that it made", llm.Profile{Provider: "p", API: "a", Model: "m", IDs: llm.IDsStrict}, []llm.Message{ownCall}, []string{"assistant: f({}) as function-call.1", "tool: function-call.1 " + open("f")}},
		{"or becomes text", llm.Profile{Provider: "q", ForeignThinking: true}, []llm.Message{theirs}, []string{"assistant: hm | yes"}},
		{"empty text, NUL and half characters", llm.Profile{}, []llm.Message{llm.User(""), llm.User("a\x00b\x7fc\xff"), {Role: llm.RoleAssistant, Blocks: []llm.Block{llm.TextBlock("")}}}, []string{"user: abc\uFFFD"}},
		{"images follow in a user message", llm.Profile{},
			[]llm.Message{callOf("1", "x", "shot", "{}"), results(llm.ResultBlock(image))},
			[]string{"assistant: shot({}) as x", "tool: x see\n[the image follows in the next user message]", "user: Images from the result of shot: | image"}},
		{"or stay", llm.Profile{ResultImages: true}, []llm.Message{callOf("1", "x", "shot", "{}"), results(llm.ResultBlock(image))}, []string{"assistant: shot({}) as x", "tool: x see"}},
		{"a reply between results and the user", llm.Profile{AssistantBetween: true},
			[]llm.Message{callOf("1", "x", "f", "{}"), results(resultOf("1", "x", "f", "one")), llm.User("b")},
			[]string{"assistant: f({}) as x", "tool: x one", "assistant: Understood.", "user: b"}},
		{"roles are merged", llm.Profile{MergeRoles: true}, []llm.Message{llm.User("a"), llm.User("b")}, []string{"user: a | b"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before, err := json.Marshal(tc.in)
			if err != nil && !strings.Contains(tc.name, "objects") {
				t.Fatal(err)
			}
			out := llm.Sanitize(tc.in, tc.p)
			var got []string
			for i := range out {
				got = append(got, line(&out[i]))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
			if after, _ := json.Marshal(tc.in); string(after) != string(before) {
				t.Error("the history was changed")
			}
			again := llm.Sanitize(out, tc.p)
			for i := range again {
				if i >= len(got) || line(&again[i]) != got[i] {
					t.Errorf("a second time changes %s", line(&again[i]))
				}
			}
		})
	}
}

func open(name string) string {
	return `{"status":"error","tool":"` + name + `","code":"CANCELLED","error":"no result: interrupted"}`
}

func ExampleIDCodec() {
	ids := llm.IDCodec{Rule: llm.IDsMistral}
	fmt.Println(ids.ID("AbCdEfGh1"), ids.ID("call_from_elsewhere"), ids.ID("call_from_elsewhere"))
	// Output: AbCdEfGh1 EaMBAuNl1 I2BwnrHxp
}

func ExampleClean() {
	fmt.Printf("%q\n", llm.Clean("a\x00b\tc\xff"))
	// Output: "ab\tc�"
}

func TestIDsFitTheirRules(t *testing.T) {
	long := strings.Repeat("x", 60)
	for _, tc := range []struct {
		rule llm.IDRule
		in   []string
		want []string
	}{
		{llm.IDsAny, []string{"a.b|c", "a.b|c", long}, []string{"a.b|c", "OUd0Jw6vNKRTnB5J0fvaJKMB7pG8ZP7m", long}},
		{llm.IDsOpenAI, []string{"call_1", long + "1", long + "2"}, []string{"call_1", "", ""}},
		{llm.IDsAnthropic, []string{"toolu_1", "a.b", "a b"}, []string{"toolu_1", "", ""}},
		{llm.IDsStrict, []string{"call1", "call_1"}, []string{"call1", ""}},
		{llm.IDsMistral, []string{"AbCdEfGh1", "call_1", "call_2", ""}, []string{"AbCdEfGh1", "", "", ""}},
		{llm.IDsResponses, []string{"call_1", long + long}, []string{"call_1", ""}},
	} {
		c := llm.IDCodec{Rule: tc.rule}
		seen := map[string]bool{}
		for i, raw := range tc.in {
			got := c.ID(raw)
			if seen[got] || !tc.rule.Fits(got) || tc.want[i] != "" && got != tc.want[i] {
				t.Errorf("%s: %q became %q, want %q", tc.rule.Name, raw, got, tc.want[i])
			}
			seen[got] = true
		}
		again := llm.IDCodec{Rule: tc.rule}
		for _, raw := range tc.in {
			if !seen[again.ID(raw)] {
				t.Errorf("%s: %q differs the second time", tc.rule.Name, raw)
			}
		}
	}
}

func ExampleNames() {
	names := llm.NewNames([]tool.Spec{{Name: "read_file"}, {Name: "vault.createFile"}})
	wire := llm.WireName("vault.createFile")
	fmt.Println(wire, names.Canonical(wire), names.Canonical("functions.read_file"), names.Canonical("READ_FILE"), names.Canonical("other"))
	// Output: vault_createFile_zh6ibj vault.createFile read_file read_file other
}

func TestWireNamesAreLegalAndDiffer(t *testing.T) {
	seen := map[string]string{}
	for _, n := range []string{"a", "a_b", "a.b", "a/b", "a-b", "1a", "é", "", strings.Repeat("x", 64), strings.Repeat("x", 65), strings.Repeat("x", 66), "server/tool", "日本語"} {
		w := llm.WireName(n)
		if len(w) > 64 || strings.ContainsAny(w, "./ ") || w == "" || w[0] >= '0' && w[0] <= '9' {
			t.Errorf("%q became %q", n, w)
		}
		if other, ok := seen[w]; ok {
			t.Errorf("%q and %q both became %q", n, other, w)
		}
		seen[w] = n
		names := llm.NewNames([]tool.Spec{{Name: "z"}, {Name: n}})
		if got := names.Canonical(w); got != n {
			t.Errorf("%q came back as %q", n, got)
		}
	}
	twins := llm.NewNames([]tool.Spec{{Name: "Read"}, {Name: "rEad"}})
	if got := twins.Canonical("read"); got != "read" {
		t.Errorf("chose %q of two", got)
	}
}
