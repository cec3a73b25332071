package audit

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strconv"
	"time"

	"github.com/toolpost/toolpost/event"
)

// An Entry is one line of a journal: an event, and its place in the chain. Its
// JSON has the members of the event and those below.
type Entry struct {
	event.Event
	Prev  string        // SHA-256 of the line before, in hex; 64 zeros in the first record
	After time.Duration // since the first record, in whole microseconds
	Facts *Facts        // of the first record each time the journal is opened for writing
	// Bytes has the text that was not UTF-8, by the JSON pointer of the member
	// that stands for it. What package encoding/json has written (a payload, the
	// facts, names of unknown members) is not among it.
	Bytes map[string][]byte

	Line   int    // in the journal, from 1
	Offset int64  // of its first byte
	Raw    []byte // the line, without its end

	call, result, own json.RawMessage // as they stand in Raw
	next              place           // behind it
}

// crcName begins the member that is left out of the sum; eight digits, a quote
// and a comma follow.
const crcName = `"crc":"`

const (
	crcLen  = len(crcName) + 8 + len(`",`)
	noPrev  = "0000000000000000000000000000000000000000000000000000000000000000"
	hashLen = len(noPrev)
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// chain makes records of events, each bound to the one before. It belongs to
// one goroutine.
type chain struct {
	enc   encoder
	seq   int64
	prev  [hashLen]byte
	first time.Time
	begun bool
	sum   [sha256.Size]byte // of the last record
	line  []byte            // the last record: valid until the next
}

// next is the record of ev, which becomes the head of the chain. It gives the
// event its number.
func (c *chain) next(ev *event.Event, f *Facts) ([]byte, error) {
	if !c.begun {
		c.begun = true
		copy(c.prev[:], noPrev)
	}
	if c.first.IsZero() {
		c.first = ev.Time.Add(-time.Duration(ev.Time.Nanosecond()) % time.Millisecond) // as it is written
	}
	ev.Seq = c.seq + 1
	e := &c.enc
	e.reset()
	e.buf = append(e.buf, `{"v":1,"seq":`...)
	e.buf = strconv.AppendInt(e.buf, ev.Seq, 10)
	e.buf = append(e.buf, ',')
	crcAt := len(e.buf)
	e.buf = append(e.buf, `"crc":"00000000","prev":"`...)
	e.buf = append(e.buf, c.prev[:]...)
	e.buf = append(e.buf, '"')
	e.event(ev, max(ev.Time.Sub(c.first), 0))
	if f != nil {
		e.value("facts", f)
	}
	if len(e.lossy) > 0 {
		e.keepBytes()
	}
	e.buf = append(e.buf, '}')
	if e.err != nil {
		return nil, fmt.Errorf("write event %s as JSON: %w", ev.Type, e.err)
	}
	var sum [4]byte
	crc := crc32.Update(crc32.Checksum(e.buf[:crcAt], castagnoli), castagnoli, e.buf[crcAt+crcLen:])
	sum[0], sum[1], sum[2], sum[3] = byte(crc>>24), byte(crc>>16), byte(crc>>8), byte(crc)
	hex.Encode(e.buf[crcAt+len(crcName):], sum[:])
	c.sum = sha256.Sum256(e.buf)
	hex.Encode(c.prev[:], c.sum[:])
	c.seq, c.line = ev.Seq, e.buf
	return e.buf, nil
}

// event writes the members that event.Event.MarshalJSON writes.
func (e *encoder) event(ev *event.Event, after time.Duration) {
	e.name("type")
	e.string(string(ev.Type))
	e.name("runId")
	e.string(ev.Run)
	e.name("timestamp")
	e.buf = appendTime(e.buf, ev.Time)
	e.int("us", after.Microseconds())
	e.name("level")
	e.string(string(cmp.Or(ev.Level, event.LevelInfo)))
	e.name("message")
	e.string(ev.Message)
	id, name, step := "", "", ev.Step
	if c := ev.Call; c != nil {
		id, name = c.ID, c.Tool
		if step == "" {
			step = c.Step
		}
	}
	if r := ev.Result; r != nil {
		id, name = r.ID, r.Tool
	}
	e.text("callId", id)
	e.text("stepId", step)
	e.text("tool", name)
	e.payload(ev)
}

// payload has the call of an event that is the first or the last to show it:
// as it was asked for, and as it runs. The others name it by its id.
func (e *encoder) payload(ev *event.Event) {
	call := ev.Call != nil && ev.Result == nil && (ev.Type == event.StepScheduled || ev.Type == event.StepStarted)
	if !call && ev.Result == nil && ev.Text == "" && ev.Index == 0 {
		if ev.Payload != nil {
			at := len(e.buf) + len(`,"payload":`)
			e.value("payload", ev.Payload)
			if e.err == nil {
				e.own = span{at, len(e.buf)}
			}
		}
		return
	}
	e.name("payload")
	e.buf = append(e.buf, '{')
	if call {
		e.name("call")
		e.appendCall(ev.Call)
	}
	if ev.Result != nil {
		e.name("result")
		e.appendResult(ev.Result)
	}
	e.text("text", ev.Text)
	e.int("index", int64(ev.Index))
	if ev.Payload != nil {
		e.value("more", ev.Payload)
	}
	e.buf = append(e.buf, '}')
}

// keepBytes writes the member "bytes". The record is closed for a moment so that
// its strings can be found again by their place.
func (e *encoder) keepBytes() {
	at := make(map[int]string, len(e.lossy))
	for _, l := range e.lossy {
		at[l.at] = l.text
	}
	doc := append(e.buf[:len(e.buf):len(e.buf)], '}')
	e.name("bytes")
	e.buf = append(e.buf, '{')
	for p, offset := range pointers(doc) {
		text, ok := at[offset]
		if !ok {
			continue
		}
		if e.buf[len(e.buf)-1] != '{' {
			e.buf = append(e.buf, ',')
		}
		e.string(p)
		e.buf = append(e.buf, ':', '"')
		e.buf = base64.StdEncoding.AppendEncode(e.buf, []byte(text))
		e.buf = append(e.buf, '"')
	}
	e.buf = append(e.buf, '}')
}
