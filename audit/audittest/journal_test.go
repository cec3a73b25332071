package audittest_test

import (
	"path/filepath"
	"testing"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/audit/audittest"
)

func TestTheJournalInAFile(t *testing.T) {
	dir := t.TempDir()
	audittest.Journal(t, func(t *testing.T, name string) audit.Journal {
		j, err := audit.OpenJournal(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return j
	})
}
