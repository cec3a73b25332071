package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/toolpost/toolpost/internal/sse"
	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// A Decoder takes the answer to one request apart, and hands its deltas on.
type Decoder interface {
	// Event takes one event of a stream, of which data is never empty; both are
	// valid until it returns. Its State is Nothing for a ping. ErrNotJSON says
	// that data is not JSON; any other error ends the answer.
	Event(name, data []byte) (State, error)
	// Whole takes a reply in one piece, or an error in place of a stream, which is
	// told as it is by llm.ErrorOf. ErrNotJSON as above.
	Whole(data []byte) error
	// End says what is left to say once nothing more comes, and whether the reply
	// was cut off.
	End() error
	// Gone reports that nobody listens any more.
	Gone() bool
}

// State says how far a reply has come.
type State int

// States of a reply.
const (
	Nothing State = iota // of it has come yet
	Begun                //
	Said                 // why it ends: nothing of weight follows
	Over                 // nothing follows
)

// ErrNotJSON is what a Decoder says of an event that it cannot read.
var ErrNotJSON = errors.New("not JSON")

// A Body is the body of an answer of status 200, whatever it holds.
type Body struct {
	R      io.Reader
	Header http.Header
	Max    int  // bytes of an event; sse.DefaultMax if zero
	Lines  bool // a stream is JSON, one value a line, not server-sent events

	// Frames reads streams of another form, of events of at most max bytes; nil for
	// server-sent events and lines.
	Frames func(r io.Reader, max int) Source

	watch *watch // nil for one that is no answer of a server
	head  []byte // the first bytes, for a message
}

const maxHead = 200

// grace is how long a stream may go on silently once its finish has been said.
const grace = 3 * time.Second

// headed keeps the first bytes of a body.
type headed struct{ b *Body }

func (h headed) Read(p []byte) (int, error) {
	n, err := h.b.R.Read(p)
	if room := maxHead - len(h.b.head); room > 0 && n > 0 {
		h.b.head = append(h.b.head, p[:min(n, room)]...)
	}
	return n, err
}

// Read has d take the body apart: as server-sent events, or in one piece if it
// begins like JSON.
func (b *Body) Read(d Decoder) error {
	br := bufio.NewReaderSize(headed{b}, 4096)
	if b.Frames != nil {
		return b.stream(b.Frames(br, b.max()), d)
	}
	switch firstByte(br) {
	case '<':
		return b.page(br)
	case '{', '[': // an error, or a server that does not stream
		if b.Lines {
			return b.stream(&lineReader{r: br, max: b.max()}, d)
		}
		return b.whole(br, d)
	}
	return b.stream(&sse.Reader{R: br, Max: b.max()}, d)
}

// firstByte is the first byte of r that is no white space, which stays in r; 0
// if there is none.
func firstByte(r *bufio.Reader) byte {
	for {
		b, err := r.Peek(1)
		if err != nil {
			return 0
		}
		if b[0] != ' ' && b[0] != '\t' && b[0] != '\n' && b[0] != '\r' {
			return b[0]
		}
		_, _ = r.Discard(1) // it was peeked at
	}
}

// page is the error of a page of HTML.
func (b *Body) page(r io.Reader) error {
	text, _ := io.ReadAll(io.LimitReader(r, maxErrorBody))
	e := llm.ErrorOf(0, b.Header, text)
	e.Status, e.Retryable = http.StatusOK, false
	e.Advice = "check the base URL, its path too"
	return e
}

func (b *Body) max() int {
	if b.Max > 0 {
		return b.Max
	}
	return sse.DefaultMax
}

// whole reads a reply in one piece.
func (b *Body) whole(r io.Reader, d Decoder) error {
	data, err := io.ReadAll(io.LimitReader(r, int64(b.max())+1))
	if err != nil {
		return fmt.Errorf("read reply: %w", err)
	}
	if len(data) > b.max() {
		return TooLong(b.max())
	}
	err = d.Whole(data)
	if errors.Is(err, ErrNotJSON) {
		e := llm.ErrorOf(0, b.Header, data)
		e.Message = "the reply is not JSON: " + e.Message
		return e
	}
	return err
}

// TooLong is the error of an event of more than n bytes.
func TooLong(n int) error {
	return &llm.Error{Code: tool.CodeLimit, Message: fmt.Sprintf("the server sent an event of more than %d bytes", n), Advice: "ask for less at a time, or use another model"}
}

// A Source is a stream of events; see [sse.Reader] for its errors.
type Source interface{ Next() (sse.Event, error) }

// stream reads events up to the last, the end, or silence after the finish.
func (b *Body) stream(sr Source, d Decoder) error {
	state := Nothing
	for !d.Gone() {
		ev, err := sr.Next()
		switch {
		case errors.Is(err, sse.ErrTooLong):
			return TooLong(b.max())
		case err != nil && state >= Said:
			return d.End() // all that matters was there
		case err == io.EOF && state == Nothing && len(bytes.TrimSpace(b.head)) > 0:
			return &llm.Error{Code: tool.CodeUnavailable, Retryable: true, Message: "the answer is not a reply: " + Clip(bytes.TrimSpace(b.head))}
		case err == io.EOF:
			return d.End()
		case err != nil:
			return fmt.Errorf("read stream: %w", err)
		}
		data := bytes.TrimSpace(ev.Data)
		if len(data) == 0 {
			continue
		}
		now, err := d.Event(ev.Name, data)
		switch {
		case errors.Is(err, ErrNotJSON) && ev.Cut, err == nil && now == Over:
			return d.End()
		case errors.Is(err, ErrNotJSON):
			return &llm.Error{Code: tool.CodeUnavailable, Retryable: true, Message: "the stream holds an event that is not JSON: " + Clip(data), Advice: "check that the base URL leads to a server of this API"}
		case err != nil:
			return err
		}
		if state = max(state, now); state >= Said {
			b.watch.hurry(grace)
		}
		if now != Nothing {
			b.watch.said()
		}
	}
	return nil
}

// Clip is the beginning of b on one line, for a message.
func Clip(b []byte) string {
	if len(b) > 200 {
		b = b[:200]
	}
	return strings.Join(strings.Fields(llm.Clean(string(bytes.ToValidUTF8(b, nil)))), " ")
}

// Cut is the error of a stream that ended before the reply did, when it had come
// so far.
func Cut(state State) error {
	if state == Nothing {
		return &llm.Error{Code: tool.CodeUnavailable, Type: "empty", Retryable: true, Message: "the server closed the stream before it said anything", Advice: "try again, or check the base URL"}
	}
	return &llm.Error{Code: tool.CodeUnavailable, Type: "cut", Retryable: true, Message: "the stream ended before the reply did", Advice: "try again"}
}
