package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/tool"
)

// Run calls one tool. The call is a run of its own, on record like any other,
// also when it is refused or names no tool.
func (c *toolsCallCommand) Run(p *program) error {
	cfg, err := p.settings()
	if err != nil {
		return err
	}
	shop, err := p.openShop(shopFacts{foreground: true})
	if err != nil {
		return err
	}
	defer shop.close()
	spec, _ := shop.registry.Lookup(c.Name)
	args, err := p.toolArgs(&spec, c.Args)
	if err != nil {
		return err
	}
	if err := p.readyStore(cfg); err != nil {
		return err
	}
	call := tool.NewCall(c.Name, string(args))
	call.DryRun, call.Timeout = c.DryRun, c.Timeout
	if c.DryRun && spec.Name != "" && !spec.Previews && spec.Risk != tool.RiskReads {
		return &problem{code: codeUsage, exit: exitUsage, message: spec.Name + " has no dry run; without --dry-run it is called for real"}
	}
	ctx, stop := p.interruptible(func() { _ = shop.cell.Close() })
	defer stop()
	res, err := p.callOnce(ctx, shop, call)
	if err != nil {
		return err
	}
	return c.show(p, shop, &spec, res)
}

// callOnce makes one call as a run of its own.
func (p *program) callOnce(ctx context.Context, s *shop, call *tool.Call) (*tool.Result, error) {
	facts, err := p.facts(s, audit.KindCall)
	if err != nil {
		return nil, err
	}
	facts.Prompt = "tools call " + call.Tool
	run, err := s.store.Create(facts)
	if err != nil {
		return nil, p.recordProblem(s, err)
	}
	var res *tool.Result
	tell := newTeller(p.out)
	for e, err := range audit.Record(run, event.Go(ctx, run.ID(), oneCall(s, call))) {
		if err != nil {
			return nil, p.recordProblem(s, err)
		}
		if p.out.form == "jsonl" {
			_ = p.out.document(e) // the call goes on, and its record; flush tells of a broken stdout
		}
		switch e.Type {
		case event.StepProgress:
			tell.progress(e)
		case event.StepScheduled:
			tell.scheduled(e)
		case event.StepFinished, event.StepFailed:
			res = e.Result
		default:
		}
	}
	return res, nil
}

// oneCall is the driver of a run that is one call.
func oneCall(s *shop, call *tool.Call) func(context.Context, *event.Run) error {
	return func(ctx context.Context, r *event.Run) error {
		r.Emit(event.Event{Type: event.RunStarted, Message: call.Tool})
		res := r.Do(ctx, s.set.Call, call)
		end := event.Event{Type: event.RunFinished, Message: call.Tool + ": " + string(res.Status),
			Payload: map[string]any{"status": res.Status, "exitCode": res.Exit()}}
		if res.Status == tool.StatusCancelled && ctx.Err() != nil {
			r.Emit(event.Event{Type: event.RunCancelled, Level: event.LevelWarn, Message: "cancelled"})
		}
		if res.IsError() {
			end.Level = event.LevelError
		}
		r.Emit(end)
		return nil
	}
}

// shownResult is a result for programs.
type shownResult struct {
	V int `json:"v"`
	*tool.Result
}

// MarshalJSON puts "v" before the members of the result.
func (s shownResult) MarshalJSON() ([]byte, error) {
	b, err := json.Marshal(s.Result)
	if err != nil {
		return nil, err
	}
	return append([]byte(`{"v":1,`), b[1:]...), nil
}

// show prints the result, and is the error that stands for its exit code.
func (c *toolsCallCommand) show(p *program, s *shop, spec *tool.Spec, res *tool.Result) error {
	if p.out.form == "json" {
		if err := p.out.document(shownResult{1, res}); err != nil {
			return err
		}
	}
	if !p.out.json() {
		p.out.printf("%s", textOf(res))
		if err := p.out.flush(); err != nil {
			return err
		}
	}
	if res.Exit() != exitOK {
		return p.callProblem(s, spec, res)
	}
	size := 0
	for _, b := range res.Content {
		size += len(b.Text) + len(b.Data)
	}
	st := p.out.errStyle
	p.out.note(st.faint(fmt.Sprintf("%s · %s · %s · %s · run %s", res.Tool, statusWord(res), duration(res.Duration()), bytesText(int64(size)), shortID(res.Run))) + "\n")
	return nil
}

// callProblem is the problem for a call that failed.
func (p *program) callProblem(s *shop, spec *tool.Spec, res *tool.Result) error {
	e := res.Err
	var pr *problem
	switch {
	case e == nil:
		pr = &problem{code: codeInternal, message: string(res.Status)}
	case errors.Is(e, tool.ErrUnknownTool):
		pr = s.unknownTool(res.Tool)
	case e.Code == tool.CodeInvalid && spec.Name != "":
		pr = badArguments(spec, e)
	default:
		first, rest, _ := strings.Cut(e.Message, "\n")
		pr = &problem{code: string(e.Code), message: first}
		if rest != "" {
			pr.facts = strings.Split(rest, "\n")
		}
		if spec.Name != "" && !strings.Contains(first, spec.Name) {
			pr.message = spec.Name + ": " + first
		}
		pr.try = []string{"toolpost runs show " + shortID(res.Run) + " 1"}
	}
	pr.exit, pr.run, pr.call = res.Exit(), res.Run, res.ID
	return pr
}

// recordProblem says that the record of a run cannot be made.
func (p *program) recordProblem(s *shop, err error) error {
	e := tool.AsError(err)
	switch e.Code {
	case tool.CodeUnavailable:
		return &problem{code: codeStore, exit: exitInternal, message: e.Message, cause: err,
			advice: "What cannot be recorded is not done. Make room or name another folder:", try: []string{"toolpost --store DIR …"}}
	case tool.CodeConflict:
		return &problem{code: string(e.Code), exit: exitTool, message: e.Message, cause: err, try: []string{"toolpost runs tail -1"}}
	default:
		return err
	}
}

// facts is what is known of every run of this program.
func (p *program) facts(s *shop, kind audit.Kind) (audit.Facts, error) {
	registry, specs, err := audit.RegistryVersion(s.set.Specs())
	if err != nil {
		return audit.Facts{}, err
	}
	b := thisBuild()
	return audit.Facts{
		Kind: kind, Door: "cli", Toolpost: b.Version, ExecutorVersion: "toolpost/" + b.Version,
		Registry: registry, Specs: specs,
		Policy: &tool.Snapshot{
			Sandbox: tool.SandboxSnapshot{Level: s.cell.Level(), AllowedRoots: []string{s.root.Name()}},
			Limits: tool.LimitSnapshot{MaxConcurrency: int(s.config.int("agents.defaults.parallel")),
				TimeoutMS: s.config.duration("limits.call_timeout").Milliseconds(), OutputBytes: s.config.int("limits.output_to_model")},
		},
	}, nil
}
