package audit

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/tool"
)

// A Proof is what [Store.Verify] found.
type Proof struct {
	Run     string  `json:"runId"`
	Status  Status  `json:"status,omitzero"` // as run.json has it
	Records int64   `json:"records"`         // that hold, from the first
	Signed  int64   `json:"signed"`          // of them, those that a signature stands for
	Bytes   int64   `json:"bytes"`           // of the journal, that hold
	Root    string  `json:"root"`            // of the Merkle tree of the records, in hex
	Key     string  `json:"key,omitzero"`    // that signed
	Live    bool    `json:"live,omitzero"`   // somebody writes the run: its end is not judged
	Faults  []Fault `json:"faults"`          // of the journal first, as they stand in it
}

// OK reports whether the run is what was recorded.
func (p *Proof) OK() bool { return len(p.Faults) == 0 }

// A Fault is one place of a run's record that is not what was written.
type Fault struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitzero"`   // from 1; 0 if the fault has none
	Offset int64  `json:"offset,omitzero"` // of that line
	Rule   string `json:"rule"`            // what does not hold
}

// String is the fault in one line, with its place.
func (f Fault) String() string {
	if f.Line == 0 {
		return f.File + ": " + f.Rule
	}
	return fmt.Sprintf("%s line %d (byte %d): %s", f.File, f.Line, f.Offset, f.Rule)
}

// Verify checks a run against itself and against the signatures of the store's
// key, or of the given public key if it is not nil: the sum of every record and
// that each follows the one before, that nothing was cut off the end, run.json,
// the projections and the artifacts. The error is one of reading; what is wrong
// with the record is in Proof.Faults.
//
// The end of a run that was killed can be cut back to the last signature, of which
// there is one for every 128 records, and nobody can tell: what a crash leaves
// looks the same.
func (s *Store) Verify(id string, key ed25519.PublicKey) (*Proof, error) {
	dir, err := s.runDir(id)
	if err != nil {
		return nil, err
	}
	if key == nil {
		if key, err = s.PublicKey(); err != nil {
			return nil, err
		}
	}
	v := &verifier{proof: &Proof{Run: id, Live: held(dir), Faults: []Fault{}}, dir: dir, key: key}
	if err := v.run(); err != nil {
		return nil, fmt.Errorf("verify run %s: %w", id, plainError(err))
	}
	return v.proof, nil
}

type verifier struct {
	proof   *Proof
	dir     string
	key     ed25519.PublicKey
	heads   []head // by size
	held    int    // of heads, that were held to the records
	summary *Summary
	tree    merkle
	place   place
	proj    projector
	files   [projections]*compared
	named   map[string]string // artifacts that results name, by id: their form
	rest    []Fault           // of other files than the journal
}

// head is a signature that is to be held to the records.
type head struct {
	*Signature
	file   string
	line   int
	offset int64
}

func (v *verifier) run() error {
	if err := v.readSummary(); err != nil {
		return err
	}
	if err := v.readHeads(); err != nil {
		return err
	}
	for i, name := range projectionNames {
		c, err := compare(filepath.Join(v.dir, name), name)
		if err != nil {
			return err
		}
		defer c.close()
		v.files[i] = c
	}
	if err := v.readJournal(); err != nil {
		return err
	}
	v.end()
	if err := v.artifacts(); err != nil {
		return err
	}
	v.proof.Faults = append(v.proof.Faults, v.rest...)
	return nil
}

func (v *verifier) other(f Fault) { v.rest = append(v.rest, f) }

// readSummary checks run.json, which names how far the records go.
func (v *verifier) readSummary() error {
	b, err := os.ReadFile(filepath.Join(v.dir, runName))
	if err != nil {
		return err
	}
	v.summary = new(Summary)
	if err := json.Unmarshal(b, v.summary); err != nil {
		v.other(Fault{File: runName, Rule: "not the JSON of a run: " + err.Error()})
		return nil
	}
	v.proof.Status = v.summary.Status
	if v.summary.ID != v.proof.Run {
		v.other(Fault{File: runName, Rule: fmt.Sprintf("it is that of run %.80q", v.summary.ID)})
	}
	doc, g, ok := cutProof(b)
	if !ok {
		v.other(Fault{File: runName, Rule: "it has no signature, or one in another form"})
		return nil
	}
	v.check(head{g, runName, 0, 0}, sumOf(doc))
	return nil
}

// check checks a signature, and keeps it to be held to the records.
func (v *verifier) check(h head, sum string) {
	if rule := h.verify(v.key, v.proof.Run, sum); rule != "" {
		v.other(Fault{h.file, h.line, h.offset, rule})
		return
	}
	v.heads = append(v.heads, h)
	v.proof.Key = h.Key
}

