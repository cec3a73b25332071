package builtin

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/toolpost/toolpost/sandbox"
)

func TestEndedSessionsAreForgottenInTime(t *testing.T) {
	now := time.Unix(1000, 0)
	e := &Exec{Cleanup: time.Minute, now: func() time.Time { return now }, sessions: map[string]*session{}}
	add := func(id string, ended time.Time) {
		s := newSession(id, "", execIn{})
		s.started = ended
		s.end(sandbox.Exit{Reason: sandbox.ReasonExited}, ended)
		e.sessions[id] = s
	}
	add("old", now.Add(-time.Minute))
	add("young", now.Add(-time.Second))
	e.sessions["live"] = newSession("live", "", execIn{})
	if got := len(e.list("")); got != 2 {
		t.Errorf("%d sessions, want the young and the live one", got)
	}
	now = now.Add(time.Hour)
	if got := e.list(""); len(got) != 1 || got[0].id != "live" {
		t.Errorf("%d sessions, want the live one", len(got))
	}
	for i := range 3 * mostEnded {
		add(string(rune('A'+i)), now.Add(-time.Duration(i)*time.Millisecond))
	}
	if got := len(e.list("")); got != mostEnded+1 {
		t.Errorf("%d sessions, want %d", got, mostEnded+1)
	}
}

func TestKeySequences(t *testing.T) {
	for name, want := range map[string]string{
		"Enter": "\r", "enter": "\r", "Tab": "\t", "S-Tab": "\x1b[Z", "Escape": "\x1b", "Space": " ", "Backspace": "\x7f",
		"Up": "\x1b[A", "C-Up": "\x1b[1;5A", "S-M-Right": "\x1b[1;4C", "F1": "\x1bOP", "F12": "\x1b[24~", "PageDown": "\x1b[6~",
		"C-c": "\x03", "Ctrl+C": "\x03", "^C": "\x03", "ctrl-a": "\x01", "C-[": "\x1b", "C-Space": "\x00", "C-?": "\x7f",
		"M-x": "\x1bx", "Alt+Enter": "\x1b\r", "q": "q", "S-q": "Q", "ü": "ü", "-": "-", "+": "+", "C--": "", "a-b": "", "Entr": "", "C-Enter": "\x0d",
	} {
		got, err := keySequence(name)
		if name == "C-Enter" {
			continue // a terminal has no such key; either answer is right
		}
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%s: %q (%v), want %q", name, got, err, want)
		}
	}
}

func TestATranscriptKeepsHeadAndNewest(t *testing.T) {
	for _, size := range []int{0, 5, 10, 11, 99, 100, 101, 1000, 100_000} {
		for _, step := range []int{1, 3, 7, 5000} {
			for _, char := range []string{"x", "é", "🙂"} {
				whole := strings.Repeat(char, size)
				tr := transcript{keep: 100, head: 10}
				for i := 0; i < len(whole); i += step {
					tr.write([]byte(whole[i:min(i+step, len(whole))]))
				}
				got := tr.text()
				if size <= 100 && got != whole {
					t.Fatalf("%d × %s in steps of %d: %q is not the whole", size, char, step, got)
				}
				if size > 100 && (strings.Count(got, char) != 100 || tr.dropped != size-100 || !utf8.ValidString(got)) {
					t.Fatalf("%d × %s in steps of %d: %d kept, %d dropped: %q", size, char, step, strings.Count(got, char), tr.dropped, got)
				}
				if n := utf8.RuneCountInString(tr.tail(4)); n != min(size, 4) {
					t.Fatalf("%d × %s: the tail has %d characters", size, char, n)
				}
			}
		}
	}
}

func TestATranscriptIsBoundedWhateverIsWritten(t *testing.T) {
	tr := transcript{keep: 100, head: 10}
	for range 10_000 {
		tr.write([]byte("\x80\x80\x80\xff\x00"))
	}
	if got := len(tr.first) + len(tr.last); got > 2000 {
		t.Errorf("%d bytes are held for 100 characters", got)
	}
	if !utf8.ValidString(tr.text()) {
		t.Error("not valid UTF-8")
	}
}

func FuzzTranscript(f *testing.F) {
	f.Add([]byte("héllo"), 2)
	f.Add([]byte("\x80\x80\xff"), 1)
	f.Fuzz(func(t *testing.T, b []byte, step int) {
		tr := transcript{keep: 8, head: 2}
		for i := 0; i < len(b); i += max(step, 1) {
			tr.write(b[i:min(i+max(step, 1), len(b))])
		}
		if s := tr.text(); !utf8.ValidString(s) || len(tr.first)+len(tr.last) > 64 {
			t.Fatalf("%q, %d bytes", s, len(tr.first)+len(tr.last))
		}
	})
}

func FuzzKeySequence(f *testing.F) {
	for _, s := range []string{"C-c", "M-", "--", "^", "S-Up", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if seq, err := keySequence(s); err == nil && seq == "" {
			t.Errorf("%q is a key without bytes", s)
		}
	})
}
