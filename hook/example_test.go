package hook_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/toolpost/toolpost/hook"
	"github.com/toolpost/toolpost/tool"
)

// echo is a tool that answers with its arguments, behind middleware.
func echo(mw ...tool.Middleware) *tool.Registry {
	var tools tool.Registry
	tools.Use(mw...)
	err := tools.Add(tool.Tool{
		Spec: tool.Spec{Name: "echo", Description: "Say it again."},
		Handler: func(_ context.Context, c *tool.Call) (*tool.Result, error) {
			return tool.Text(string(c.Args)), nil
		},
	})
	if err != nil {
		panic(err)
	}
	return &tools
}

func ExampleLog() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
	refuse := func(tool.Handler) tool.Handler {
		return func(context.Context, *tool.Call) (*tool.Result, error) { return nil, errors.New("disk full") }
	}
	tools := echo(hook.Log(logger), refuse)
	c := tool.NewCall("echo", `{}`)
	c.ID, c.Run = "c1", "r1"
	tool.Do(context.Background(), tools.Call, c)
	// Output:
	// level=DEBUG msg="executing tool" run=r1 call=c1 tool=echo
	// level=DEBUG msg="tool execution failed" run=r1 call=c1 tool=echo err="disk full"
}

func ExampleBefore() {
	before := &hook.Before{
		Hooks: []hook.Hook{
			{Name: "sign", Fn: func(context.Context, *tool.Call) (hook.Verdict, error) {
				return hook.Verdict{Args: []byte(`{"by":"ann"}`)}, nil
			}},
			{Name: "secrets", Priority: 10, Fn: func(_ context.Context, c *tool.Call) (hook.Verdict, error) {
				return hook.Verdict{Block: string(c.Args) == `{"path":".env"}`, Reason: "that file holds secrets"}, nil
			}},
		},
	}
	tools := echo(before.Middleware)
	for _, args := range []string{`{"path":"a.txt"}`, `{"path":".env"}`} {
		res := tool.Do(context.Background(), tools.Call, tool.NewCall("echo", args))
		fmt.Println(res.Content[0].Text)
	}
	// Output:
	// {"by":"ann","path":"a.txt"}
	// {"status":"blocked","tool":"echo","code":"POLICY_DENIED","reason":"that file holds secrets"}
}

func ExampleQuestion() {
	before := &hook.Before{
		Hooks: []hook.Hook{{Name: "deploys", Fn: func(context.Context, *tool.Call) (hook.Verdict, error) {
			return hook.Verdict{Ask: &hook.Question{Title: "Deploy?", Severity: hook.SeverityWarning}}, nil
		}}},
		Asker: func(_ context.Context, _ *tool.Call, q hook.Question) (hook.Answer, error) {
			fmt.Println(q.Hook, q.Severity, q.Title)
			return hook.Denied, nil
		},
	}
	res := tool.Do(context.Background(), echo(before.Middleware).Call, tool.NewCall("echo", `{}`))
	fmt.Println(res.Err)
	// Output:
	// deploys warning Deploy?
	// APPROVAL_DENIED: a person denied this call: Deploy?
}

func ExampleAfter() {
	after := &hook.After{Observers: []hook.Observer{{Name: "count", Fn: func(_ context.Context, c *tool.Call, r *tool.Result) {
		fmt.Println(c.Tool, r.Status)
	}}}}
	tool.Do(context.Background(), echo(after.Middleware).Call, tool.NewCall("echo", `{}`))
	// Output: echo ok
}

func ExampleLoop() {
	var loop hook.Loop
	tools := echo(loop.Middleware)
	for range 8 {
		c := tool.NewCall("echo", `{"n":1}`)
		c.Run = "r1"
		res := tool.Do(context.Background(), tools.Call, c)
		if res.Err != nil {
			fmt.Printf("%s %s %q\n", res.Status, res.Err.Code, res.Err.Ends)
		} else {
			fmt.Println(res.Status, len(res.Content))
		}
	}
	// Output:
	// ok 1
	// ok 1
	// ok 2
	// ok 2
	// blocked LOOP_DETECTED ""
	// blocked LOOP_DETECTED ""
	// blocked LOOP_DETECTED ""
	// blocked LOOP_DETECTED "run"
}

func ExampleTruncate() {
	fmt.Println(string(hook.Truncate([]byte(`["one","two","three","four","five","six","seven"]`), 48)))
	// Output: ["one",{"_truncated":true,"original_count":7}]
}

func ExampleTruncateText() {
	fmt.Println(hook.TruncateText("abcdefghijklmnopqrstuvwxyz abcdefghijklmnopqrstuvwxyz", 50))
	// Output: abcdefgh... [truncated, original size: 55 bytes]
}

func ExampleLimit() {
	kept := map[string][]byte{}
	limit := &hook.Limit{Bytes: 300, Spill: func(_ context.Context, _ *tool.Call, data []byte, mime string) (tool.Artifact, error) {
		kept["a1"] = data
		return tool.Artifact{ID: "a1", Bytes: int64(len(data)), MIME: mime}, nil
	}}
	long := make([]byte, 1000)
	for i := range long {
		long[i] = 'x'
	}
	res := tool.Do(context.Background(), echo(limit.Middleware).Call, tool.NewCall("echo", `{"text":"`+string(long)+`"}`))
	fmt.Println(res.Content[1].Text)
	fmt.Println(res.Artifact.ID, len(kept["a1"]))
	// Output:
	// [cut: the text is kept whole, 1011 bytes, as artifact a1; read on with read_artifact {"id":"a1","offset":89}]
	// a1 1011
}

func ExampleArtifacts() {
	artifacts := &hook.Artifacts{Load: func(_ context.Context, id string) ([]byte, error) {
		return []byte("the text of " + id), nil
	}}
	res := tool.Do(context.Background(), echo(artifacts.Middleware).Call, tool.NewCall("echo", `{"content":"$artifact:a1"}`))
	fmt.Println(res.Content[0].Text)
	// Output: {"content":"the text of a1"}
}

func ExampleForUI() {
	fmt.Println(hook.ForUI(tool.Image(make([]byte, 126_000), "image/png", "a map"), 0))
	fmt.Println(hook.ForUI(tool.Fail(errors.New("cannot open\nstack …")), 0))
	// Output:
	// a map
	// [image 123 KB]
	// cannot open
}

func ExampleRedact() {
	redact := &hook.Redact{Values: []string{"correct horse"}}
	fmt.Println(redact.Text("it is correct horse, in a URL correct+horse"))
	fmt.Println(string(redact.JSON([]byte(`{"url":"postgres://ann:s3cret@db/x","n":1}`))))
	// Output:
	// it is ***(len 13, sha 4104), in a URL ***(len 13, sha 4104)
	// {"url":"postgres://ann:***(len 6, sha 1ec1)@db/x","n":1}
}

func ExampleClean() {
	fmt.Printf("%q\n", hook.Clean("a\x00b\x1b[31mc\td\x7f\n"))
	// Output: "ab[31mc\td\n"
}

func ExampleImages() {
	var images hook.Images
	c := images.Limit(context.Background(), tool.Content{Type: tool.ContentImage, Data: []byte("<html>"), MIME: "image/png"})
	fmt.Println(c.Type, c.Text)
	// Output: text [image 1 KB left out: its bytes are not PNG, JPEG, GIF or WebP]
}
