package toolpost_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fileOf is a file with the given source after its package clause.
func fileOf(t *testing.T, src string) *sourceFile {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", "package p\n"+src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	sf := &sourceFile{path: "p.go", syntax: f}
	for _, spec := range f.Imports {
		imp, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		sf.imports = append(sf.imports, imp)
	}
	return sf
}

// What the rules are to find, they find: a rule that never fails is no rule.
func TestWaysOutAreFoundUnderAnyName(t *testing.T) {
	for _, c := range []struct {
		name string
		src  string
		want []string
	}{
		{"by its own name", `import "os"; func f() { os.ReadFile("x") }`, []string{"os.ReadFile"}},
		{"by another name", `import sys "os"; func f() { sys.Open("x") }`, []string{"sys.Open"}},
		{"as a value", `import "net"; var dial = net.Dial`, []string{"net.Dial"}},
		{"as a type", `import "os/exec"; func f() { _ = &exec.Cmd{} }`, []string{"exec.Cmd"}},
		{"any name of a package that only reaches out", `import "github.com/creack/pty"; func f() { pty.Start(nil) }`, []string{"pty.Start"}},
		{"by an import that hides its names", `import . "os"; func f() { ReadFile("x") }`, []string{"os"}},
		{"not what stays inside", `import ("net"; "os"); func f() { net.ParseIP(""); _ = os.ErrNotExist }`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, w := range usedWaysOut(fileOf(t, c.src)) {
				got = append(got, w.name)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("ways out of %s (-want +got):\n%s", c.src, diff)
			}
		})
	}
}

func TestChangesOfPackageVariablesAreFound(t *testing.T) {
	names := map[string]bool{"v": true}
	for _, c := range []struct {
		name string
		body string
		want bool
	}{
		{"assigned", "v = 1", true},
		{"counted", "v++", true},
		{"a member of it assigned", "v.x.y = 1", true},
		{"an element of it assigned", "v[0] = 1", true},
		{"deleted from", "delete(v, 1)", true},
		{"cleared", "clear(v)", true},
		{"its address taken", "p := &v; _ = p", true},
		{"through a closure", "func() { v = 1 }()", true},
		{"read", "_ = v; _ = v[0]; _ = &v[1]", false},
		{"hidden by a local of its name", "v := 1; v = 2", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := fileOf(t, "func f() { "+c.body+" }")
			got := len(written(f.syntax.Decls[0].(*ast.FuncDecl), names)) > 0
			if got != c.want {
				t.Errorf("found is %v, want %v, in %s", got, c.want, c.body)
			}
		})
	}
}

func TestStateIsKnownByItsType(t *testing.T) {
	for src, want := range map[string]bool{
		"var v sync.Mutex":                             true,
		"var v = atomic.Int64{}":                       true,
		"var v = sync.Pool{New: nil}":                  false,
		"var v = sync.OnceValue(f)":                    false,
		"var v = func() { var mu sync.Mutex; _ = mu }": false,
		"var v = []int{1}":                             false,
	} {
		f := fileOf(t, src)
		if got := stateful(f.syntax.Decls[0].(*ast.GenDecl).Specs[0].(*ast.ValueSpec)); got != want {
			t.Errorf("%s: is state %v, want %v", src, got, want)
		}
	}
}

func TestMissingCommentsAreFound(t *testing.T) {
	for _, c := range []struct {
		name string
		src  string
		want []string
	}{
		{"of a function", "func F() {}", []string{"F"}},
		{"of a method", "type t struct{}\n// T is a type.\ntype T struct{}\nfunc (*T) M() {}\nfunc (t) M() {}", []string{"M"}},
		{"of a type in a group", "type (\n\tA int\n\t// B is a type.\n\tB int\n)", []string{"A"}},
		{"of constants without a group's", "const (\n\tA = 1\n\tB = 2 // the second\n)", []string{"A"}},
		{"that begins with another word", "// Returns nothing.\nfunc F() {}", []string{"F"}},
		{"not where the group has one", "// Sizes.\nconst (\n\tA = 1\n\tB = 2\n)", nil},
		{"not of what is not exported", "func f() {}\ntype t int", nil},
		{"not where an article comes first", "// A T is a type.\ntype T int", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, d := range fileOf(t, c.src).syntax.Decls {
				for _, g := range undocumented(d) {
					got = append(got, g.name)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLooseSignaturesAreFound(t *testing.T) {
	for _, c := range []struct {
		src       string
		any, bool bool
	}{
		{"func F(v any)", true, false},
		{"func F() (map[string]any, error)", true, false},
		{"func F(v interface{})", true, false},
		{"func F(format string, args ...any)", false, false},
		{"func F[T any](v T) T", false, false},
		{"func F(yes bool)", false, true},
		{"func F() bool", false, false},
	} {
		fn := fileOf(t, c.src+" { panic(0) }").syntax.Decls[0].(*ast.FuncDecl)
		if got := saysAny(fn); got != c.any {
			t.Errorf("%s: says any is %v, want %v", c.src, got, c.any)
		}
		if got := takesBool(fn); got != c.bool {
			t.Errorf("%s: takes a boolean is %v, want %v", c.src, got, c.bool)
		}
	}
}

func TestHandlersCalledBesideTheDoorAreFound(t *testing.T) {
	for src, want := range map[string]bool{
		"func f() { t.Handler(ctx, c) }":           true,
		"func f() { x.tools.Call(ctx, c) }":        true,
		"func f() { tool.Do(ctx, tools.Call, c) }": false,
		"func f() { next(ctx, c) }":                false,
		"func f() { v.Call(args) }":                false,
	} {
		found := false
		ast.Inspect(fileOf(t, src).syntax, func(n ast.Node) bool {
			found = found || callsHandler(n)
			return true
		})
		if found != want {
			t.Errorf("%s: found is %v, want %v", src, found, want)
		}
	}
}

func TestPlacesOfOneMachineAreFound(t *testing.T) {
	for _, s := range []string{"see /wor" + "k/main/x", "cache in /roo" + "t/go/pkg", "../share" + "d/design/x"} {
		if !machinePaths.MatchString(s) {
			t.Errorf("%s is not found", s)
		}
	}
	for _, s := range []string{"/root/.ssh/id_ed25519", "/home/user/.npmrc", "/tmp/x", "workspace/main.go"} {
		if machinePaths.MatchString(s) {
			t.Errorf("%s is found, and is of no one machine", s)
		}
	}
}

func TestModulesAreKnownByTheirPackages(t *testing.T) {
	for imp, want := range map[string]string{
		"github.com/santhosh-tekuri/jsonschema/v6/kind": "github.com/santhosh-tekuri/jsonschema/v6",
		"mvdan.cc/sh/v3/syntax":                         "mvdan.cc/sh/v3",
		"example.com/unknown":                           "",
	} {
		if got := moduleOf(imp); got != want {
			t.Errorf("module of %s is %q, want %q", imp, got, want)
		}
	}
	if !slices.Contains(homes["github.com/alecthomas/kong"].packages, "cmd/toolpost") || !atHome("cmd/toolpost/internal/x", homes["github.com/alecthomas/kong"]) {
		t.Error("what is at home in cmd/toolpost is not in the packages below it")
	}
}
