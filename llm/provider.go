package llm

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/toolpost/toolpost/tool"
)

// A Provider is a model behind some API. Stream asks it once; its deltas join
// into a Message by [Reply]. The stream ends with an error, as the last thing
// yielded, when the request failed or the reply was cut off; to break is to give
// the request up. A Provider may be used by many goroutines at once. It does not
// retry: see [Retry] and [Pipeline].
type Provider interface {
	Stream(ctx context.Context, req *Request) iter.Seq2[Delta, error]
}

// A Request is what a model is asked. A Provider does not change it.
type Request struct {
	Model     string          `json:"model"` // as the provider names it
	System    string          `json:"system,omitzero"`
	Messages  []Message       `json:"messages"`
	Tools     []tool.Spec     `json:"tools,omitempty"`
	Choice    Choice          `json:"toolChoice,omitzero"`
	MaxTokens int             `json:"maxTokens,omitzero"` // of the reply; the provider's own if zero
	Serial    bool            `json:"serial,omitzero"`    // at most one call in a reply
	Effort    string          `json:"reasoningEffort,omitzero"`
	Temp      *float64        `json:"temperature,omitempty"`
	Session   string          `json:"session,omitzero"` // a key by which a provider may cache
	Extra     json.RawMessage `json:"extra,omitempty"`  // an object merged into the provider's request
}

// A Choice says whether the model must, may or must not call tools. The zero
// Choice lets it decide.
type Choice struct {
	Mode ChoiceMode `json:"mode,omitzero"`
	Name string     `json:"name,omitzero"` // the tool that must be called, of ChoiceTool
}

// ChoiceMode is a kind of Choice.
type ChoiceMode string

// Choices.
const (
	ChoiceAuto     ChoiceMode = ""
	ChoiceNone     ChoiceMode = "none"
	ChoiceRequired ChoiceMode = "required"
	ChoiceTool     ChoiceMode = "tool"
)

// A Delta is one piece of a reply as it streams in. Its strings may be kept;
// what Opaque and Usage point at is valid until the next delta is asked for.
type Delta struct {
	Kind DeltaKind
	Text string // of text, thinking, a call's argument fragment; of DeltaStop the provider's own word

	// Of a call. Index is the provider's number for it, -1 if it gave none or
	// cannot be trusted with it.
	Index int
	ID    string // as the provider gave it, often on the first fragment only
	Name  string // likewise

	Choice    int             // which alternative of the reply; only 0 is used
	Signature string          // of the block that the delta belongs to
	Opaque    json.RawMessage // of DeltaOpaque
	Usage     *Usage          // of DeltaUsage; the last one counts
	Stop      Stop            // of DeltaStop
	Provider  string          // of DeltaStart: who was asked
	API       string          // of DeltaStart: by which wire, such as openai-chat
	Model     string          // of DeltaStart: the model, as it was asked for
	Served    string          // of DeltaStart: as the server calls it
	MessageID string          // of DeltaStart
}

// DeltaKind says what a Delta brings.
type DeltaKind int

// Kinds of delta.
const (
	DeltaStart    DeltaKind = iota + 1 // the reply has begun
	DeltaText                          //
	DeltaThinking                      //
	DeltaCall                          // begins a call or adds to its arguments
	DeltaCallDone                      // the provider says that the call is whole; Text, if any, is all its arguments
	DeltaOpaque                        // a block to be carried along
	DeltaUsage                         //
	DeltaStop                          // the reply has ended
	DeltaReset                         // what came so far is void: the reply broke and is asked for anew
)
