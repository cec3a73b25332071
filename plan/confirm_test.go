package plan_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/plan"
	"github.com/toolpost/toolpost/tool"
)

func ExampleRunner() {
	var tools tool.Registry
	_ = tools.Add(tool.New(tool.Spec{Name: "greet", Description: "Greet somebody.", Risk: tool.RiskReads},
		func(_ context.Context, in struct {
			Name string `json:"name"`
		}) (string, error) {
			return "Hello, " + in.Name, nil
		}))
	p, err := plan.Parse([]byte(`{"version": "1.0", "goal": "Greet all.", "riskLevel": "read-only",
		"vars": {"people": ["Ada", "Grace"]},
		"steps": [{"id": "greet", "tool": "greet", "args": {"name": "{who}"}, "foreach": {"from": "$vars.people", "itemName": "who"}}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for e, err := range (&plan.Runner{Tools: &tools}).Run(context.Background(), p) {
		if err != nil {
			fmt.Println(err)
		}
		if e.Type == event.StepFinished {
			fmt.Println(string(e.Result.Data))
		}
	}
	// Output:
	// "Hello, Ada"
	// "Hello, Grace"
}

func ExampleParseTemplate() {
	t, _ := plan.ParseTemplate("{f.name}-{n}.md", "f", "n")
	v := plan.Values{Item: json.RawMessage(`{"name":"note"}`), Index: 3}
	b, err := t.Resolve(&v)
	fmt.Println(string(b), err)
	_, err = t.Resolve(&plan.Values{Item: json.RawMessage(`{"names":"note"}`)})
	fmt.Println(err)
	// Output:
	// "note-3.md" <nil>
	// f.name: there is no "name"; nearest is "names"
}

func FuzzTemplate(f *testing.F) {
	for _, s := range []string{"$steps.a.b[0]", "{item.x}", "{{", "}}", "$$", "{$vars.a[\"q\"]}", "a{index}b", "{", "$steps.", "[", "{item[-1].é}"} {
		f.Add(s)
	}
	v := plan.Values{
		Steps: map[string]json.RawMessage{"a": json.RawMessage(`{"b":[1,"x"]}`)},
		Vars:  map[string]json.RawMessage{"a": json.RawMessage(`{"q":true}`)},
		Item:  json.RawMessage(`{"x":"y"}`),
	}
	f.Fuzz(func(t *testing.T, s string) {
		tpl, err := plan.ParseTemplate(s, "item", "index")
		if err != nil {
			return
		}
		one, err1 := tpl.Resolve(&v)
		two, err2 := tpl.Resolve(&v)
		if (err1 == nil) != (err2 == nil) || string(one) != string(two) {
			t.Fatalf("%q resolves to %s, then to %s (P2)", s, one, two)
		}
		if err1 == nil && !json.Valid(one) {
			t.Fatalf("%q resolves to %s, which is not JSON", s, one)
		}
		for _, r := range tpl.References() {
			again, err := plan.ParseReference(r.String(), "item", "index")
			if diff := cmp.Diff(r, again); err != nil || diff != "" {
				t.Fatalf("%s does not come back: %v %s", r, err, diff)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(steps("read-only", `{"id":"a","tool":"list","args":{"x":"$steps.b.c"},"when":{"expr":"1 == 1"}}`)))
	w := &world{}
	tools := w.tools(f)
	f.Fuzz(func(_ *testing.T, doc []byte) {
		if p, err := plan.Parse(doc); err == nil {
			_ = plan.Lint(p, tools)
		}
	})
}

func manySteps(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
			fmt.Fprintf(&b, `{"id":"s%d","tool":"noop","args":{"n":"$steps.s%d.n"}}`, i, i-1)
			continue
		}
		b.WriteString(`{"id":"s0","tool":"noop","args":{"n":1}}`)
	}
	return steps("read-only", b.String())
}

type count struct {
	N int `json:"n"`
}

func noop(t testing.TB) *tool.Registry {
	var r tool.Registry
	if err := r.Add(tool.New(tool.Spec{Name: "noop", Description: "Nothing.", Risk: tool.RiskReads}, func(_ context.Context, in count) (count, error) { return in, nil })); err != nil {
		t.Fatal(err)
	}
	return &r
}

func BenchmarkRun1000(b *testing.B) {
	p, tools := parse(b, manySteps(1000)), noop(b)
	r := plan.Runner{Tools: tools}
	for b.Loop() {
		for _, err := range r.Run(context.Background(), p) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "µs/step")
}

func BenchmarkLint1000(b *testing.B) {
	p, tools := parse(b, manySteps(1000)), noop(b)
	for b.Loop() {
		if bad := plan.Errors(plan.Lint(p, tools)); len(bad) > 0 {
			b.Fatal(bad)
		}
	}
}

func TestAPlanThatWritesRunsOnlyConfirmed(t *testing.T) {
	w := &world{files: map[string]string{"a": "1", "b": "2"}}
	doc := steps("writes", `
		{"id":"list","tool":"list","args":{}},
		{"id":"copy","tool":"write","foreach":{"from":"$steps.list.items","itemName":"f"},"args":{"path":"c/{f.path}","content":"x"}}`)
	p := parse(t, doc)
	r := &plan.Runner{Tools: w.tools(t)}
	if _, _, err := ended(t, t.Context(), r, p); !errors.Is(err, &tool.Error{Code: tool.CodePrecondition}) {
		t.Fatalf("unconfirmed: %v", err)
	}
	pre, err := r.Preview(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if len(w.done) != 0 || len(pre.Calls) != 3 || pre.Token == "" {
		t.Fatalf("the preview did %v and has %d calls, token %q", w.done, len(pre.Calls), pre.Token)
	}
	again, _ := r.Preview(t.Context(), p)
	if again.Token != pre.Token {
		t.Errorf("the same preview has tokens %s and %s", pre.Token, again.Token)
	}

	t.Run("for another plan", func(t *testing.T) {
		other := *r
		other.Confirmation = pre.Confirm("ada", "token")
		_, _, err := ended(t, t.Context(), &other, parse(t, strings.Replace(doc, `"x"`, `"y"`, 1)))
		if !errors.Is(err, &tool.Error{Code: tool.CodePrecondition}) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a call that differs is not made (P4)", func(t *testing.T) {
		other := *r
		other.Confirmation = pre.Confirm("ada", "token")
		w.files["later"] = "3"
		defer delete(w.files, "later")
		got, _, err := ended(t, t.Context(), &other, p)
		if !errors.Is(err, &tool.Error{Code: tool.CodePrecondition}) || !slices.Contains(got, "copy[2] error PRECONDITION_FAILED") {
			t.Errorf("got %v, %v", got, err)
		}
		delete(w.files, "c/a")
		delete(w.files, "c/b")
	})
	r.Confirmation = pre.Confirm("ada", "token")
	if got, _, err := ended(t, t.Context(), r, p); err != nil {
		t.Errorf("confirmed: %v %v", got, err)
	}
	for e := range r.Run(t.Context(), p) {
		if e.Type == event.StepStarted && e.Call.Confirmation != r.Confirmation.ID {
			t.Errorf("call %s bears confirmation %q", e.Call.Tool, e.Call.Confirmation)
		}
	}
}

func TestWhatIsDoneIsNotDoneAgain(t *testing.T) {
	w := &world{files: map[string]string{}}
	p := parse(t, steps("writes", `
		{"id":"a","tool":"write","args":{"path":"a","content":"1"}},
		{"id":"b","tool":"write","args":{"path":"{$steps.a.path}b","content":"2"}}`))
	done := tool.JSON(item{"a", 1})
	r := &plan.Runner{Tools: w.tools(t), Confirm: plan.ConfirmNever, Done: map[plan.Key]*tool.Result{{Step: "a", Index: -1}: done}}
	if _, _, err := ended(t, t.Context(), r, p); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"write ab"}, w.done); diff != "" {
		t.Error(diff)
	}
	r.Done = nil
	r.InDoubt = map[plan.Key]*tool.Call{{Step: "a", Index: -1}: tool.NewCall("write", "{}")}
	if _, _, err := ended(t, t.Context(), r, p); !errors.Is(err, &tool.Error{Code: tool.CodePrecondition}) {
		t.Errorf("a call in doubt was made again: %v", err)
	}
}
