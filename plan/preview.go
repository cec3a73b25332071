package plan

import (
	"context"
	"encoding/json"
	"time"

	"github.com/toolpost/toolpost/tool"
)

// A Preview is what a plan would do. Nothing was changed to find out.
type Preview struct {
	Plan     *Plan             `json:"plan"`
	PlanHash string            `json:"planHash"`
	Tools    string            `json:"toolRegistryVersion"`
	Policy   string            `json:"policyHash,omitzero"`
	Calls    []PreviewCall     `json:"calls"`
	Token    string            `json:"token,omitzero"` // names exactly these calls; none if the plan cannot be run as it is
	Needs    bool              `json:"needsConfirmation"`
	Problems []Problem         `json:"problems,omitempty"`
	hashes   map[string]string // of the calls, by key
}

// A PreviewCall is one call that a plan would make.
type PreviewCall struct {
	Key    string          `json:"key"` // s1, or s1[3] of a foreach
	Step   string          `json:"stepId"`
	Tool   string          `json:"tool"`
	Risk   tool.Risk       `json:"riskLevel,omitzero"`
	Args   json.RawMessage `json:"args"`
	State  PreviewState    `json:"state"`
	Why    string          `json:"why,omitzero"`
	Result *tool.Result    `json:"result,omitempty"` // of the read or the dry run
	Text   string          `json:"preview,omitzero"`
}

// PreviewState says what is known of a call.
type PreviewState string

// States of a call in a preview.
const (
	PreviewRan      PreviewState = "ran"             // it only reads and was made
	PreviewDry      PreviewState = "would run"       // the tool told what it would do
	PreviewBlind    PreviewState = "not previewable" // the tool cannot tell
	PreviewConflict PreviewState = "conflict"        // it would fail
	PreviewSkipped  PreviewState = "skipped"         // its condition is false, or what it needs is skipped
	PreviewUnknown  PreviewState = "unknown"         // it needs a call before it that was not made
)

// Preview finds out what p would do: steps that only read are run, others are
// asked for a dry run, where their tool has one. A plan with errors has them as
// Problems and no calls.
func (r *Runner) Preview(ctx context.Context, p *Plan) (*Preview, error) {
	out := &Preview{Plan: p, PlanHash: p.Hash(), Tools: ToolsHash(r.Tools), Policy: r.PolicyHash, Needs: r.needsConfirmation(p), hashes: map[string]string{}}
	c, problems := check(p, r.Tools)
	out.Problems = problems
	if len(Errors(out.Problems)) > 0 {
		return out, nil
	}
	x := newRun(r, c, nil)
	v := &viewer{run: x, out: out, lost: map[*node]string{}, touched: touched{}}
	for left := len(c.steps); left > 0; {
		ready := x.ready(1)
		if len(ready) == 0 {
			break
		}
		n := ready[0]
		v.step(ctx, n)
		if err := context.Cause(ctx); err != nil {
			return nil, tool.Errorf(tool.CodeCancelled, "the preview was cancelled: %w", err)
		}
		x.release(n)
		left--
	}
	if out.runnable() {
		out.Token = token(out.PlanHash, out.Tools, out.Policy, out.hashes)
	}
	return out, nil
}

// runnable reports whether all calls are known and none would fail.
func (p *Preview) runnable() bool {
	for _, c := range p.Calls {
		if c.State == PreviewConflict {
			return false
		}
	}
	return true
}

// Confirm is the yes of a person to what the preview shows. Calls whose
// arguments were not known yet are not bound by it, and are refused when they
// would write.
func (p *Preview) Confirm(who, how string) *Confirmation {
	return &Confirmation{ID: tool.NewID(), PlanHash: p.PlanHash, ToolsHash: p.Tools, PolicyHash: p.Policy,
		Calls: p.hashes, Who: who, When: time.Now().UTC(), How: how}
}

// Confirmed is a confirmation of p without a preview: it binds the plan, the
// tools and the policy, but no single call.
func (r *Runner) Confirmed(p *Plan, who, how string) *Confirmation {
	return &Confirmation{ID: tool.NewID(), PlanHash: p.Hash(), ToolsHash: ToolsHash(r.Tools), PolicyHash: r.PolicyHash, Who: who, When: time.Now().UTC(), How: how}
}

// viewer previews one step after another.
type viewer struct {
	*run
	out     *Preview
	lost    map[*node]string // steps without data, and why
	touched touched
}

