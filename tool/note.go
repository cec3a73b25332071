package tool

import (
	"context"
	"time"
)

// A Note tells how far a call has come.
type Note struct {
	Kind    NoteKind
	Call    *Call
	Content []Content // of NoteProgress: what there is so far
	Message string    // for a person
	At      time.Time
}

// NoteKind says what a Note tells.
type NoteKind int

// Kinds of notes, in the order in which they come.
const (
	NoteWaiting  NoteKind = iota + 1 // for a person or a limit; Message says for what
	NoteReady                        // it would start now; only of a tool with Spec.Locks
	NoteStarted                      // it is frozen and starts when the listener has returned
	NoteProgress                     // any number of times, from the running handler
)

// Notify tells whoever listens how far the call that ctx belongs to has come,
// and returns when the listener has dealt with it. If no one listens, or the
// call has ended, it does nothing.
func Notify(ctx context.Context, n Note) {
	switch l := ctx.Value(noteKey{}).(type) {
	case *running:
		l.hand(n)
	case *listening:
		l.hear(n)
	}
}

// Progress notes text as the state of the running call.
func Progress(ctx context.Context, text string) {
	if ctx.Value(noteKey{}) == nil {
		return
	}
	Notify(ctx, Note{Kind: NoteProgress, Content: []Content{{Type: ContentText, Text: text}}})
}

// WithNotes has fn hear the notes of the calls made with the context it
// returns. Fn is called on the goroutine that made the call, never twice at
// once for one call, and never after the call has ended.
func WithNotes(ctx context.Context, fn func(Note)) context.Context {
	return &listening{ctx, fn}
}

// listening is a context whose calls are heard.
type listening struct {
	context.Context
	hear func(Note)
}

func (l *listening) Value(key any) any {
	if _, ok := key.(noteKey); ok {
		return l
	}
	return l.Context.Value(key)
}

type (
	noteKey struct{}
	callKey struct{}
	crewKey struct{}
)
