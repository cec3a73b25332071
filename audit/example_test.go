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
