package audit

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/tool"
)

// disk is a file system whose files fail on demand, and which forgets what was
// not synced when it loses power.
type disk struct {
	mu    sync.Mutex
	files map[string]*diskFile
	write func(path string, b []byte, off int64) (int, error) // what a write does; nil writes
	sync  func(path string) error                             // what a sync does; nil syncs
}

type diskFile struct {
	*os.File
	disk   *disk
	path   string
	synced []byte // what is on stable storage
}

func (d *disk) open(path string) (file, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.files == nil {
		d.files = map[string]*diskFile{}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if old := d.files[path]; old != nil {
		have = old.synced
	}
	x := &diskFile{File: f, disk: d, path: path, synced: have}
	d.files[path] = x
	return x, nil
}

func (f *diskFile) WriteAt(b []byte, off int64) (int, error) {
	if f.disk.write != nil {
		if n, err := f.disk.write(f.path, b, off); err != nil {
			_, _ = f.File.WriteAt(b[:n], off)
			return n, err
		}
	}
	return f.File.WriteAt(b, off)
}

func (f *diskFile) Sync() error {
	if f.disk.sync != nil {
		if err := f.disk.sync(f.path); err != nil {
			return err
		}
	}
	b, err := os.ReadFile(f.path)
	if err != nil {
		return err
	}
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	f.synced = b
	return nil
}

// losePower leaves of each file what was synced.
func (d *disk) losePower(t *testing.T) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	for path, f := range d.files {
		if err := os.WriteFile(path, f.synced, 0o600); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
}

// twoCalls is a driver that makes two calls; ran counts how many of them ran.
func twoCalls(ran *int) func(context.Context, *event.Run) error {
	return func(ctx context.Context, r *event.Run) error {
		var tools tool.Registry
		if err := tools.Add(tool.Tool{Spec: tool.Spec{Name: "count"}, Handler: func(context.Context, *tool.Call) (*tool.Result, error) {
			*ran++
			return tool.Text("counted"), nil
		}}); err != nil {
			return err
		}
		r.Emit(event.Event{Type: event.RunStarted})
		for range 2 {
			r.Do(ctx, tools.Call, tool.NewCall("count", `{}`))
		}
		r.Emit(event.Event{Type: event.RunFinished})
		return nil
	}
}

func TestARecordThatCannotBeWrittenStopsTheRunBeforeItsCall(t *testing.T) {
	tests := []struct {
		name string
		fail func(d *disk, failing func(line []byte) bool)
		text string
	}{
		{"the disk is full", func(d *disk, failing func([]byte) bool) {
			d.write = func(path string, b []byte, _ int64) (int, error) {
				if filepath.Base(path) == journalName && failing(b) {
					return len(b) / 2, &os.PathError{Op: "write", Path: path, Err: syscall.ENOSPC}
				}
				return len(b), nil
			}
		}, "UNAVAILABLE: the record cannot be written, so the run stops: no space left on device; free some space on the disk that holds the store, then run again"},
		{"the disk does not sync", func(d *disk, failing func([]byte) bool) {
			var last []byte
			d.write = func(_ string, b []byte, _ int64) (int, error) { last = bytes.Clone(b); return len(b), nil }
			d.sync = func(path string) error {
				if filepath.Base(path) == journalName && failing(last) {
					return &os.PathError{Op: "fdatasync", Path: path, Err: syscall.EIO}
				}
				return nil
			}
		}, "UNAVAILABLE: the record cannot be written, so the run stops: input/output error; check the disk that holds the store, then run again"},
		{"the disk is read-only", func(d *disk, failing func([]byte) bool) {
			d.write = func(path string, b []byte, _ int64) (int, error) {
				if failing(b) {
					return 0, &os.PathError{Op: "write", Path: path, Err: syscall.EROFS}
				}
				return len(b), nil
			}
		}, "UNAVAILABLE: the record cannot be written, so the run stops: read-only file system; make the store's folder writable or choose another with --store, then run again"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := new(disk)
			starts := 0
			test.fail(d, func(line []byte) bool {
				if bytes.Contains(line, []byte(`"type":"step.started"`)) {
					starts++
				}
				return starts >= 2
			})
			s := &Store{Dir: t.TempDir(), open: d.open}
			run, err := s.Create(Facts{})
			if err != nil {
				t.Fatal(err)
			}
			ran, heard := 0, int64(0)
			var failed error
			for e, err := range Record(run, event.Go(t.Context(), run.ID(), twoCalls(&ran))) {
				if err != nil {
					failed = err
					continue
				}
				heard = e.Seq
			}
			if failed == nil || failed.Error() != test.text {
				t.Errorf("got error %v\nwant      %s", failed, test.text)
			}
			if ran != 1 {
				t.Errorf("%d calls ran, want 1: the second was not on record", ran)
			}
			d.write, d.sync = nil, nil
			v, err := s.Load(run.ID())
			if err != nil {
				t.Fatal(err)
			}
			if v.Counts.Records < heard || v.Status != StatusInterrupted {
				t.Errorf("%d records of %d that were passed on; status %s", v.Counts.Records, heard, v.Status)
			}
			again, err := s.Resume(run.ID())
			if err != nil {
				t.Fatalf("resume: %v", err)
			}
			for e, err := range Record(again, event.Go(t.Context(), run.ID(), twoCalls(&ran))) {
				if err != nil {
					t.Fatalf("%d: %v", e.Seq, err)
				}
			}
			sameAsRebuild(t, s, run.ID())
		})
	}
}

