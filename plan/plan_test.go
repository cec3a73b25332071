package plan_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/plan"
	"github.com/toolpost/toolpost/tool"
)

// world is tools over a map of files, and a list of what was done.
type world struct {
	mu    sync.Mutex
	files map[string]string
	done  []string
}

func (w *world) did(s string) { w.mu.Lock(); w.done = append(w.done, s); w.mu.Unlock() }

type pathIn struct {
	Path string `json:"path"`
}
type writeIn struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}
type item struct {
	Path string `json:"path"`
	Size int    `json:"size"`
}

func (w *world) tools(t testing.TB) *tool.Registry {
	t.Helper()
	var r tool.Registry
	list := tool.New(tool.Spec{Name: "list", Description: "List files.", Risk: tool.RiskReads},
		func(context.Context, struct{}) (struct {
			Items []item `json:"items"`
		}, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			out := struct {
				Items []item `json:"items"`
			}{Items: []item{}}
			for _, p := range slices.Sorted(func(yield func(string) bool) {
				for k := range w.files {
					if !yield(k) {
						return
					}
				}
			}) {
				out.Items = append(out.Items, item{p, len(w.files[p])})
			}
			return out, nil
		})
	write := tool.New(tool.Spec{Name: "write", Description: "Write a file.", Risk: tool.RiskWrites, Previews: true},
		func(ctx context.Context, in writeIn) (item, error) {
			if strings.Contains(in.Path, "bad") {
				return item{}, tool.Errorf(tool.CodeConflict, "%s is bad", in.Path)
			}
			if tool.Current(ctx).DryRun {
				return item{in.Path, len(in.Content)}, nil
			}
			w.did("write " + in.Path)
			w.mu.Lock()
			defer w.mu.Unlock()
			w.files[in.Path] = in.Content
			return item{in.Path, len(in.Content)}, nil
		})
	read := tool.New(tool.Spec{Name: "read", Description: "Read a file.", Risk: tool.RiskReads, Aliases: []string{"cat"}},
		func(_ context.Context, in pathIn) (writeIn, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			c, ok := w.files[in.Path]
			if !ok {
				return writeIn{}, tool.Errorf(tool.CodeNotFound, "no %s", in.Path)
			}
			return writeIn{in.Path, c}, nil
		})
	if err := r.Add(list, write, read); err != nil {
		t.Fatal(err)
	}
	return &r
}

func parse(t testing.TB, doc string) *plan.Plan {
	t.Helper()
	p, err := plan.Parse([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func steps(risk tool.Risk, s string) string {
	return fmt.Sprintf(`{"version":"1.0","goal":"g","riskLevel":%q,"steps":[%s]}`, risk, s)
}

// ended is what came of a run: "s1 ok", "s2[0] error CONFLICT", "s3 skipped: why".
func ended(t testing.TB, ctx context.Context, r *plan.Runner, p *plan.Plan) (out []string, o plan.Outcome, err error) {
	t.Helper()
	for e, e2 := range r.Run(ctx, p) {
		if e2 != nil {
			err = e2
		}
		if e.Result != nil {
			s := e.Result.Step
			if e.Call.Item != nil {
				s += fmt.Sprintf("[%d]", e.Call.Item.Index)
			}
			if e.Result.Attempt > 1 {
				s += fmt.Sprintf("#%d", e.Result.Attempt)
			}
			s += " " + string(e.Result.Status)
			if e.Result.Err != nil {
				s += " " + string(e.Result.Err.Code)
			}
			if e.Result.User != "" {
				s += ": " + e.Result.User
			}
			out = append(out, s)
		}
		if p, ok := e.Payload.(*plan.Outcome); ok {
			o = *p
		}
	}
	return out, o, err
}

func TestAPlanWithForeachReferencesAndDependenciesRuns(t *testing.T) {
	w := &world{files: map[string]string{"a.md": "one", "b.md": "three"}}
	p := parse(t, steps("writes", `
		{"id":"list","tool":"list","args":{}},
		{"id":"copy","tool":"write","foreach":{"from":"$steps.list.items","itemName":"f","indexName":"n","concurrency":2},
		 "args":{"path":"copy/{n}-{f.path}","content":"size {f.size} {{braces}} $$"}},
		{"id":"last","tool":"read","args":{"path":"$steps.copy.items[-1].path"},"captureAs":"found"},
		{"id":"sum","tool":"write","args":{"path":"sum","content":"$vars.found.content and $steps.copy.count."}}`))
	got, o, err := ended(t, t.Context(), &plan.Runner{Tools: w.tools(t), Confirm: plan.ConfirmNever}, p)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"copy[0] ok", "copy[1] ok", "last ok", "list ok", "sum ok"}, got); diff != "" {
		t.Error(diff)
	}
	if got := w.files["copy/1-b.md"]; got != "size 5 {braces} $" {
		t.Errorf("copy/1-b.md holds %q", got)
	}
	if got := w.files["sum"]; got != "size 5 {braces} $ and 2." {
		t.Errorf("sum holds %q", got)
	}
	if o.Status != plan.StatusOK || o.OK != 4 || o.Calls != 5 {
		t.Errorf("outcome %+v", o)
	}
}

func TestAFailedStepEndsThePlanOrIsPassedOver(t *testing.T) {
	for _, c := range []struct {
		name, onError, third string
		want                 []string
	}{
		{"stop is the default for writes", ``, `"dependsOn":["a"]`, []string{"a error CONFLICT", "b skipped: step a failed", "c skipped: step a failed"}},
		{"skip lets those run that only order on it", `,"onError":"skip"`, `"dependsOn":["a"]`, []string{"a error CONFLICT", "b skipped: step a failed", "c ok"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &world{files: map[string]string{}}
			p := parse(t, steps("writes", `
				{"id":"a","tool":"write","args":{"path":"bad","content":""}`+c.onError+`},
				{"id":"b","tool":"write","args":{"path":"$steps.a.path","content":""}},
				{"id":"c","tool":"write","args":{"path":"good","content":""},`+c.third+`}`))
			got, _, _ := ended(t, t.Context(), &plan.Runner{Tools: w.tools(t), Confirm: plan.ConfirmNever}, p)
			slices.Sort(got)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRetriesAreCallsOfTheirOwnAndWaitLongerEachTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		begin := time.Now()
		var r tool.Registry
		if err := r.Add(tool.New(tool.Spec{Name: "flaky", Description: "Fail.", Risk: tool.RiskReads}, func(context.Context, struct{}) (int, error) {
			at = append(at, time.Since(begin))
			if len(at) < 4 {
				return 0, tool.Errorf(tool.CodeUnavailable, "no")
			}
			return 1, nil
		})); err != nil {
			t.Fatal(err)
		}
		p := parse(t, steps("read-only", `{"id":"s","tool":"flaky","args":{},"onError":"retry","retry":{"maxAttempts":5,"backoffMs":1000,"jitter":false}}`))
		got, _, err := ended(t, t.Context(), &plan.Runner{Tools: &r}, p)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"s error UNAVAILABLE", "s#2 error UNAVAILABLE", "s#3 error UNAVAILABLE", "s#4 ok"}, got); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]time.Duration{0, time.Second, 3 * time.Second, 7 * time.Second}, at); diff != "" {
			t.Error(diff)
		}
	})
}

