package filelock_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/toolpost/toolpost/internal/filelock"
)

func TestASecondHolderIsRefusedUntilTheFirstReleases(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	first, err := filelock.Acquire(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := filelock.Acquire(path); !errors.Is(err, filelock.ErrHeld) {
		t.Fatalf("got %v, want ErrHeld", err)
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	again, err := filelock.Acquire(path)
	if err != nil {
		t.Fatalf("after release: %v", err)
	}
	_ = again.Release()
}
