package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

// program is a plan taken apart: what Lint checks and a Runner runs.
type program struct {
	plan  *Plan
	steps []*node
	byID  map[string]*node
}

// node is a step with what it hangs on.
type node struct {
	*Step
	at      int
	args    *arguments
	when    *condition
	from    Reference      // of its foreach
	needs   []*node        // steps that it waits for, in the order in which it names them
	refers  map[*node]bool // the same steps, and whether it uses their data
	feeds   []*node        // steps that need it
	spec    *tool.Spec
	pointer string

	references []Reference // all of them
}

func (n *node) names() (item, index string) {
	if n.Foreach == nil {
		return "", ""
	}
	return n.Foreach.Item, n.Foreach.IndexName()
}

// compile takes p apart and tells all that is wrong with it. Without errors among
// the problems the program can be run.
func compile(p *Plan, tools tool.Set) (*program, []Problem) {
	c := &program{plan: p, byID: map[string]*node{}}
	var problems []Problem
	specs := map[string]*tool.Spec{}
	var known []string
	offer := tools.Specs()
	for i := range offer {
		s := &offer[i]
		known = append(known, s.Name)
		specs[s.Name] = s
		for _, a := range s.Aliases {
			if specs[a] == nil {
				specs[a] = s
			}
		}
	}
	for i := range p.Steps {
		n := &node{Step: &p.Steps[i], at: i, pointer: "/steps/" + strconv.Itoa(i)}
		if c.byID[n.ID] != nil {
			problems = append(problems, n.problem("/id", "unique", "step %q is there already, at %s", n.ID, c.byID[n.ID].pointer))
		} else {
			c.byID[n.ID] = n
		}
		c.steps = append(c.steps, n)
		if n.spec = specs[n.Tool]; n.spec == nil {
			pr := n.problem("/tool", "tool", "there is no tool %q", n.Tool)
			if near := schema.Nearest(n.Tool, known, 1); len(near) > 0 {
				pr.Nearest = near[0]
			}
			problems = append(problems, pr)
		}
		problems = append(problems, n.parse()...)
	}
	for _, n := range c.steps {
		n.references = n.allReferences()
		problems = append(problems, c.link(n)...)
	}
	problems = append(problems, c.cycles()...)
	return c, problems
}

func (n *node) problem(at, rule, format string, args ...any) Problem {
	return Problem{Pointer: n.pointer + at, Step: n.ID, Rule: rule, Message: fmt.Sprintf(format, args...)}
}

// parse takes the parts of a step apart that may refer to others.
func (n *node) parse() []Problem {
	var problems []Problem
	item, index := n.names()
	if item != "" && item == index {
		problems = append(problems, n.problem("/foreach/indexName", "unique", "item and index cannot both be %q", item))
	}
	if n.Foreach != nil {
		ref, err := ParseReference(n.Foreach.From, "", "")
		if err != nil {
			problems = append(problems, n.problem("/foreach/from", "reference", "%v", err))
		}
		n.from = ref
	}
	if n.When != nil {
		c, err := n.When.compile(item, index)
		if err != nil {
			problems = append(problems, n.problem("/when", "condition", "%v", err))
		}
		n.when = c
	}
	args, bad := parseArgs(n.Args, item, index)
	n.args = args
	for _, p := range bad {
		p.Pointer, p.Step = n.pointer+"/args"+p.Pointer, n.ID
		problems = append(problems, p)
	}
	return problems
}

