package tool

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/toolpost/toolpost/schema"
)

// DefaultTimeout holds for a call whose tool and caller name no other. There is
// no call without a deadline.
const DefaultTimeout = 120 * time.Second

// A Spec is what a tool promises. It is built once and not changed.
type Spec struct {
	Name        string            `json:"name"`
	Aliases     []string          `json:"aliases,omitempty"` // other names it answers to
	Label       string            `json:"label,omitzero"`    // for people
	Description string            `json:"description"`       // for the model
	Input       *schema.Schema    `json:"parameters,omitempty"`
	Output      *schema.Schema    `json:"output,omitempty"`
	Examples    []json.RawMessage `json:"examples,omitempty"` // arguments that fit Input
	Risk        Risk              `json:"riskLevel,omitzero"`
	Category    string            `json:"category,omitzero"`
	SideEffects []string          `json:"sideEffects,omitempty"`
	Timeout     time.Duration     `json:"-"` // DefaultTimeout if zero; "timeoutMs" in JSON

	OwnerOnly     bool `json:"ownerOnly,omitzero"`     // for owners of a channel only
	Optional      bool `json:"optional,omitzero"`      // on offer only when an allow list names it
	Background    bool `json:"background,omitzero"`    // can go on after it has answered
	PTY           bool `json:"pty,omitzero"`           // can use a pseudo-terminal
	Elevated      bool `json:"elevated,omitzero"`      // can leave the sandbox
	WorkspaceOnly bool `json:"workspaceOnly,omitzero"` // touches nothing outside the workspace
	Idempotent    bool `json:"idempotent,omitzero"`    // a second equal call changes nothing more
	Sequential    bool `json:"sequential,omitzero"`    // its batch runs one call after another
	Polling       bool `json:"polling,omitzero"`       // is called again and again by design
	Previews      bool `json:"previews,omitzero"`      // honours Call.DryRun

	// Locks names arguments whose value is a resource, such as a path. Calls of
	// one batch that name the same resource run one after another.
	Locks []string `json:"locks,omitempty"`
	// Volatile names members of Data that differ from call to call without
	// meaning (durations, process ids); the loop guard leaves them out.
	Volatile []string `json:"volatile,omitempty"`
}

// Risk says what a tool can do to the world. The zero Risk is unknown, and is
// judged as the highest.
type Risk string

// Risks from least to most.
const (
	RiskReads    Risk = "read-only"
	RiskWrites   Risk = "writes"
	RiskCommands Risk = "commands"
)

// Level orders risks: 0 for RiskReads, 1 for RiskWrites, 2 for anything else.
func (r Risk) Level() int {
	switch r {
	case RiskReads:
		return 0
	case RiskWrites:
		return 1
	}
	return 2
}

// A Tool is a Spec and the Handler that keeps its promise.
type Tool struct {
	Spec
	Handler

	made uintptr // code of the Handler, if New made it: it guards itself
}

type specFields Spec

type specJSON struct {
	*specFields
	TimeoutMS int64 `json:"timeoutMs,omitzero"`
}

// MarshalJSON writes the timeout as whole milliseconds under "timeoutMs".
func (s Spec) MarshalJSON() ([]byte, error) {
	return json.Marshal(specJSON{(*specFields)(&s), s.Timeout.Milliseconds()})
}

// UnmarshalJSON reads what MarshalJSON wrote; both schemas are compiled.
func (s *Spec) UnmarshalJSON(b []byte) error {
	j := specJSON{specFields: (*specFields)(s)}
	if err := json.Unmarshal(b, &j); err != nil {
		return fmt.Errorf("read tool spec: %w", err)
	}
	s.Timeout = time.Duration(j.TimeoutMS) * time.Millisecond
	return nil
}
