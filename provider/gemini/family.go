package gemini

import "strings"

// A Family is what a generation of models takes. It is data: [FamilyFor] chooses
// one, and a configuration may override any field by its JSON name.
type Family struct {
	Name         string   `json:"name"`
	Schema       string   `json:"schema"`                // the dialect of package schema for arguments
	SchemaIn     string   `json:"schemaIn"`              // the member of a declaration that the schema stands in
	Thinking     Thinking `json:"thinking,omitzero"`     // how reasoning is asked for
	MinBudget    int      `json:"minBudget,omitzero"`    // of ThinkingBudget: the least tokens it can think
	MaxBudget    int      `json:"maxBudget,omitzero"`    // of ThinkingBudget: the most
	Levels       []string `json:"levels,omitempty"`      // of ThinkingLevel: those it knows, least first
	ResultImages bool     `json:"resultImages,omitzero"` // results may hold images
	Signed       bool     `json:"signed,omitzero"`       // calls are refused without a signature
}

// Thinking is the field by which reasoning is asked for. The zero Thinking
// leaves it out.
type Thinking string

// Fields for reasoning.
const (
	ThinkingLevel  Thinking = "thinkingLevel"
	ThinkingBudget Thinking = "thinkingBudget"
)

const (
	schemaJSON = "parametersJsonSchema" // JSON Schema
	schemaOld  = "parameters"           // a part of OpenAPI 3.0
)

var allLevels = []string{"MINIMAL", "LOW", "MEDIUM", "HIGH"}

// families are chosen by the first word that is in the model's name; the last
// one has all that none of the others names.
var families = []struct {
	words []string
	f     Family
}{
	{[]string{"gemini-1", "gemini-2.0", "gemini-pro", "gemma", "learnlm", "claude"}, Family{Name: "gemini-2.0", Schema: "gemini-parameters", SchemaIn: schemaOld}},
	{[]string{"gemini-2.5-pro"}, Family{Name: "gemini-2.5-pro", Schema: "gemini", SchemaIn: schemaJSON, Thinking: ThinkingBudget, MinBudget: 128, MaxBudget: 32768}},
	{[]string{"gemini-2"}, Family{Name: "gemini-2.5", Schema: "gemini", SchemaIn: schemaJSON, Thinking: ThinkingBudget, MaxBudget: 24576}},
	{[]string{"gemini-3-pro"}, Family{Name: "gemini-3-pro", Schema: "gemini", SchemaIn: schemaJSON, Thinking: ThinkingLevel, Levels: []string{"LOW", "HIGH"}, ResultImages: true, Signed: true}},
	{nil, Family{Name: "gemini-3", Schema: "gemini", SchemaIn: schemaJSON, Thinking: ThinkingLevel, Levels: allLevels, ResultImages: true, Signed: true}},
}

// FamilyFor is the family of a model, by its name. A name that tells nothing is
// taken for one of the newest.
func FamilyFor(model string) Family {
	model = strings.ToLower(model)
	for _, row := range families {
		for _, w := range row.words {
			if strings.Contains(model, w) {
				return row.f
			}
		}
	}
	return families[len(families)-1].f
}

// budgets are the tokens to think for each effort.
var budgets = map[string]int{"none": 0, "minimal": 512, "low": 1024, "medium": 8192, "high": 24576, "xhigh": 32768, "max": 32768}

// levels is where each effort stands among four levels.
var levels = map[string]int{"none": 0, "minimal": 0, "low": 1, "medium": 2, "high": 3, "xhigh": 3, "max": 3}

// budget is the tokens to think for an effort.
func (f *Family) budget(effort string) (n int, ok bool) {
	n, ok = budgets[effort]
	return min(max(n, f.MinBudget), f.MaxBudget), ok
}

// level is the level for an effort: the first that the family knows from there
// on, upward.
func (f *Family) level(effort string) (string, bool) {
	want, ok := levels[effort]
	if !ok || len(f.Levels) == 0 {
		return "", false
	}
	for _, have := range f.Levels {
		for i, l := range allLevels {
			if l == have && i >= want {
				return have, true
			}
		}
	}
	return f.Levels[len(f.Levels)-1], true
}