// sameAsRebuild fails when the files of a run are not those that the journal
// gives.
func sameAsRebuild(t *testing.T, s *Store, id string) {
	t.Helper()
	read := func() map[string]string {
		files := map[string]string{}
		for _, name := range append(projectionNames[:], journalName) {
			b, err := os.ReadFile(filepath.Join(s.Dir, id, name))
			if err == nil {
				files[name] = string(b)
			}
		}
		return files
	}
	before := read()
	for _, name := range projectionNames {
		if err := os.WriteFile(filepath.Join(s.Dir, id, name), []byte("nonsense\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Rebuild(id); err != nil {
		t.Fatalf("rebuild: %v", err)
	}
	after := read()
	for _, name := range append(projectionNames[:], journalName) {
		if before[name] != after[name] {
			t.Errorf("%s:\nhad     %q\nrebuilt %q", name, before[name], after[name])
		}
	}
}

// Many runs share the commit log. When the power fails, what was passed on is in
// the journals after the next start, though they were never synced themselves.
func TestWhatManyRunsWereToldIsThereAfterThePowerFailed(t *testing.T) {
	var off atomic.Bool
	d := new(disk)
	fail := func(path string) error {
		if off.Load() {
			return &os.PathError{Op: "write", Path: path, Err: syscall.EIO}
		}
		return nil
	}
	d.write = func(path string, b []byte, _ int64) (int, error) { return len(b), fail(path) }
	d.sync = fail
	s := &Store{Dir: t.TempDir(), open: d.open}
	var all sync.WaitGroup
	var mu sync.Mutex
	var total int
	heard := map[string]int64{}
	for range 16 {
		run, err := s.Create(Facts{})
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			ran := 0
			for e, err := range Record(run, event.Go(context.Background(), run.ID(), func(ctx context.Context, r *event.Run) error {
				for ctx.Err() == nil {
					if err := twoCalls(&ran)(ctx, r); err != nil {
						return err
					}
				}
				return nil
			})) {
				if err != nil || !e.Type.Durable() || off.Load() {
					continue
				}
				mu.Lock()
				heard[run.ID()] = e.Seq
				if total++; total == 1000 {
					off.Store(true)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if l := s.com.log; l != nil {
		l.leave()
	}
	d.losePower(t)

	next := &Store{Dir: s.Dir}
	lost := 0
	for id, seq := range heard {
		if b, err := os.ReadFile(filepath.Join(s.Dir, id, journalName)); err != nil || int64(bytes.Count(b, []byte("\n"))) < seq {
			lost++
		}
	}
	if lost == 0 {
		t.Error("every journal was synced itself, so the commit log is not tested")
	}
	for id, seq := range heard {
		v, err := next.Load(id)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if v.Counts.Records < seq {
			t.Errorf("run %s: %d records, and %d were passed on", id, v.Counts.Records, seq)
		}
		if err := next.Rebuild(id); err != nil {
			t.Error(err)
		}
		sameAsRebuild(t, next, id)
	}
	left, err := os.ReadDir(filepath.Join(s.Dir, commitFolder))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
