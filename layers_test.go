package toolpost_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// A layer is what a package may import: packages of ours, each with the reason
// for the arrow. Floors count from the bottom; no arrow leads upward.
type layer struct {
	floor   int
	imports why
}

// why gives the reason for each of its keys.
type why map[string]string

// layers is the plan of the house. A package without a row, an arrow that is not
// in its package's row and an arrow that no package uses are failures: a new
// arrow is a design decision, made in the commit that needs it.
var layers = map[string]layer{
	".": {6, why{}},

	"internal/filelock": {0, why{}},
	"internal/jsonx":    {0, why{}},
	"internal/sse":      {0, why{}},
	"internal/sqlite":   {0, why{}},

	"schema":  {1, why{"internal/jsonx": "arguments are read strictly and hashed in canonical form"}},
	"sandbox": {1, why{}},

	"tool": {2, why{"schema": "a Spec has schemas, and a Registry checks arguments by them"}},

	"event": {3, why{"tool": "events bear calls and results"}},
	"hook": {3, why{
		"tool":           "hooks are tool.Middleware",
		"internal/jsonx": "truncation cuts JSON between its elements",
	}},
	"llm": {3, why{
		"tool":           "a message bears calls and results",
		"internal/jsonx": "fragments of arguments are joined by a scanner that knows when they are whole",
	}},
	"internal/wire": {3, why{
		"llm":            "answers end in its errors, and decoders yield its deltas",
		"tool":           "errors have codes, and requests offer tools",
		"schema":         "each server gets schemas in the dialect it takes",
		"internal/sse":   "replies stream as server-sent events",
		"internal/jsonx": "strings are written as JSON",
	}},
	"builtin": {3, why{
		"tool":    "it is tools",
		"sandbox": "they touch files and start commands through it alone",
		"schema":  "closed input schemas are written by hand where no Go type says enough",
	}},
	"builtin/internal/filetool": {3, why{
		"tool":    "it makes results, errors and effects",
		"sandbox": "of what the sandbox gives and says",
		"schema":  "a tool's data has a schema, a missing name has near ones",
	}},
	"builtin/internal/passage": {3, why{
		"tool":                      "an edit that does not fit is an error with a code",
		"builtin/internal/filetool": "lines are cut between characters",
	}},
	"builtin/vault": {3, why{
		"tool":                      "it is tools",
		"sandbox":                   "they touch files through it alone",
		"builtin/internal/filetool": "they answer, fail, observe and show changes as builtin's do",
		"builtin/internal/passage":  "a patch finds its place by text",
	}},
	"builtin/memory": {3, why{
		"tool":            "it is tools",
		"internal/sqlite": "memories are rows with a full-text index",
	}},

	"agent": {4, why{
		"llm":   "it asks a model",
		"tool":  "it runs what the model calls",
		"event": "a run is a stream of events",
	}},
	"plan": {4, why{
		"tool":   "its steps are calls",
		"event":  "a run is a stream of events",
		"schema": "documents are read strictly, references are resolved in JSON, and a plan has a published schema",
	}},
	"session": {4, why{
		"llm":               "it keeps messages",
		"tool":              "it answers calls that a crash left open",
		"internal/filelock": "one process at a time writes a session",
	}},
	"audit": {4, why{
		"event":             "it records a stream",
		"tool":              "it reads calls and results back",
		"internal/jsonx":    "records are hashed in canonical form",
		"internal/filelock": "one process at a time writes a run",
	}},
	"provider/anthropic": {4, why{
		"llm":            "it is an llm.Provider",
		"tool":           "requests tell of tools, replies of calls",
		"schema":         "its server takes one dialect",
		"internal/wire":  "requests are sent, and answers watched and read, as all providers do",
		"internal/jsonx": "opaque blocks are checked",
	}},
	"provider/gemini": {4, why{
		"llm":            "it is an llm.Provider",
		"tool":           "requests tell of tools, replies of calls",
		"schema":         "each generation of models gets schemas in the dialect it takes",
		"internal/wire":  "requests are sent, and answers watched and read, as all providers do",
		"internal/jsonx": "what is sent is compact",
	}},
	"provider/ollama": {4, why{
		"llm":            "it is an llm.Provider",
		"tool":           "requests tell of tools, replies of calls",
		"schema":         "servers read a part of a schema",
		"internal/wire":  "requests are sent, and answers watched and read, as all providers do",
		"internal/jsonx": "what is sent is compact",
	}},
	"provider/openai": {4, why{
		"llm":            "it is an llm.Provider",
		"tool":           "requests tell of tools, replies of calls",
		"internal/wire":  "requests are sent, and answers watched and read, as all providers do",
		"internal/jsonx": "what is sent is compact",
	}},
	"provider/scripted": {4, why{
		"llm":            "it is an llm.Provider",
		"tool":           "scripts make calls and expect results",
		"internal/jsonx": "values are found in earlier results without decoding them",
	}},

	"provider/replay": {4, why{
		"llm":  "it is an llm.Provider",
		"tool": "a recorded message bears calls",
	}},

	// Kits: public, imported by tests alone.
	"tool/tooltest": {3, why{
		"tool":   "it holds any Handler to the laws",
		"schema": "its probes are tools with schemas",
	}},
	"llm/llmtest": {4, why{
		"llm":            "it is a Provider for tests, and a suite for others",
		"schema":         "a recording tells what a tool takes",
		"tool":           "its replies make calls",
		"internal/jsonx": "joined arguments are compared in canonical form",
	}},

	"audit/audittest": {5, why{
		"audit": "it holds journals to the interface",
		"event": "its runs are streams",
		"tool":  "with a call",
	}},

	// The benchmark's own code in this module; the peers are modules of their own.
	"bench":          {6, why{}},
	"bench/scenario": {0, why{}},
	"bench/ours": {5, why{
		"bench/scenario": "it plays the scenarios that the peers play",
		"agent":          "it measures the loop",
		"event":          "and the stream of the loop",
		"hook":           "and the whole pipeline",
		"llm":            "with a scripted model in memory",
		"tool":           "and tools that do nothing",
		"audit":          "and a journal in memory",
		"schema":         "and arguments with a schema",
		"session":        "and a conversation in memory",
	}},

	// The one assembly point may import all of the house.
	"cmd/toolpost": {6, nil},
}