func (v *viewer) step(ctx context.Context, n *node) {
	for _, dep := range n.needs {
		if why, ok := v.lost[dep]; ok && n.refers[dep] {
			v.lose(n, PreviewUnknown, "it refers to step "+dep.ID+", "+why)
			return
		}
	}
	for _, dep := range n.needs {
		if v.states[dep.at].skipped {
			v.lose(n, PreviewSkipped, "step "+dep.ID+" is skipped")
			v.states[n.at].skipped = true
			return
		}
	}
	vals := v.known(n)
	item, index := n.names()
	if n.Foreach == nil {
		if n.when != nil {
			ok, err := n.when.holds(&vals, item, index)
			if err != nil || !ok {
				v.lose(n, PreviewSkipped, reason(err, "its condition is false"))
				v.states[n.at].skipped = true
				return
			}
		}
		if data, ok := v.call(ctx, n, Key{n.ID, -1}, &vals); ok {
			v.keep(n, data)
		}
		return
	}
	v.foreach(ctx, n, vals)
}

func reason(err error, otherwise string) string {
	if err != nil {
		return err.Error()
	}
	return otherwise
}

func (v *viewer) foreach(ctx context.Context, n *node, vals Values) {
	list, err := v.elements(n, &vals)
	if err != nil {
		v.lose(n, PreviewConflict, err.Error())
		return
	}
	results := make([]*tool.Result, len(list))
	whole := true
	for i := range list {
		vals.Item, vals.Index = list[i], i
		if n.when != nil {
			if ok, err := n.when.holds(&vals, n.Foreach.Item, n.Foreach.IndexName()); err == nil && !ok {
				continue
			}
		}
		data, ok := v.call(ctx, n, Key{n.ID, i}, &vals)
		results[i] = &tool.Result{Status: tool.StatusOK, Data: data}
		whole = whole && ok
	}
	if !whole {
		v.lost[n] = "of which not every element could be previewed"
		return
	}
	if e := v.gather(n, results, make([][]*tool.Result, len(list))); e.res.OK() {
		v.keep(n, e.res.Data)
	}
}

func (v *viewer) keep(n *node, data json.RawMessage) {
	v.values.Steps[n.ID] = data
	if n.CaptureAs != "" {
		v.values.Vars[n.CaptureAs] = data
	}
}

// lose notes a step whose calls are not known.
func (v *viewer) lose(n *node, s PreviewState, why string) {
	v.lost[n] = "which is not known: " + why
	v.out.Calls = append(v.out.Calls, PreviewCall{Key: n.ID, Step: n.ID, Tool: n.spec.Name, Risk: n.spec.Risk, Args: n.Args, State: s, Why: why, Text: n.Preview})
}

// call previews one call; ok says that its data is known.
func (v *viewer) call(ctx context.Context, n *node, key Key, vals *Values) (data json.RawMessage, ok bool) {
	args, err := n.args.resolve(vals)
	if err != nil {
		v.lose(n, PreviewConflict, err.Error())
		return nil, false
	}
	pc := PreviewCall{Key: key.String(), Step: n.ID, Tool: n.spec.Name, Risk: n.spec.Risk, Args: args, Text: n.Preview}
	v.out.hashes[pc.Key] = callHash(n.spec.Name, args)
	reads := n.spec.Risk == tool.RiskReads
	if !reads && !n.spec.Previews {
		pc.State, pc.Why = PreviewBlind, n.spec.Name+" cannot tell what it would do without doing it"
		v.lost[n] = "which " + pc.Why
		v.touched.add(pc.Key, n.spec, args, nil)
		v.out.Calls = append(v.out.Calls, pc)
		return nil, false
	}
	c := v.run.call(n, args, 1, nil, "")
	c.DryRun = !reads
	pc.Result = tool.Do(ctx, v.Tools.Call, c)
	switch {
	case !pc.Result.OK():
		v.failed(n, &pc)
	case reads:
		pc.State = PreviewRan
	default:
		pc.State = PreviewDry
		v.touched.add(pc.Key, n.spec, args, pc.Result.Data)
	}
	v.out.Calls = append(v.out.Calls, pc)
	return pc.Result.Data, pc.Result.OK()
}

// failed says what it means that a call failed in the preview: it would fail, or
// nobody knows, since calls before it were not made.
func (v *viewer) failed(n *node, pc *PreviewCall) {
	why := "it would fail"
	if pc.Result.Err != nil {
		why = string(pc.Result.Err.Code) + ": " + pc.Result.Err.Message
	}
	if key, resource, ok := v.touched.explains(pc.Args, pc.Result.Err); ok {
		pc.State, pc.Why = PreviewUnknown, "it depends on what "+key+" would do to "+resource+" ("+why+")"
		v.lost[n] = "which is not known before " + key + " has run"
		return
	}
	pc.State, pc.Why = PreviewConflict, why
	v.lost[n] = "which would fail"
}
