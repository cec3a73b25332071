package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/toolpost/toolpost/tool"
)

// telling is the arguments by which a person knows a call, in the order in which
// the first that is there is taken.
func telling() []string {
	return []string{"command", "path", "query", "url", "id", "sessionId", "key", "task", "name", "text"}
}

// shortArgs is the arguments of a call in a few words.
func shortArgs(args json.RawMessage) string {
	var m map[string]json.RawMessage
	if json.Unmarshal(args, &m) != nil {
		return clip(string(args), 80)
	}
	if len(m) == 0 {
		return ""
	}
	for _, k := range telling() {
		var s string
		if json.Unmarshal(m[k], &s) == nil && s != "" {
			return clip(s, 120)
		}
	}
	var b bytes.Buffer
	if json.Compact(&b, args) != nil {
		return ""
	}
	return clip(b.String(), 80)
}

// change is how many lines an edit added and took away, "" for other calls.
func change(r *tool.Result) string {
	var d struct {
		Diff string `json:"diff"`
	}
	if r == nil || json.Unmarshal(r.Data, &d) != nil || d.Diff == "" {
		return ""
	}
	plus, minus := 0, 0
	for line := range strings.SplitSeq(d.Diff, "\n") {
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		case strings.HasPrefix(line, "+"):
			plus++
		case strings.HasPrefix(line, "-"):
			minus++
		}
	}
	return fmt.Sprintf("+%d −%d", plus, minus)
}

// diffOf is the diff that a call reports, "" if there is none.
func diffOf(r *tool.Result) string {
	var d struct {
		Diff string `json:"diff"`
	}
	if json.Unmarshal(r.Data, &d) != nil {
		return ""
	}
	return d.Diff
}

// statusWord is how a call ended, for people.
func statusWord(r *tool.Result) string {
	switch r.Status {
	case tool.StatusOK:
		return "ok"
	case tool.StatusBlocked:
		if r.Err != nil && r.Err.Code == tool.CodeLoop {
			return "LOOP"
		}
		return "DENIED"
	case tool.StatusTimeout:
		return "TIMEOUT"
	case tool.StatusCancelled:
		return "CANCELLED"
	case tool.StatusError:
		if r.Err != nil {
			return string(r.Err.Code)
		}
	default:
	}
	return string(r.Status)
}

// duration is d in three digits: 0.4ms, 4.81s, 2m03s.
func duration(d time.Duration) string {
	switch {
	case d <= 0:
		return "0"
	case d < time.Millisecond:
		return fmt.Sprintf("%.1fms", max(float64(d)/1e6, 0.1))
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1fms", float64(d)/1e6)
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.2fs", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// bytesText is n bytes in three digits.
func bytesText(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10) + " B"
	case n < 999_500:
		return fmt.Sprintf("%.3g kB", float64(n)/1e3)
	case n < 999_500_000:
		return fmt.Sprintf("%.3g MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.3g GB", float64(n)/1e9)
}

// count is n in three digits: 126, 3.6k, 1.2M.
func count(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 999_950:
		return fmt.Sprintf("%.3gk", float64(n)/1e3)
	}
	return fmt.Sprintf("%.3gM", float64(n)/1e6)
}

// plural is "1 call" or "3 calls".
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.Itoa(n) + " " + word + "s"
}

// shortID is the beginning of an id that people are shown. An id of ours begins
// with the time; 18 characters tell runs apart that began in one millisecond.
func shortID(id string) string {
	if len(id) == 36 && id[8] == '-' {
		return id[:18]
	}
	return id
}

// textOf is what a result says, without the envelope that tells a model of a
// failure; images are named.
func textOf(r *tool.Result) string {
	var b strings.Builder
	env := string(r.Envelope())
	for i, c := range r.Content {
		switch {
		case i == 0 && env != "" && c.Text == env:
		case c.Type == tool.ContentImage:
			fmt.Fprintf(&b, "[%s, %s]\n", c.MIME, bytesText(int64(len(c.Data))))
		default:
			b.WriteString(c.Text)
			if c.Text != "" && !strings.HasSuffix(c.Text, "\n") {
				b.WriteByte('\n')
			}
		}
	}
	return b.String()
}