func TestSomeFailuresAreNeverTriedAgain(t *testing.T) {
	for _, code := range []tool.Code{tool.CodeInvalid, tool.CodeDenied, tool.CodeApprovalDenied, tool.CodeCancelled} {
		var n atomic.Int64
		var r tool.Registry
		if err := r.Add(tool.New(tool.Spec{Name: "no", Description: "Fail.", Risk: tool.RiskReads}, func(context.Context, struct{}) (int, error) {
			n.Add(1)
			return 0, tool.Errorf(code, "no")
		})); err != nil {
			t.Fatal(err)
		}
		p := parse(t, steps("read-only", `{"id":"s","tool":"no","args":{},"onError":"retry","retry":{"maxAttempts":5,"backoffMs":0}}`))
		_, _, _ = ended(t, t.Context(), &plan.Runner{Tools: &r}, p)
		if n.Load() != 1 {
			t.Errorf("%s was tried %d times", code, n.Load())
		}
	}
}

func TestStepsWithoutDependenciesRunSideBySideOnlyWhenTheyRead(t *testing.T) {
	for _, c := range []struct {
		risk tool.Risk
		want time.Duration
	}{{tool.RiskReads, time.Minute}, {tool.RiskWrites, 3 * time.Minute}} {
		synctest.Test(t, func(t *testing.T) {
			var r tool.Registry
			if err := r.Add(tool.New(tool.Spec{Name: "slow", Description: "Wait.", Risk: c.risk}, func(context.Context, struct{}) (int, error) {
				time.Sleep(time.Minute)
				return 0, nil
			})); err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			p := parse(t, steps(c.risk, `{"id":"a","tool":"slow","args":{}},{"id":"b","tool":"slow","args":{}},{"id":"c","tool":"slow","args":{}}`))
			if _, _, err := ended(t, t.Context(), &plan.Runner{Tools: &r, Confirm: plan.ConfirmNever}, p); err != nil {
				t.Fatal(err)
			}
			if d := time.Since(begin); d != c.want {
				t.Errorf("%s: took %s, want %s", c.risk, d, c.want)
			}
		})
	}
}

func TestACancelledPlanSkipsWhatIsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r tool.Registry
		if err := r.Add(tool.New(tool.Spec{Name: "slow", Description: "Wait.", Risk: tool.RiskReads}, func(ctx context.Context, _ struct{}) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		})); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		p := parse(t, steps("read-only", `{"id":"a","tool":"slow","args":{}},{"id":"b","tool":"slow","args":{},"dependsOn":["a"]}`))
		var types []event.Type
		for e := range (&plan.Runner{Tools: &r}).Run(ctx, p) {
			types = append(types, e.Type)
		}
		if tail := types[len(types)-3:]; tail[0] != event.RunCancelled || tail[1] != event.RunFinished {
			t.Errorf("ended with %v", tail)
		}
	})
}

