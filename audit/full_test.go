//go:build linux

package audit_test

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/event"
	"github.com/toolpost/toolpost/tool"
)

func TestARunStopsWhenARealDiskIsFullAndGoesOnWhenItIsNot(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		why := "no file system of 256 kB could be mounted, which takes root: " + err.Error()
		if os.Getenv("CI") == "true" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	defer func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	}()
	s := &audit.Store{Dir: dir}
	filler := dir + "/filler"
	write(t, filler, make([]byte, 100<<10))
	run, err := s.Create(audit.Facts{})
	if err != nil {
		t.Fatal(err)
	}
	var heard int64
	var failed error
	for e, err := range audit.Record(run, event.Go(t.Context(), run.ID(), calls(1000))) {
		if err != nil {
			failed = err
			continue
		}
		heard = e.Seq
	}
	if failed == nil || tool.AsError(failed).Code != tool.CodeUnavailable || !strings.Contains(failed.Error(), "no space left") {
		t.Fatalf("got %v, want UNAVAILABLE: no space left", failed)
	}
	if _, err := s.Create(audit.Facts{}); err == nil {
		if _, err = s.Put(run.ID(), make([]byte, 200<<10), ""); err == nil {
			t.Error("an artifact found room on a full disk")
		}
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	v, err := s.Load(run.ID())
	if err != nil || v.Counts.Records < heard {
		t.Fatalf("%d records of %d that were passed on: %v", v.Counts.Records, heard, err)
	}
	again, err := s.Resume(run.ID())
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range audit.Record(again, event.Go(t.Context(), run.ID(), calls(1))) {
		if err != nil {
			t.Fatal(err)
		}
	}
	unchangedByRebuild(t, s, run.ID())
}
