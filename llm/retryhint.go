package llm

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// headers takes the request's id and the server's wish about retries:
// x-should-retry wins over what the status says, retry-after-ms over
// retry-after, which is seconds, a fraction of them, or a date (RFC 9110
// §10.2.3), and that over the time at which a limit that is used up starts anew.
func (e *Error) headers(h http.Header) {
	if h == nil {
		return
	}
	for _, k := range []string{"X-Request-Id", "Request-Id", "Mistral-Correlation-Id", "X-Generation-Id", "X-Amzn-Requestid", "Cf-Ray"} {
		if v := h.Get(k); v != "" {
			e.RequestID = oneLine(v, 120)
			break
		}
	}
	if kind, _, _ := strings.Cut(h.Get("X-Amzn-Errortype"), ":"); e.Type == "" {
		e.Type = oneLine(kind, 80)
	}
	switch strings.ToLower(h.Get("X-Should-Retry")) {
	case "true":
		e.Retryable = true
	case "false":
		e.Retryable = false
	}
	e.RetryAfter = retryAfter(h, time.Now())
}

func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms := seconds(h.Get("Retry-After-Ms")); ms > 0 {
		return ms / 1000
	}
	v := strings.TrimSpace(h.Get("Retry-After"))
	if v == "" {
		return untilReset(h, now)
	}
	if d := seconds(v); d > 0 {
		return d
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(t.Sub(now), 0)
	}
	return 0
}

// limits are the headers by which servers tell of rate limits, with % for what is
// left and when it starts anew: OpenAI and those like it by a duration,
// Anthropic by a time of RFC 3339.
var limits = []string{
	"X-Ratelimit-%-Requests", "X-Ratelimit-%-Tokens",
	"Anthropic-Ratelimit-Requests-%", "Anthropic-Ratelimit-Tokens-%",
	"Anthropic-Ratelimit-Input-Tokens-%", "Anthropic-Ratelimit-Output-Tokens-%",
}

// untilReset is how long the limit that is used up takes to start anew, the
// longest of them if there are several; 0 if none is.
func untilReset(h http.Header, now time.Time) (wait time.Duration) {
	for _, l := range limits {
		if strings.TrimSpace(h.Get(strings.Replace(l, "%", "Remaining", 1))) != "0" {
			continue
		}
		v := strings.TrimSpace(h.Get(strings.Replace(l, "%", "Reset", 1)))
		d, err := time.ParseDuration(v)
		if err != nil {
			if t, err := time.Parse(time.RFC3339, v); err == nil {
				d = t.Sub(now)
			}
		}
		wait = max(wait, d)
	}
	return wait
}

// seconds reads a number of seconds; 0 if it is none or makes no sense.
func seconds(s string) time.Duration {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(f) || f < 0 || f > 1e9 {
		return 0
	}
	return time.Duration(f * float64(time.Second))
}
