package plan

import (
	"errors"
	"strings"

	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

// Lint checks a plan against the tools on offer without running anything: ids,
// tools, references, loops, cycles, arguments (references count as unknown
// values), and that the plan's risk is not understated. All problems are told at
// once; those with Warning set do not keep the plan from being run.
func Lint(p *Plan, tools tool.Set) []Problem {
	_, problems := check(p, tools)
	return problems
}

// check is Lint that returns the plan taken apart, too.
func check(p *Plan, tools tool.Set) (*program, []Problem) {
	c, problems := compile(p, tools)
	used := map[string]bool{}
	known := shapes{}
	for _, n := range c.steps {
		problems = append(problems, n.checkArgs(known)...)
		problems = append(problems, n.checkRisk(p)...)
		if s := placeholder(string(n.Args)); s != "" {
			w := n.problem("/args", "placeholder", "%q looks like a placeholder that was not filled in", s)
			w.Warning = true
			problems = append(problems, w)
		}
		for _, r := range n.references {
			if r.Source == SourceVars {
				used[r.Name] = true
			}
		}
		if n.when != nil && n.when.Expr != "" {
			for _, o := range c.steps {
				if o.CaptureAs != "" && strings.Contains(n.when.Expr, o.CaptureAs) {
					used[o.CaptureAs] = true
				}
			}
		}
	}
	for _, n := range c.steps {
		if n.CaptureAs != "" && !used[n.CaptureAs] {
			w := n.problem("/captureAs", "unused", "nothing refers to the variable %q", n.CaptureAs)
			w.Warning = true
			problems = append(problems, w)
		}
	}
	if len(p.Steps) > 50 {
		problems = append(problems, Problem{Pointer: "/steps", Rule: "size", Warning: true, Message: "more than 50 steps are hard to read for the person who confirms them"})
	}
	return c, problems
}

func (n *node) allReferences() []Reference {
	refs := n.args.references()
	if n.Foreach != nil {
		refs = append(refs, n.from)
	}
	if n.when != nil && n.when.program == nil {
		refs = append(refs, n.when.ref)
	}
	return refs
}

// checkArgs holds the arguments to the tool's schema as far as they are known.
func (n *node) checkArgs(known shapes) []Problem {
	if n.spec == nil || n.fitsMadeUp(known) {
		return nil
	}
	_, err := n.spec.Input.Fit(n.Args)
	var inv *schema.Invalid
	if !errors.As(err, &inv) {
		return nil
	}
	var problems []Problem
	for _, p := range inv.Problems {
		if n.unknown(p) {
			continue
		}
		problems = append(problems, Problem{Pointer: n.pointer + "/args" + p.Pointer, Step: n.ID, Rule: p.Rule, Message: n.Tool + ": " + p.Message, Nearest: p.Nearest})
	}
	return problems
}

// unknown reports whether a problem may vanish when references are resolved: it
// is told of a reference, or of something that holds one.
func (n *node) unknown(p schema.Problem) bool {
	for _, a := range n.args.templates {
		pointer, t := a.pointer, a.template
		if _, typed := t.Typed(); len(t.References()) == 0 {
			continue
		} else if pointer == p.Pointer && (typed || p.Rule != "type") {
			return true
		}
		switch p.Rule {
		case "anyOf", "oneOf", "not", "if", "then", "else", "allOf", "contains", "uniqueItems", "enum", "const":
			if strings.HasPrefix(pointer, p.Pointer+"/") {
				return true
			}
		}
	}
	return false
}

// checkRisk refuses a plan that says it is less risky than a tool it uses.
func (n *node) checkRisk(p *Plan) []Problem {
	if n.spec == nil || n.spec.Risk.Level() <= p.Risk.Level() {
		return nil
	}
	risk := n.spec.Risk
	if risk == "" {
		risk = "of unknown risk, judged as " + tool.RiskCommands
	}
	return []Problem{{Pointer: "/riskLevel", Step: n.ID, Rule: "risk", Message: "the plan says " + string(p.Risk) + ", but step " + n.ID + " uses " + n.Tool + ", which is " + string(risk)}}
}

// placeholder is a text in s that a planner usually means to fill in later.
func placeholder(s string) string {
	low := strings.ToLower(s)
	for _, p := range []string{"todo:", "<placeholder", "your_", "[insert", "<insert", "lorem ipsum", "xxxx", "<your", "[your", "path/to/", "example.com/path", "fill in", "tbd"} {
		if i := strings.Index(low, p); i >= 0 {
			return s[i : i+len(p)]
		}
	}
	return ""
}
