package llmtest_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/llm/llmtest"
	"github.com/toolpost/toolpost/provider/openai"
)

func ExampleServer() {
	good := llmtest.Chat(llmtest.Turn{Text: "Here I am."})
	s := llmtest.NewServer(llmtest.RateLimit(0.01), good.Broken(0), good)
	server := httptest.NewServer(s)
	defer server.Close()

	p := &llm.Retry{Provider: &openai.Chat{BaseURL: server.URL, Model: "m"}, Base: 1}
	msg, err := llmtest.Ask(context.Background(), p, &llm.Request{})
	fmt.Println(msg.Text(), err, len(s.Requests()))
	// Output: Here I am. <nil> 3
}

func ExampleFake() {
	p := llmtest.Fake(func(_ context.Context, req *llm.Request, say func(llm.Delta) bool) error {
		say(llm.Delta{Kind: llm.DeltaText, Text: "You said: " + req.Messages[0].Text()})
		say(llm.Delta{Kind: llm.DeltaStop, Stop: llm.StopEnd})
		return nil
	})
	msg, err := llmtest.Ask(context.Background(), p, &llm.Request{Messages: []llm.Message{llm.User("hello")}})
	fmt.Println(msg.Text(), err)
	// Output: You said: hello <nil>
}
