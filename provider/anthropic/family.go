package anthropic

import "strings"

// A family is what the models of one generation have in common.
type family struct {
	words      []string // its models' names hold one of them
	write      int      // tokens that a reply may have
	think      thinking
	interleave string // the beta that lets it think between calls
	signed     bool   // thinking without a signature is refused
}

// thinking is how a model is asked to think.
type thinking string

const (
	thinkNever    thinking = ""
	thinkBudget   thinking = "enabled"  // with a number of tokens for it
	thinkAdaptive thinking = "adaptive" // as long as it wants, by effort
)

const interleaved = "interleaved-thinking-2025-05-14"

// families are searched from the first; names vary with who serves a model, such
// as anthropic/claude-sonnet-4.5 and claude-sonnet-4-5-20250929.
var families = []family{
	{words: []string{"claude-3-5", "claude-3.5"}, write: 8192, signed: true},
	{words: []string{"claude-3-7", "claude-3.7"}, write: 64_000, think: thinkBudget, signed: true},
	{words: []string{"claude-3", "claude-2", "claude-instant"}, write: 4096, signed: true},
	{words: []string{"claude-opus-4-0", "claude-opus-4-1", "claude-opus-4.1", "claude-opus-4-2025"}, write: 32_000, think: thinkBudget, interleave: interleaved, signed: true},
	{words: []string{"claude-sonnet-4-0", "claude-sonnet-4-2025", "claude-sonnet-4-5", "claude-sonnet-4.5", "claude-haiku-4", "claude-opus-4-5", "claude-opus-4.5"}, write: 64_000, think: thinkBudget, interleave: interleaved, signed: true},
	{words: []string{"claude"}, write: 64_000, think: thinkAdaptive, signed: true},
}

// others is for models of other makers behind this API.
var others = family{write: 8192, think: thinkBudget}

func familyOf(model string) family {
	model = strings.ToLower(model)
	for i := range families {
		for _, w := range families[i].words {
			if strings.Contains(model, w) {
				return families[i]
			}
		}
	}
	return others
}

// budgets are the tokens for thinking at each effort; the least that is taken is
// 1,024, and it must be less than the reply may have.
var budgets = map[string]int{"minimal": 1024, "low": 2048, "medium": 8192, "high": 16_384, "xhigh": 24_576, "max": 31_999}

const minBudget = 1024
