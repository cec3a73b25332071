package audit

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"iter"
	"strconv"
	"time"

	"github.com/toolpost/toolpost/tool"
)

// A Damage says that a journal is not what was written: a record that is no
// record, that does not fit its sum, or that does not follow the one before.
type Damage struct {
	Line   int    // from 1
	Offset int64  // of the line's first byte
	Rule   string // what does not hold
	Copy   string // the name of the copy that was kept, if one was
}

// Error names the place and the rule.
func (d *Damage) Error() string {
	s := fmt.Sprintf("line %d (byte %d): %s", d.Line, d.Offset, d.Rule)
	if d.Copy != "" {
		s += "; a copy is kept as " + d.Copy
	}
	return s
}

// A place is where reading a chain has come to: what the next record must fit.
type place struct {
	line   int
	offset int64
	seq    int64
	prev   [hashLen]byte
	sum    [sha256.Size]byte // of the last record, which prev is the hex of
}

func (p *place) damage(rule string) error {
	return &Damage{Line: p.line + 1, Offset: p.offset, Rule: rule}
}

// sealed reports whether the journal ends here, as run.json says of a run that
// has ended: then nothing at its end is torn.
func (p *place) sealed(s *Summary) error {
	if p.seq == s.Counts.Records && (p.seq == 0 || string(p.prev[:]) == s.Head) {
		return nil
	}
	return p.damage(fmt.Sprintf("the journal ends behind record %d, and run.json seals %d: its end was cut off or changed", p.seq, s.Counts.Records))
}

// check reports whether line, without its end, is the record that follows, and
// moves on behind it. Nothing but the frame is looked at: the sum stands for
// the rest.
func (p *place) check(line []byte) error {
	if p.line == 0 {
		copy(p.prev[:], noPrev)
	}
	head, ok := bytes.CutPrefix(line, []byte(`{"v":`))
	if !ok {
		return p.damage("not a record: a record begins with its version")
	}
	if head, ok = bytes.CutPrefix(head, []byte(`1,"seq":`)); !ok {
		return p.damage("the record has a version that this program does not know; read it with a newer toolpost")
	}
	digits := 0
	for digits < len(head) && digits < 19 && head[digits] >= '0' && head[digits] <= '9' {
		digits++
	}
	seq, err := strconv.ParseInt(string(head[:digits]), 10, 64)
	if err != nil || !bytes.HasPrefix(head[digits:], []byte(","+crcName)) {
		return p.damage("not a record: no number and sum at its head")
	}
	crcAt := len(line) - len(head) + digits + 1
	rest := line[crcAt:]
	if len(rest) < crcLen || rest[crcLen-2] != '"' || rest[crcLen-1] != ',' {
		return p.damage("not a record: no sum at its head")
	}
	var sum [4]byte
	if _, err := hex.Decode(sum[:], rest[len(crcName):len(crcName)+8]); err != nil {
		return p.damage("not a record: its sum is not hexadecimal")
	}
	rest = rest[crcLen:]
	want := uint32(sum[0])<<24 | uint32(sum[1])<<16 | uint32(sum[2])<<8 | uint32(sum[3])
	if crc32.Update(crc32.Checksum(line[:crcAt], castagnoli), castagnoli, rest) != want {
		return p.damage("the record does not fit its sum (crc)")
	}
	if seq != p.seq+1 {
		return p.damage(fmt.Sprintf("record %d stands where %d should: one was cut out, put in or moved", seq, p.seq+1))
	}
	const name = `"prev":"`
	if len(rest) < len(name)+hashLen+1 || string(rest[:len(name)]) != name || rest[len(name)+hashLen] != '"' {
		return p.damage("not a record: no hash of the one before")
	}
	if !bytes.Equal(rest[len(name):len(name)+hashLen], p.prev[:]) {
		return p.damage("the record does not follow the one before: that one or this one was changed (prev)")
	}
	p.sum = sha256.Sum256(line)
	hex.Encode(p.prev[:], p.sum[:])
	p.seq = seq
	p.line++
	p.offset += int64(len(line)) + 1
	return nil
}

// decode reads a line that has passed check.
func decode(line []byte) (*Entry, error) {
	r := &Entry{Raw: line}
	if err := r.Event.UnmarshalJSON(line); err != nil {
		return nil, err
	}
	var payload json.RawMessage
	for name, value := range members(line) {
		var err error
		switch string(name) {
		case "prev":
			r.Prev = string(bytes.Trim(value, `"`))
		case "us":
			var us int64
			us, err = strconv.ParseInt(string(value), 10, 64)
			r.After = time.Duration(us) * time.Microsecond
		case "facts":
			err = json.Unmarshal(value, &r.Facts)
		case "bytes":
			err = json.Unmarshal(value, &r.Bytes)
		case "payload":
			payload = value
		}
		if err != nil {
			return nil, fmt.Errorf("read record: %s: %w", name, err)
		}
	}
	if !bearsCall(r.Type) {
		r.own = payload
		return r, nil
	}
	for name, value := range members(payload) {
		switch string(name) {
		case "call":
			r.call = value
		case "result":
			r.result = value
		}
	}
	return r, nil
}

// entries is the checked and decoded records of the lines of a journal. A last
// line that is no record is torn, and left out.
func entries(lines iter.Seq2[[]byte, error]) iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		var p place
		var bad error // of a line that is damage if another follows
		for line, err := range lines {
			if err = cmp.Or(bad, err); err != nil {
				yield(nil, err)
				return
			}
			at := p
			if bad = p.check(line); bad != nil {
				continue
			}
			r, err := decode(line)
			if err != nil {
				yield(nil, at.damage(err.Error()))
				return
			}
			r.Line, r.Offset, r.next = p.line, at.offset, p
			if !yield(r, nil) {
				return
			}
		}
	}
}

// corrupt is the error for a journal that is damaged.
func corrupt(id string, err error) error {
	return tool.Errorf(tool.CodePrecondition, "the journal of run %s is damaged: %w", id, err)
}
