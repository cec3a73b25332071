package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Layers, later ones win; what the managed one says is applied last and cannot
// be loosened.
const (
	layerManaged  = "managed"
	layerDefaults = "defaults"
	layerSystem   = "system"
	layerUser     = "user"
	layerProject  = "project"
	layerLocal    = "project, private"
	layerProfile  = "profile"
	layerEnv      = "environment"
	layerFlag     = "flag"
)

// settings is the configuration of all layers; a problem in any of them is an
// error, for nothing should start on half of it.
func (p *program) settings() (*config, error) {
	if p.config != nil {
		return p.config, nil
	}
	c, problems := p.loadConfig()
	if len(problems) > 0 {
		pr := *problems[0]
		pr.advice = "Nothing was started. Check every layer:"
		if len(problems) > 1 {
			pr.advice = fmt.Sprintf("Nothing was started; there are %d more problems. Check every layer:", len(problems)-1)
		}
		pr.try = []string{"toolpost config lint"}
		return nil, &pr
	}
	p.config = c
	return c, nil
}

// loadConfig reads every layer and returns what could be read, with all
// problems.
func (p *program) loadConfig() (*config, []*problem) {
	b := newBook()
	c := &config{values: defaults(b), project: p.projectFolder()}
	var problems []*problem
	file := func(layer, dir, base string) {
		problems = append(problems, p.readFiles(b, c, layer, dir, base)...)
	}
	file(layerSystem, p.system, "config")
	file(layerUser, p.userFolder(), "config")
	file(layerProject, c.project, "toolpost")
	file(layerLocal, filepath.Join(c.project, ".toolpost"), "local")
	problems = append(problems, p.readProfile(b, c)...)
	problems = append(problems, p.readEnvironment(b, c)...)
	problems = append(problems, p.readFlags(b, c)...)
	floor := &config{values: map[string]value{}, project: c.project}
	problems = append(problems, p.readFiles(b, floor, layerManaged, p.system, "managed")...)
	c.found = slices.Concat(floor.found, c.found)
	c.hold(floor)
	return c, problems
}

func defaults(b *book) map[string]value {
	values := map[string]value{}
	for i := range b.list {
		s := &b.list[i]
		if s.def == "" && s.kind != kindList || strings.Contains(s.key, "*") {
			continue
		}
		v, err := s.parse(s.def)
		if err != nil {
			panic(fmt.Sprintf("default of %s: %v", s.key, err)) // a test reads all of them
		}
		values[s.key] = value{v, layerDefaults, ""}
	}
	return values
}

// projectFolder is the nearest folder upwards that holds the project's file. The
// search ends at the root of a repository, and without one in the first folder,
// so that a file which somebody left in a shared folder above has no say.
func (p *program) projectFolder() string {
	top := repositoryRoot(p.dir)
	for dir := p.dir; ; dir = filepath.Dir(dir) {
		if exists(filepath.Join(dir, "toolpost.toml")) || exists(filepath.Join(dir, "toolpost.json")) {
			return dir
		}
		if top == "" || dir == top || dir == filepath.Dir(dir) {
			return p.dir
		}
	}
}

