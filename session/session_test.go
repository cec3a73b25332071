package session_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/session"
	"github.com/toolpost/toolpost/tool"
)

// asks is an assistant message with calls of these ids.
func asks(ids ...string) llm.Message {
	m := llm.Message{Role: llm.RoleAssistant, Stop: llm.StopCalls}
	for _, id := range ids {
		m.Blocks = append(m.Blocks, llm.Block{Content: tool.Content{Type: llm.BlockCall}, Call: &tool.Call{Ref: tool.Ref{ID: id, Tool: "t"}}})
	}
	return m
}

// answers is a message with results for calls of these ids.
func answers(ids ...string) llm.Message {
	m := llm.Message{Role: llm.RoleTool}
	for _, id := range ids {
		r := tool.Text("of " + id)
		r.ID, r.Tool = id, "t"
		m.Blocks = append(m.Blocks, llm.ResultBlock(r))
	}
	return m
}

// shape is a history in short: "user hi", "asks 1 2", "tells 1:ok 2:cancelled".
func shape(msgs []llm.Message) []string {
	var out []string
	for _, m := range msgs {
		s := string(m.Role) + " " + m.Text()
		for _, b := range m.Blocks {
			switch {
			case b.Call != nil:
				s += " asks " + b.Call.ID
			case b.Result != nil:
				s += fmt.Sprintf(" %s:%s", b.Result.ID, b.Result.Status)
			}
		}
		out = append(out, s)
	}
	return out
}

func TestRepairC9(t *testing.T) {
	broken := asks("x")
	broken.Stop, broken.Error = llm.StopAborted, "cancelled"
	for _, c := range []struct {
		name string
		msgs []llm.Message
		want []string
	}{
		{"a call without a result gets one", []llm.Message{asks("1", "2"), answers("1")},
			[]string{"assistant  asks 1 asks 2", "tool  1:ok 2:cancelled"}},
		{"no result at all", []llm.Message{asks("1"), llm.User("hello?")},
			[]string{"assistant  asks 1", "tool  1:cancelled", "user hello?"}},
		{"a second result is dropped", []llm.Message{asks("1"), answers("1", "1"), answers("1")},
			[]string{"assistant  asks 1", "tool  1:ok"}},
		{"a result without a call is dropped", []llm.Message{answers("9"), asks("1"), answers("1", "9")},
			[]string{"assistant  asks 1", "tool  1:ok"}},
		{"results move directly behind their calls, in their order", []llm.Message{asks("1", "2"), llm.User("wait"), answers("2"), answers("1")},
			[]string{"assistant  asks 1 asks 2", "tool  1:ok 2:ok", "user wait"}},
		{"calls of an aborted message want no result", []llm.Message{broken, llm.User("again")},
			[]string{"assistant  asks x", "user again"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, notes := session.Repair(c.msgs, nil)
			if diff := cmp.Diff(c.want, shape(got)); diff != "" {
				t.Error(diff)
			}
			if len(notes) == 0 && len(shape(c.msgs)) != len(c.want) {
				t.Error("nothing was said about it")
			}
			again, _ := session.Repair(got, nil)
			if diff := cmp.Diff(shape(got), shape(again)); diff != "" {
				t.Error("a second repair changes it:", diff)
			}
		})
	}
}

func TestRepairAsksTheRecordFirst(t *testing.T) {
	got, _ := session.Repair([]llm.Message{asks("1")}, func(c *tool.Call) *tool.Result {
		r := tool.Text("from the record")
		r.Ref = c.Ref
		return r
	})
	if r := got[1].Blocks[0].Result; r.Status != tool.StatusOK || r.Content[0].Text != "from the record" {
		t.Errorf("got %+v", r)
	}
}

func open(t *testing.T, dir, id string) *session.Session {
	t.Helper()
	s, err := session.Store{Dir: dir}.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestASessionIsThereAgainWhenItIsOpenedAgain(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "chat:1")
	said := []llm.Message{llm.User("hi\u2028there\n"), asks("1"), answers("1"), {Role: llm.RoleAssistant, Blocks: []llm.Block{
		{Content: tool.Content{Type: llm.BlockThinking}, Thinking: "hm\x00", Signature: "sig"}, llm.TextBlock("done")}}}
	if err := s.Append(t.Context(), said...); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	got := open(t, dir, "chat:1").Messages()
	if diff := cmp.Diff(shape(said), shape(got)); diff != "" {
		t.Error(diff)
	}
	if got[3].Blocks[0].Thinking != "hm\x00" {
		t.Errorf("signed thinking came back as %q, want it byte for byte", got[3].Blocks[0].Thinking)
	}
}

func TestArgumentsThatAreNotJSONSurvive(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "a")
	m := asks("1")
	m.Blocks[0].Call.Args = []byte(`{"path":"src/ma`)
	if err := s.Append(t.Context(), m, answers("1")); err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	if got := string(open(t, dir, "a").Messages()[0].Blocks[0].Call.Args); got != `{"path":"src/ma` {
		t.Errorf("got %s", got)
	}
}

func TestContentIsCleaned(t *testing.T) {
	s := open(t, t.TempDir(), "a")
	if err := s.Append(t.Context(), llm.User("a\x00b\x7fc\x1b[31m\td\r\ne")); err != nil {
		t.Fatal(err)
	}
	if got := s.Messages()[0].Text(); got != "abc[31m\td\r\ne" {
		t.Errorf("got %q", got)
	}
}

