//go:build unix

package builtin_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/toolpost/toolpost/builtin"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

// exampleRoot is a workspace that is removed at the end.
func exampleRoot() (*sandbox.Root, func()) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	root, err := sandbox.Open(sandbox.Profile{Workspace: dir})
	if err != nil {
		panic(err)
	}
	return root, func() {
		_ = root.Close()
		_ = os.RemoveAll(dir)
	}
}

func ExampleFiles() {
	root, done := exampleRoot()
	defer done()
	files := builtin.Files{Root: root}
	var tools tool.Registry
	if err := tools.Add(files.Tools()...); err != nil {
		fmt.Println(err)
		return
	}
	call := func(name, args string) *tool.Result {
		return tool.Do(context.Background(), tools.Call, tool.NewCall(name, args))
	}
	call("write_file", `{"path":"src/greet.go","content":"package greet\n\nconst Word = \"hello\"\n"}`)
	res := call("edit_file", `{"path":"src/greet.go","old_text":"\"hello\"","new_text":"\"good day\""}`)
	fmt.Println(res.Effects.Modified[0].Path)
	fmt.Println(call("search_files", `{"query":"const \\w+","glob":"*.go"}`).Content[0].Text)
	fmt.Println(call("list_directory", `{"recursive":true}`).Content[0].Text)
	fmt.Println(call("read_file", `{"path":"src/great.go"}`).Err.Message)
	// Output:
	// src/greet.go
	// src/greet.go:3:const Word = "good day"
	// src/
	// src/greet.go (39 bytes)
	// path "src/great.go": opening the file: does not exist; nearest: src/greet.go
}

func ExampleExec() {
	root, done := exampleRoot()
	defer done()
	cell, err := sandbox.NewCell(root, sandbox.Profile{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cell.Close()
	commands := builtin.Exec{Cell: cell, OnEnd: func(s builtin.Session) {
		fmt.Printf("ended: %s, exit code %d\n", s.Command, s.ExitCode)
	}}
	defer commands.Close()
	var tools tool.Registry
	if err := tools.Add(commands.Tools()...); err != nil {
		fmt.Println(err)
		return
	}
	res := tool.Do(context.Background(), tools.Call, tool.NewCall("exec_shell", `{"command":"echo one; echo two; exit 3"}`))
	fmt.Println(res.Status, res.Effects.Commands[0].ExitCode)
	fmt.Print(strings.Split(res.Content[0].Text, "[")[0])
	res = tool.Do(context.Background(), tools.Call, tool.NewCall("bash", `{"command":"sudo reboot"}`))
	fmt.Println(res.Status, res.Err.Code)
	// Output:
	// ok 3
	// one
	// two
	// blocked POLICY_DENIED
}

func ExampleArtifacts() {
	log := []byte(strings.Repeat("all is well\n", 10_000) + "error: it is not\n")
	artifacts := builtin.Artifacts{Load: func(_ context.Context, id string) (builtin.Blob, error) {
		if id != "a1" {
			return nil, os.ErrNotExist
		}
		return bytes.NewReader(log), nil
	}}
	var tools tool.Registry
	if err := tools.Add(artifacts.Tools()...); err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	fmt.Print(tool.Do(ctx, tools.Call, tool.NewCall("read_artifact", `{"id":"a1","find":"error"}`)).Content[0].Text)
	fmt.Println(tool.Do(ctx, tools.Call, tool.NewCall("read_artifact", `{"id":"a2"}`)).Err.Message)
	// Output:
	// error: it is not
	// no artifact "a2" in this run; use the id that the shortened result names
}
