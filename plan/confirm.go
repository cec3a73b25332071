package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

// Confirm says which plans must be confirmed before they run.
type Confirm string

// Rules for confirming.
const (
	ConfirmWrites Confirm = ""       // those that write or run commands
	ConfirmAlways Confirm = "always" // all
	ConfirmNever  Confirm = "never"  // none
)

// A Confirmation is a person's yes to a plan, bound to what was shown: the plan,
// the tools, the policy and, if it was previewed, every call. It stands in the
// record of the run, so that from the record alone one can show that each call
// came after it.
type Confirmation struct {
	ID         string            `json:"confirmationId"`
	PlanHash   string            `json:"planHash"`
	ToolsHash  string            `json:"toolRegistryVersion"`
	PolicyHash string            `json:"policyHash,omitzero"`
	Calls      map[string]string `json:"calls,omitempty"` // hash of each call by step and element; nil if the plan was not previewed
	Who        string            `json:"who"`
	When       time.Time         `json:"when"`
	How        string            `json:"how"` // terminal, console, token, policy
}

// ToolsHash is a hash of all specs on offer: the version of the tool registry.
func ToolsHash(tools tool.Set) string {
	b, err := json.Marshal(tools.Specs())
	if err == nil {
		var h string
		if h, err = schema.Hash(b); err == nil {
			return h
		}
	}
	return "unhashable: " + err.Error()
}

// callHash is a hash of what a call does.
func callHash(tool string, args json.RawMessage) string {
	b, err := schema.Encode(struct {
		Tool string          `json:"tool"`
		Args json.RawMessage `json:"args"`
	}{tool, args})
	if err == nil {
		var h string
		if h, err = schema.Hash(b); err == nil {
			return h
		}
	}
	return "unhashable: " + err.Error()
}

// String is the key as it stands in a Confirmation: s1 or s1[3].
func (k Key) String() string {
	if k.Index < 0 {
		return k.Step
	}
	return fmt.Sprintf("%s[%d]", k.Step, k.Index)
}

// needsConfirmation reports whether p may only run confirmed.
func (r *Runner) needsConfirmation(p *Plan) bool {
	switch r.Confirm {
	case ConfirmAlways:
		return true
	case ConfirmNever:
		return false
	}
	return p.Risk != tool.RiskReads
}

// confirmed checks that the confirmation is there, if one is needed, and is for
// this plan, these tools and this policy.
func (r *Runner) confirmed(p *Plan) error {
	c := r.Confirmation
	if c == nil {
		if r.needsConfirmation(p) {
			return tool.Errorf(tool.CodePrecondition, "the plan %s and nobody has confirmed it: nothing was run", verb(p.Risk))
		}
		return nil
	}
	switch {
	case c.PlanHash != p.Hash():
		return tool.Errorf(tool.CodePrecondition, "the confirmation is for another plan, or the plan was changed after it was confirmed: nothing was run")
	case c.ToolsHash != ToolsHash(r.Tools):
		return tool.Errorf(tool.CodePrecondition, "the tools were changed after the plan was confirmed: nothing was run")
	case c.PolicyHash != r.PolicyHash:
		return tool.Errorf(tool.CodePrecondition, "the policy was changed after the plan was confirmed: nothing was run")
	}
	return nil
}

func verb(r tool.Risk) string {
	switch r {
	case tool.RiskReads:
		return "reads"
	case tool.RiskWrites:
		return "writes"
	}
	return "runs commands"
}

// allows says why a call must not be made under the confirmation (rule P4). A
// call that only reads is always allowed.
func (c *Confirmation) allows(key Key, n *node, call *tool.Call) error {
	if c == nil || c.Calls == nil || n.spec.Risk == tool.RiskReads {
		return nil
	}
	want, ok := c.Calls[key.String()]
	switch {
	case !ok:
		return tool.Errorf(tool.CodePrecondition, "%s was not among the calls that were confirmed; preview the plan again", key)
	case want != callHash(n.spec.Name, call.Args):
		return tool.Errorf(tool.CodePrecondition, "%s would run with other arguments than those that were confirmed; preview the plan again", key)
	}
	return nil
}

// token is a short name for all that a confirmation binds.
func token(planHash, toolsHash, policyHash string, calls map[string]string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%s\n", planHash, toolsHash, policyHash)
	for _, k := range slices.Sorted(maps.Keys(calls)) {
		fmt.Fprintf(h, "%s %s\n", k, calls[k])
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}
