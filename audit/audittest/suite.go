package audittest

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/tool"
)

// suite is the tests; open opens a journal of the running test.
type suite func(name string) audit.Journal

// chained is n records of a run, from its first, as package audit makes them.
func chained(t *testing.T, n int) []string {
	t.Helper()
	j := audit.MemoryJournal()
	record(t, j, "chained", n)
	return all(t, j)
}

// record records a run of n events in j.
func record(t *testing.T, j audit.Journal, id string, n int) {
	t.Helper()
	run, err := audit.Open(j, audit.Facts{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range audit.Record(run, event.Go(context.Background(), id, func(_ context.Context, r *event.Run) error {
		for i := range n {
			r.Emit(event.Event{Type: event.StepProgress, Text: fmt.Sprintf("%d\n\u2028\x00", i), Index: i,
				Call: &tool.Call{Ref: tool.Ref{ID: "c"}}})
		}
		return nil
	})) {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func all(t *testing.T, j audit.Journal) []string {
	t.Helper()
	list := []string{}
	for r, err := range j.Records() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(r))
	}
	return list
}

func add(t *testing.T, j audit.Journal, lines ...string) {
	t.Helper()
	for _, l := range lines {
		b := []byte(l)
		if err := j.Append(b); err != nil {
			t.Fatal(err)
		}
		copy(b, bytes.Repeat([]byte("x"), len(b))) // the journal keeps no reference
	}
}

func commit(t *testing.T, j audit.Journal) {
	t.Helper()
	if err := j.Commit(); err != nil {
		t.Fatal(err)
	}
}

func end(t *testing.T, j audit.Journal) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

func same(t *testing.T, want, got []string) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("want (-) and got (+):\n%s", d)
	}
}

func order(t *testing.T, open suite) {
	lines := chained(t, 200)
	j := open("a")
	defer j.Close()
	same(t, []string{}, all(t, j))
	add(t, j, lines...)
	commit(t, j)
	commit(t, j) // there is nothing more to commit
	same(t, lines, all(t, j))
}

func seen(t *testing.T, open suite) {
	lines := chained(t, 2)
	j := open("a")
	defer j.Close()
	add(t, j, lines...)
	same(t, lines, all(t, j))
	for range j.Records() {
		break // and who stops listening holds nothing up
	}
	commit(t, j)
}

func closed(t *testing.T, open suite) {
	lines := chained(t, 2)
	j := open("a")
	add(t, j, lines[0])
	end(t, j)
	end(t, j)
	if err := j.Append([]byte(lines[1])); err == nil {
		t.Error("a closed journal took a record")
	}
	if err := j.Commit(); err == nil {
		t.Error("a closed journal said that it had committed")
	}
}

func again(t *testing.T, open suite) {
	lines := chained(t, 9)
	for i := 0; i < 9; i += 3 {
		j := open("a")
		same(t, lines[:i], all(t, j))
		add(t, j, lines[i:i+3]...)
		end(t, j) // which commits
	}
	j := open("a")
	defer j.Close()
	same(t, lines, all(t, j))
}

func apart(t *testing.T, open suite) {
	lines := chained(t, 4)
	a, b := open("a"), open("b")
	defer a.Close()
	defer b.Close()
	add(t, a, lines[:2]...)
	add(t, b, lines...)
	commit(t, a)
	commit(t, b)
	same(t, lines[:2], all(t, a))
	same(t, lines, all(t, b))
}

func together(t *testing.T, open suite) {
	lines := chained(t, 40)
	var journals []audit.Journal
	for i := range 8 {
		journals = append(journals, open(string(rune('a'+i))))
	}
	var wg sync.WaitGroup
	for _, j := range journals {
		wg.Go(func() {
			for _, l := range lines {
				if err := j.Append([]byte(l)); err != nil {
					t.Error(err)
				}
				if err := j.Commit(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for _, j := range journals {
		same(t, lines, all(t, j))
		end(t, j)
	}
}

func beside(t *testing.T, open suite) {
	lines := chained(t, 100)
	j := open("a")
	defer j.Close()
	var wg sync.WaitGroup
	wg.Go(func() {
		for n := 0; n < len(lines); {
			n = 0
			for r, err := range j.Records() {
				if err != nil || string(r) != lines[n] {
					t.Errorf("record %d: %v, %s", n+1, err, r)
					return
				}
				n++
			}
		}
	})
	for _, l := range lines {
		if err := j.Append([]byte(l)); err != nil {
			t.Error(err)
		}
		if err := j.Commit(); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
}

func runs(t *testing.T, open suite) {
	record(t, open("a"), "one", 3)
	record(t, open("a"), "one", 4)
	j := open("a")
	defer j.Close()
	v, err := audit.LoadJournal(j)
	if err != nil {
		t.Fatal(err)
	}
	if v.ID != "one" || v.Counts.Records != 7 || len(v.Calls) != 1 || len(v.Calls[0].Progress) != 7 {
		t.Errorf("run %s, %d records, %d calls", v.ID, v.Counts.Records, len(v.Calls))
	}
	if _, err := audit.Open(j, audit.Facts{ID: "two"}); err == nil {
		t.Error("the journal of one run was opened for another")
	}
}
