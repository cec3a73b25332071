package main

import (
	"fmt"
	"time"

	"github.com/toolpost/toolpost/audit"
)

type runsDiffCommand struct {
	A   name `arg:"" name:"a" help:"Full id, unique prefix, -1 for the last, or @label."`
	B   name `arg:"" name:"b" help:"The other run."`
	All bool `help:"Every call that differs, not only the first."`
}

// comparedRuns is two runs side by side for programs.
type comparedRuns struct {
	V     int              `json:"v"`
	A     string           `json:"a"`
	B     string           `json:"b"`
	Alike bool             `json:"alike"`
	First int              `json:"first,omitempty"` // number of the first call that differs
	Calls []comparedCall   `json:"calls"`
	Facts map[string][]any `json:"facts,omitempty"` // that differ, of both
}

type comparedCall struct {
	A           int                `json:"a,omitempty"`
	B           int                `json:"b,omitempty"`
	Tool        string             `json:"tool"`
	Differences []audit.Difference `json:"differences"`
}

// Run compares two runs call by call.
func (c *runsDiffCommand) Run(p *program) error {
	a, err := p.lookBack(c.A)
	if err != nil {
		return err
	}
	b, err := p.lookBack(c.B)
	if err != nil {
		return err
	}
	d := audit.Diff(a.view, b.view)
	if p.out.json() {
		if err := p.out.document(comparedOf(d)); err != nil {
			return err
		}
	} else {
		c.show(p.out, d)
	}
	if d.Alike() {
		return nil
	}
	if p.out.json() {
		first := d.Pairs[d.First].Differences[0]
		return differs(shortID(a.view.ID)+" and "+shortID(b.view.ID), &first)
	}
	return exitCode(exitDiffers)
}

func comparedOf(d *audit.Comparison) comparedRuns {
	out := comparedRuns{V: 1, A: d.A.ID, B: d.B.ID, Alike: d.Alike(), First: d.First + 1, Calls: []comparedCall{}, Facts: map[string][]any{}}
	for _, pair := range d.Pairs {
		call := comparedCall{Differences: pair.Differences}
		if call.Differences == nil {
			call.Differences = []audit.Difference{}
		}
		if pair.B != nil {
			call.B, call.Tool = pair.B.N, pair.B.Tool()
		}
		if pair.A != nil {
			call.A, call.Tool = pair.A.N, pair.A.Tool()
		}
		out.Calls = append(out.Calls, call)
	}
	for _, f := range factsThatDiffer(d) {
		out.Facts[f[0]] = []any{f[1], f[2]}
	}
	return out
}

// factsThatDiffer is what the runs had to begin with: name, of one, of the other.
func factsThatDiffer(d *audit.Comparison) (out [][3]string) {
	hash := func(v *audit.View) string {
		if v.Policy == nil {
			return ""
		}
		return v.Policy.Hash
	}
	for _, f := range [][3]string{
		{"prompt", d.A.Prompt, d.B.Prompt}, {"model", d.A.Model, d.B.Model}, {"tools", d.A.Registry, d.B.Registry},
		{"policy", hash(d.A), hash(d.B)}, {"plan", string(d.A.Plan), string(d.B.Plan)}, {"version", d.A.Toolpost, d.B.Toolpost},
	} {
		if f[1] != f[2] {
			out = append(out, f)
		}
	}
	return out
}

func (c *runsDiffCommand) show(o *output, d *audit.Comparison) {
	st := o.outStyle
	o.styled(st.bold(fmt.Sprintf("%s (%s) → %s (%s)", shortID(d.A.ID), plural(len(d.A.Calls), "call"), shortID(d.B.ID), plural(len(d.B.Calls), "call"))) + "\n")
	for _, f := range factsThatDiffer(d) {
		o.printf("  other %s: %s → %s\n", f[0], clip(f[1], 40), clip(f[2], 40))
	}
	o.printf("\n")
	for i, pair := range d.Pairs {
		call := pair.A
		if call == nil {
			call = pair.B
		}
		line := fmt.Sprintf("%3d %%s %s %s\n", i+1, call.Tool(), clip(shortArgs(argsOf(call)), 60))
		if len(pair.Differences) == 0 {
			o.styled(clean(fmt.Sprintf(line, "=")))
			continue
		}
		o.styled(st.yellow(clean(fmt.Sprintf(line, "≠"))))
		for _, x := range pair.Differences {
			o.styled(clean(fmt.Sprintf("      %s%s\n", x.What, at(x.At))))
			if x.Was != "" {
				o.styled(st.red(clean("      - "+clip(x.Was, 200))) + "\n")
			}
			if x.Is != "" {
				o.styled(st.green(clean("      + "+clip(x.Is, 200))) + "\n")
			}
		}
		if !c.All {
			o.printf("      the first difference; later calls may follow from it (--all compares them)\n")
			break
		}
	}
	if d.Alike() {
		o.printf("\nalike: %s, with the same arguments and results\n", plural(len(d.Pairs), "call"))
	}
	o.printf("\n%20s  %-12s %-12s\n", "", shortID(d.A.ID), shortID(d.B.ID))
	for _, row := range [][3]string{
		{"status", string(d.A.Status), string(d.B.Status)},
		{"calls", fmt.Sprint(d.A.Counts.Calls), fmt.Sprint(d.B.Counts.Calls)},
		{"failed", fmt.Sprint(d.A.Counts.Errors), fmt.Sprint(d.B.Counts.Errors)},
		{"took", runTook(d.A), runTook(d.B)},
	} {
		o.printf("%20s  %-18s %-18s\n", row[0], row[1], row[2])
	}
}

func runTook(v *audit.View) string {
	if v.Ended.IsZero() {
		return "—"
	}
	return duration(max(v.Ended.Sub(v.Started), time.Millisecond))
}
