package tool

import (
	"encoding/json"
	"time"

	"github.com/toolpost/toolpost/schema"
)

// A Ref names a call. A Result bears the Ref of the Call it answers. Refs are
// comparable; fields that a run does not use are zero and cost nothing.
type Ref struct {
	ID      string `json:"callId"`             // unique in the run
	Tool    string `json:"tool"`               // canonical once the Registry has found it
	Run     string `json:"runId,omitzero"`     //
	Step    string `json:"stepId,omitzero"`    // of a plan
	Agent   string `json:"agentId,omitzero"`   // of a distributed run
	Turn    string `json:"turnId,omitzero"`    //
	Epoch   int    `json:"turnEpoch,omitzero"` // fences late answers
	Attempt int    `json:"attempt,omitzero"`   // from 1; each attempt is a call of its own
}

// A Call is one invocation of one tool. Middleware may change it until it is
// started, by replacing fields; Args are replaced, never written into. From the
// note Started on nobody changes it.
type Call struct {
	Ref
	ProviderID string          `json:"providerCallId,omitzero"` // the id the model's provider gave
	Args       json.RawMessage `json:"args,omitempty"`
	Created    time.Time       `json:"createdAt,omitzero"`
	Timeout    time.Duration   `json:"-"`                   // asked for by the caller; the tool's own if zero; "timeoutMs" in JSON
	Deadline   time.Time       `json:"deadlineAt,omitzero"` // set when the call starts
	After      After           `json:"afterExecution,omitzero"`
	Preview    string          `json:"preview,omitzero"` // for a person
	Item       *Item           `json:"iteration,omitempty"`
	Loop       string          `json:"loopId,omitzero"` // shared by the calls of one foreach
	DryRun     bool            `json:"dryRun,omitzero"` // tell what would be done, and do nothing
	Grant
	Changes []schema.Change `json:"normalized,omitempty"` // what was done to the arguments before the tool saw them

	// Spec is set by the Registry, as http.ServeMux sets Request.Pattern.
	Spec *Spec `json:"-"`
	// Extra holds members of a decoded call that this package does not know.
	// They are written back as they came.
	Extra map[string]json.RawMessage `json:"-"`

	checked json.RawMessage // the arguments that were found to fit
}

// NewCall is a call of the named tool with a fresh id and args as JSON text.
func NewCall(name, args string) *Call {
	return &Call{Ref: Ref{ID: NewID(), Tool: name, Attempt: 1}, Args: json.RawMessage(args), Created: time.Now()}
}

// An Item says which element of a foreach a call is for.
type Item struct {
	Index int             `json:"index"`
	Name  string          `json:"itemName"`
	Value json.RawMessage `json:"itemValue"`
}

// A Grant is what let a call through: it stands in the record of the call, so
// that one can show who allowed what. The zero Grant says that nothing was
// asked.
type Grant struct {
	Rule         string    `json:"rule,omitzero"`           // id of the rule that decided
	Approval     string    `json:"approvalId,omitzero"`     // of the approval desk
	Confirmation string    `json:"confirmationId,omitzero"` // of the run's confirmation
	Digest       string    `json:"digest,omitzero"`         // of what was approved
	Policy       *Snapshot `json:"policy,omitempty"`        // shared by all calls under it; not to be changed
}

// A Snapshot is the policy under which a call ran, as seed 003 writes it.
type Snapshot struct {
	ConfirmationsRequired bool            `json:"confirmationsRequired"`
	Sandbox               SandboxSnapshot `json:"sandbox"`
	Limits                LimitSnapshot   `json:"limits"`
	Hash                  string          `json:"hash,omitzero"`
}

// A SandboxSnapshot says what confined a call.
type SandboxSnapshot struct {
	Enabled      bool     `json:"enabled"`
	Level        string   `json:"level,omitzero"` // full, landlock, none
	AllowedRoots []string `json:"allowedRoots,omitempty"`
	DenyPatterns []string `json:"denyPatterns,omitempty"`
}

// A LimitSnapshot is the limits that held for a call; zero means none was set.
type LimitSnapshot struct {
	MaxConcurrency int   `json:"maxConcurrency,omitzero"`
	TimeoutMS      int64 `json:"timeoutMs,omitzero"`
	OutputBytes    int64 `json:"outputBytes,omitzero"`
}

// After says what follows a call: the turn goes on (the zero value), suspends
// until the result is there, or ends.
//
// An agent loop ends when every result of a batch says terminate; a durable
// turn (package turn) ends when any does.
type After string

// What may follow a call.
const (
	AfterSuspend   After = "suspend"
	AfterTerminate After = "terminate"
)
