package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata/script")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"toolpost": func() {
			p := newProgram()
			p.system = os.Getenv("TEST_SYSTEM_FOLDER")
			os.Exit(p.main())
		},
	})
}

// TestScripts runs every file of testdata/script: commands as a person types
// them, with their exit code, output and files.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			for _, kv := range [][2]string{{"HOME", e.WorkDir + "/home"}, {"TEST_SYSTEM_FOLDER", e.WorkDir + "/etc"}, {"XDG_DATA_HOME", ""}, {"XDG_CONFIG_HOME", ""}, {"NO_COLOR", ""}} {
				e.Setenv(kv[0], kv[1])
			}
			return os.MkdirAll(e.WorkDir+"/home", 0o700)
		},
		Condition: func(cond string) (bool, error) {
			if cond == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":     codeCommand,
			"json":     jsonCommand,
			"endpoint": endpointCommand,
			"same":     sameCommand,
			"big":      bigCommand,
			"await":    awaitCommand,
		},
	})
}

// code N COMMAND… runs a command that must end with exit code N.
func codeCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command [arguments]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("run %s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// json FILE PATH VALUE checks a member of a JSON document: data.lines.0 and the
// like. A value that begins with ~ is to be contained.
func jsonCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: json file path value")
	}
	var v any
	text := strings.TrimSpace(ts.ReadFile(args[0]))
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil || dec.More() {
		ts.Fatalf("%s is not one JSON document: %v\n%s", args[0], err, text)
	}
	for _, part := range strings.Split(args[1], ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[part]
		case []any:
			n, err := strconv.Atoi(part)
			if err != nil || n >= len(x) {
				ts.Fatalf("%s: no %q in a list of %d", args[1], part, len(x))
			}
			v = x[n]
		default:
			v = nil
		}
	}
	got := fmt.Sprint(v)
	want, part := strings.CutPrefix(args[2], "~")
	if ok := part && strings.Contains(got, want) || got == args[2]; ok == neg {
		ts.Fatalf("%s is %q, want %q (negated: %t)", args[1], got, args[2], neg)
	}
}

// endpoint ANSWERS starts a server of Chat Completions that gives the answers of
// a file, and sets $URL to its base.
func endpointCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: endpoint answers.jsonl")
	}
	h, err := answering(ts.ReadFile(args[0]))
	ts.Check(err)
	srv := httptest.NewServer(h)
	ts.Defer(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	ts.Setenv("URL", srv.URL+"/v1")
}

// same FILE FILE PREFIX compares the lines with a prefix.
func sameCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: same file file text")
	}
	pick := func(file string) (lines []string) {
		for line := range strings.Lines(ts.ReadFile(file)) {
			if strings.Contains(line, args[2]) {
				_, line, _ = strings.Cut(line, args[2])
				lines = append(lines, strings.Fields(line)[0])
			}
		}
		return lines
	}
	a, b := pick(args[0]), pick(args[1])
	if len(a) == 0 || strings.Join(a, "\n") != strings.Join(b, "\n") {
		ts.Fatalf("after %q: %q and %q", args[2], a, b)
	}
}

// big FILE N BEFORE AFTER makes a file of N times "x" between two texts.
func bigCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: big file n before after")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(args[2]+strings.Repeat("x", n)+args[3]), 0o600))
}
