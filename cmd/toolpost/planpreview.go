package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolpost/toolpost/plan"
	"github.com/toolpost/toolpost/tool"
)

func decodeJSON(b []byte, v any) error { return json.Unmarshal(b, v) }

// previewDocument is a preview for programs.
type previewDocument struct {
	V     int  `json:"v"`
	Valid bool `json:"valid"`
	*plan.Preview
}

// Run previews a plan.
func (c *planPreviewCommand) Run(p *program) error {
	d, err := p.openPlan(c.File)
	if err != nil {
		return err
	}
	defer d.close()
	ctx, stop := p.interruptible(func() { _ = d.shop.cell.Close() })
	defer stop()
	pre, err := d.runner.Preview(ctx, d.plan)
	if err != nil {
		return err
	}
	bad := plan.Errors(pre.Problems)
	if p.out.json() {
		if err := p.out.document(previewDocument{1, len(bad) == 0, pre}); err != nil {
			return err
		}
	} else if len(bad) == 0 {
		d.showPreview(pre)
	}
	switch {
	case len(bad) > 0:
		return planProblem(c.File, bad)
	case c.Expect != "" && c.Expect != pre.Token:
		return &problem{code: codeDiffers, exit: exitDiffers, message: fmt.Sprintf("the preview of %s has the token %s, not %s", c.File, orNone(pre.Token), clip(c.Expect, 40)),
			advice: "The plan, the tools, or what the reading steps find has changed."}
	case pre.Token == "":
		return previewConflict(c.File, pre)
	}
	return nil
}

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}

// previewConflict says that a plan would fail as things stand.
func previewConflict(file string, pre *plan.Preview) *problem {
	pr := &problem{code: codePlanConflict, exit: exitInvalid, message: fmt.Sprintf("%s would fail as things stand; nothing was changed", file), try: []string{"toolpost plan preview " + shellWord(file)}}
	for _, c := range pre.Calls {
		if c.State == plan.PreviewConflict {
			pr.facts = append(pr.facts, c.Key+"  "+c.Tool+": "+c.Why)
		}
	}
	return pr
}

// showPreview tells what a plan would do.
func (d *planDesk) showPreview(pre *plan.Preview) {
	out, st := d.program.out, d.program.out.outStyle
	needs := "no"
	if pre.Needs {
		needs = "yes (" + string(d.plan.Risk) + ")"
	}
	out.printf("plan %s · %s · %s after expansion · confirmation needed: %s\n\n", clip(d.plan.Goal, 60), plural(len(d.plan.Steps), "step"), plural(len(pre.Calls), "call"), needs)
	counts := map[plan.PreviewState]int{}
	risks := map[tool.Risk]int{}
	for _, c := range pre.Calls {
		counts[c.State]++
		risks[c.Risk]++
		state := strings.ToUpper(string(c.State))
		switch c.State {
		case plan.PreviewConflict:
			state = st.red("CONFLICT")
		case plan.PreviewRan:
			state = "runs now (read-only)"
		case plan.PreviewDry, plan.PreviewSkipped, plan.PreviewUnknown, plan.PreviewBlind:
			state = string(c.State)
		}
		line := fmt.Sprintf("%-10s %-16s %s", c.Key, c.Tool, clip(string(c.Args), 70))
		out.styled(clean(line) + "  " + state)
		if c.Why != "" {
			out.printf(": %s", strings.TrimPrefix(c.Why, "CONFLICT: "))
		}
		out.styled("\n")
		if c.Result == nil {
			continue
		}
		if diff := diffOf(c.Result); diff != "" {
			out.styled(colorDiff(st, indent(clean(clipLines(diff, 40)), "     ")))
		}
	}
	for _, w := range pre.Problems {
		out.printf("warning  %s\n", w)
	}
	out.printf("\n%s: %d read, %s, %s", plural(len(pre.Calls), "call"), risks[tool.RiskReads], plural(risks[tool.RiskWrites], "write"), plural(risks[tool.RiskCommands], "command"))
	if n := counts[plan.PreviewConflict]; n > 0 {
		out.printf(" · %s", plural(n, "conflict"))
	}
	out.printf(" · nothing was changed\n")
	if pre.Token != "" && pre.Needs {
		out.printf("run it  toolpost plan apply %s --confirm %s   (the token binds these exact calls)\n", shellWord(d.file), pre.Token)
	}
}
