package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

func silent(context.Context, *tool.Call) (*tool.Result, error) { return tool.Text(""), nil }

func TestAddRefusesWhatIsNotFit(t *testing.T) {
	closed := schema.MustParse(`{"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":false}`)
	for name, c := range map[string]struct {
		tool tool.Tool
		want string
	}{
		"no name":       {tool.Tool{Handler: silent}, `tool name ""`},
		"a space":       {tool.Tool{Spec: tool.Spec{Name: "a b"}, Handler: silent}, `tool name "a b"`},
		"too long":      {tool.Tool{Spec: tool.Spec{Name: strings.Repeat("a", 129)}, Handler: silent}, "1 to 128"},
		"no handler":    {tool.Tool{Spec: tool.Spec{Name: "a"}}, "no handler"},
		"a bad example": {tool.Tool{Spec: tool.Spec{Name: "a", Input: closed, Examples: []json.RawMessage{[]byte(`{"n":1}`), []byte(`{"m":1}`)}}, Handler: silent}, "example 2"},
	} {
		var tools tool.Registry
		err := tools.Add(tool.Tool{Spec: tool.Spec{Name: "good"}, Handler: silent}, c.tool)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
		if len(tools.Specs()) != 0 {
			t.Errorf("%s: some were added", name)
		}
	}
}

func TestRegistryFindsByNameAndAlias(t *testing.T) {
	var tools tool.Registry
	if err := tools.Add(
		tool.Tool{Spec: tool.Spec{Name: "exec_shell", Aliases: []string{"bash", "sh"}}, Handler: silent},
		tool.Tool{Spec: tool.Spec{Name: "a/b.c-d"}, Handler: silent},
	); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"exec_shell", "bash", "sh"} {
		c := tool.NewCall(name, "")
		if r := tool.Do(t.Context(), tools.Call, c); !r.OK() || r.Tool != "exec_shell" || c.Tool != "exec_shell" || c.Spec == nil {
			t.Errorf("%s: %s %s", name, r.Status, r.Tool)
		}
	}
	if _, ok := tools.Lookup("Bash"); ok {
		t.Error("names do not match exactly")
	}
	if s := tools.Specs(); len(s) != 2 || s[0].Name != "a/b.c-d" {
		t.Errorf("specs are not sorted by name: %v", s)
	}
	if err := tools.Add(tool.Tool{Spec: tool.Spec{Name: "sh", Label: "new"}, Handler: silent}); err != nil {
		t.Fatal(err)
	}
	if s, _ := tools.Lookup("sh"); s.Label != "new" {
		t.Error("an alias hides a name")
	}
}

func TestUseOrder(t *testing.T) {
	var order []string
	mw := func(name string) tool.Middleware {
		return func(next tool.Handler) tool.Handler {
			return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
				order = append(order, name)
				defer func() { order = append(order, "/"+name) }()
				return next(ctx, c)
			}
		}
	}
	var tools tool.Registry
	tools.Use(mw("a"), mw("b"))
	tools.Use(mw("c"))
	if err := tools.Add(tool.Tool{Spec: tool.Spec{Name: "t"}, Handler: silent}); err != nil {
		t.Fatal(err)
	}
	tool.Do(t.Context(), tools.Call, tool.NewCall("t", ""))
	if got := strings.Join(order, " "); got != "a b c /c /b /a" {
		t.Errorf("got %s", got)
	}
}

// Law 3: checked in, and checked again when middleware changed the arguments.
func TestLaw3CheckedInAndCheckedAgain(t *testing.T) {
	spec := tool.Spec{Name: "t", Input: schema.MustParse(`{"type":"object","properties":{"n":{"type":"integer"},"path":{"type":"string"}},"required":["n"],"additionalProperties":false}`)}
	ran := ""
	h := func(_ context.Context, c *tool.Call) (*tool.Result, error) {
		ran = string(c.Args)
		return tool.Text(""), nil
	}
	for name, c := range map[string]struct {
		args, change string
		ran          string
		want         string
	}{
		"fits":                   {args: `{"n":1}`, ran: `{"n":1}`},
		"coerced":                {args: `{"n":"1"}`, ran: `{"n":1}`},
		"an alias":               {args: `{"n":1,"file_path":"a"}`, ran: `{"n":1,"path":"a"}`},
		"as a string":            {args: `"{\"n\":1}"`, ran: `{"n":1}`},
		"missing":                {args: `{}`, want: `"n" required`},
		"unknown":                {args: `{"n":1,"pth":"a"}`, want: "path"},
		"cut off":                {args: `{"n":`, want: `{"n":`},
		"changed, and fits":      {args: `{"n":1}`, change: `{"n":2}`, ran: `{"n":2}`},
		"changed, and coerced":   {args: `{"n":1}`, change: `{"n":"2"}`, ran: `{"n":2}`},
		"changed, and does not":  {args: `{"n":1}`, change: `{"n":"x"}`, want: "/n"},
		"changed to nothing":     {args: `{"n":1}`, change: ` `, want: "t"},
		"changed to a duplicate": {args: `{"n":1}`, change: `{"n":1,"n":2}`, want: "t"},
	} {
		t.Run(name, func(t *testing.T) {
			ran = ""
			var tools tool.Registry
			tools.Use(func(next tool.Handler) tool.Handler {
				return func(ctx context.Context, call *tool.Call) (*tool.Result, error) {
					if c.want != "" && c.change == "" {
						t.Error("middleware saw arguments that do not fit")
					}
					if c.change != "" {
						call.Args = json.RawMessage(c.change)
					}
					return next(ctx, call)
				}
			})
			if err := tools.Add(tool.Tool{Spec: spec, Handler: h}); err != nil {
				t.Fatal(err)
			}
			r := tool.Do(t.Context(), tools.Call, tool.NewCall("t", c.args))
			if ran != c.ran {
				t.Errorf("ran with %q, want %q (%v)", ran, c.ran, r.Err)
			}
			if c.want != "" && (r.Err == nil || r.Err.Code != tool.CodeInvalid || !strings.Contains(r.Err.Message, c.want)) {
				t.Errorf("got %s %v, want %q in it", r.Status, r.Err, c.want)
			}
		})
	}
}

