package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// mount gives the test a small disk of its own.
func mount(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+size+",mode=0755"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("mount a small disk: %v", err)
		}
		t.Skipf("a full disk needs a tmpfs, and mounting one needs root: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
	return dir
}

// runProgram runs the program of this test binary.
func runProgram(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestProgramItself$")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TEST_PROGRAM_ARGS="+strings.Join(args, "\x1f"), "HOME="+dir, "XDG_DATA_HOME=", "XDG_CONFIG_HOME=")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), out.String(), errs.String()
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0, out.String(), errs.String()
}

// TestProgramItself is the program, when another test runs it.
func TestProgramItself(t *testing.T) {
	args, ok := os.LookupEnv("TEST_PROGRAM_ARGS")
	if !ok {
		return
	}
	p := newProgram()
	p.args, p.system = strings.Split(args, "\x1f"), t.TempDir()
	os.Exit(p.main())
}

func fillDisk(t *testing.T, dir string) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	block := make([]byte, 4096)
	for {
		if _, err := f.Write(block); err != nil {
			if !errors.Is(err, unix.ENOSPC) {
				t.Fatal(err)
			}
			return
		}
	}
}

// TestFullDiskRunsNothing holds the rule that what cannot be recorded is not
// done.
func TestFullDiskRunsNothing(t *testing.T) {
	disk, work := mount(t, "1m"), t.TempDir()
	script := "turns:\n  - calls: [{tool: write_file, args: {path: made.txt, content: x}}]\n  - text: done\n"
	if err := os.WriteFile(filepath.Join(work, "s.yaml"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	fillDisk(t, disk)
	for _, args := range [][]string{
		{"--store", filepath.Join(disk, "store"), "tools", "call", "write_file", "path=made.txt", "content=x"},
		{"--store", filepath.Join(disk, "store"), "run", "-m", "script:s.yaml", "go"},
	} {
		code, out, errs := runProgram(t, work, args...)
		if code != exitInternal || !strings.Contains(errs, "error STORE_UNAVAILABLE: ") || out != "" {
			t.Errorf("%v: exit code %d\n%s%s", args[2:], code, out, errs)
		}
		if exists(filepath.Join(work, "made.txt")) {
			t.Fatalf("%v was done, though it could not be recorded", args[2:])
		}
	}
}

// TestDiskThatFillsUpEndsTheRun lets the disk fill while a run goes on: the run
// ends with a clear error, and its record and its session can be read.
func TestDiskThatFillsUpEndsTheRun(t *testing.T) {
	disk, work := mount(t, "1m"), t.TempDir()
	script := `turns:
  - text: I write until there is no room.
    calls: [{tool: exec_shell, args: {command: "head -c 60000 /dev/zero | tr '\\0' x"}}]
    repeat: 60
  - text: done
`
	if err := os.WriteFile(filepath.Join(work, "s.yaml"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	store := filepath.Join(disk, "store")
	code, _, errs := runProgram(t, work, "--store", store, "-c", "limits.repeat=1000", "run", "-m", "script:s.yaml", "--max-turns", "100", "go")
	if code == exitOK || !strings.Contains(errs, "no space left") {
		t.Fatalf("exit code %d\n%s", code, errs)
	}
	code, out, errs := runProgram(t, work, "--store", store, "runs", "show", "-1")
	if code != exitOK || !strings.Contains(out, "1 exec_shell") {
		t.Errorf("look back: exit code %d\n%s%s", code, out, errs)
	}
	code, out, errs = runProgram(t, work, "--store", store, "session", "ls")
	if code != exitOK || !strings.Contains(out, "messages") {
		t.Errorf("sessions: exit code %d\n%s%s", code, out, errs)
	}
}