func TestWhatACrashLeavesOfALineIsCutOff(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "a")
	if err := s.Append(t.Context(), llm.User("one"), llm.User("two")); err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	path := filepath.Join(dir, "a.jsonl")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first := strings.IndexByte(string(whole), '\n') + 1
	for cut := range len(whole) {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		want := 0
		if cut >= first {
			want = 1
		}
		if got := len(reopened(t, dir, llm.User("after"))); got != want {
			t.Fatalf("cut at %d: %d messages, want %d", cut, got, want)
		}
		if msgs := reopened(t, dir); len(msgs) != want+1 || msgs[want].Text() != "after" {
			t.Fatalf("cut at %d, then appended: %v", cut, shape(msgs))
		}
	}
}

// reopened is what session a held when it was opened, before more was said.
func reopened(t *testing.T, dir string, more ...llm.Message) []llm.Message {
	t.Helper()
	s, err := session.Store{Dir: dir}.Open("a")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	msgs := s.Messages()
	if err := s.Append(t.Context(), more...); err != nil {
		t.Fatal(err)
	}
	return msgs
}

func TestADamagedLineDoesNotBrickASession(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "a")
	for _, text := range []string{"one", "two", "three"} {
		if err := s.Append(t.Context(), llm.User(text)); err != nil {
			t.Fatal(err)
		}
	}
	_ = s.Close()
	path := filepath.Join(dir, "a.jsonl")
	b, _ := os.ReadFile(path)
	lines := strings.SplitAfter(string(b), "\n")
	lines[1] = "{\"v\":1,#\n"
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"user one", "user three"}, shape(open(t, dir, "a").Messages())); diff != "" {
		t.Error(diff)
	}
}

func TestASecondHolderIsRefused(t *testing.T) {
	dir := t.TempDir()
	open(t, dir, "a")
	_, err := session.Store{Dir: dir}.Open("a")
	if !errors.Is(err, &tool.Error{Code: tool.CodeConflict}) {
		t.Errorf("got %v, want CONFLICT", err)
	}
}

func TestCheckID(t *testing.T) {
	for _, id := range []string{"", "..", "a..b", "a/b", `a\b`, "a\x00", "a\n", "a\x7f", ".", strings.Repeat("x", 257)} {
		if err := session.CheckID(id); !errors.Is(err, &tool.Error{Code: tool.CodeInvalid}) {
			t.Errorf("%q: got %v, want VALIDATION_ERROR", id, err)
		}
	}
	for _, id := range []string{"a", "channel:42", "with space", "ünïcode", strings.Repeat("x", 256)} {
		if err := session.CheckID(id); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestTenThousandMessagesLoadInWellUnderASecond(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "long")
	batch := make([]llm.Message, 0, 10_000)
	for i := range 10_000 {
		batch = append(batch, llm.User(fmt.Sprintf("message %d %s", i, strings.Repeat("x", 200))))
	}
	if err := s.Append(t.Context(), batch...); err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	begin := time.Now()
	n := len(open(t, dir, "long").Messages())
	t.Logf("loaded %d messages in %s", n, time.Since(begin))
	if n != 10_000 {
		t.Errorf("loaded %d messages", n)
	}
}

func TestPersistRewritesWhatIsKeptButNotWhoItAnswers(t *testing.T) {
	mem := session.NewMemory()
	s := session.Persist(mem,
		func(m llm.Message) llm.Message {
			for i := range m.Blocks {
				if m.Blocks[i].Result != nil {
					m.Blocks[i].Result.Content = []tool.Content{{Type: tool.ContentText, Text: "rewritten"}}
				}
			}
			return m
		},
		func(llm.Message) llm.Message { panic("boom") },
		func(m llm.Message) llm.Message {
			if m.Role == llm.RoleTool {
				m.Blocks = nil // loses a result
			}
			return m
		},
	)
	said := answers("1")
	if err := s.Append(context.Background(), said); err != nil {
		t.Fatal(err)
	}
	kept := mem.Messages()[0]
	if got := kept.Blocks[0].Result.Content[0].Text; got != "rewritten" {
		t.Errorf("kept %q", got)
	}
	if got := said.Blocks[0].Result.Content[0].Text; got != "of 1" {
		t.Errorf("the message itself became %q", got)
	}
}

func TestSessionsAreListedLastChangedFirst(t *testing.T) {
	dir := t.TempDir()
	for _, id := range []string{"old", "new"} {
		if err := open(t, dir, id).Append(t.Context(), llm.User("about "+id)); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "old.jsonl"), past, past); err != nil {
		t.Fatal(err)
	}
	list, err := session.Store{Dir: dir}.List()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range list {
		got = append(got, s.ID+": "+s.First)
	}
	if diff := cmp.Diff([]string{"new: about new", "old: about old"}, got); diff != "" {
		t.Error(diff)
	}
}

func ExampleStore() {
	dir, _ := os.MkdirTemp("", "sessions")
	defer os.RemoveAll(dir)
	s, err := session.Store{Dir: dir}.Open("refactor")
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = s.Append(context.Background(), llm.User("Rename it."))
	_ = s.Close()

	msgs, _ := session.Store{Dir: dir}.Read("refactor")
	fmt.Println(len(msgs), msgs[0].Text())
	// Output: 1 Rename it.
}

func ExampleRepair() {
	call := llm.Block{Content: tool.Content{Type: llm.BlockCall}, Call: &tool.Call{Ref: tool.Ref{ID: "1", Tool: "read_file"}}}
	msgs, notes := session.Repair([]llm.Message{{Role: llm.RoleAssistant, Blocks: []llm.Block{call}}}, nil)
	fmt.Println(len(msgs), msgs[1].Blocks[0].Result.Status)
	fmt.Println(notes[0])
	// Output:
	// 2 cancelled
	// call 1 of read_file had no result: interrupted
}
