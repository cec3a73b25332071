package llm

import (
	"strings"

	"github.com/toolpost/toolpost/tool"
)

// addCall finds the call that a fragment belongs to and adds it there.
func (r *Reply) addCall(d Delta) Change {
	if d.ID == "null" { // one provider's word for no id
		d.ID = ""
	}
	n := r.find(d)
	if n < 0 {
		return r.openCall(d)
	}
	r.last = n + 1
	p := &r.parts[n]
	c := Change{Kind: DeltaCall, Block: n, Call: p.call}
	r.name(p, d)
	p.sig += d.Signature
	if d.Text == "" || p.over != nil || !p.fits(p.size()+len(d.Text)) {
		return c
	}
	if (d.Name != "" || d.ID != "") && p.size() > 0 {
		if p.complete() && strings.TrimSpace(d.Text) == string(p.bytes()[:p.seen.end]) {
			return c // everything once more
		}
		p.resent = p.size()
	}
	p.add(d.Text)
	c.Text = d.Text
	return c
}

// name takes what the first fragment did not bring.
func (r *Reply) name(p *part, d Delta) {
	if p.call.Tool == "" && d.Name != "" {
		p.call.Tool = d.Name
		p.clipName()
	}
	if p.call.ProviderID == "" {
		p.call.ProviderID = d.ID
	}
}

func (p *part) clipName() {
	if len(p.call.Tool) > MaxName {
		p.call.Tool = strings.ToValidUTF8(p.call.Tool[:MaxName], "")
		p.over = broken(tool.CodeLimit, "the name of the tool is longer than %d bytes; the call was not run: use one of the names on offer", MaxName)
	}
}

// fits reports whether arguments of n bytes are within the limit, and marks p
// if not.
func (p *part) fits(n int) bool {
	if n > MaxArgs {
		p.over = broken(tool.CodeLimit, "the arguments are longer than %d bytes; the call was not run: send less at a time", MaxArgs)
	}
	return n <= MaxArgs
}

func (r *Reply) openCall(d Delta) Change {
	if r.calls >= maxSlots {
		return Change{}
	}
	r.calls++
	call := &tool.Call{Ref: tool.Ref{ID: tool.NewID(), Tool: d.Name, Attempt: 1}, ProviderID: d.ID}
	p := part{kind: BlockCall, call: call, index: d.Index, sig: d.Signature}
	p.clipName()
	if r.calls > MaxCalls {
		p.over = broken(tool.CodeLimit, "this reply holds more than %d calls; this one was not run: send fewer at a time", MaxCalls)
	} else if p.fits(len(d.Text)) {
		p.first = d.Text
	}
	n := r.open(p)
	r.last = n + 1
	return Change{Kind: DeltaCall, Block: n, New: true, Text: p.first, Call: call}
}

// find is the part that a fragment continues, or -1 if it begins a call.
func (r *Reply) find(d Delta) int {
	if d.Index >= 0 {
		for n := len(r.parts) - 1; n >= 0; n-- { // the newest of an index: older ones are closed
			if p := &r.parts[n]; p.call != nil && p.index == d.Index {
				if p.ended(d) {
					return -1
				}
				return n
			}
		}
		return -1
	}
	if d.ID != "" {
		for n := len(r.parts) - 1; n >= 0; n-- {
			if p := &r.parts[n]; p.call != nil && p.call.ProviderID == d.ID {
				if p.ended(d) {
					return -1
				}
				return n
			}
		}
		// A call that began without its id may still be waiting for it.
		if n := r.last - 1; n >= 0 && d.Name == "" && r.parts[n].call.ProviderID == "" && !r.parts[n].complete() {
			return n
		}
		return -1
	}
	n := r.last - 1
	if n >= 0 && d.Name != "" && (r.parts[n].ended(d) || r.parts[n].call.Tool != "" && r.parts[n].call.Tool != d.Name) {
		return -1
	}
	return n
}

// ended reports whether the fragment d, which names p by its index or id or
// names nothing, begins another call all the same.
func (p *part) ended(d Delta) bool {
	otherID := d.ID != "" && p.call.ProviderID != "" && d.ID != p.call.ProviderID
	otherName := d.Name != "" && p.call.Tool != "" && d.Name != p.call.Tool
	switch {
	case p.call.Tool == "":
		return false
	case p.size() == 0: // a call without arguments, or one whose arguments are still to come
		return otherID && d.Name != "" || otherName && d.ID == ""
	case !p.complete():
		return false
	case otherID || otherName:
		return true
	case d.Name == "" || p.over != nil:
		return false
	}
	// The same name again behind whole arguments: the same arguments once more, or
	// a second call by a server that numbers none.
	t := strings.TrimSpace(d.Text)
	return t != "" && t != string(p.bytes()[:p.seen.end])
}

// complete reports whether the arguments so far hold a whole JSON value.
func (p *part) complete() bool { return p.done || p.seen.complete(p.bytes()) }

// callDone closes the call of d's index or id, or the last one. All its
// arguments, when the provider sends them once more, replace the fragments.
func (r *Reply) callDone(d Delta) Change {
	n := -1
	for i := range r.parts {
		p := &r.parts[i]
		if p.call != nil && !p.done && (d.Index >= 0 && p.index == d.Index || d.Index < 0 && d.ID != "" && p.call.ProviderID == d.ID) {
			n = i
		}
	}
	if n < 0 && d.Index < 0 && d.ID == "" {
		n = r.last - 1
	}
	if n < 0 {
		if d.Name == "" {
			return Change{}
		}
		n = r.openCall(Delta{Kind: DeltaCall, Index: d.Index, ID: d.ID, Name: d.Name, Signature: d.Signature}).Block
	}
	p := &r.parts[n]
	r.name(p, d)
	if d.Text != "" && p.over == nil && p.fits(len(d.Text)) {
		p.first, p.buf, p.seen = d.Text, nil, extent{}
	}
	p.done = true
	return Change{Kind: DeltaCallDone, Block: n, Call: p.call}
}