func (v *verifier) readHeads() error {
	b, err := os.ReadFile(filepath.Join(v.dir, headsName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	line, offset, last := 0, int64(0), int64(0)
	for text := range bytes.Lines(b) {
		line++
		g := new(Signature)
		again, ok := bytes.CutSuffix(text, []byte("\n"))
		switch {
		case !ok && !v.summary.Sealed:
			return nil // torn by a crash
		case !ok || json.Unmarshal(again, g) != nil || !sameJSON(again, g) || g.Size <= last:
			v.other(Fault{headsName, line, offset, "not a signature that follows the one before"})
		default:
			v.check(head{g, headsName, line, offset}, noSum)
			last = g.Size
		}
		offset += int64(len(text))
	}
	return nil
}

func sameJSON(text []byte, g *Signature) bool {
	b, err := json.Marshal(g)
	return err == nil && bytes.Equal(b, text)
}

// readJournal checks the records, and holds signatures and projections to them.
func (v *verifier) readJournal() error {
	f, err := os.Open(filepath.Join(v.dir, journalName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // end says that records are missing
	}
	if err != nil {
		return err
	}
	defer f.Close()
	slices.SortStableFunc(v.heads, func(a, b head) int { return cmp.Compare(a.Size, b.Size) })
	v.holdHeads()
	r := bufio.NewReaderSize(f, 256<<10)
	var long []byte
	for {
		line, err := r.ReadSlice('\n')
		for err == bufio.ErrBufferFull {
			long = append(long[:0], line...)
			var more []byte
			more, err = r.ReadSlice('\n')
			for err == bufio.ErrBufferFull {
				long = append(long, more...)
				more, err = r.ReadSlice('\n')
			}
			line = append(long, more...)
			long = line
		}
		if err == io.EOF {
			if len(line) > 0 && v.summary.Sealed {
				v.journalFault("a line without its end behind the last record")
			}
			return nil
		}
		if err != nil {
			return err
		}
		if !v.record(line[:len(line)-1]) {
			return nil
		}
	}
}

func (v *verifier) journalFault(rule string) {
	v.proof.Faults = append(v.proof.Faults, Fault{journalName, v.place.line + 1, v.place.offset, rule})
}

// record checks one line, and reports whether to go on.
func (v *verifier) record(line []byte) bool {
	if err := v.place.check(line); err != nil {
		var d *Damage
		if errors.As(err, &d) {
			v.proof.Faults = append(v.proof.Faults, Fault{journalName, d.Line, d.Offset, d.Rule})
		}
		return false
	}
	v.tree.add(v.place.sum)
	v.holdHeads()
	if err := v.project(line); err != nil {
		v.journalFault(err.Error())
		return false
	}
	return true
}

// holdHeads holds the signatures of exactly the records read so far to them.
func (v *verifier) holdHeads() {
	for ; v.held < len(v.heads) && v.heads[v.held].Size <= v.tree.size; v.held++ {
		h := v.heads[v.held]
		if h.Root != hexHash(v.tree.root()) {
			v.other(Fault{h.file, h.line, h.offset, fmt.Sprintf("it signs other records than the first %d of the journal", h.Size)})
			continue
		}
		v.proof.Signed = max(v.proof.Signed, h.Size)
	}
}

// end judges how far the journal goes.
func (v *verifier) end() {
	p := v.proof
	p.Records, p.Bytes, p.Root = v.place.seq, v.place.offset, hexHash(v.tree.root())
	broken := len(p.Faults) > 0
	for _, h := range v.heads {
		if h.Size > p.Records && !broken && !p.Live {
			v.journalFault(fmt.Sprintf("the journal ends behind record %d, and %s signs %d: its end was cut off", p.Records, h.file, h.Size))
			broken = true
		}
	}
	if !broken && v.summary.Sealed && !p.Live {
		if err := v.place.sealed(v.summary); err != nil {
			v.journalFault(fmt.Sprintf("the journal has %d records, and run.json seals %d: lines were put in behind its end, or cut off", p.Records, v.summary.Counts.Records))
			broken = true
		}
	}
	if broken {
		return // the projections cannot be judged
	}
	for _, c := range v.files {
		if f, bad := c.end(v.summary.Sealed && !p.Live); bad {
			v.other(f)
		}
	}
}

// project holds the projections to a record.
func (v *verifier) project(line []byte) error {
	e, in, facts, err := skim(line)
	if err != nil {
		return err
	}
	if facts != nil {
		if err := v.proj.facts(facts); err != nil {
			return err
		}
	}
	v.proj.add(&e, in)
	v.name(in.result)
	for i, lines := range v.proj.lines {
		v.files[i].expect(lines)
	}
	return nil
}

// name notes the artifact that a result names.
func (v *verifier) name(result []byte) {
	if !bytes.Contains(result, []byte(`"artifact":{"id":"`)) {
		return
	}
	for name, value := range members(result) {
		if string(name) != "artifact" {
			continue
		}
		var a tool.Artifact
		if json.Unmarshal(value, &a) == nil {
			if v.named == nil {
				v.named = map[string]string{}
			}
			v.named[a.ID] = string(value)
		}
	}
}

// skim is what the projections need of a record that has passed its check,
// without decoding the rest.
func skim(line []byte) (e event.Event, in parts, facts *Facts, err error) {
	var payload []byte
	for name, value := range members(line) {
		switch string(name) {
		case "type":
			e.Type = event.Type(bytes.Trim(value, `"`))
		case "callId":
			e.Call = &tool.Call{Ref: tool.Ref{ID: string(value)}}
		case "payload":
			payload = value
		case "facts":
			facts = new(Facts)
			if err := json.Unmarshal(value, facts); err != nil {
				return e, in, nil, fmt.Errorf("read facts: %w", err)
			}
		}
	}
	if !bearsCall(e.Type) {
		in.own = payload
		return e, in, facts, nil
	}
	for name, value := range members(payload) {
		switch string(name) {
		case "call":
			in.call = value
		case "result":
			in.result = value
		}
	}
	return e, in, facts, nil
}

// compared is a file that is held to the lines it should have.
type compared struct {
	name   string
	f      *os.File
	r      *bufio.Reader
	buf    []byte
	line   int
	offset int64
	short  bool // it ends before what it should have
	bad    *Fault
}

func compare(path, name string) (*compared, error) {
	c := &compared{name: name}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	c.f, c.r = f, bufio.NewReaderSize(f, 64<<10)
	return c, nil
}

func (c *compared) close() {
	if c.f != nil {
		_ = c.f.Close() // it was only read
	}
}

// expect holds the file to the lines that come next in it.
func (c *compared) expect(lines []byte) {
	if len(lines) == 0 || c.bad != nil || c.short {
		return
	}
	n := 0
	if c.r != nil {
		c.buf = append(c.buf[:0], lines...)
		n, _ = io.ReadFull(c.r, c.buf) // a shorter file is one that ends early
	}
	switch {
	case !bytes.Equal(c.buf[:n], lines[:n]):
		c.bad = &Fault{c.name, c.line + 1, c.offset, "the line is not what the journal says; toolpost runs show reads the journal, which is right"}
	case n < len(lines):
		c.short = true
	}
	c.line++
	c.offset += int64(n)
}

// end is what is wrong with the file; one that is whole ends where it should.
func (c *compared) end(whole bool) (Fault, bool) {
	switch {
	case c.bad != nil:
		return *c.bad, true
	case c.short && whole:
		return Fault{c.name, c.line, c.offset, "the file ends before what the journal says"}, true
	case c.short || c.r == nil:
		return Fault{}, false
	}
	if b, err := c.r.Peek(1); err == nil && len(b) > 0 && whole {
		return Fault{c.name, c.line + 1, c.offset, "the file goes on behind what the journal says"}, true
	}
	return Fault{}, false
}

// artifacts checks that each artifact has the content by which it is named.
func (v *verifier) artifacts() error {
	dir := filepath.Join(v.dir, artifactsName)
	names, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range names {
		name, described := bytes.CutSuffix([]byte(e.Name()), []byte(".json"))
		if described || filepath.Ext(e.Name()) == ".tmp" {
			continue
		}
		file := artifactsName + "/" + string(name)
		data, err := os.ReadFile(filepath.Join(dir, string(name)))
		if err != nil {
			return err
		}
		about, err := os.ReadFile(filepath.Join(dir, string(name)+".json"))
		if errors.Is(err, fs.ErrNotExist) {
			continue // a crash between the two: no result names it
		}
		if err != nil {
			return err
		}
		var a tool.Artifact
		bad := json.Unmarshal(about, &a)
		want := describe(data, a.MIME)
		again, err := json.Marshal(want)
		switch {
		case err != nil:
			return err
		case want.ID != string(name):
			v.other(Fault{File: file, Rule: "the content is not that by which the artifact is named"})
		case bad != nil || !bytes.Equal(append(again, '\n'), about), v.named[want.ID] != "" && v.named[want.ID] != string(again):
			v.other(Fault{File: file + ".json", Rule: "it does not describe the artifact"})
		}
	}
	return nil
}
