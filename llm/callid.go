package llm

import (
	"crypto/sha256"
	"math/big"
	"strconv"
)

// An IDRule says which call ids an API takes. The zero rule takes any.
type IDRule struct {
	Name  string `json:"name"`
	Max   int    `json:"max,omitzero"`   // bytes; any number if zero
	Exact bool   `json:"exact,omitzero"` // exactly Max
	Alnum bool   `json:"alnum,omitzero"` // letters and digits only; else also - and _
	Any   bool   `json:"any,omitzero"`   // any character that can be seen
}

// Rules of the known APIs.
var (
	IDsAny       = IDRule{Name: "any", Any: true}
	IDsOpenAI    = IDRule{Name: "openai40", Max: 40, Any: true}               // Chat Completions
	IDsResponses = IDRule{Name: "responses64", Max: 64}                       // call_… and fc_…
	IDsAnthropic = IDRule{Name: "anthropic64", Max: 64}                       // and Bedrock
	IDsStrict    = IDRule{Name: "alnum40", Max: 40, Alnum: true}              // Gemini, strict compatible servers
	IDsMistral   = IDRule{Name: "mistral9", Max: 9, Exact: true, Alnum: true} // whatever stands before it
)

// Fits reports whether the rule takes id.
func (r IDRule) Fits(id string) bool {
	if id == "" || r.Max > 0 && len(id) > r.Max || r.Exact && len(id) != r.Max {
		return false
	}
	for i := range len(id) {
		c := id[i]
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9':
		case r.Alnum:
			return false
		case c == '-' || c == '_':
		case r.Any && c > ' ' && c < 0x7f:
		default:
			return false
		}
	}
	return true
}

// An IDCodec gives the calls of one conversation ids that a rule takes. The
// same ids in the same order always give the same answers, so a history that
// grows keeps those it had and a prompt cache stays warm. The zero IDCodec keeps
// any id that is not taken.
type IDCodec struct {
	Rule IDRule

	taken map[string]bool
}

// ID is the id for the next call, whose own id is raw. An id that the rule takes
// and that is free is kept; any other becomes a hash of it. Cutting a long id
// instead would let two become one.
func (c *IDCodec) ID(raw string) string {
	if c.taken == nil {
		c.taken = make(map[string]bool)
	}
	id := raw
	for n := 0; id == "" || !c.Rule.Fits(id) || c.taken[id]; n++ {
		id = c.Rule.hash(raw, n)
	}
	c.taken[id] = true
	return id
}

// Own is ID for an id that the provider made itself: it takes it back whatever
// the rule says, and only one that is taken is changed. Where ids have one exact
// form, one of another form cannot be its own.
func (c *IDCodec) Own(raw string) string {
	if raw == "" || c.taken[raw] || c.Rule.Exact && !c.Rule.Fits(raw) {
		return c.ID(raw)
	}
	if c.taken == nil {
		c.taken = make(map[string]bool)
	}
	c.taken[raw] = true
	return raw
}

func (r IDRule) hash(raw string, n int) string {
	sum := sha256.Sum256([]byte(r.Name + "\x00" + raw + "\x00" + strconv.Itoa(n)))
	id := base62(sum[:])
	size := 32
	if r.Max > 0 && (r.Exact || r.Max < size) {
		size = r.Max
	}
	return id[:size]
}

// base62 writes b, of 32 bytes, as 43 letters and digits.
func base62(b []byte) string {
	s := new(big.Int).SetBytes(b).Text(62)
	for len(s) < 43 {
		s = "0" + s
	}
	return s
}
