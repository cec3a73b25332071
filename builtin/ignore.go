package builtin

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/toolpost/toolpost/sandbox"
)

// ignoreBytes is the largest ignore file that is read.
const ignoreBytes = 1 << 20

// ignore tells which paths of a walk git would not track, by the .gitignore
// files on the way and .git/info/exclude, as gitignore(5) has it. The folder
// .git itself is ignored. A path that the walk starts from is never ignored.
// It is for one goroutine.
type ignore struct {
	root *sandbox.Root
	more []string                // lines of the program's own, for the workspace as a whole
	dirs map[string][]ignoreRule // by folder
}

type ignoreRule struct {
	pattern string // of package doublestar
	anyName bool   // matches the last component, at any depth
	dirOnly bool
	keep    bool // begins with "!"
}

// newIgnore is for a walk that begins at start, a clean path; more is lines as
// in an ignore file, which come after those of the workspace's own.
func newIgnore(root *sandbox.Root, start string, more []string) *ignore {
	g := &ignore{root: root, more: more, dirs: map[string][]ignoreRule{}}
	g.load(start)
	return g
}

// skip reports whether a walk leaves out an entry; it is a
// [sandbox.WalkOptions.Skip].
func (g *ignore) skip(e sandbox.Entry) bool {
	isDir := e.Kind == sandbox.EntryDir
	if isDir && e.Name == ".git" {
		return true
	}
	for dir := path.Dir(e.Path); ; dir = path.Dir(dir) {
		rel := e.Path
		if dir != "." {
			rel = e.Path[len(dir)+1:]
		}
		if verdict, decided := judge(g.load(dir), rel, isDir); decided {
			return verdict
		}
		if dir == "." {
			return false
		}
	}
}

// load is the rules that stand in a folder.
func (g *ignore) load(dir string) []ignoreRule {
	if rules, ok := g.dirs[dir]; ok {
		return rules
	}
	var rules []ignoreRule
	if dir == "." {
		rules = g.read(".git/info/exclude")
	}
	rules = append(rules, g.read(path.Join(dir, ".gitignore"))...)
	if dir == "." {
		for _, line := range g.more {
			if r, ok := parseRule(line); ok {
				rules = append(rules, r)
			}
		}
	}
	g.dirs[dir] = rules
	return rules
}

func (g *ignore) read(name string) []ignoreRule {
	f, err := g.root.Read(name, sandbox.ReadOptions{MaxBytes: ignoreBytes})
	if err != nil {
		return nil // there is none, or none that can be read
	}
	var rules []ignoreRule
	for line := range strings.Lines(strings.TrimPrefix(string(f.Content), "\ufeff")) {
		if r, ok := parseRule(strings.TrimRight(line, "\r\n")); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

// judge finds the last rule that matches a path below the rules' folder.
func judge(rules []ignoreRule, rel string, isDir bool) (ignored, decided bool) {
	for i := len(rules) - 1; i >= 0; i-- {
		r := rules[i]
		if r.dirOnly && !isDir {
			continue
		}
		subject := rel
		if r.anyName {
			subject = path.Base(rel)
		}
		if doublestar.MatchUnvalidated(r.pattern, subject) {
			return !r.keep, true
		}
	}
	return false, false
}

// parseRule reads one line of an ignore file; ok is false for one that says
// nothing or that is no pattern.
func parseRule(line string) (r ignoreRule, ok bool) {
	if strings.HasPrefix(line, "#") {
		return r, false
	}
	p := trimSpaces(line)
	if r.keep = strings.HasPrefix(p, "!"); r.keep {
		p = p[1:]
	}
	if r.dirOnly = strings.HasSuffix(p, "/"); r.dirOnly {
		p = p[:len(p)-1]
	}
	r.anyName = !strings.Contains(p, "/")
	p = strings.TrimPrefix(p, "/")
	if p == "" {
		return r, false
	}
	// In git, braces are plain, and "a/**" is what lies below a but not a.
	p = strings.NewReplacer(`\{`, `\{`, `\}`, `\}`, "{", `\{`, "}", `\}`).Replace(p)
	if strings.HasSuffix(p, "/**") {
		p += "/*"
	}
	r.pattern = p
	return r, doublestar.ValidatePattern(p)
}

// trimSpaces drops the spaces at the end of a line, but one behind a backslash.
func trimSpaces(s string) string {
	for strings.HasSuffix(s, " ") && !strings.HasSuffix(s, `\ `) {
		s = s[:len(s)-1]
	}
	return s
}
