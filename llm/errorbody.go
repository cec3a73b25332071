package llm

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/toolpost/toolpost/tool"
)

// ErrorOf reads a failed answer. It understands the bodies of the usual APIs
// ({"error":{…}}, {"error":"…"}, {"message":…}, {"detail":…}, a list of one of
// them), text, and pages of HTML, of which it keeps the title. The status is 0
// for an error that came inside a stream; header may be nil.
func ErrorOf(status int, header http.Header, body []byte) *Error {
	e := &Error{Status: status}
	var f fault
	if f.read(body) {
		e.Message, e.Type = oneLine(f.message, 600), oneLine(f.word, 80)
	} else {
		e.Message = summary(status, body)
	}
	if e.Message == "" {
		e.Message = strings.ToLower(http.StatusText(status))
	}
	if e.Message == "" {
		e.Message = "no reason given"
	}
	if status == 0 && f.code >= 400 && f.code < 600 {
		status = f.code
	}
	e.judge(status)
	e.headers(header)
	if e.RetryAfter == 0 {
		e.RetryAfter = f.delay
	}
	return e
}

// judge sets the code by status, and by the words where they say more.
func (e *Error) judge(status int) {
	words := strings.ToLower(e.Type + " " + e.Message)
	switch {
	case overflows(status, words):
		e.Code, e.Overflow = tool.CodeLimit, true
	case hasAny(words, "insufficient_quota", "billing_error", "exceeded your current quota") || status == http.StatusPaymentRequired:
		e.Code = tool.CodeLimit
	case status == http.StatusUnauthorized || status == http.StatusForbidden || hasAny(words, "authentication_error", "permission_error", "api_key_invalid", "api key not valid", "invalid_api_key"):
		e.Code = tool.CodeUnauthenticated
	case status == http.StatusNotFound:
		e.Code = tool.CodeNotFound
	case status == http.StatusRequestEntityTooLarge:
		e.Code = tool.CodeLimit
	case status == http.StatusRequestTimeout || status == http.StatusConflict || status == http.StatusFailedDependency || status == http.StatusTooManyRequests || status >= 500:
		e.Code, e.Retryable = tool.CodeUnavailable, true
	case hasAny(words, "overloaded", "rate_limit", "server_error", "unavailable", "resource_exhausted", "timeout_error"):
		e.Code, e.Retryable = tool.CodeUnavailable, true
	case status >= 300 && status < 400:
		e.Code, e.Advice = tool.CodeUnavailable, "the server redirects: check the base URL"
	case status == 0 && !strings.Contains(words, "invalid"):
		e.Code, e.Retryable = tool.CodeUnavailable, true
	default:
		e.Code = tool.CodeInvalid
		e.Retryable = e.Type == ToolUseFailed
	}
}

// ToolUseFailed is the Type of an error by which some servers (Groq) say that
// their model wrote a call which they could not read. It is worth one retry.
const ToolUseFailed = "tool_use_failed"

// IdleStream is the Type of an error by which a provider adapter says that a
// server sent nothing for too long.
const IdleStream = "idle"

func hasAny(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

var (
	title = regexp.MustCompile(`(?is)<title[^>]*>(.{0,300}?)</title>`)
	tags  = regexp.MustCompile(`(?s)<[^>]{0,300}>`)
)

// summary is what a body says that is not JSON.
func summary(status int, body []byte) string {
	head := bytes.TrimSpace(body[:min(len(body), 8192)])
	if len(head) == 0 {
		return ""
	}
	low := bytes.ToLower(head[:min(len(head), 512)])
	if !bytes.HasPrefix(low, []byte("<")) && !bytes.Contains(low, []byte("<html")) {
		return oneLine(string(head), 300)
	}
	s := "a page of HTML came instead of an answer"
	if m := title.FindSubmatch(head); m != nil {
		if t := oneLine(string(tags.ReplaceAll(m[1], nil)), 120); t != "" {
			s += ", titled " + strconv.Quote(t)
		}
	}
	if status == 0 || status < 300 {
		s += ": the base URL may point at a web site rather than at an API"
	}
	return s
}

// A fault is what the body of an error says.
type fault struct {
	message, word string
	code          int
	delay         time.Duration
}

// read reports whether body is JSON of a form it knows.
func (f *fault) read(body []byte) bool {
	body = bytes.TrimSpace(body)
	if len(body) > 0 && body[0] == '[' {
		var list []json.RawMessage
		if json.Unmarshal(body, &list) != nil || len(list) == 0 {
			return false
		}
		body = list[0]
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(body, &m) != nil {
		return false
	}
	inner := m
	switch v := bytes.TrimSpace(m["error"]); {
	case len(v) > 0 && v[0] == '{':
		inner = nil
		_ = json.Unmarshal(v, &inner) // it was valid as part of body
	case len(v) > 0 && v[0] == '"':
		f.message = text(v)
	}
	f.fill(inner)
	if f.message == "" {
		f.message = text(m["message"])
	}
	return f.message != "" || f.word != ""
}

func (f *fault) fill(m map[string]json.RawMessage) {
	if f.message == "" {
		f.message = text(m["message"])
	}
	if f.message == "" {
		f.message = text(m["detail"])
	}
	for _, k := range []string{"code", "status", "type"} { // the more telling word first
		if w := text(m[k]); f.word == "" && w != "" && w != "error" && w != "null" {
			if n, err := strconv.Atoi(w); err == nil {
				f.code = n
				continue
			}
			f.word = w
		}
	}
	if reason := apiReason.FindSubmatch(m["details"]); reason != nil {
		f.word = string(reason[1])
	}
	if d := retryDelay.FindSubmatch(m["details"]); d != nil {
		f.delay = seconds(string(d[1]))
	}
	if meta := upstream.FindSubmatch(m["metadata"]); meta != nil {
		f.message += " (from " + string(meta[1]) + ")"
	}
}

var (
	apiReason  = regexp.MustCompile(`"reason"\s*:\s*"([A-Z_]{1,80})"`)
	retryDelay = regexp.MustCompile(`"retryDelay"\s*:\s*"([0-9.]{1,20})s"`)
	upstream   = regexp.MustCompile(`"provider_name"\s*:\s*"([^"\\]{1,80})"`)
)

// text is a JSON string's text, or any other value as it is written; "" for
// null and for what is absent.
func text(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	return oneLine(string(v), 600)
}
