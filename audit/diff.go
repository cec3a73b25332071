package audit

// A Comparison is two runs side by side, call by call.
type Comparison struct {
	A, B  *View
	Pairs []Pair // in the order of A; calls that only B makes stand behind those before them in B
	First int    // index in Pairs of the first that differs; -1 if none does
}

// A Pair is a call of one run and that of the other which stands in its place. One
// of them may be nil.
type Pair struct {
	A, B        *Call
	Differences []Difference // empty if the calls are alike
}

// Alike reports whether no call differs.
func (c *Comparison) Alike() bool { return c.First < 0 }

// Diff compares two runs: which tools they called, with which arguments, and what
// came of it, structurally. What models and errors say is not compared, nor are
// ids and times. Calls of plans are paired by step, element and attempt, those of
// agents by their place.
func Diff(a, b *View) *Comparison {
	c := &Comparison{A: a, B: b, First: -1}
	others := map[slot][]*Call{}
	for i, call := range b.Calls {
		k := slotOf(call, i)
		others[k] = append(others[k], call)
	}
	for i, call := range a.Calls {
		k := slotOf(call, i)
		p := Pair{A: call}
		if list := others[k]; len(list) > 0 {
			p.B, others[k] = list[0], list[1:]
			p.Differences = compareCalls(p.A, p.B)
		} else {
			p.Differences = []Difference{lonely(call, true)}
		}
		c.Pairs = append(c.Pairs, p)
	}
	for i, call := range b.Calls {
		if list := others[slotOf(call, i)]; len(list) > 0 && list[0] == call {
			others[slotOf(call, i)] = list[1:]
			c.Pairs = append(c.Pairs, Pair{B: call, Differences: []Difference{lonely(call, false)}})
		}
	}
	for i := range c.Pairs {
		if len(c.Pairs[i].Differences) > 0 {
			c.First = i
			break
		}
	}
	return c
}

// slot is the place of a call in a run.
type slot struct {
	step    string
	index   int // of the element; without a step the place in the run
	attempt int
}

func slotOf(c *Call, place int) slot {
	if c.Asked.Step == "" {
		return slot{index: place}
	}
	return slot{c.Asked.Step, itemOf(c), c.Asked.Attempt}
}

// itemOf is the element of a foreach that the call is for, -1 if there is none.
func itemOf(c *Call) int {
	if c.Asked.Item == nil {
		return -1
	}
	return c.Asked.Item.Index
}

// lonely is the difference of a call that one run alone has made.
func lonely(c *Call, first bool) Difference {
	d := Difference{N: c.N, Tool: c.Tool(), Step: c.Asked.Step, What: WhatCall}
	text := c.Tool() + " " + string(argsOf(c))
	if first {
		d.Was = text
	} else {
		d.Is = text
	}
	return d
}
