package audit_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/tool"
)

// recorded is a store with one run of n calls, and the path of its journal.
func recorded(t *testing.T, n int) (store *audit.Store, id, journal string) {
	t.Helper()
	store = &audit.Store{Dir: t.TempDir()}
	run, err := store.Create(audit.Facts{Prompt: "p"})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range audit.Record(run, event.Go(t.Context(), run.ID(), calls(n))) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return store, run.ID(), filepath.Join(store.Dir, run.ID(), "events.jsonl")
}

// unseal has run.json say that the run has not ended.
func unseal(t *testing.T, store *audit.Store, id string) {
	t.Helper()
	path := filepath.Join(store.Dir, id, "run.json")
	write(t, path, bytes.Replace(read(t, path), []byte(`"sealed": true`), []byte(`"sealed": false`), 1))
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestEveryFlippedByteIsFound(t *testing.T) {
	store, id, path := recorded(t, 1)
	whole := read(t, path)
	for i := range whole {
		bad := bytes.Clone(whole)
		bad[i] ^= 0x01
		write(t, path, bad)
		_, err := store.Load(id)
		var d *audit.Damage
		if !errors.As(err, &d) {
			t.Fatalf("byte %d (%q): got %v, want a *Damage", i, whole[i], err)
		}
		if line := 1 + bytes.Count(whole[:i], []byte("\n")); d.Line != line {
			t.Errorf("byte %d: found in line %d, is in line %d: %v", i, d.Line, line, err)
		}
	}
}

func TestRecordsThatAreCutOutSwappedOrPutInAreFound(t *testing.T) {
	store, id, path := recorded(t, 2)
	whole := read(t, path)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	other, _, otherPath := recorded(t, 2)
	_ = other
	foreign := bytes.SplitAfter(read(t, otherPath), []byte("\n"))
	tests := []struct {
		name  string
		lines [][]byte
		want  string
	}{
		{"cut out", append([][]byte{lines[0], lines[1]}, lines[3:]...), "record 4 stands where 3 should"},
		{"swapped", append([][]byte{lines[0], lines[2], lines[1]}, lines[3:]...), "record 3 stands where 2 should"},
		{"put in twice", append([][]byte{lines[0], lines[1], lines[1]}, lines[2:]...), "record 2 stands where 3 should"},
		{"of another run", append([][]byte{lines[0], lines[1], foreign[2]}, lines[3:]...), "the record does not follow the one before"},
		{"no record", append([][]byte{lines[0], []byte("hello\n")}, lines[1:]...), "not a record"},
		{"blank", append([][]byte{lines[0], []byte("\n")}, lines[1:]...), "not a record"},
		{"of a later version", append([][]byte{lines[0], bytes.Replace(lines[1], []byte(`"v":1`), []byte(`"v":2`), 1)}, lines[2:]...), "a version that this program does not know"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			write(t, path, bytes.Join(test.lines, nil))
			_, err := store.Resume(id)
			var d *audit.Damage
			if !errors.As(err, &d) || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want damage: %s", err, test.want)
			}
			if got := int64(len(bytes.Join(test.lines[:d.Line-1], nil))); d.Offset != got {
				t.Errorf("byte %d, and line %d begins at %d", d.Offset, d.Line, got)
			}
			kept := read(t, filepath.Join(filepath.Dir(path), d.Copy))
			if !bytes.Equal(kept, read(t, path)) {
				t.Error("the copy is not what was found, or that was changed")
			}
			if tool.AsError(err).Code != tool.CodePrecondition {
				t.Errorf("code %s", tool.AsError(err).Code)
			}
		})
	}
}

func TestATornEndIsCutOffWhereverItWasTorn(t *testing.T) {
	store, id, path := recorded(t, 1)
	unseal(t, store, id)
	whole := read(t, path)
	last := bytes.LastIndexByte(whole[:len(whole)-1], '\n') + 1
	var tails [][]byte
	for i := last; i < len(whole); i += 7 {
		tails = append(tails, whole[last:i])
	}
	tails = append(tails, make([]byte, 4096), append(bytes.Clone(whole[last:last+40]), make([]byte, 300)...),
		append(bytes.Clone(whole[last:last+40]), '\n'))
	for _, tail := range tails {
		write(t, path, append(bytes.Clone(whole[:last]), tail...))
		v, err := store.Load(id)
		if err != nil || v.Status != audit.StatusInterrupted {
			t.Fatalf("tail %q: load: %v, %v", tail, v.Status, err)
		}
		run, err := store.Resume(id)
		if err != nil {
			t.Fatalf("tail %q: %v", tail, err)
		}
		if got := read(t, path); !bytes.Equal(got, whole[:last]) {
			t.Fatalf("tail %q: the journal is %d bytes, want %d", tail, len(got), last)
		}
		if err := run.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestACallWithoutAResultReadsAsCancelled(t *testing.T) {
	store := &audit.Store{Dir: t.TempDir()}
	run, err := store.Create(audit.Facts{})
	if err != nil {
		t.Fatal(err)
	}
	asked, started := tool.NewCall("a", `{}`), tool.NewCall("b", `{}`)
	for e, err := range audit.Record(run, stream(
		event.Event{Type: event.RunStarted},
		event.Event{Type: event.StepScheduled, Call: asked},
		event.Event{Type: event.StepScheduled, Call: started},
		event.Event{Type: event.StepStarted, Call: started},
		event.Event{Type: event.StepProgress, Call: started, Text: "half"},
	)) {
		if err != nil || e.Type == event.StepProgress {
			break // the process ends here
		}
	}
	v, err := store.Load(run.ID())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range v.Calls {
		got = append(got, c.Tool()+" "+string(c.Result.Status)+" "+c.Result.Err.Message)
	}
	want := []string{
		"a cancelled the record ends before the call was started: it was not made",
		"b cancelled the record ends while the call ran: its outcome is unknown",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("want (-) and got (+):\n%s", d)
	}
	if v.Calls[0].Unknown || !v.Calls[1].Unknown || v.Status != audit.StatusInterrupted {
		t.Errorf("unknown: %t, %t; status %s", v.Calls[0].Unknown, v.Calls[1].Unknown, v.Status)
	}
}

func FuzzJournal(f *testing.F) {
	dir := f.TempDir()
	store := &audit.Store{Dir: dir}
	run, err := store.Create(audit.Facts{ID: "fuzz"})
	if err != nil {
		f.Fatal(err)
	}
	for _, err := range audit.Record(run, event.Go(f.Context(), run.ID(), calls(1))) {
		if err != nil {
			f.Fatal(err)
		}
	}
	path := filepath.Join(dir, "fuzz", "events.jsonl")
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(`{"v":1,"seq":1,"crc":"00000000","prev":"`))
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		v, err := store.Load("fuzz")
		var d *audit.Damage
		if err != nil && !errors.As(err, &d) {
			t.Errorf("%v is no damage", err)
		}
		if v == nil {
			t.Fatal("no view")
		}
		if d != nil && (d.Offset < 0 || d.Offset > int64(len(b)) || d.Line < 1) {
			t.Errorf("damage at line %d, byte %d of %d", d.Line, d.Offset, len(b))
		}
	})
}
