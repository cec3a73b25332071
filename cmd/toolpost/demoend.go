package main

import (
	"fmt"
	"time"
)

// shownAct is an act for programs.
type shownAct struct {
	N     int    `json:"n"`
	Title string `json:"title"`
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"`
}

// end looks back at the record, checks the acts, and says what to try next.
func (s *showing) end() error {
	acts := tour()
	out := s.program.out
	if !out.json() && !s.command.Check {
		s.heading(len(acts), acts[len(acts)-1].title)
		(&waterfall{out: out, view: s.view, quiet: true}).draw()
		s.files()
	}
	results, failed := s.judge(acts)
	took := time.Since(s.began)
	if out.json() {
		err := out.document(struct {
			V      int        `json:"v"`
			OK     bool       `json:"ok"`
			Acts   []shownAct `json:"acts"`
			Calls  int        `json:"calls"`
			Log    string     `json:"callLog"`
			Millis int64      `json:"durationMs"`
		}{1, len(failed) == 0, results, len(s.view.Calls), s.digest(), took.Milliseconds()})
		if err != nil {
			return err
		}
	} else {
		s.closing(results, took)
	}
	if len(failed) > 0 {
		return &problem{code: codeDemo, exit: exitInternal, message: fmt.Sprintf("%d of %d acts did not do what they say", len(failed), len(acts)), facts: failed,
			try: []string{"toolpost demo --keep DIR"}}
	}
	return nil
}

// judge checks every act.
func (s *showing) judge(acts []act) (results []shownAct, failed []string) {
	for i, a := range acts {
		r := shownAct{N: i + 1, Title: a.title, OK: true}
		if err := a.check(s); err != nil {
			r.OK, r.Error = false, err.Error()
			failed = append(failed, fmt.Sprintf("act %d, %s: %v", r.N, a.title, err))
		}
		results = append(results, r)
	}
	return results, failed
}

// files lists what the run changed.
func (s *showing) files() {
	s.program.out.printf("\nfiles and commands\n")
	for _, c := range s.view.Calls {
		if text := effectsText(effectsOf(c)); text != "" {
			s.program.out.printf("%s", indent(fmt.Sprintf("%2d %s", c.N, text), "  "))
		}
	}
}

func (s *showing) closing(results []shownAct, took time.Duration) {
	out, st := s.program.out, s.program.out.outStyle
	if s.command.Check {
		out.printf("\n")
		for _, r := range results {
			mark := st.green("✓")
			if !r.OK {
				mark = st.red("✗")
			}
			out.show(fmt.Sprintf("%s act %d  %s\n", mark, r.N, r.Title))
		}
	}
	n := s.view.Counts
	out.show(fmt.Sprintf("\n%s %s · %d ok · %d failed, recovered · %d timed out    call log %s    %s\n", st.green("✓"), plural(n.Calls, "call"), n.OK, n.Errors, n.Timeouts, s.digest(), duration(took)))
	if s.command.Keep != "" {
		out.printf("kept  %s: toolpost -C %s --store %s runs show -1\n", s.base, shellWord(s.program.dir), shellWord(s.shop.config.text("store")))
	}
	if !s.command.Check {
		out.printf("next  toolpost tools call read_file path=README.md\n      toolpost run --model openai/NAME \"…\"\n      toolpost help\n")
	}
}
