package plan

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

// Limits of a plan.
const (
	MaxSteps    = 10_000 // of a document
	MaxElements = 10_000 // of one foreach
	MaxAttempts = 10     // of one step, the first included
)

// A Plan is an ActionPlan. It is not changed once it has been parsed.
type Plan struct {
	Version     string                     `json:"version"` // "1.0"
	Goal        string                     `json:"goal"`
	Risk        tool.Risk                  `json:"riskLevel"`
	Steps       []Step                     `json:"steps"`
	Assumptions []string                   `json:"assumptions,omitempty"`
	Context     []ContextRequest           `json:"contextRequests,omitempty"` // for the host that shows the plan
	Defaults    *Defaults                  `json:"defaults,omitempty"`
	Outputs     *Outputs                   `json:"outputs,omitempty"`
	Hints       *Hints                     `json:"uiHints,omitempty"` // never used for logic
	Vars        map[string]json.RawMessage `json:"vars,omitempty"`
}

// A Step is one use of a tool, or with Foreach one for each element of a list.
type Step struct {
	ID        string          `json:"id"` // a letter, then letters, digits, '_' and '-'
	Tool      string          `json:"tool"`
	Args      json.RawMessage `json:"args"`
	Preview   string          `json:"preview,omitzero"`
	DependsOn []string        `json:"dependsOn,omitempty"`
	Foreach   *Foreach        `json:"foreach,omitempty"`
	CaptureAs string          `json:"captureAs,omitzero"` // a variable that its data becomes
	When      *Condition      `json:"when,omitempty"`
	OnError   OnError         `json:"onError,omitzero"`
	Retry     *Retry          `json:"retry,omitempty"`
	TimeoutMS int64           `json:"timeoutMs,omitzero"`
	Tags      []string        `json:"tags,omitempty"`
}

// Foreach repeats a step for the elements of the list that From refers to.
type Foreach struct {
	From        string `json:"from"`
	Item        string `json:"itemName"`
	Index       string `json:"indexName,omitzero"`   // "index" if empty
	Concurrency int    `json:"concurrency,omitzero"` // 1 if zero; the runner's limit holds, too
}

// IndexName is the name by which the step refers to the position, from 0.
func (f *Foreach) IndexName() string {
	if f.Index == "" {
		return "index"
	}
	return f.Index
}

// OnError says what follows when a step fails.
type OnError string

// Ways to go on after a failure.
const (
	OnErrorStop  OnError = "stop"  // running calls finish, no new ones start
	OnErrorSkip  OnError = "skip"  // what refers to the step is skipped
	OnErrorRetry OnError = "retry" // it is tried again, then as stop
)

// Retry says how often a step is tried, and how long is waited in between: twice
// as long each time, and with Jitter a random part of that.
type Retry struct {
	MaxAttempts int    `json:"maxAttempts"`         // 1 to 10, the first included
	BackoffMS   *int64 `json:"backoffMs,omitempty"` // 0 to 600,000; 250 if nil
	Jitter      *bool  `json:"jitter,omitempty"`    // true if nil
}

// Defaults holds for steps that say nothing themselves.
type Defaults struct {
	OnError   OnError `json:"onError,omitzero"`
	Retry     *Retry  `json:"retry,omitempty"`
	TimeoutMS int64   `json:"timeoutMs,omitzero"`
}

// Outputs says what a host shows when the plan has run; everything if nil.
type Outputs struct {
	Created  *bool `json:"showCreatedFiles,omitempty"`
	Modified *bool `json:"showModifiedFiles,omitempty"`
	Commands *bool `json:"showCommandRuns,omitempty"`
}

// Hints are for a host's display.
type Hints struct {
	Title   string `json:"title,omitzero"`
	Summary string `json:"summary,omitzero"`
}

// A ContextRequest is what the planner would have liked to know.
type ContextRequest struct {
	Kind    string          `json:"kind"`
	Options json.RawMessage `json:"options,omitempty"`
}

//go:embed plan.schema.json
var schemaText []byte

// compiled is the schema of the document.
var compiled = sync.OnceValue(func() *schema.Schema { return schema.MustParse(string(schemaText)) })

// Schema is the published JSON Schema of the document, for editors.
func Schema() json.RawMessage { return json.RawMessage(strings.TrimSpace(string(schemaText))) }

// Parse reads a plan. It is strict: whatever the document holds that a plan does
// not have, or in another form, is told, all of it at once, by JSON pointer. The
// error has the code VALIDATION_ERROR and the problems as its details.
func Parse(doc []byte) (*Plan, error) {
	if err := compiled().Check(doc); err != nil {
		return nil, invalid(problemsOf(err))
	}
	p := new(Plan)
	if err := schema.Decode(doc, p); err != nil {
		return nil, tool.Errorf(tool.CodeInvalid, "read plan: %w", err)
	}
	return p, nil
}

// Hash is the SHA-256 of the plan's canonical JSON (RFC 8785), in hex.
func (p *Plan) Hash() string {
	b, err := schema.Encode(p)
	if err == nil {
		var h string
		if h, err = schema.Hash(b); err == nil {
			return h
		}
	}
	return "unhashable: " + err.Error() // of a plan that Parse has not made
}

// A Problem is something that is wrong with a plan, or may be.
type Problem struct {
	Pointer string `json:"pointer"` // JSON pointer into the document
	Step    string `json:"stepId,omitzero"`
	Rule    string `json:"rule"`
	Message string `json:"message"`
	Nearest string `json:"nearest,omitzero"`
	Warning bool   `json:"warning,omitzero"` // the plan can be run all the same
}

// String is the problem in one line, with its place.
func (p Problem) String() string {
	at := p.Pointer
	if at == "" {
		at = "the plan"
	}
	s := at + ": " + p.Message
	if p.Nearest != "" && !strings.Contains(p.Message, p.Nearest) {
		s += fmt.Sprintf("; did you mean %q?", p.Nearest)
	}
	return s
}

// Errors is the problems that keep a plan from being run.
func Errors(problems []Problem) []Problem {
	var out []Problem
	for _, p := range problems {
		if !p.Warning {
			out = append(out, p)
		}
	}
	return out
}

// invalid is one error for problems.
func invalid(problems []Problem) error {
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = p.String()
	}
	e := tool.AsError(tool.Errorf(tool.CodeInvalid, "the plan is not valid: %s", strings.Join(lines, "; ")))
	e.Details, _ = schema.Encode(struct {
		Problems []Problem `json:"problems"`
	}{problems})
	return e
}

func problemsOf(err error) []Problem {
	var inv *schema.Invalid
	if !errors.As(err, &inv) {
		return []Problem{{Rule: "json", Message: err.Error()}}
	}
	out := make([]Problem, len(inv.Problems))
	for i, p := range inv.Problems {
		out[i] = Problem{Pointer: p.Pointer, Rule: p.Rule, Message: p.Message, Nearest: p.Nearest}
	}
	return out
}
