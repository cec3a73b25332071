package agent

import (
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// maxTurns is the limit on requests to the model: at least one.
func (x *run) maxTurns() int {
	if x.MaxTurns == 0 {
		return DefaultMaxTurns
	}
	return max(x.MaxTurns, 1)
}

// spent says why the model is not to be asked again.
func (x *run) spent() error {
	o, l := &x.outcome, x.Limits
	switch {
	case o.Turns >= x.maxTurns():
		return tool.Errorf(tool.CodeLimit, "the model was asked %d times, the limit of this run (max_tool_iterations)", o.Turns)
	case l.Tokens > 0 && o.Usage.Total() >= l.Tokens:
		return tool.Errorf(tool.CodeLimit, "the run used %d tokens of %d (limits.tokens)", o.Usage.Total(), l.Tokens)
	case l.Money > 0 && o.Money >= l.Money:
		return tool.Errorf(tool.CodeLimit, "the run cost %.4f of %.4f (limits.money)", o.Money, l.Money)
	}
	return nil
}

// mayCall says why n more calls are not to be run: when they are too many, or
// when nobody would be told of their results.
func (x *run) mayCall(n int) error {
	if l := x.Limits.Calls; l > 0 && x.outcome.Calls+n > l {
		return tool.Errorf(tool.CodeLimit, "not run: %d calls were made, %d more would be over the limit of %d (limits.calls)", x.outcome.Calls, n, l)
	}
	if x.outcome.Turns >= x.maxTurns() {
		return tool.Errorf(tool.CodeLimit, "not run: the model still asks for calls at request %d, the limit of this run (max_tool_iterations)", x.outcome.Turns)
	}
	return nil
}

// spend adds what a reply cost, and learns from it how long the messages were.
func (x *run) spend(m *llm.Message) {
	if m.Usage == nil {
		return
	}
	x.outcome.Usage = x.outcome.Usage.Add(*m.Usage)
	if x.Limits.Price != nil {
		x.outcome.Money += x.Limits.Price(*m.Usage)
	}
	x.budget.learn(*m.Usage)
}
