//go:build unix

package audit_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/event"
)

// crashDir names, in the environment, the store that a child process of the
// crash test writes. AUDIT_CRASHES is how often it is killed: 40 times if unset.
const (
	crashDir  = "AUDIT_CRASH_DIR"
	crashRuns = "AUDIT_CRASH_RUNS" // and how many runs at once
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDir); dir != "" {
		n, _ := strconv.Atoi(os.Getenv(crashRuns))
		crash(dir, n)
		return
	}
	os.Exit(m.Run())
}

// crash records runs, several at a time, and says on its standard output what was
// passed on, until it is killed.
func crash(dir string, atOnce int) {
	store := &audit.Store{Dir: dir}
	var mu sync.Mutex
	var runs sync.WaitGroup
	for range atOnce {
		runs.Go(func() {
			for {
				run, err := store.Create(audit.Facts{Label: "crash"})
				if err != nil {
					panic(err)
				}
				for e, err := range audit.Record(run, event.Go(context.Background(), run.ID(), calls(20))) {
					if err != nil {
						panic(err)
					}
					mu.Lock()
					fmt.Println(e.Run, e.Seq)
					mu.Unlock()
				}
			}
		})
	}
	runs.Wait()
}

func TestWhatWasPassedOnIsOnRecordAfterAKillAtAnyTime(t *testing.T) {
	times := 40
	if s := os.Getenv("AUDIT_CRASHES"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("AUDIT_CRASHES=%q is not a number of times", s)
		}
		times = n
	}
	if testing.Short() {
		times = 5
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	for i := range times {
		// A few runs sync their own journals, more share the commit log.
		heard := killedAfter(t, self, dir, []int{1, 2, 3, 8}[i%4], 1+random.IntN(150))
		checkStore(t, dir, heard)
		if t.Failed() {
			return
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}

// killedAfter has a child record until it has said n lines, kills it, and is the
// last event of each run that it passed on.
func killedAfter(t *testing.T, self, dir string, runs, n int) map[string]int64 {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^$")
	cmd.Env = append(os.Environ(), crashDir+"="+dir, crashRuns+"="+strconv.Itoa(runs))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	heard := map[string]int64{}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		id, seq, ok := strings.Cut(lines.Text(), " ")
		if k, err := strconv.ParseInt(seq, 10, 64); err == nil && ok {
			heard[id] = max(heard[id], k)
		}
		if n--; n == 0 {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil || n > 0 {
		t.Fatalf("the child ended by itself: %v", err)
	}
	return heard
}

// checkStore holds a store whose writer was killed to what it had passed on.
func checkStore(t *testing.T, dir string, heard map[string]int64) {
	t.Helper()
	store := &audit.Store{Dir: dir}
	deep := 1
	for id, seq := range heard {
		v, err := store.Load(id)
		if err != nil {
			t.Errorf("load: %v", err)
			continue
		}
		if v.Counts.Records < seq {
			t.Errorf("run %s: %d events were passed on, %d are on record", id, seq, v.Counts.Records)
		}
		if v.Live || v.Status == audit.StatusRunning {
			t.Errorf("run %s: status %s, live %t, and nobody writes it", id, v.Status, v.Live)
		}
		for _, c := range v.Calls {
			if c.Result == nil || c.Unknown != (c.Ran != nil && c.Ended.IsZero()) {
				t.Errorf("run %s: call %s: result %v, unknown %t", id, c.ID(), c.Result, c.Unknown)
			}
		}
		if deep--; deep < 0 {
			continue // to resume costs a dozen syncs
		}
		run, err := store.Resume(id)
		if err != nil {
			t.Errorf("resume: %v", err)
			continue
		}
		var first int64
		for e, err := range audit.Record(run, event.Go(t.Context(), id, calls(1))) {
			if err != nil {
				t.Error(err)
			}
			if first == 0 {
				first = e.Seq
			}
		}
		if first != v.Counts.Records+1 {
			t.Errorf("run %s: goes on with event %d behind %d", id, first, v.Counts.Records)
		}
		unchangedByRebuild(t, store, id)
	}
}
