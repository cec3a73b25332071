package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// TestEveryCommandOfTheDocsRuns goes through the pages of docs that have console
// blocks: it makes the files that they show, runs the commands in order, and
// looks for the lines that they say are printed. "# exit N" is the exit code.
func TestEveryCommandOfTheDocsRuns(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands of the docs are for a POSIX shell")
	}
	if _, err := exec.LookPath("jq"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("jq is missing: make test installs it")
		}
		t.Skip("jq is missing: some commands of the docs need it")
	}
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, "toolpost"), ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "```console") {
			continue
		}
		ran++
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			runPage(t, string(text), bin)
		})
	}
	if ran == 0 {
		t.Error("no page has console blocks")
	}
}

var block = regexp.MustCompile("(?ms)^```(\\w+)(?: (\\S+))?\\n(.*?)^```$")

func runPage(t *testing.T, text, bin string) {
	dir := t.TempDir()
	for _, m := range block.FindAllStringSubmatch(text, -1) {
		kind, file, body := m[1], m[2], m[3]
		switch {
		case file != "":
			path := filepath.Join(dir, filepath.FromSlash(file))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
				t.Fatal(err)
			}
		case kind == "console":
			runConsole(t, body, dir, bin)
		}
	}
}

// runConsole runs the lines that begin with "$ ", and looks for the others in
// what they print, in order.
func runConsole(t *testing.T, body, dir, bin string) {
	for _, part := range strings.Split("\n"+body, "\n$ ")[1:] {
		line, want, _ := strings.Cut(part, "\n")
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+filepath.Join(dir, ".home"), "XDG_DATA_HOME=", "XDG_CONFIG_HOME=", "NO_COLOR=1")
		out, err := cmd.CombinedOutput()
		code := 0
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			code = exit.ExitCode()
		} else if err != nil {
			t.Fatalf("$ %s: %v", line, err)
		}
		if wanted := exitOf(line); code != wanted {
			t.Errorf("$ %s\nexit code %d, want %d\n%s", line, code, wanted, out)
			continue
		}
		rest := string(out)
		for _, w := range strings.Split(want, "\n") {
			if w = strings.TrimSpace(w); w == "" || w == "…" {
				continue
			}
			_, after, ok := strings.Cut(rest, w)
			if !ok {
				t.Errorf("$ %s\ndoes not print, or not in this order: %s\n%s", line, w, out)
				break
			}
			rest = after
		}
	}
}

func exitOf(line string) int {
	_, code, ok := strings.Cut(line, "# exit ")
	if !ok {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(code))
	return n
}
