package memory_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/toolpost/toolpost/builtin/memory"
	"github.com/toolpost/toolpost/tool"
)

// exampleStore is a store in a folder that is removed at the end.
func exampleStore() (*memory.Store, func()) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	s, err := memory.Open(context.Background(), filepath.Join(dir, "memory.db"))
	if err != nil {
		panic(err)
	}
	return s, func() {
		_ = s.Close()
		_ = os.RemoveAll(dir)
	}
}

func ExampleStore_Tools() {
	store, done := exampleStore()
	defer done()
	var tools tool.Registry
	if err := tools.Add(store.Tools()...); err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	for _, c := range []*tool.Call{
		tool.NewCall("memory_write", `{"text":"Deploys go through make ship.","key":"deploy"}`),
		tool.NewCall("memory_write", `{"text":"Anna prefers tabs."}`),
		tool.NewCall("memory_write", `{"text":"Never on a Friday.","key":"deploy"}`),
	} {
		fmt.Println(tool.Do(ctx, tools.Call, c).Content[0].Text)
	}
	it, err := store.Get(ctx, "deploy")
	fmt.Println(it.Text, err)
	// Output:
	// remembered as a new memory with key deploy
	// remembered as a new memory
	// put into the memory that was there with key deploy
	// Deploys go through make ship.
	//
	// Never on a Friday. <nil>
}

func ExampleStore_Search() {
	store, done := exampleStore()
	defer done()
	ctx := context.Background()
	for _, text := range []string{"The staging cluster is in Frankfurt.", "Releases are cut from main.", "Staging is wiped on Sundays."} {
		if _, _, err := store.Put(ctx, memory.Item{Text: text}, memory.Append); err != nil {
			fmt.Println(err)
			return
		}
	}
	found, err := store.Search(ctx, "where is the staging cluster?", 1)
	fmt.Println(found[0].Text, err)
	// Output: The staging cluster is in Frankfurt. <nil>
}

func ExampleStore_Markdown() {
	store, done := exampleStore()
	defer done()
	ctx := context.Background()
	for _, it := range []memory.Item{
		{Key: "style", Text: "Tabs.", Tags: []string{"go", "anna"}},
		{Key: "deploy", Text: "make ship"},
	} {
		if _, _, err := store.Put(ctx, it, memory.Overwrite); err != nil {
			fmt.Println(err)
			return
		}
	}
	text, err := store.Markdown(ctx)
	fmt.Print(text, err)
	// Output:
	// # Memory
	//
	// ## deploy
	//
	// make ship
	//
	// ## style
	//
	// Tabs.
	//
	// Tags: anna, go
	// <nil>
}
