package main

import (
	"fmt"
	"path/filepath"
	"strings"
)

// state is how things stand in a folder.
type state struct {
	V         int      `json:"v"`
	Workspace string   `json:"workspace,omitempty"`
	Config    []string `json:"config"` // files that were read
	Problem   string   `json:"problem,omitempty"`
	Model     string   `json:"model,omitempty"`
	Store     string   `json:"store,omitempty"`
	Runs      int      `json:"runs"`
	LastRun   string   `json:"lastRun,omitempty"`
	Sessions  int      `json:"sessions"`
}

// state looks at the folder. It never fails: what is wrong is part of it.
func (p *program) state() state {
	s := state{V: 1}
	c, problems := p.loadConfig()
	for _, f := range c.found {
		if f.exists {
			s.Config = append(s.Config, p.shortPath(f.path))
		}
	}
	if len(problems) > 0 {
		s.Problem = problems[0].message
		return s
	}
	s.Workspace, s.Store = p.shortPath(p.workspace(c)), p.shortPath(p.storeFolder(c))
	s.Model = c.text("model")
	for sum, err := range p.runStore(c).List() {
		if err != nil {
			continue
		}
		if s.Runs++; s.Runs == 1 {
			s.LastRun = fmt.Sprintf("%s %s %s", shortID(sum.ID), sum.Status, clip(sum.Prompt, 50))
		}
	}
	if files, err := filepath.Glob(filepath.Join(p.sessionStore(c).Dir, "*.jsonl")); err == nil {
		s.Sessions = len(files)
	}
	return s
}

func (s *state) lines() []string {
	if s.Problem != "" {
		return []string{"config     " + s.Problem, "           toolpost config lint"}
	}
	conf := "defaults only"
	if len(s.Config) > 0 {
		conf = strings.Join(s.Config, " · ")
	}
	mod := s.Model
	if mod == "" {
		mod = "none set (run needs --model; demo needs none)"
	}
	lines := []string{"workspace  " + s.Workspace, "config     " + conf, "model      " + mod}
	runs := "none yet in " + s.Store
	if s.Runs > 0 {
		runs = fmt.Sprintf("%d in %s, %s; last: %s", s.Runs, s.Store, plural(s.Sessions, "session"), s.LastRun)
	}
	return append(lines, "runs       "+runs)
}