// needsMoreThanNothing are rows whose arrows are leave to import, not a claim
// that all of them are used.
func optionalArrows(dir string) bool { return strings.HasPrefix(dir, "bench") || isKit(dir) }

func TestEveryPackageImportsOnlyWhatItsRowNames(t *testing.T) {
	for _, p := range tree(t).packages {
		row, ok := layers[p.dir]
		if !ok {
			t.Errorf("package %s has no row in layers: add one that says what it may import, and why", p.dir)
			continue
		}
		for _, f := range p.code() {
			for _, imp := range f.imports {
				dir, ours := ourDir(imp)
				if !ours || p.dir == "cmd/toolpost" && !isKit(dir) || inside(dir, p.dir) {
					continue
				}
				if row.imports[dir] == "" {
					t.Errorf("%s imports %s: the row of %s does not name it", f.path, dir, p.dir)
				}
			}
		}
	}
}

// inside reports whether dir is a part of the command that only it imports.
func inside(dir, of string) bool {
	return of == "cmd/toolpost" || strings.HasPrefix(dir, of+"/internal/")
}

func TestNoArrowLeadsUpward(t *testing.T) {
	for _, from := range slices.Sorted(maps.Keys(layers)) {
		for to := range layers[from].imports {
			low, ok := layers[to]
			switch {
			case !ok:
				t.Errorf("the row of %s names %s, which has no row", from, to)
			case low.floor > layers[from].floor:
				t.Errorf("%s (floor %d) may not import %s (floor %d)", from, layers[from].floor, to, low.floor)
			}
		}
	}
	if cycle := findCycle(); cycle != nil {
		t.Errorf("the rows make a circle: %s", strings.Join(cycle, " imports "))
	}
}

// findCycle is a circle of rows, or nil.
func findCycle() []string {
	state := map[string]int{} // 1 on the way, 2 done
	var trail []string
	var visit func(dir string) []string
	visit = func(dir string) []string {
		switch state[dir] {
		case 1:
			return append(slices.Clone(trail[slices.Index(trail, dir):]), dir)
		case 2:
			return nil
		}
		state[dir] = 1
		trail = append(trail, dir)
		for _, to := range slices.Sorted(maps.Keys(layers[dir].imports)) {
			if c := visit(to); c != nil {
				return c
			}
		}
		trail = trail[:len(trail)-1]
		state[dir] = 2
		return nil
	}
	for _, dir := range slices.Sorted(maps.Keys(layers)) {
		if c := visit(dir); c != nil {
			return c
		}
	}
	return nil
}

func TestEveryArrowIsUsed(t *testing.T) {
	for _, p := range tree(t).packages {
		used := map[string]bool{}
		for _, f := range p.code() {
			for _, imp := range f.imports {
				if dir, ours := ourDir(imp); ours {
					used[dir] = true
				}
			}
		}
		for to := range layers[p.dir].imports {
			if !used[to] && !optionalArrows(p.dir) {
				t.Errorf("no file of %s imports %s any more: take the arrow out of its row", p.dir, to)
			}
		}
	}
}

func TestEveryRowHasItsPackage(t *testing.T) {
	have := map[string]bool{}
	for _, p := range tree(t).packages {
		have[p.dir] = true
	}
	for _, dir := range slices.Sorted(maps.Keys(layers)) {
		if !have[dir] {
			t.Errorf("layers has a row for %s, which is no package", dir)
		}
	}
}

func TestKitsAreImportedByTestsAlone(t *testing.T) {
	for _, p := range tree(t).packages {
		for _, f := range p.code() {
			for _, imp := range f.imports {
				if dir, ours := ourDir(imp); ours && isKit(dir) && !p.isKit() {
					t.Errorf("%s imports the test kit %s and is no test", f.path, dir)
				}
			}
		}
	}
}

// ourDir is the folder of an import path of this module.
func ourDir(imp string) (dir string, ours bool) {
	if imp == modulePath {
		return ".", true
	}
	return strings.CutPrefix(imp, modulePath+"/")
}
