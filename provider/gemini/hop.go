package gemini

import "github.com/toolpost/toolpost/llm"

// A hop is one request of a reply that takes several: the server stops after a
// while, or the connection breaks, and a token says where to go on. The rules
// are those of Google's own client (genai 1.77, continuation.go), but for one: a
// reply is not taken up at a token behind which more text was read, which would
// be said twice.
type hop struct {
	from  string // the token that was sent, if any
	token string // the newest that came
	owner string // the interaction that from belongs to
	id    string // of this interaction
	any   bool   // something came
	since bool   // content came behind the newest token
	fault bool   // the server itself says that it failed

	tries int // requests in a row that brought nothing
	count int // all requests but the first
}

const (
	maxIdleHops = 3  // requests in a row that bring nothing new
	maxHops     = 64 // requests of one reply
)

func (h *hop) content() { h.any, h.since = true, true }

// check notes a token: all that came so far lies before it.
func (h *hop) check(token []byte) {
	if len(token) > 0 {
		h.token, h.since = string(token), false
	}
}

// goOn reports whether the reply, whose last request ended with err, goes on
// with another request, and is ready for it then.
func (in *intake) goOn(err error) bool {
	h := &in.hop
	if h.count >= maxHops || err != nil && !in.mayRetry(err) {
		return false
	}
	fresh := h.token != "" && h.token != h.from
	switch {
	case in.stop == llm.StopContinue && fresh:
	case in.stop != "":
		return false
	case fresh && !h.since:
	case !fresh && h.from != "" && !h.since && h.tries < maxIdleHops:
		in.next(h.from, h.owner, h.tries+1)
		return true
	default:
		return false
	}
	owner := h.id
	if owner == "" {
		owner = h.owner
	}
	in.next(h.token, owner, 0)
	return true
}

// mayRetry reports whether a request that failed so may be taken up at a token.
// What the server refused is not for us to ask again.
func (in *intake) mayRetry(err error) bool {
	e := llm.AsError(err)
	return e.Retryable && e.Status == 0 && (in.hop.any || !in.hop.fault)
}

// next makes ready for another request.
func (in *intake) next(token, owner string, tries int) {
	in.past, in.usage = in.past.Add(in.usage), llm.Usage{}
	in.stop, in.word = "", ""
	in.hop = hop{from: token, owner: owner, tries: tries, count: in.hop.count + 1}
}

// correct reports whether the model is to be asked once more since the server
// could not read its call, of which nothing has come then. What it said before
// stands, and it is told to go on from there.
func (x *exchange) correct() bool {
	if x.corrected || x.in.word != malformed || x.in.calls > 0 {
		return false
	}
	x.corrected = true
	x.in.rest()
	x.in.next("", "", 0)
	return true
}

// correction is what the model is told of a call that could not be read.
const correction = "Your last function call could not be read: it was malformed. Make the call again, as a function call with arguments that are one JSON object, and write no code."