func TestLintTellsAllAtOnce(t *testing.T) {
	w := &world{}
	for _, c := range []struct{ name, steps, want string }{
		{"duplicate id", `{"id":"a","tool":"list","args":{}},{"id":"a","tool":"list","args":{}}`, `/steps/1/id: step "a" is there already, at /steps/0`},
		{"unknown tool", `{"id":"a","tool":"lst","args":{}}`, `/steps/0/tool: there is no tool "lst"; did you mean "list"?`},
		{"missing step", `{"id":"list","tool":"list","args":{}},{"id":"a","tool":"read","args":{"path":"$steps.lisd.items"}}`, `/steps/1/args/path: there is no step "lisd"; did you mean "list"?`},
		{"forward reference", `{"id":"a","tool":"read","args":{"path":"$steps.b.path"}},{"id":"b","tool":"list","args":{}}`, `/steps/0/args/path: step "b" comes later: a step can only refer to steps before it`},
		{"cycle", `{"id":"a","tool":"list","args":{},"dependsOn":["b"]},{"id":"b","tool":"list","args":{},"dependsOn":["a"]}`, `/steps/0/dependsOn: these steps wait for each other and would never run: ["a" "b"]`},
		{"item outside foreach", `{"id":"a","tool":"read","args":{"path":"{item.path}"}}`, `/steps/0/args/path: "item" names nothing here: only a step with foreach has an item and an index, at "{item.path}": write {{ for a brace`},
		{"stray brace", `{"id":"a","tool":"read","args":{"path":"a}b"}}`, `/steps/0/args/path: a } without a { before it, at "}b": write }} for a brace`},
		{"unknown variable", `{"id":"a","tool":"read","args":{"path":"$vars.x"}}`, `/steps/0/args/path: there is no variable "x" before this step`},
		{"wrong argument", `{"id":"a","tool":"read","args":{"pth":"x"}}`, `/steps/0/args`},
		{"understated risk", `{"id":"a","tool":"write","args":{"path":"x","content":""}}`, `/riskLevel: the plan says read-only, but step a uses write, which is writes`},
		{"condition without a value", `{"id":"a","tool":"list","args":{},"when":{"ref":"$vars.x","op":"equals"}}`, `/steps/0/when: equals needs a value`},
		{"bad expression", `{"id":"a","tool":"list","args":{},"when":{"expr":"1 +"}}`, `/steps/0/when: expr:`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var all []string
			for _, p := range plan.Lint(parse(t, steps("read-only", c.steps)), w.tools(t)) {
				all = append(all, p.String())
			}
			if !slices.ContainsFunc(all, func(s string) bool { return strings.HasPrefix(s, c.want) }) {
				t.Errorf("want %s\ngot  %s", c.want, strings.Join(all, "\n     "))
			}
		})
	}
}

func TestParseNamesUnknownFieldsByPointer(t *testing.T) {
	_, err := plan.Parse([]byte(`{"version":"1.0","goal":"g","riskLevel":"read-only","steps":[{"id":"a","tool":"x","args":{},"dependson":["b"],"retry":{"maxAttempts":11}}]}`))
	if !errors.Is(err, &tool.Error{Code: tool.CodeInvalid}) {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{"/steps/0/dependson", "dependsOn", "/steps/0/retry/maxAttempts"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name %s", err, want)
		}
	}
}

func TestReferencesAsArgumentsAreUnknownToTheStaticCheck(t *testing.T) {
	w := &world{}
	p := parse(t, steps("read-only", `{"id":"l","tool":"list","args":{}},{"id":"r","tool":"read","args":{"path":"$steps.l.items[0].size"}}`))
	if bad := plan.Errors(plan.Lint(p, w.tools(t))); len(bad) > 0 {
		t.Errorf("lint: %v", bad)
	}
	w.files = map[string]string{"a": "x"}
	got, _, err := ended(t, t.Context(), &plan.Runner{Tools: w.tools(t)}, p)
	if !errors.Is(err, &tool.Error{Code: tool.CodeInvalid}) {
		t.Errorf("a number for a path: %v, %v", got, err)
	}
}

func TestAForeachHasALimit(t *testing.T) {
	w := &world{}
	for n, want := range map[int]bool{plan.MaxElements: true, plan.MaxElements + 1: false} {
		list := "[" + strings.TrimSuffix(strings.Repeat("1,", n), ",") + "]"
		doc := fmt.Sprintf(`{"version":"1.0","goal":"g","riskLevel":"read-only","vars":{"l":%s},"steps":[{"id":"a","tool":"list","args":{},"foreach":{"from":"$vars.l","itemName":"i","concurrency":4}}]}`, list)
		_, o, err := ended(t, t.Context(), &plan.Runner{Tools: w.tools(t)}, parse(t, doc))
		if (err == nil) != want {
			t.Errorf("%d elements: %v, %+v", n, err, o)
		}
	}
}
