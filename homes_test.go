package toolpost_test

import (
	"errors"
	"maps"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// A home is where an outside module may be imported. A module has one home
// package; a second one stands here with its reason, or not at all.
type home struct {
	packages []string
	why      string // what it saves us
}

var homes = map[string]home{
	"github.com/go-json-experiment/json":       {[]string{"internal/jsonx"}, "a strict tokenizer and canonical numbers, until encoding/json/v2 is in the standard library"},
	"modernc.org/sqlite":                       {[]string{"internal/sqlite"}, "a database with full-text search and no C compiler"},
	"github.com/google/jsonschema-go":          {nil, "the published test suite of JSON Schema lies in its test data"},
	"github.com/santhosh-tekuri/jsonschema/v6": {[]string{"schema"}, "every keyword that the fast path leaves out, and its oracle"},
	"github.com/dlclark/regexp2":               {[]string{"schema"}, "the ECMA patterns that RE2 cannot run"},
	"mvdan.cc/sh/v3":                           {[]string{"sandbox"}, "a command is read as a shell reads it"},
	"golang.org/x/sys":                         {[]string{"sandbox", "internal/filelock", "audit"}, "openat2, renameat2 and process groups; fdatasync; a lock that ends with its holder"},
	"github.com/creack/pty":                    {[]string{"sandbox", "builtin"}, "a pseudo-terminal; builtin reads what sandbox opens"},
	"code.dny.dev/ssrf":                        {[]string{"sandbox"}, "the addresses that are not public, from the IANA registries"},
	"github.com/expr-lang/expr":                {[]string{"plan", "policy"}, "conditions with bounds; plans and rules have the same ones"},
	"golang.org/x/mod":                         {[]string{"audit"}, "the Merkle tree of RFC 6962, as Go's checksum database has it"},
	"golang.org/x/image":                       {[]string{"hook"}, "WebP decoding and good scaling"},
	"github.com/bmatcuk/doublestar/v4":         {[]string{"builtin"}, "** in file patterns"},
	"github.com/aymanbagabas/go-udiff":         {[]string{"builtin/internal/filetool"}, "an edit shows its diff"},
	"github.com/goccy/go-yaml":                 {[]string{"provider/scripted", "builtin/vault"}, "scripts are YAML, with positions in errors; so are the properties of a note"},
	"github.com/alecthomas/kong":               {[]string{"cmd/toolpost"}, "the command tree as structs"},
	"github.com/pelletier/go-toml/v2":          {[]string{"cmd/toolpost"}, "TOML with positions in errors"},
	"github.com/mattn/go-isatty":               {[]string{"cmd/toolpost"}, "no escape codes into a pipe"},
	"golang.org/x/term":                        {[]string{"cmd/toolpost"}, "the width of the terminal"},
	"github.com/google/go-cmp":                 {nil, "differences in tests"},
	"github.com/rogpeppe/go-internal":          {nil, "txtar and testscript in tests"},
}

// atHome reports whether the package in dir may import the module; packages
// below cmd/toolpost share its homes.
func atHome(dir string, h home) bool {
	if slices.Contains(h.packages, dir) {
		return true
	}
	return strings.HasPrefix(dir, "cmd/toolpost/") && slices.Contains(h.packages, "cmd/toolpost")
}

func TestEachOutsideModuleHasOneHome(t *testing.T) {
	used := map[string]bool{}
	for _, p := range tree(t).packages {
		for _, f := range p.files {
			for _, imp := range f.imports {
				if _, ours := ourDir(imp); ours || !strings.Contains(strings.Split(imp, "/")[0], ".") {
					continue
				}
				mod := moduleOf(imp)
				h, ok := homes[mod]
				used[mod] = true
				switch {
				case !ok:
					t.Errorf("%s imports %s: no module in homes has it. Say there what it saves and where it lives", f.path, imp)
				case !f.isTest() && !p.isKit() && !atHome(p.dir, h):
					t.Errorf("%s imports %s, whose home is %s", f.path, imp, strings.Join(h.packages, ", "))
				}
			}
		}
	}
	for _, mod := range slices.Sorted(maps.Keys(homes)) {
		if !used[mod] {
			t.Errorf("homes lists %s, which nothing imports", mod)
		}
	}
}

// moduleOf is the module in homes that holds the package, or "".
func moduleOf(imp string) string {
	for ; imp != "."; imp = path.Dir(imp) {
		if _, ok := homes[imp]; ok {
			return imp
		}
	}
	return ""
}

// A program that embeds the loop should be able to read all it links.
const maxLinkedModules = 6

func TestASmallProgramLinksFewModules(t *testing.T) {
	linked := linkedModules(t, "./tool", "./agent", "./provider/openai")
	if len(linked) > maxLinkedModules {
		t.Errorf("a program that imports tool, agent and provider/openai links %d outside modules, at most %d are promised: %s",
			len(linked), maxLinkedModules, strings.Join(linked, " "))
	}
	for _, mod := range linked {
		if !slices.Contains(embeddable, mod) {
			t.Errorf("a program that imports tool, agent and provider/openai links %s", mod)
		}
	}
}

// embeddable is what such a program may link: what reads and checks JSON.
var embeddable = []string{
	"github.com/go-json-experiment/json",
	"github.com/santhosh-tekuri/jsonschema/v6",
	"github.com/dlclark/regexp2",
	"golang.org/x/text", // of santhosh-tekuri/jsonschema: its messages
}

// linkedModules are the outside modules that the packages and all they import
// come from.
func linkedModules(t *testing.T, packages ...string) []string {
	t.Helper()
	args := append([]string{"list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}"}, packages...)
	out, err := exec.CommandContext(t.Context(), "go", args...).Output()
	if err != nil {
		stderr := ""
		if e, ok := errors.AsType[*exec.ExitError](err); ok {
			stderr = string(e.Stderr)
		}
		t.Fatalf("go list: %v\n%s", err, stderr)
	}
	mods := strings.Fields(string(out))
	slices.Sort(mods)
	mods = slices.Compact(mods)
	return slices.DeleteFunc(mods, func(m string) bool { return m == modulePath })
}

// TestGoModNamesWhatIsImported is the part of go mod tidy that needs no network:
// what our files import is required directly, and nothing else is.
func TestGoModNamesWhatIsImported(t *testing.T) {
	direct := map[string]bool{}
	for line := range strings.Lines(string(tree(t).texts["go.mod"])) {
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		mod, rest, ok := strings.Cut(line, " ")
		if !ok || !strings.HasPrefix(rest, "v") {
			continue
		}
		direct[mod] = !strings.HasSuffix(rest, "// indirect")
	}
	imported := map[string]string{}
	for _, p := range tree(t).packages {
		for _, f := range p.files {
			for _, imp := range f.imports {
				if mod := moduleOf(imp); mod != "" {
					imported[mod] = f.path
				}
			}
		}
	}
	for _, mod := range slices.Sorted(maps.Keys(imported)) {
		if !direct[mod] {
			t.Errorf("%s imports %s, which go.mod does not require directly: run go mod tidy", imported[mod], mod)
		}
	}
	for _, mod := range slices.Sorted(maps.Keys(direct)) {
		if direct[mod] && imported[mod] == "" {
			t.Errorf("go.mod requires %s, which nothing imports: run go mod tidy", mod)
		}
	}
}
