package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/plan"
	"github.com/toolpost/toolpost/tool"
)

// A past is a run on record that a command looks back at.
type past struct {
	config *config
	store  *audit.Store
	view   *audit.View
}

// lookBack finds the run that a name means, and reads it whole.
func (p *program) lookBack(n name) (*past, error) {
	cfg, err := p.settings()
	if err != nil {
		return nil, err
	}
	b := &past{config: cfg, store: p.runStore(cfg)}
	id, err := resolveRun(b.store, n)
	if err != nil {
		return nil, err
	}
	if b.view, err = b.store.Load(id); err != nil {
		return nil, damaged(id, err)
	}
	return b, nil
}

// damaged is the problem for a record that is not what was written.
func damaged(id string, err error) error {
	var d *audit.Damage
	if !errors.As(err, &d) {
		return err
	}
	return &problem{code: codeDiffers, exit: exitDiffers, message: tool.AsError(err).Message, run: id, cause: err,
		try: []string{"toolpost audit verify " + shortID(id), "toolpost runs show " + shortID(id)}}
}

// confirmation is the one under which a plan was run, nil if there was none.
func (b *past) confirmation() *plan.Confirmation {
	for e, err := range b.store.Entries(b.view.ID) {
		if err != nil {
			return nil
		}
		raw, ok := e.Payload.(json.RawMessage)
		if e.Type != event.Confirmed || !ok {
			continue
		}
		c := new(plan.Confirmation)
		if json.Unmarshal(raw, c) == nil {
			return c
		}
	}
	return nil
}

// keyOf names a recorded call of a plan.
func keyOf(c *audit.Call) plan.Key {
	k := plan.Key{Step: c.Asked.Step, Index: -1}
	if c.Asked.Item != nil {
		k.Index = c.Asked.Item.Index
	}
	return k
}

// done is what the calls up to number last have finished, and what they had
// started.
func done(v *audit.View, last int) (finished map[plan.Key]*tool.Result, open map[plan.Key]*tool.Call) {
	finished, open = map[plan.Key]*tool.Result{}, map[plan.Key]*tool.Call{}
	for _, c := range v.Calls {
		if c.N > last {
			break
		}
		k := keyOf(c)
		switch {
		case c.Result.OK() && finished[k] == nil:
			finished[k] = c.Result
			delete(open, k)
		case finished[k] == nil && (c.Unknown || c.Ran != nil && (c.Result.Status == tool.StatusTimeout || c.Result.Status == tool.StatusCancelled)):
			open[k] = c.Ran
		}
	}
	return finished, open
}

// differs is the problem for the first difference of two runs.
func differs(what string, d *audit.Difference, try ...string) *problem {
	was, is := d.Was, d.Is
	if was == "" {
		was = "(nothing)"
	}
	if is == "" {
		is = "(nothing)"
	}
	place := fmt.Sprintf("call %d, %s", d.N, d.Tool)
	if d.Step != "" {
		place += ", step " + d.Step
	}
	return &problem{code: codeDiffers, exit: exitDiffers, message: fmt.Sprintf("%s: the first difference is %s of %s%s", what, whatWord(d.What), place, at(d.At)),
		facts: []string{"- " + clip(was, 300), "+ " + clip(is, 300)}, try: try}
}

func at(pointer string) string {
	if pointer == "" {
		return ""
	}
	return " at " + pointer
}

// whatWord says in what calls differ.
func whatWord(w audit.What) string {
	switch w {
	case audit.WhatCall:
		return "a call that one of them alone makes, instead"
	case audit.WhatArgs:
		return "in the arguments"
	case audit.WhatCode:
		return "in the error code"
	case audit.WhatSpec:
		return "in the spec"
	}
	return "in the " + string(w)
}
