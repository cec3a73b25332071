package audit

import (
	"cmp"
	"encoding/json"
	"sync"
	"time"

	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/tool"
)

// A Run is one run being recorded. Record writes it; its other methods may be
// called from any goroutine.
type Run struct {
	journal Journal
	folder  *folder // nil in memory

	mu      sync.Mutex
	facts   Facts
	chain   chain
	told    bool // the facts are on record
	proj    projector
	summary Summary
	tree    merkle      // of what is on record, if there is a folder
	signed  int64       // records that a signature stands for
	timer   *time.Timer // flushes the projections
	closed  bool
	err     error
}

// newRun is a run whose journal is empty.
func newRun(f Facts, j Journal) *Run {
	return &Run{journal: j, facts: f, summary: Summary{Facts: f, Status: StatusRunning}}
}

// resumed has the run go on behind what was found.
func (r *Run) resumed(m *mended) {
	if m.place.line > 0 {
		r.chain = chain{seq: m.place.seq, prev: m.place.prev, begun: true, first: m.first}
		r.proj, r.summary = m.proj, m.summary
		r.tree, r.signed = m.tree, m.tree.size
	}
	r.summary.Facts = r.facts
}

// ID is the id of the run.
func (r *Run) ID() string { return r.facts.ID }

// Facts is what was known of the run when it began.
func (r *Run) Facts() Facts { return r.facts }

// Summary is how far the run has come.
func (r *Run) Summary() Summary {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.summary.clone()
}

// append puts e on record and gives it its number in the journal. It is not yet
// lasting.
func (r *Run) append(e *event.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return r.err
	}
	if err := r.write(e); err != nil {
		r.err = err
	}
	return r.err
}

func (r *Run) write(e *event.Event) error {
	if r.closed {
		return tool.Errorf(tool.CodePrecondition, "the record of run %s is closed", r.facts.ID)
	}
	switch e.Run {
	case r.facts.ID:
	case "":
		e.Run = r.facts.ID
	default:
		return tool.Errorf(tool.CodePrecondition, "an event of run %s is not for the record of run %s: give both the same id", e.Run, r.facts.ID)
	}
	var facts *Facts
	if !r.told {
		facts = &r.facts
		if err := r.proj.facts(facts); err != nil {
			return tool.Errorf(tool.CodeInternal, "the policy of run %s has no JSON form: %w", r.facts.ID, err)
		}
	}
	line, err := r.chain.next(e, facts)
	if err != nil {
		return tool.Errorf(tool.CodeInternal, "the record cannot be written, so the run stops: %w", err)
	}
	if err := r.journal.Append(line); err != nil {
		return err
	}
	r.told = true
	if r.folder != nil {
		r.tree.add(r.chain.sum)
		enc := &r.chain.enc
		r.proj.add(e, parts{enc.call.of(line), enc.res.of(line), enc.own.of(line)})
		if r.folder.project(&r.proj) {
			r.flushSoon()
		}
	}
	r.summary.add(e, payloadOf(e))
	return nil
}

// lag is how far the projections may be behind the journal. Lines that come in
// the meantime are written together.
const lag = 50 * time.Millisecond

// flushSoon has the projections written. R.mu is held.
func (r *Run) flushSoon() {
	if r.timer != nil {
		r.timer.Reset(lag)
		return
	}
	r.timer = time.AfterFunc(lag, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.closed {
			return
		}
		if err := r.folder.flush(); err != nil {
			r.err = cmp.Or(r.err, err)
		}
	})
}

func callID(e *event.Event) string {
	if e.Result != nil {
		return e.Result.ID
	}
	if e.Call != nil {
		return e.Call.ID
	}
	return ""
}

// payloadOf is the payload of the events whose payload the summary reads.
func payloadOf(e *event.Event) []byte {
	if e.Payload == nil || e.Type != event.Usage && e.Type != event.RunFinished {
		return nil
	}
	b, _ := json.Marshal(e.Payload) // it has been written once already
	return b
}

// commit makes what is on record lasting.
func (r *Run) commit() error {
	if err := r.journal.Commit(); err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.err = cmp.Or(r.err, err)
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.signHead()
}

// Exit notes the exit code with which the program that made the run ended. It
// may come after the end of the record.
func (r *Run) Exit(code int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.summary.Exit = &code
	if r.folder == nil || !r.closed {
		return nil
	}
	return r.folder.writeSummary(&r.summary, &r.tree)
}

// Close ends the recording: it commits, writes run.json and lets another
// process have the run. Record does it when its stream has ended; a run that
// has not ended by then can be resumed. A second Close does nothing.
func (r *Run) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	if r.folder == nil {
		return r.journal.Close()
	}
	if r.timer != nil {
		r.timer.Stop()
	}
	err := cmp.Or(r.folder.flush(), r.journal.Close())
	if err == nil && r.err == nil {
		r.summary.close(&r.chain)
		err = r.folder.writeSummary(&r.summary, &r.tree)
	}
	if e := r.folder.close(); err == nil {
		err = e
	}
	return err
}

// now is the time of an event that this package makes.
func now() time.Time { return time.Now() }
