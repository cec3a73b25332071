package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/toolpost/toolpost/internal/sqlite"
)

const crashFile = "SQLITE_CRASH_FILE"

// TestMain is also the process that TestACommitOutlivesAKill kills.
func TestMain(m *testing.M) {
	path := os.Getenv(crashFile)
	if path == "" {
		os.Exit(m.Run())
	}
	db, err := sqlite.Open(context.Background(), path, steps)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for i := 0; ; i++ {
		if err := add(db, fmt.Sprint("row ", i)); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(i)
	}
}

func TestACommitOutlivesAKill(t *testing.T) {
	for _, rows := range []int{1, 7, 40} {
		path := filepath.Join(t.TempDir(), "a.db")
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), crashFile+"="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		last := -1
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if last, err = strconv.Atoi(strings.TrimSpace(lines.Text())); err != nil {
				t.Fatalf("the child says %q", lines.Text())
			}
			if last+1 == rows {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = cmd.Wait() // it was killed
		db := open(t, path, steps)
		if n := count(t, db); n < last+1 {
			t.Errorf("%d rows were reported as written, %d are there", last+1, n)
		}
		if err := add(db, "after"); err != nil {
			t.Errorf("the file cannot be written after the kill: %v", err)
		}
	}
}
