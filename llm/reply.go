package llm

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/toolpost/toolpost/tool"
)

// Limits of a Reply. What goes over them is marked in [Block.Broken] and the
// stream is read on.
const (
	MaxArgs  = 4 << 20 // bytes of the arguments of a call
	MaxCalls = 128     // calls in a reply
	MaxName  = 256     // bytes of a tool's name

	maxSlots = 8 * MaxCalls // more calls than this are not even kept
)

// A Reply joins the deltas of one reply into a message. Text is only ever
// appended. The zero Reply is empty and ready. It is for one goroutine.
//
// Which call a fragment belongs to is told by its index, its id and whether the
// call before is complete, since gateways number all parallel calls 0, leave ids
// out, repeat names on the last fragment, or send all arguments once more. A
// repeat is dropped; nothing else is ever repaired.
type Reply struct {
	parts  []part
	last   int // one more than the part of the last call fragment
	calls  int
	stop   Stop
	word   string // the provider's own word for the stop
	usage  Usage
	has    bool // usage
	from   origin
	failed string
}

// An origin is who answers, as DeltaStart says.
type origin struct{ id, provider, api, model, served string }

// A part is a block as it grows.
type part struct {
	kind   tool.ContentType
	first  string // the first fragment, uncopied: most parts of a call have no other
	buf    []byte // all of them, once there is a second
	sig    string
	opaque json.RawMessage
	call   *tool.Call
	index  int         // the provider's number
	seen   extent      // how far the arguments were looked at
	resent int         // where a fragment begins that came with a name again
	done   bool        // the provider says so
	over   *tool.Error // the limit that was reached
}

// A Change is what a delta did to the message, for those who show it growing.
type Change struct {
	Kind  DeltaKind  // DeltaText, DeltaThinking, DeltaCall, DeltaCallDone, DeltaOpaque, DeltaReset; zero if there is nothing to show
	Block int        // which block of the message
	New   bool       // the block began with it
	Text  string     // what was added
	Call  *tool.Call // of a call: its id and tool; its arguments are set by Message
}

// Add takes the next delta. Alternatives of the reply but the first are left
// out.
func (r *Reply) Add(d Delta) Change {
	if d.Choice != 0 {
		return Change{}
	}
	switch d.Kind {
	case DeltaStart:
		r.start(d)
	case DeltaText:
		return r.addText(tool.ContentText, d)
	case DeltaThinking:
		return r.addText(BlockThinking, d)
	case DeltaCall:
		return r.addCall(d)
	case DeltaCallDone:
		return r.callDone(d)
	case DeltaOpaque:
		n := r.open(part{kind: BlockOpaque, opaque: append(json.RawMessage(nil), d.Opaque...)})
		return Change{Kind: DeltaOpaque, Block: n, New: true}
	case DeltaUsage:
		if d.Usage != nil {
			r.usage, r.has = *d.Usage, true
		}
	case DeltaReset:
		*r = Reply{}
		return Change{Kind: DeltaReset}
	case DeltaStop:
		if !r.stop.Cut() { // a second finish does not undo a cut
			r.stop, r.word = d.Stop, d.Text
		}
	}
	return Change{}
}

func (r *Reply) start(d Delta) {
	o := &r.from
	for _, f := range [...]struct {
		to   *string
		from string
	}{{&o.id, d.MessageID}, {&o.provider, d.Provider}, {&o.api, d.API}, {&o.model, d.Model}, {&o.served, d.Served}} {
		if f.from != "" {
			*f.to = f.from
		}
	}
}

// Reset makes the reply empty, for the next one.
func (r *Reply) Reset() {
	clear(r.parts)
	*r = Reply{parts: r.parts[:0]}
}

// Fail notes that the stream ended with err: the message is aborted if the
// context was cancelled, else broken.
func (r *Reply) Fail(err error) {
	if err == nil {
		return
	}
	r.stop, r.failed = StopBroken, err.Error()
	if errors.Is(err, context.Canceled) {
		r.stop = StopAborted
	}
}

// Shown reports whether anything has come that a reader may have seen: text,
// thinking, a call or an opaque block.
func (r *Reply) Shown() bool { return len(r.parts) > 0 }

func (r *Reply) open(p part) int {
	if r.parts == nil {
		r.parts = make([]part, 0, 2)
	}
	r.parts = append(r.parts, p)
	return len(r.parts) - 1
}

// addText adds to the last block if it is of the same kind. A block that has a
// signature takes no more text, and text that comes with one is a block of its
// own: providers refuse signed parts that were merged or split.
func (r *Reply) addText(kind tool.ContentType, d Delta) Change {
	if d.Text == "" && d.Signature == "" {
		return Change{}
	}
	n := len(r.parts) - 1
	join := n >= 0 && r.parts[n].kind == kind
	switch {
	case !join:
	case d.Signature == "":
		join = r.parts[n].sig == ""
	default:
		join = d.Text == "" && kind == BlockThinking && r.parts[n].sig == ""
	}
	c := Change{Kind: d.Kind, Block: n, New: !join, Text: d.Text}
	if join {
		r.parts[n].add(d.Text)
		r.parts[n].sig += d.Signature
		return c
	}
	c.Block = r.open(part{kind: kind, first: d.Text, sig: d.Signature})
	return c
}

// add appends a fragment.
func (p *part) add(s string) {
	switch {
	case s == "":
	case p.buf == nil && p.first == "":
		p.first = s
	case p.buf == nil:
		p.buf = make([]byte, 0, max(64, 4*(len(p.first)+len(s))))
		p.buf = append(append(p.buf, p.first...), s...)
	default:
		p.buf = append(p.buf, s...)
	}
}

func (p *part) size() int {
	if p.buf == nil {
		return len(p.first)
	}
	return len(p.buf)
}

// text is all fragments joined.
func (p *part) text() string {
	if p.buf == nil {
		return p.first
	}
	return string(p.buf)
}

// bytes is all fragments joined; not to be written to.
func (p *part) bytes() []byte {
	if p.buf == nil && p.first != "" {
		p.buf = []byte(p.first)
	}
	return p.buf
}
