package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/toolpost/toolpost/tool"
)

type pair struct {
	A int `json:"a" desc:"First number."`
	B int `json:"b" desc:"Second number."`
}

// newAdder is a registry with one tool, which adds.
func newAdder() *tool.Registry {
	var tools tool.Registry
	err := tools.Add(tool.New(tool.Spec{
		Name:        "add",
		Aliases:     []string{"sum"},
		Description: "Add two numbers.",
		Risk:        tool.RiskReads,
	}, func(_ context.Context, in pair) (int, error) { return in.A + in.B, nil }))
	if err != nil {
		panic(err)
	}
	return &tools
}

func Example() {
	res := tool.Do(context.Background(), newAdder().Call, tool.NewCall("add", `{"a":2,"b":3}`))
	fmt.Println(res.Status, string(res.Data))
	// Output: ok 5
}

func ExampleDo() {
	h := func(context.Context, *tool.Call) (*tool.Result, error) { panic("boom") }
	res := tool.Do(context.Background(), h, tool.NewCall("risky", ""))
	fmt.Println(res.Status, res.Content[0].Text)
	// Output: error {"status":"error","tool":"risky","code":"INTERNAL_ERROR","error":"the tool crashed"}
}

func ExampleRegistry_Call() {
	tools := newAdder()
	for _, c := range []*tool.Call{tool.NewCall("sum", `{"a":"2","b":3}`), tool.NewCall("ad", `{}`)} {
		res := tool.Do(context.Background(), tools.Call, c)
		fmt.Println(res.Tool, res.Status, res.Content[0].Text)
	}
	// Output:
	// add ok 5
	// ad error {"status":"error","tool":"ad","code":"NOT_FOUND","error":"no tool \"ad\"; nearest: add"}
}

func ExampleRegistry_Use() {
	var tools tool.Registry
	tools.Use(func(next tool.Handler) tool.Handler {
		return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
			if c.Spec.Risk.Level() > 0 {
				return nil, tool.Errorf(tool.CodeDenied, "%s writes", c.Tool)
			}
			return next(ctx, c)
		}
	})
	_ = tools.Add(tool.New(tool.Spec{Name: "wipe", Risk: tool.RiskWrites}, func(context.Context, struct{}) (string, error) { return "gone", nil }))
	res := tool.Do(context.Background(), tools.Call, tool.NewCall("wipe", `{}`))
	fmt.Println(res.Status, res.Err)
	// Output: blocked POLICY_DENIED: wipe writes
}

func ExampleProgress() {
	var tools tool.Registry
	_ = tools.Add(tool.New(tool.Spec{Name: "build"}, func(ctx context.Context, _ struct{}) (string, error) {
		tool.Progress(ctx, "half way")
		return "done", nil
	}))
	ctx := tool.WithNotes(context.Background(), func(n tool.Note) {
		switch n.Kind {
		case tool.NoteStarted:
			fmt.Println("started", n.Call.Tool)
		case tool.NoteProgress:
			fmt.Println("progress", n.Content[0].Text)
		}
	})
	fmt.Println(tool.Do(ctx, tools.Call, tool.NewCall("build", `{}`)).Content[0].Text)
	// Output:
	// started build
	// progress half way
	// "done"
}

func ExampleObserve() {
	var tools tool.Registry
	_ = tools.Add(tool.New(tool.Spec{Name: "touch"}, func(ctx context.Context, _ struct{}) (string, error) {
		tool.Observe(ctx, tool.Effects{Created: []tool.FileEffect{{Path: "a.txt", Kind: "file"}}})
		return "ok", nil
	}))
	res := tool.Do(context.Background(), tools.Call, tool.NewCall("touch", `{}`))
	fmt.Println(res.Effects.Created[0].Path)
	// Output: a.txt
}

func ExampleErrorf() {
	err := fmt.Errorf("save: %w", tool.Errorf(tool.CodeConflict, "a.txt changed meanwhile"))
	e := tool.AsError(err)
	fmt.Println(e.Code, e.Message, e.Code.Status(), e.Code.HTTP())
	// Output: CONFLICT a.txt changed meanwhile error 409
}

func ExampleResult_Envelope() {
	blocked := tool.Fail(tool.Errorf(tool.CodeDenied, "not on \"Fridays\""))
	blocked.Tool = "deploy"
	fmt.Println(string(blocked.Envelope()))
	pending := tool.Delegate("the client runs it")
	pending.Tool = "open_tab"
	fmt.Println(string(pending.Envelope()))
	// Output:
	// {"status":"blocked","tool":"deploy","code":"POLICY_DENIED","reason":"not on \"Fridays\""}
	// {"status":"pending","tool":"open_tab","message":"the client runs it"}
}

func ExampleCall_MarshalJSON() {
	c := tool.NewCall("add", `{"a":2}`)
	c.ID, c.Created, c.Timeout = "c1", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), time.Second
	b, _ := json.Marshal(c)
	fmt.Println(string(b))
	// Output: {"callId":"c1","tool":"add","attempt":1,"args":{"a":2},"createdAt":"2026-01-02T03:04:05.000Z","timeoutMs":1000}
}

func ExampleGuard() {
	h := tool.Guard(func(ctx context.Context, _ *tool.Call) (*tool.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	c := tool.NewCall("slow", "")
	c.Timeout = time.Millisecond
	c.Deadline = time.Now().Add(c.Timeout)
	fmt.Println(tool.Do(context.Background(), h, c).Err)
	// Output: TIMEOUT: slow did not finish within 1ms
}

func ExampleNewID() {
	id := tool.NewID()
	fmt.Println(len(id), strings.Count(id, "-"), id[14:15])
	// Output: 36 4 7
}
