package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// timeFormat is RFC 3339 with milliseconds; times are written in UTC.
const timeFormat = "2006-01-02T15:04:05.000Z07:00"

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(timeFormat)
}

type (
	callFields   Call
	resultFields Result
)

// callJSON is a Call as written: the shadowing fields win over the embedded.
type callJSON struct {
	*callFields
	Created   string `json:"createdAt,omitzero"`
	Deadline  string `json:"deadlineAt,omitzero"`
	TimeoutMS int64  `json:"timeoutMs,omitzero"`
	ArgsText  string `json:"argsText,omitzero"` // arguments that are not JSON, as they came
	Risk      Risk   `json:"riskLevel,omitzero"`
	Category  string `json:"category,omitzero"`
}

// MarshalJSON writes the call in the form of seed 003: times in UTC with
// milliseconds, the timeout as "timeoutMs", risk and category of its tool, and
// Extra. Arguments that are not JSON are written as the string "argsText".
func (c Call) MarshalJSON() ([]byte, error) {
	j := callJSON{callFields: (*callFields)(&c), Created: stamp(c.Created), Deadline: stamp(c.Deadline), TimeoutMS: c.Timeout.Milliseconds()}
	if len(c.Args) > 0 && !json.Valid(c.Args) {
		j.ArgsText, c.Args = string(c.Args), nil
	}
	more := c.Extra
	if c.Spec != nil {
		j.Risk, j.Category = c.Spec.Risk, c.Spec.Category
		more = maps.Clone(more)
		delete(more, "riskLevel")
		delete(more, "category")
	}
	return withExtra(j, more)
}

// UnmarshalJSON reads a call; members it does not know go to Extra.
func (c *Call) UnmarshalJSON(b []byte) error {
	j := struct {
		*callFields
		TimeoutMS int64  `json:"timeoutMs"`
		ArgsText  string `json:"argsText"`
	}{callFields: (*callFields)(c)}
	if err := json.Unmarshal(b, &j); err != nil {
		return fmt.Errorf("read call: %w", err)
	}
	c.Timeout = time.Duration(j.TimeoutMS) * time.Millisecond
	if j.ArgsText != "" {
		c.Args = json.RawMessage(j.ArgsText)
	}
	var err error
	c.Extra, err = extra(b, "callId", "tool", "runId", "stepId", "agentId", "turnId", "turnEpoch", "attempt",
		"providerCallId", "args", "argsText", "createdAt", "timeoutMs", "deadlineAt", "afterExecution", "preview", "iteration",
		"loopId", "dryRun", "rule", "approvalId", "confirmationId", "digest", "policy", "normalized")
	return err
}

// resultJSON is a Result as written.
type resultJSON struct {
	*resultFields
	OK         bool   `json:"ok"`
	Started    string `json:"startedAt,omitzero"`
	Ended      string `json:"endedAt,omitzero"`
	DurationMS int64  `json:"durationMs"`
}

// MarshalJSON writes the result in the form of seed 003, with "ok" and
// "durationMs" beside what they are computed from, and Extra.
func (r Result) MarshalJSON() ([]byte, error) {
	j := resultJSON{resultFields: (*resultFields)(&r), OK: r.OK(), Started: stamp(r.Started), Ended: stamp(r.Ended), DurationMS: r.Duration().Milliseconds()}
	return withExtra(j, r.Extra)
}

// UnmarshalJSON reads a result; members it does not know go to Extra.
func (r *Result) UnmarshalJSON(b []byte) error {
	j := struct {
		*resultFields
		DurationMS int64 `json:"durationMs"`
	}{resultFields: (*resultFields)(r)}
	if err := json.Unmarshal(b, &j); err != nil {
		return fmt.Errorf("read result: %w", err)
	}
	r.told = nil
	if took := time.Duration(j.DurationMS) * time.Millisecond; took > 0 && j.DurationMS != r.Duration().Milliseconds() {
		r.told = &told{r.Started, r.Ended, took}
	}
	var err error
	r.Extra, err = extra(b, "callId", "tool", "runId", "stepId", "agentId", "turnId", "turnEpoch", "attempt",
		"providerCallId", "status", "content", "data", "error", "effects", "afterExecution", "startedAt", "endedAt",
		"userMessage", "debugMessage", "artifact", "ok", "durationMs")
	return err
}

// extra is the members of the object b that are not known.
func extra(b []byte, known ...string) (map[string]json.RawMessage, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, err
	}
	for _, k := range known {
		delete(all, k)
	}
	if len(all) == 0 {
		return nil, nil
	}
	return all, nil
}

// withExtra is v as an object with the members of more behind its own.
func withExtra(v any, more map[string]json.RawMessage) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	b := bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
	if len(more) == 0 {
		return b, nil
	}
	b = bytes.TrimSuffix(b, []byte("}"))
	for _, k := range slices.Sorted(maps.Keys(more)) {
		name, err := json.Marshal(k)
		if err != nil {
			return nil, err
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(append(b, name...), ':'), more[k]...)
	}
	return append(b, '}'), nil
}
