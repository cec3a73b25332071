package audit_test

import (
	"context"
	"fmt"
	"os"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/tool"
)

// greet is a driver that makes one call.
func greet(ctx context.Context, r *event.Run) error {
	r.Emit(event.Event{Type: event.RunStarted, Message: "say hello"})
	r.Do(ctx, func(context.Context, *tool.Call) (*tool.Result, error) {
		return tool.Text("hello"), nil
	}, tool.NewCall("greet", `{"name":"Ada"}`))
	r.Emit(event.Event{Type: event.RunFinished, Message: "done"})
	return nil
}

func ExampleRecord() {
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	store := &audit.Store{Dir: dir}
	run, err := store.Create(audit.Facts{Prompt: "say hello"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for e, err := range audit.Record(run, event.Go(context.Background(), run.ID(), greet)) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.Seq, e.Type)
	}

	id, err := store.Resolve("-1")
	if err != nil {
		fmt.Println(err)
		return
	}
	view, err := store.Load(id)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(view.Prompt, view.Status, view.Calls[0].Tool(), view.Calls[0].Result.Status)
	// Output:
	// 1 run.started
	// 2 step.scheduled
	// 3 step.finished
	// 4 run.finished
	// say hello ok greet ok
}

func ExampleCalls() {
	var tools tool.Registry
	err := tools.Add(tool.New(tool.Spec{Name: "add", Description: "Add two numbers."},
		func(_ context.Context, in struct{ A, B int }) (int, error) { return in.A + in.B, nil }))
	if err != nil {
		fmt.Println(err)
		return
	}
	var runs audit.Memory // or a *audit.Store
	door := audit.Calls(&runs, audit.Facts{Door: "http"})(tools.Call)
	tool.Do(context.Background(), door, tool.NewCall("add", `{"A":2,"B":3}`))

	for _, id := range runs.IDs() {
		view, err := runs.Load(id)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, call := range view.Calls {
			fmt.Println(view.Kind, view.Door, call.Tool(), string(call.Ran.Args), call.Result.Status, string(call.Result.Data))
		}
	}
	// Output: call http add {"A":2,"B":3} ok 5
}

func ExampleStore_Put() {
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	store := &audit.Store{Dir: dir}
	run, err := store.Create(audit.Facts{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer run.Close()

	kept, err := store.Put(run.ID(), []byte("a very long text"), "text/plain")
	if err != nil {
		fmt.Println(err)
		return
	}
	artifact, err := store.OpenArtifact(run.ID(), kept.ID)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer artifact.Close()
	part := make([]byte, 4)
	if _, err := artifact.ReadAt(part, 7); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(kept.Bytes, kept.MIME, string(part))
	// Output: 16 text/plain long
}
