package audit_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/tool"
)

func verify(t *testing.T, store *audit.Store, id string) *audit.Proof {
	t.Helper()
	p, err := store.Verify(id, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func sound(t *testing.T, store *audit.Store, id string) *audit.Proof {
	t.Helper()
	p := verify(t, store, id)
	if !p.OK() || p.Signed != p.Records || p.Records == 0 {
		t.Fatalf("a run that nobody touched: %+v", p)
	}
	return p
}

// recordedFiles is the contents of a run's folder, but for its lock, by name.
func recordedFiles(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "lock" {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		files[rel] = read(t, path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// kept is a driver that names an artifact in its result.
func kept(store *audit.Store) func(context.Context, *event.Run) error {
	return func(ctx context.Context, r *event.Run) error {
		a, err := store.Put(r.ID(), []byte("the whole of it"), "text/plain")
		if err != nil {
			return err
		}
		r.Emit(event.Event{Type: event.RunStarted})
		for range 80 {
			r.Do(ctx, func(context.Context, *tool.Call) (*tool.Result, error) {
				res := tool.JSON(map[string]string{"part": "the whole <b>"})
				res.Artifact = &a
				return res, nil
			}, tool.NewCall("long", `{"n": 1.0}`))
		}
		r.Emit(event.Event{Type: event.MessageDone, Payload: map[string]string{"role": "assistant"}})
		r.Emit(event.Event{Type: event.RunFinished})
		return nil
	}
}

func keptRun(t *testing.T) (store *audit.Store, id string) {
	t.Helper()
	store = &audit.Store{Dir: t.TempDir()}
	run := newRun(t, store)
	for _, err := range audit.Record(run, event.Go(t.Context(), run.ID(), kept(store))) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return store, run.ID()
}

// TOOLPOST_SOAK has more places looked at: 10,000.
func TestVerifyFindsAFlippedByteInAnyFileOfARun(t *testing.T) {
	places := 300
	if os.Getenv("TOOLPOST_SOAK") != "" {
		places = 10_000
	}
	store, id := keptRun(t)
	sound(t, store, id)
	dir := filepath.Join(store.Dir, id)
	files := recordedFiles(t, dir)
	if len(files) != 8 { // run.json, events, calls, results, messages, heads, an artifact and what describes it
		t.Fatalf("%d files", len(files))
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for name, whole := range files {
		path := filepath.Join(dir, name)
		for range places / len(files) {
			i, bit := random.IntN(len(whole)), byte(1)<<random.IntN(8)
			bad := bytes.Clone(whole)
			bad[i] ^= bit
			write(t, path, bad)
			p, err := store.Verify(id, nil)
			if err != nil {
				t.Fatalf("%s byte %d (%q), bit %08b: %v", name, i, whole[i], bit, err)
			}
			if p.OK() {
				t.Fatalf("%s byte %d (%q), bit %08b: not found", name, i, whole[i], bit)
			}
			f := p.Faults[0]
			if line := 1 + bytes.Count(whole[:i], []byte("\n")); name == "events.jsonl" && (f.File != name || f.Line != line) {
				t.Errorf("%s byte %d: found in %s, is in line %d", name, i, f, line)
			}
		}
		write(t, path, whole)
	}
	sound(t, store, id)
}

func TestVerifyFindsLinesThatAreMovedPutInAndCutOff(t *testing.T) {
	store, id := keptRun(t)
	dir := filepath.Join(store.Dir, id)
	lines := func(name string) [][]byte {
		return slices.Collect(bytes.Lines(read(t, filepath.Join(dir, name))))
	}
	for name, change := range map[string]func([][]byte) [][]byte{
		"swapped":         func(l [][]byte) [][]byte { l[4], l[5] = l[5], l[4]; return l },
		"put in":          func(l [][]byte) [][]byte { return slices.Insert(l, 5, []byte("{}\n")) },
		"replayed":        func(l [][]byte) [][]byte { return slices.Insert(l, 5, l[4]) },
		"cut out":         func(l [][]byte) [][]byte { return slices.Delete(l, 5, 6) },
		"a cut tail":      func(l [][]byte) [][]byte { return l[:len(l)-1] },
		"half a tail":     func(l [][]byte) [][]byte { l[len(l)-1] = l[len(l)-1][:40]; return l },
		"nothing left":    func([][]byte) [][]byte { return nil },
		"a line too many": func(l [][]byte) [][]byte { return append(l, []byte("{}\n")) },
	} {
		for _, file := range []string{"events.jsonl", "calls.jsonl", "results.jsonl", "heads.jsonl"} {
			l := lines(file)
			if len(l) < 8 && name != "nothing left" && name != "a line too many" && name != "half a tail" {
				continue
			}
			if file == "heads.jsonl" && name == "nothing left" {
				continue // run.json has the signature of the end
			}
			whole := bytes.Join(l, nil)
			write(t, filepath.Join(dir, file), bytes.Join(change(l), nil))
			if p := verify(t, store, id); p.OK() || p.Faults[0].File != file {
				t.Errorf("%s: %s: found %v", file, name, p.Faults)
			}
			write(t, filepath.Join(dir, file), whole)
		}
	}
	sound(t, store, id)
}

// The chain alone would not tell: everything is made again, but for the key.
func TestVerifyFindsARunThatWasMadeAgainWhole(t *testing.T) {
	store, id := keptRun(t)
	forger := &audit.Store{Dir: t.TempDir()}
	run, err := forger.Create(audit.Facts{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range audit.Record(run, event.Go(t.Context(), id, calls(3))) {
		if err != nil {
			t.Fatal(err)
		}
	}
	sound(t, forger, id)
	if err := os.RemoveAll(filepath.Join(store.Dir, id)); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(forger.Dir, id), filepath.Join(store.Dir, id)); err != nil {
		t.Fatal(err)
	}
	p := verify(t, store, id)
	if p.OK() || !strings.Contains(p.Faults[0].Rule, "signed with the key") {
		t.Errorf("found %v", p.Faults)
	}
}

func TestVerifyFindsTheCutTailOfARunThatWasKilled(t *testing.T) {
	store := &audit.Store{Dir: t.TempDir()}
	run := newRun(t, store)
	n := 0
	for _, err := range audit.Record(run, event.Go(t.Context(), run.ID(), calls(200))) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 500 {
			break // run.json is not sealed then
		}
	}
	path := filepath.Join(store.Dir, run.ID(), "events.jsonl")
	whole := slices.Collect(bytes.Lines(read(t, path)))
	if p := verify(t, store, run.ID()); !p.OK() {
		t.Fatalf("untouched: %v", p.Faults)
	}
	write(t, path, bytes.Join(whole[:100], nil))
	p := verify(t, store, run.ID())
	if p.OK() || p.Faults[0].Line != 101 || !strings.Contains(p.Faults[0].Rule, "cut off") {
		t.Errorf("found %v", p.Faults)
	}
}

func TestARunThatGoesOnIsVerifiedUpToWhereItIs(t *testing.T) {
	store := &audit.Store{Dir: t.TempDir()}
	run := newRun(t, store)
	for e, err := range audit.Record(run, event.Go(t.Context(), run.ID(), calls(100))) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Seq == 250 {
			p := verify(t, store, run.ID())
			if !p.OK() || !p.Live || p.Records < 250 || p.Signed < 100 {
				t.Errorf("%+v", p)
			}
		}
	}
	sound(t, store, run.ID())
	again, err := store.Resume(run.ID())
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range audit.Record(again, event.Go(t.Context(), run.ID(), calls(100))) {
		if err != nil {
			t.Fatal(err)
		}
	}
	sound(t, store, run.ID())
	if err := store.Rebuild(run.ID()); err != nil {
		t.Fatal(err)
	}
	sound(t, store, run.ID())
}

func TestTheKeyIsItsOwnersAlone(t *testing.T) {
	store, _ := keptRun(t)
	info, err := os.Stat(filepath.Join(store.Dir, ".proof", "key"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		t.Errorf("mode %o", info.Mode().Perm())
	}
	var names []string
	entries, err := os.ReadDir(filepath.Join(store.Dir, ".proof"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if d := cmp.Diff([]string{"key", "key.pub"}, names); d != "" {
		t.Error(d)
	}
}

func BenchmarkVerify(b *testing.B) {
	store := &audit.Store{Dir: b.TempDir()}
	run := newRun(b, store)
	record(b, run, 5000)
	path := filepath.Join(store.Dir, run.ID(), "events.jsonl")
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	for b.Loop() {
		p, err := store.Verify(run.ID(), nil)
		if err != nil || !p.OK() {
			b.Fatalf("%v %v", err, p)
		}
	}
}
