package toolpost_test

import (
	"context"
	"fmt"

	"github.com/toolpost/toolpost/agent"
	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/provider/scripted"
	"github.com/toolpost/toolpost/session"
	"github.com/toolpost/toolpost/tool"
)

// One Go function becomes a tool, a model asks for it, and each event of the run
// is dealt with before the run goes on. The model is scripted, so the program
// needs no key; openai.Chat in its place needs nothing else changed.
func Example() {
	type numbers struct {
		A int `json:"a" desc:"the first number"`
		B int `json:"b" desc:"the second number"`
	}
	add := tool.New(tool.Spec{Name: "add", Description: "Add two numbers.", Risk: tool.RiskReads},
		func(_ context.Context, in numbers) (int, error) { return in.A + in.B, nil })

	var tools tool.Registry
	if err := tools.Add(add); err != nil {
		fmt.Println(err)
		return
	}
	model := scripted.New(
		scripted.Turn{Calls: []scripted.Call{
			{Tool: "add", Args: []byte(`{"a": 19, "b": 23}`)},
			{Tool: "add", Args: []byte(`{"a": 19, "c": 23}`)},
		}},
		scripted.Turn{Text: "It is 42."},
	)

	loop := agent.Loop{Provider: model, Tools: &tools}
	chat := session.NewMemory(llm.User("What is 19 + 23?"))
	for e, err := range loop.Run(context.Background(), chat) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch e.Type {
		case event.StepStarted:
			fmt.Println("runs:", e.Call.Tool, string(e.Call.Args))
		case event.StepFinished:
			fmt.Println("gave:", string(e.Result.Data))
		case event.StepFailed:
			fmt.Println("not run:", e.Result.Err.Code)
		case event.TextDelta:
			fmt.Println(e.Text)
		}
	}

	// Unordered output:
	// runs: add {"a": 19, "b": 23}
	// gave: 42
	// not run: VALIDATION_ERROR
	// It is 42.
}