// repositoryRoot is the nearest folder upwards with a ".git", or "".
func repositoryRoot(dir string) string {
	for {
		if exists(filepath.Join(dir, ".git")) {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// userFolder is the folder of the user's own configuration, "" if there is no
// place for it.
func (p *program) userFolder() string {
	if dir := p.env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "toolpost")
	}
	if dir := p.env("APPDATA"); runtime.GOOS == "windows" && dir != "" {
		return filepath.Join(dir, "toolpost")
	}
	if home := p.env("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "toolpost")
	}
	return ""
}

// readFiles reads base.json and base.toml in dir, whichever are there; the
// latter wins.
func (p *program) readFiles(b *book, c *config, layer, dir, base string) []*problem {
	if dir == "" {
		return nil
	}
	var problems []*problem
	for _, name := range []string{base + ".json", base + ".toml"} {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		c.found = append(c.found, foundFile{layer, path, err == nil})
		if errors.Is(err, fs.ErrNotExist) || isNotFolder(err) {
			continue
		}
		shown := p.shortPath(path)
		if err != nil {
			problems = append(problems, &problem{code: codeConfigFile, exit: exitInvalid, message: shown + ": " + reason(err)})
			continue
		}
		d, pr := readDocument(shown, data)
		if pr != nil {
			problems = append(problems, pr)
			continue
		}
		project := layer == layerProject || layer == layerLocal
		problems = append(problems, b.set(c, d, layer, project)...)
	}
	return problems
}

// reason is an error of the file system without the path, which is told before.
func reason(err error) string {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err.Error()
	}
	return err.Error()
}

// shortPath is a path as a person would write it: relative to the working folder
// where it is below, with ~ for the home folder.
func (p *program) shortPath(path string) string {
	if rel, err := filepath.Rel(p.dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	if home := p.env("HOME"); filepath.IsAbs(home) {
		if rel, err := filepath.Rel(home, path); err == nil && filepath.IsLocal(rel) {
			return filepath.Join("~", rel)
		}
	}
	return path
}

// readProfile reads the profile that --profile or TOOLPOST_PROFILE names, beside
// the user's and the project's files.
func (p *program) readProfile(b *book, c *config) []*problem {
	name, from := p.globals.Profile, "--profile"
	if name == "" {
		name, from = p.env("TOOLPOST_PROFILE"), "TOOLPOST_PROFILE"
	}
	if name == "" {
		return nil
	}
	if strings.ContainsAny(name, `/\`) || strings.Contains(name, "..") {
		return []*problem{{code: codeUsage, exit: exitUsage, message: fmt.Sprintf("%s %q: a profile is named by a plain word", from, clip(name, 60))}}
	}
	var problems []*problem
	before := len(c.found)
	for _, dir := range []string{p.userFolder(), c.project} {
		if dir == "" {
			continue
		}
		layer := layerProfile
		if dir == c.project {
			layer = layerProject
		}
		problems = append(problems, p.readFiles(b, c, layer, filepath.Join(dir, "profiles"), name)...)
	}
	if slices.ContainsFunc(c.found[before:], func(f foundFile) bool { return f.exists }) {
		return problems
	}
	pr := &problem{code: codeUsage, exit: exitUsage, message: fmt.Sprintf("%s: there is no profile %q", from, name)}
	for _, f := range c.found[before:] {
		pr.facts = append(pr.facts, "looked for "+p.shortPath(f.path))
	}
	return append(problems, pr)
}

// hold applies what is managed: a limit may be lowered but not raised, a list of
// denied tools lengthened but not shortened, any other value not changed.
func (c *config) hold(floor *config) {
	for key, m := range floor.values {
		have, ok := c.values[key]
		if ok && tighter(key, have.v, m.v) {
			continue
		}
		if key == "tools.deny" {
			m.v = union(m.v, have.v)
		}
		c.values[key] = m
	}
}

// tighter reports whether a setting of a lower layer is within what is managed.
func tighter(key string, have, managed any) bool {
	if !strings.HasPrefix(key, "limits.") && key != "agents.defaults.max_tool_iterations" {
		return false
	}
	switch m := managed.(type) {
	case int64:
		h, _ := have.(int64)
		return h > 0 && (m == 0 || h <= m)
	case float64:
		h, _ := have.(float64)
		return h > 0 && (m == 0 || h <= m)
	case time.Duration:
		h, _ := have.(time.Duration)
		return h > 0 && h <= m
	}
	return false
}

func union(a, b any) []string {
	x, _ := a.([]string)
	y, _ := b.([]string)
	all := slices.Concat(x, y)
	slices.Sort(all)
	return slices.Compact(all)
}
