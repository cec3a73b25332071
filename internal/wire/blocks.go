package wire

import (
	"encoding/json"
	"fmt"

	"github.com/toolpost/toolpost/internal/jsonx"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// maxBlocks bounds the blocks of a reply.
const maxBlocks = 4096

// Blocks are the blocks of a reply that comes as numbered blocks which begin,
// grow and end. They may grow at the same time; their deltas are handed on block
// by block, since that is their order in the message: what comes for a later
// block waits until those before it are whole.
type Blocks struct {
	Send  func(llm.Delta)
	Tools *Tools

	list []block
	at   int // the block whose deltas are handed on
}

// An Opaque is a block of a kind that is carried along; it is asked for its JSON
// once it is whole, and left out if that is not valid.
type Opaque interface{ JSON() []byte }

// A block is one block as it grows.
type block struct {
	index   int // the server's number for it
	kind    llm.DeltaKind
	stopped bool
	waiting []llm.Delta // while blocks before it are not whole

	text  Carry           // of text, of thinking, of a call's arguments
	sig   []byte          // of thinking
	name  string          // of a call
	input json.RawMessage // of a call: the arguments that it began with, if any
	any   bool            // fragments of arguments came
	keep  bool            // the arguments are needed once they are whole
	args  []byte          // kept

	opaque Opaque
}

// Len is how many blocks have begun.
func (s *Blocks) Len() int { return len(s.list) }

// Find is the newest block with a number of the server's that has not ended. It
// is -1 if there is none, and ended says whether there was one.
func (s *Blocks) Find(index int) (i int, ended bool) {
	for i := len(s.list) - 1; i >= 0; i-- {
		if s.list[i].index == index {
			if s.list[i].stopped {
				return -1, true
			}
			return i, false
		}
	}
	return -1, false
}

// Kind is the kind of delta that block i is made of.
func (s *Blocks) Kind(i int) llm.DeltaKind { return s.list[i].kind }

// Opaque is what block i was opened with.
func (s *Blocks) Opaque(i int) Opaque { return s.list[i].opaque }

func (s *Blocks) open(b block) (int, error) {
	if i, _ := s.Find(b.index); i >= 0 {
		s.Finish(i) // a server that numbers them all alike
	}
	if len(s.list) >= maxBlocks {
		return -1, &llm.Error{Code: tool.CodeLimit, Message: fmt.Sprintf("the reply has more than %d blocks", maxBlocks), Advice: "ask for less at a time, or use another model"}
	}
	s.list = append(s.list, b)
	return len(s.list) - 1, nil
}

// Open begins a block of text or thinking, under the server's number.
func (s *Blocks) Open(index int, kind llm.DeltaKind) (int, error) {
	return s.open(block{index: index, kind: kind})
}

// Carry begins a block that is carried along.
func (s *Blocks) Carry(index int, o Opaque) (int, error) {
	return s.open(block{index: index, kind: llm.DeltaOpaque, opaque: o})
}

// Call begins a call. input is the arguments as JSON if they come with it; the
// first fragment replaces them.
func (s *Blocks) Call(index int, id, name, proof string, input []byte) error {
	b := block{index: index, kind: llm.DeltaCall, name: s.Tools.Canonical(name)}
	b.keep = s.Tools.Differs(b.name)
	if len(input) > 0 && string(input) != "{}" {
		b.input = jsonx.AppendCompact(nil, input)
	}
	i, err := s.open(b)
	if err == nil {
		s.put(i, llm.Delta{Kind: llm.DeltaCall, Index: i, ID: id, Name: b.name, Signature: proof})
	}
	return err
}

// Say adds text or thinking to block i.
func (s *Blocks) Say(i int, text []byte) {
	b := &s.list[i]
	if t := b.text.Join(text); t != "" {
		s.put(i, llm.Delta{Kind: b.kind, Text: t})
	}
}

// Sign adds to the signature of block i, which is handed on at its end.
func (s *Blocks) Sign(i int, sig []byte) { s.list[i].sig = append(s.list[i].sig, sig...) }

// Arg adds to the arguments of call i.
func (s *Blocks) Arg(i int, text []byte) {
	if len(text) > 0 {
		s.list[i].any = true
		s.arg(i, s.list[i].text.Join(text))
	}
}

func (s *Blocks) arg(i int, text string) {
	if b := &s.list[i]; text != "" {
		if b.keep && len(b.args) <= llm.MaxArgs {
			b.args = append(b.args, text...)
		}
		s.put(i, llm.Delta{Kind: llm.DeltaCall, Index: i, Text: text})
	}
}

// close hands on what of a block has waited for more, which will not come.
func (s *Blocks) close(i int) {
	b := &s.list[i]
	rest := b.text.Rest()
	if b.kind == llm.DeltaCall {
		s.arg(i, rest)
		return
	}
	if rest != "" {
		s.put(i, llm.Delta{Kind: b.kind, Text: rest})
	}
	if len(b.sig) > 0 {
		s.put(i, llm.Delta{Kind: b.kind, Signature: string(b.sig)})
	}
}

// Finish ends block i, which is whole, and hands on those that waited for it.
func (s *Blocks) Finish(i int) {
	b := &s.list[i]
	if b.stopped {
		return
	}
	switch b.kind {
	case llm.DeltaOpaque:
		if d := b.opaque.JSON(); jsonx.Check(d) == nil {
			s.put(i, llm.Delta{Kind: llm.DeltaOpaque, Opaque: d})
		}
	case llm.DeltaCall:
		if !b.any && b.input != nil {
			s.arg(i, b.text.Join(b.input))
		}
		s.close(i)
		s.put(i, s.done(i))
	default:
		s.close(i)
	}
	b.stopped = true
	for s.at < len(s.list) && s.list[s.at].stopped {
		s.at++
		if s.at < len(s.list) {
			s.flush(s.at)
		}
	}
}

// done says that a call is whole, with its arguments as the tool's author has
// them if they came in another form.
func (s *Blocks) done(i int) llm.Delta {
	b := &s.list[i]
	d := llm.Delta{Kind: llm.DeltaCallDone, Index: i}
	if b.keep && len(b.args) <= llm.MaxArgs {
		d.Text = string(s.Tools.Restore(b.name, b.args))
	}
	return d
}

// FinishAll ends the blocks of a reply that has ended by itself, for servers that
// do not tell the end of each.
func (s *Blocks) FinishAll() {
	for i := s.at; i < len(s.list); i++ {
		s.Finish(i)
	}
}

// Cut hands on what came of a reply that ends without a reason, and reports
// whether a block was not whole.
func (s *Blocks) Cut() (cut bool) {
	for i := s.at; i < len(s.list); i++ {
		if b := &s.list[i]; !b.stopped {
			cut = true
			if b.kind != llm.DeltaOpaque {
				s.close(i)
			}
		}
		s.flush(i)
	}
	return cut
}

// put hands a delta of a block on, or has it wait.
func (s *Blocks) put(i int, d llm.Delta) {
	if i <= s.at {
		s.Send(d)
		return
	}
	s.list[i].waiting = append(s.list[i].waiting, d)
}

// flush hands on what waited of a block.
func (s *Blocks) flush(i int) {
	for _, d := range s.list[i].waiting {
		s.Send(d)
	}
	s.list[i].waiting = nil
}