func TestOutputIsHeldToItsSchema(t *testing.T) {
	spec := tool.Spec{Name: "t", Output: schema.MustParse(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)}
	for name, c := range map[string]struct {
		res  *tool.Result
		err  error
		code tool.Code
	}{
		"fits":                        {tool.JSON(map[string]int{"n": 1}), nil, ""},
		"does not":                    {tool.JSON(map[string]string{"n": "x"}), nil, tool.CodeInternal},
		"is missing":                  {tool.Text("x"), nil, tool.CodeInternal},
		"a failure promises nothing":  {nil, errors.New("no"), tool.CodeFailed},
		"what is pending has nothing": {tool.Delegate("x"), nil, ""},
	} {
		var tools tool.Registry
		if err := tools.Add(tool.Tool{Spec: spec, Handler: func(context.Context, *tool.Call) (*tool.Result, error) { return c.res, c.err }}); err != nil {
			t.Fatal(err)
		}
		r := tool.Do(t.Context(), tools.Call, tool.NewCall("t", ""))
		var code tool.Code
		if r.Err != nil {
			code = r.Err.Code
		}
		if code != c.code {
			t.Errorf("%s: got %s %v, want %s", name, r.Status, r.Err, c.code)
		}
		if name == "does not" && (r.Data != nil || !strings.Contains(string(r.Err.Details), `"x"`)) {
			t.Errorf("the data is %s, the details %s", r.Data, r.Err.Details)
		}
	}
}

func TestUnknownToolNamesTheNearest(t *testing.T) {
	var tools tool.Registry
	for _, n := range []string{"read_file", "write_file", "edit_file", "exec_shell", "list_directory"} {
		if err := tools.Add(tool.Tool{Spec: tool.Spec{Name: n}, Handler: silent}); err != nil {
			t.Fatal(err)
		}
	}
	r := tool.Do(t.Context(), tools.Call, tool.NewCall("read_fil", ""))
	if r.Err.Code != tool.CodeNotFound || !strings.Contains(r.Err.Message, "read_file") || strings.Count(r.Err.Message, ",") != 2 {
		t.Errorf("got %v", r.Err)
	}
	r = tool.Do(t.Context(), tools.Call, tool.NewCall(strings.Repeat("x", 5000)+"\xff", ""))
	if len(r.Err.Message) > 400 {
		t.Errorf("a long name is told whole: %d bytes", len(r.Err.Message))
	}
}

func TestRegistryIsSafeForConcurrentUse(t *testing.T) {
	var tools tool.Registry
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if err := tools.Add(tool.Tool{Spec: tool.Spec{Name: fmt.Sprint("t", i)}, Handler: silent}); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() { tool.Do(t.Context(), tools.Call, tool.NewCall(fmt.Sprint("t", i), "")) })
		wg.Go(func() { tools.Specs() })
	}
	wg.Wait()
	if len(tools.Specs()) != 8 {
		t.Errorf("%d tools", len(tools.Specs()))
	}
}

func TestAsError(t *testing.T) {
	own := tool.Errorf(tool.CodeLimit, "own %w", errors.ErrUnsupported)
	for name, c := range map[string]struct {
		err  error
		code tool.Code
		text string
	}{
		"its own":        {fmt.Errorf("x: %w", own), tool.CodeLimit, "own unsupported operation"},
		"a deadline":     {fmt.Errorf("x: %w", context.DeadlineExceeded), tool.CodeTimeout, "not done by its deadline"},
		"a cancellation": {context.Canceled, tool.CodeCancelled, "cancelled"},
		"any other":      {errors.New("x"), tool.CodeFailed, "x"},
	} {
		if e := tool.AsError(c.err); e.Code != c.code || e.Message != c.text || !errors.Is(e, errors.Unwrap(e)) {
			t.Errorf("%s: got %+v", name, e)
		}
	}
	if tool.AsError(nil) != nil || !errors.Is(own, errors.ErrUnsupported) || !errors.Is(own, &tool.Error{Code: tool.CodeLimit}) || errors.Is(own, &tool.Error{Code: tool.CodeLoop}) {
		t.Error("errors.Is does not see the code and the cause")
	}
}
