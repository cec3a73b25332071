//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/tool"
)

// killed is how often the tests of this file kill a run; AUDIT_CRASHES says
// otherwise.
func killed(t *testing.T) int {
	t.Helper()
	n := 10
	if s := os.Getenv("AUDIT_CRASHES"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatalf("AUDIT_CRASHES=%q is no number", s)
		}
	}
	if testing.Short() {
		n = 3
	}
	return n
}

// crashing is a folder in which the program is run, and killed.
type crashing struct {
	t        *testing.T
	dir, bin string
	random   *rand.Rand
}

func newCrashing(t *testing.T) *crashing {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "toolpost")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return &crashing{t, t.TempDir(), bin, rand.New(rand.NewPCG(seed, 0))}
}

func (c *crashing) write(name, text string) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

func (c *crashing) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(c.t.Context(), c.bin, append([]string{"-C", c.dir, "--store", filepath.Join(c.dir, ".store"), "--no-input"}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+c.dir)
	return cmd
}

// run is the standard output of a command, which may end with one of these codes.
func (c *crashing) run(codes []int, args ...string) []byte {
	c.t.Helper()
	var stderr bytes.Buffer
	cmd := c.command(args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	code := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	}
	for _, ok := range codes {
		if code == ok {
			return out
		}
	}
	c.t.Fatalf("toolpost %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.Bytes())
	return nil
}

// kill runs a command that tells its events, and kills it behind the n-th.
func (c *crashing) kill(n int, args ...string) {
	c.t.Helper()
	cmd := c.command(append(args, "-o", "jsonl")...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if n--; n == 0 {
			if err := cmd.Process.Kill(); err != nil {
				c.t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // it was killed, or has ended by itself
}

// check holds the last run to what may be: it verifies, no call has ended well
// twice, and what a step did stands in log.txt once for each time it was started.
func (c *crashing) check() (v *audit.View) {
	c.t.Helper()
	store := &audit.Store{Dir: filepath.Join(c.dir, ".store", "runs")}
	id, err := store.Resolve("-1")
	if err != nil {
		return nil // it was killed before there was a run
	}
	c.run([]int{0}, "audit", "verify", "-1")
	if v, err = store.Load(id); err != nil {
		c.t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(c.dir, "log.txt"))
	if err != nil && !os.IsNotExist(err) {
		c.t.Fatal(err)
	}
	did := map[string]int{}
	for _, line := range strings.Fields(string(log)) {
		did[line]++
	}
	well, doubt := map[string]int{}, map[string]int{}
	for _, call := range v.Calls {
		var args struct{ Command string }
		if call.Ran == nil || json.Unmarshal(call.Ran.Args, &args) != nil {
			continue
		}
		word := strings.Fields(args.Command)[1]
		if call.Result.Status == tool.StatusOK {
			well[word]++
		} else if call.Unknown {
			doubt[word]++
		}
	}
	for word, n := range well {
		if n != 1 || did[word] < 1 || did[word] > 1+doubt[word] {
			c.t.Errorf("run %s: %s ended well %d times, did its work %d times, and was in doubt %d times", id, word, n, did[word], doubt[word])
		}
	}
	return v
}

func (c *crashing) clear() {
	c.t.Helper()
	if err := errors.Join(os.RemoveAll(filepath.Join(c.dir, "log.txt")), os.RemoveAll(filepath.Join(c.dir, ".store"))); err != nil {
		c.t.Fatal(err)
	}
}

func TestAPlanThatWasKilledGoesOnAndDoesNothingTwice(t *testing.T) {
	c := newCrashing(t)
	var steps []string
	for i := range 6 {
		steps = append(steps, fmt.Sprintf(`{"id":"s%d","tool":"exec_shell","args":{"command":"echo s%d >> log.txt"}}`, i, i))
	}
	c.write("p.json", `{"version":"1.0","goal":"count","riskLevel":"commands","steps":[`+strings.Join(steps, ",")+`]}`)
	var pre struct{ Token string }
	if err := json.Unmarshal(c.run([]int{0}, "plan", "preview", "p.json", "-o", "json"), &pre); err != nil || pre.Token == "" {
		t.Fatalf("no token: %v", err)
	}
	for range killed(t) {
		c.kill(1+c.random.IntN(18), "plan", "apply", "p.json", "--confirm", pre.Token)
		v := c.check()
		for tries := 0; v != nil && !v.Sealed && tries < 50; tries++ {
			c.kill(1+c.random.IntN(18), "runs", "resume", "-1", "--again")
			v = c.check()
		}
		if v == nil {
			continue
		}
		if v.Status != audit.StatusOK {
			t.Errorf("run %s ended as %s: %s", v.ID, v.Status, v.Message)
		}
		c.run([]int{5}, "runs", "resume", "-1")
		c.run([]int{0}, "runs", "replay", "-1")
		c.clear()
		if t.Failed() {
			return
		}
	}
}

func TestAnAgentThatWasKilledGoesOnAndDoesNothingTwice(t *testing.T) {
	c := newCrashing(t)
	script := "turns:\n"
	for i := range 5 {
		script += fmt.Sprintf("  - calls:\n      - tool: exec_shell\n        args: {command: echo t%d >> log.txt}\n", i)
	}
	c.write("s.yaml", script+"  - text: done\n")
	for range killed(t) {
		c.kill(1+c.random.IntN(40), "run", "-m", "script:s.yaml", "count")
		v := c.check()
		for tries := 0; v != nil && !v.Sealed && tries < 50; tries++ {
			c.kill(1+c.random.IntN(40), "runs", "resume", "-1")
			v = c.check()
		}
		if v == nil {
			continue
		}
		for _, call := range v.Calls {
			if call.Unknown && strings.Count(string(call.Asked.Args), "log.txt") != 1 {
				t.Errorf("call %d: %s", call.N, call.Asked.Args)
			}
		}
		if !v.Sealed {
			t.Errorf("run %s has no end: %s", v.ID, v.Status)
		}
		c.clear()
		if t.Failed() {
			return
		}
	}
}

func TestASecondResumerIsRefused(t *testing.T) {
	c := newCrashing(t)
	c.write("s.yaml", "turns:\n  - calls:\n      - tool: exec_shell\n        args: {command: sleep 60}\n  - text: done\n")
	cmd := c.command("run", "-m", "script:s.yaml", "-o", "jsonl", "wait")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.Contains(lines.Text(), `"type":"step.started"`) {
			break
		}
	}
	c.run([]int{5}, "runs", "resume", "-1")
	c.run([]int{5}, "runs", "undo", "-1")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // with the code of an interrupt
}
