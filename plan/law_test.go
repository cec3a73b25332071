package plan_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/plan"
	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

// dice makes plans at random, and knows what each of their calls is to get.
type dice struct {
	*rand.Rand
	values []any // of the steps so far: the member v of their data
}

var names = []string{"a", "path", "x-y", "the key", "~/", "{}", "$steps", `"`, "é", ""}

var texts = []string{"", "plain", "{", "}", "{{item}}", "$", "$$", "$steps.s0.v", "{item.path}", "$vars.x", `"\`, "line\nbreak", "🙂", "\u2028"}

// value is any JSON value.
func (d *dice) value(depth int) any {
	switch n := d.IntN(8); {
	case n < 2 && depth > 0:
		list := make([]any, d.IntN(4))
		for i := range list {
			list[i] = d.value(depth - 1)
		}
		return list
	case n < 4 && depth > 0:
		object := map[string]any{}
		for range d.IntN(4) {
			object[names[d.IntN(len(names))]] = d.value(depth - 1)
		}
		return object
	case n == 4:
		return nil
	case n == 5:
		return d.IntN(2) == 0
	case n == 6:
		return float64(d.IntN(2000) - 1000)
	}
	return texts[d.IntN(len(texts))]
}

// template is a value as it stands in a document, and the value that it becomes.
func (d *dice) template(depth int) (doc, want any) {
	switch n := d.IntN(10); {
	case n < 2 && depth > 0:
		docs, wants := make([]any, d.IntN(3)), []any{}
		for i := range docs {
			doc, want := d.template(depth - 1)
			docs[i], wants = doc, append(wants, want)
		}
		return docs, wants
	case n < 4 && depth > 0:
		docs, wants := map[string]any{}, map[string]any{}
		for range d.IntN(3) {
			k := names[d.IntN(len(names))]
			docs[k], wants[k] = d.template(depth - 1)
		}
		return docs, wants
	case n < 7 && len(d.values) > 0:
		ref, want := d.reference()
		if d.IntN(2) == 0 {
			return "{" + ref + "}", want
		}
		return ref, want
	case n == 7 && len(d.values) > 0:
		return d.sentence()
	}
	want = d.value(0)
	if s, ok := want.(string); ok {
		return strings.NewReplacer("{", "{{", "}", "}}", "$", "$$").Replace(s), s
	}
	return want, want
}

// reference leads somewhere into the data of a step.
func (d *dice) reference() (string, any) {
	at := d.IntN(len(d.values))
	v := d.values[at]
	member := "v"
	r := plan.Reference{Source: plan.SourceSteps, Name: fmt.Sprintf("s%d", at), Path: []plan.Segment{{Member: &member}}}
	for d.IntN(3) > 0 {
		switch now := v.(type) {
		case []any:
			if len(now) == 0 {
				return r.String(), v
			}
			i := d.IntN(len(now))
			v = now[i]
			if d.IntN(2) == 0 {
				i -= len(now)
			}
			r.Path = append(r.Path, plan.Segment{Index: i})
		case map[string]any:
			if len(now) == 0 {
				return r.String(), v
			}
			var ks []string
			for k := range now {
				ks = append(ks, k)
			}
			slices.Sort(ks)
			k := ks[d.IntN(len(ks))]
			v = now[k]
			r.Path = append(r.Path, plan.Segment{Member: &k})
		default:
			return r.String(), v
		}
	}
	return r.String(), v
}

// sentence is a text with a scalar in it, if one is found.
func (d *dice) sentence() (doc, want any) {
	for range 5 {
		ref, v := d.reference()
		switch v := v.(type) {
		case string:
			return "see {" + ref + "} }}", "see " + v + " }"
		case bool, float64:
			b, _ := json.Marshal(v)
			return "see {" + ref + "}.", "see " + string(b) + "."
		}
	}
	return "no scalar", "no scalar"
}

// echo is a tool that returns what it gets, and a list of what it got, by step.
func echo(t testing.TB) (*tool.Registry, func() map[string]string) {
	t.Helper()
	var mu sync.Mutex
	got := map[string]string{}
	var r tool.Registry
	err := r.Add(tool.Tool{
		Spec: tool.Spec{Name: "echo", Description: "Return the arguments.", Risk: tool.RiskReads,
			Input: schema.MustParse(`{"type":"object","properties":{"v":{}},"required":["v"],"additionalProperties":false}`)},
		Handler: func(_ context.Context, c *tool.Call) (*tool.Result, error) {
			mu.Lock()
			defer mu.Unlock()
			got[c.Step] = string(c.Args)
			res := tool.Text("done")
			res.Data = c.Args
			return res, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &r, func() map[string]string {
		mu.Lock()
		defer mu.Unlock()
		out := got
		got = map[string]string{}
		return out
	}
}

// P1, P2 and P3 hold for any plan: what is dispatched is what the references stand
// for; the same document and data give the same bytes; and a reference that leads
// nowhere keeps its step, and what needs that, from being dispatched.
func TestReferencesOfAnyPlan(t *testing.T) {
	tools, calls := echo(t)
	for seed := range uint64(300) {
		d := &dice{Rand: rand.New(rand.NewPCG(seed, 3))}
		var list []plan.Step
		for i := range 1 + d.IntN(8) {
			doc, want := d.template(3)
			args, err := json.Marshal(map[string]any{"v": doc})
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, plan.Step{ID: fmt.Sprintf("s%d", i), Tool: "echo", Args: args})
			d.values = append(d.values, want)
		}
		p := &plan.Plan{Version: "1.0", Goal: "g", Risk: tool.RiskReads, Steps: list}
		_, _, err := ended(t, t.Context(), &plan.Runner{Tools: tools}, p)
		first := calls()
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i, want := range d.values {
			var in struct{ V any }
			if err := json.Unmarshal([]byte(first[list[i].ID]), &in); err != nil {
				t.Fatalf("seed %d: step %s got %s: %v", seed, list[i].ID, first[list[i].ID], err)
			}
			if diff := cmp.Diff(want, in.V); diff != "" {
				t.Fatalf("seed %d (P3): %s became %s\n%s", seed, list[i].Args, first[list[i].ID], diff)
			}
		}
		if _, _, err = ended(t, t.Context(), &plan.Runner{Tools: tools, MaxConcurrency: 1}, p); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first, calls()); diff != "" {
			t.Fatalf("seed %d (P2): the same plan makes other calls\n%s", seed, diff)
		}
		checkMissing(t, d, tools, calls, list, seed)
	}
}

// checkMissing puts a reference that leads nowhere into one of the steps.
func checkMissing(t *testing.T, d *dice, tools *tool.Registry, calls func() map[string]string, list []plan.Step, seed uint64) {
	t.Helper()
	if len(list) < 2 {
		return
	}
	at := 1 + d.IntN(len(list)-1)
	broken := slices.Clone(list)
	broken[at].Args = json.RawMessage(`{"v":["$steps.s0.v.no.such[9]"]}`)
	last := fmt.Sprintf("s%d", len(list))
	broken = append(broken, plan.Step{ID: last, Tool: "echo", Args: json.RawMessage(fmt.Sprintf(`{"v":"$steps.s%d.v"}`, at))})
	_, _, err := ended(t, t.Context(), &plan.Runner{Tools: tools}, &plan.Plan{Version: "1.0", Goal: "g", Risk: tool.RiskReads, Steps: broken})
	got := calls()
	if !errors.Is(err, &tool.Error{Code: tool.CodeInvalid}) {
		t.Errorf("seed %d (P1): %v", seed, err)
	}
	for _, id := range []string{fmt.Sprintf("s%d", at), last} {
		if args, ok := got[id]; ok {
			t.Errorf("seed %d (P1): step %s was dispatched with %s", seed, id, args)
		}
	}
}