// link finds what n hangs on.
func (c *program) link(n *node) []Problem {
	var problems []Problem
	need := func(at, id string, refers bool) {
		dep := c.byID[id]
		if dep == nil {
			p := n.problem(at, "reference", "there is no step %q", id)
			ids := make([]string, 0, len(c.byID))
			for k := range c.byID {
				ids = append(ids, k)
			}
			slices.Sort(ids)
			if near := schema.Nearest(id, ids, 1); len(near) > 0 {
				p.Nearest = near[0]
			}
			problems = append(problems, p)
			return
		}
		if refers && dep.at >= n.at {
			problems = append(problems, n.problem(at, "order", "step %q comes later: a step can only refer to steps before it", id))
			return
		}
		n.wait(dep, refers)
	}
	for i, id := range n.DependsOn {
		need("/dependsOn/"+strconv.Itoa(i), id, false)
	}
	refer := func(at string, r Reference) {
		switch r.Source {
		case SourceSteps:
			need(at, r.Name, true)
		case SourceVars:
			if by := c.capturer(r.Name, n.at); by != nil {
				need(at, by.ID, true)
			} else if _, ok := c.plan.Vars[r.Name]; !ok {
				p := n.problem(at, "reference", "there is no variable %q before this step", r.Name)
				if near := schema.Nearest(r.Name, keys(c.plan.Vars), 1); len(near) > 0 {
					p.Nearest = near[0]
				}
				problems = append(problems, p)
			}
		}
	}
	if n.Foreach != nil && n.from.Name != "" {
		refer("/foreach/from", n.from)
	}
	if n.when != nil && n.when.program == nil {
		refer("/when/ref", n.when.ref)
	}
	if n.when != nil && n.when.program != nil {
		for _, dep := range c.steps[:n.at] { // an expression may look at any step before it
			n.wait(dep, false)
		}
	}
	for _, t := range n.args.templates {
		for _, r := range t.template.References() {
			refer("/args"+t.pointer, r)
		}
	}
	slices.SortFunc(problems, func(a, b Problem) int { return compare(a.Pointer, b.Pointer) })
	return problems
}

// wait has n wait for dep, once.
func (n *node) wait(dep *node, refers bool) {
	before, known := n.refers[dep]
	if n.refers == nil {
		n.refers = map[*node]bool{}
	}
	if n.refers[dep] = before || refers; !known {
		n.needs = append(n.needs, dep)
		dep.feeds = append(dep.feeds, n)
	}
}

// capturer is the last step before position at whose data becomes the variable.
func (c *program) capturer(name string, at int) *node {
	for _, n := range slices.Backward(c.steps[:at]) {
		if n.CaptureAs == name {
			return n
		}
	}
	return nil
}

// cycles tells of steps that wait for each other.
func (c *program) cycles() []Problem {
	open := make(map[*node]int, len(c.steps))
	var ready []*node
	for _, n := range c.steps {
		if open[n] = len(n.needs); open[n] == 0 {
			ready = append(ready, n)
		}
	}
	done := 0
	for ; len(ready) > 0; done++ {
		n := ready[0]
		ready = ready[1:]
		for _, f := range n.feeds {
			if open[f]--; open[f] == 0 {
				ready = append(ready, f)
			}
		}
	}
	if done == len(c.steps) {
		return nil
	}
	var names []string
	var where *node
	for _, n := range c.steps {
		if open[n] > 0 {
			names = append(names, n.ID)
			if where == nil {
				where = n
			}
		}
	}
	return []Problem{where.problem("/dependsOn", "cycle", "these steps wait for each other and would never run: %q", names)}
}

func compare(a, b string) int {
	if len(a) != len(b) && a[:min(len(a), len(b))] == b[:min(len(a), len(b))] {
		return len(a) - len(b)
	}
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return 0
}

// rawString is v if it is a JSON string.
func rawString(v json.RawMessage) (string, bool) {
	var s string
	return s, first(v) == '"' && json.Unmarshal(v, &s) == nil
}

// Edges is, for each step of p in order, the ids of the steps that it waits for.
func Edges(p *Plan, tools tool.Set) [][]string {
	c, _ := compile(p, tools)
	out := make([][]string, len(c.steps))
	for i, n := range c.steps {
		for _, dep := range n.needs {
			out[i] = append(out[i], dep.ID)
		}
		slices.Sort(out[i])
	}
	return out
}
