package tooltest

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/toolpost/toolpost/tool"
)

// Run holds one tool to its promises. Its examples, and the further calls given
// as JSON arguments, are made through a registry: each must succeed, its data
// fit the output schema, its arguments stay as they were, and its effects agree
// with its risk. With [tool.Spec.Previews] they are made with DryRun first, and
// then must change nothing. Calls that do not fit must be refused, and calls
// whose context has ended must come back.
//
// A tool without an example needs a call; the calls are made in the order
// examples, calls, each once, and may build on one another.
func Run(t *testing.T, tl tool.Tool, calls ...string) {
	t.Helper()
	t.Run("the spec is complete", func(t *testing.T) { Spec(t, tl.Spec) })
	var tools tool.Registry
	if err := tools.Add(tl); err != nil {
		t.Fatalf("add %s: %v", tl.Name, err)
	}
	var args []json.RawMessage
	args = append(args, tl.Examples...)
	for _, c := range calls {
		args = append(args, json.RawMessage(c))
	}
	if len(args) == 0 {
		t.Fatalf("%s has no example and no call to make", tl.Name)
	}
	if tl.Previews {
		t.Run("a preview changes nothing", func(t *testing.T) { previews(t, &tools, tl, args) })
	}
	t.Run("C2 its calls succeed and keep its promise", func(t *testing.T) {
		for _, a := range args {
			succeeds(t, &tools, tl, a)
		}
	})
	t.Run("law 3 arguments that do not fit are refused", func(t *testing.T) { refuses(t, tl, args[0]) })
	t.Run("C1 a call whose context has ended comes back", func(t *testing.T) { ends(t, &tools, tl, args[0]) })
}

// make calls the tool once, and checks what holds for every answer.
func makeCall(ctx context.Context, t *testing.T, s tool.Set, c *tool.Call) *tool.Result {
	t.Helper()
	id, run, step, turn, epoch := c.ID, c.Run, c.Step, c.Turn, c.Epoch
	res := tool.Do(ctx, s.Call, c)
	if res == nil {
		t.Fatal("there is no result")
	}
	if res.ID != id || res.Run != run || res.Step != step || res.Turn != turn || res.Epoch != epoch {
		t.Errorf("the result bears the identity %+v, the call had %s %s %s %s %d", res.Ref, id, run, step, turn, epoch)
	}
	if len(res.Content) == 0 {
		t.Error("the result has no content")
	}
	if res.OK() && res.Err != nil {
		t.Errorf("the result is ok and has the error %v", res.Err)
	}
	if res.IsError() && (res.Err == nil || !res.Err.Code.Known() || res.Err.Message == "") {
		t.Errorf("the result is %s and its error is %+v, not one with a known code and a message", res.Status, res.Err)
	}
	if _, err := json.Marshal(res); err != nil {
		t.Errorf("the result has no JSON form: %v", err)
	}
	return res
}

func succeeds(t *testing.T, s tool.Set, tl tool.Tool, args json.RawMessage) {
	t.Helper()
	given := bytes.Clone(args)
	c := tool.NewCall(tl.Name, "")
	c.Args = args
	res := makeCall(t.Context(), t, s, c)
	if !bytes.Equal(given, args) {
		t.Errorf("the call wrote into its arguments: %s became %s", given, args)
	}
	if !res.OK() && res.Status != tool.StatusPending {
		t.Errorf("%s %s ended %s: %v", tl.Name, given, res.Status, res.Err)
		return
	}
	if res.OK() && tl.Output != nil {
		if err := tl.Output.Check(res.Data); err != nil {
			t.Errorf("the data of %s %s does not fit its schema: %v", tl.Name, given, err)
		}
	}
	if tl.Risk == tool.RiskReads && changed(res.Effects) {
		t.Errorf("%s says that it only reads, and was observed to change %+v", tl.Name, *res.Effects)
	}
	if tl.Risk == tool.RiskWrites && res.Effects != nil && len(res.Effects.Commands) > 0 {
		t.Errorf("%s says that it runs no commands, and was observed to run %+v", tl.Name, res.Effects.Commands)
	}
}

// changed reports whether a file was touched or a command run.
func changed(e *tool.Effects) bool {
	return e != nil && len(e.Created)+len(e.Modified)+len(e.Deleted)+len(e.Renamed)+len(e.Commands) > 0
}

func previews(t *testing.T, s tool.Set, tl tool.Tool, args []json.RawMessage) {
	t.Helper()
	for _, a := range args[:1] { // those after it may need what it would have done
		c := tool.NewCall(tl.Name, string(a))
		c.DryRun = true
		res := makeCall(t.Context(), t, s, c)
		if !res.OK() {
			t.Errorf("the preview of %s %s ended %s: %v", tl.Name, a, res.Status, res.Err)
		}
		if changed(res.Effects) {
			t.Errorf("the preview of %s %s was observed to change %+v", tl.Name, a, *res.Effects)
		}
	}
}

// refuses makes calls that do not fit, and sees to it that the tool is not run.
func refuses(t *testing.T, tl tool.Tool, good json.RawMessage) {
	t.Helper()
	ran := false
	inner := tl.Handler
	tl.Handler = func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		ran = true
		return inner(ctx, c)
	}
	var tools tool.Registry
	if err := tools.Add(tl); err != nil {
		t.Fatal(err)
	}
	var with map[string]json.RawMessage
	if err := json.Unmarshal(good, &with); err != nil {
		t.Fatalf("the arguments %s are not an object: %v", good, err)
	}
	with["toolpost_unknown_member"] = json.RawMessage("1")
	unknown, err := json.Marshal(with)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{string(unknown), `{"`, `[]`, `"text"`, `17`} {
		res := makeCall(t.Context(), t, &tools, tool.NewCall(tl.Name, bad))
		if res.Err == nil || res.Err.Code != tool.CodeInvalid {
			t.Errorf("%s took the arguments %s: %s %v", tl.Name, bad, res.Status, res.Err)
		}
		if ran {
			t.Fatalf("%s was run with the arguments %s, which do not fit", tl.Name, bad)
		}
	}
}

// ends makes a call that was given up before it was made.
func ends(t *testing.T, s tool.Set, tl tool.Tool, args json.RawMessage) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	done := make(chan *tool.Result, 1)
	go func() { done <- tool.Do(ctx, s.Call, tool.NewCall(tl.Name, string(args))) }()
	limit := time.NewTimer(2 * tool.Grace)
	defer limit.Stop()
	select {
	case res := <-done:
		if res.Status != tool.StatusCancelled {
			t.Errorf("a call that was cancelled before it was made ended %s: %v", res.Status, res.Err)
		}
	case <-limit.C:
		t.Errorf("a call that was cancelled before it was made is not back after %s", 2*tool.Grace)
	}
}
