package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"strconv"
	"time"

	"github.com/toolpost/toolpost/tool"
)

// The JSON of OTLP (opentelemetry.proto.trace.v1.TracesData): ids in hex, times in
// nanoseconds as strings.
type (
	otlpTraces struct {
		Resources []otlpResource `json:"resourceSpans"`
	}
	otlpResource struct {
		Resource otlpAttributes `json:"resource"`
		Scopes   []otlpScope    `json:"scopeSpans"`
	}
	otlpAttributes struct {
		Attributes []otlpAttribute `json:"attributes"`
	}
	otlpScope struct {
		Scope otlpName   `json:"scope"`
		Spans []otlpSpan `json:"spans"`
	}
	otlpName struct {
		Name    string `json:"name"`
		Version string `json:"version,omitzero"`
	}
	otlpSpan struct {
		Trace      string          `json:"traceId"`
		ID         string          `json:"spanId"`
		Parent     string          `json:"parentSpanId,omitzero"`
		Name       string          `json:"name"`
		Kind       int             `json:"kind"`
		Start      string          `json:"startTimeUnixNano"`
		End        string          `json:"endTimeUnixNano"`
		Attributes []otlpAttribute `json:"attributes"`
		Status     otlpStatus      `json:"status"`
	}
	otlpStatus struct {
		Code    int    `json:"code,omitzero"`
		Message string `json:"message,omitzero"`
	}
	otlpAttribute struct {
		Key   string    `json:"key"`
		Value otlpValue `json:"value"`
	}
	otlpValue struct {
		String *string `json:"stringValue,omitempty"`
		Int    *string `json:"intValue,omitempty"`
	}
)

// Numbers of OTLP.
const (
	spanInternal = 1
	spanClient   = 3
	statusOK     = 1
	statusError  = 2
)

// writeTrace writes a run as one trace: a span for the run, one for each turn, and
// one for each call.
func writeTrace(w io.Writer, v *View) error {
	t := tracing{view: v, trace: spanID(v.ID, "", 32)}
	t.root = spanID(v.ID, "run", 16)
	t.run()
	for i := range v.Turns {
		if n := v.Turns[i].Index; n > 0 {
			t.turn(i, &v.Turns[i])
		}
	}
	for _, c := range v.Calls {
		t.call(c)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(otlpTraces{[]otlpResource{{
		Resource: otlpAttributes{[]otlpAttribute{text("service.name", "toolpost"), text("service.version", v.Toolpost)}},
		Scopes:   []otlpScope{{Scope: otlpName{"github.com/toolpost/toolpost/audit", v.Toolpost}, Spans: t.spans}},
	}}})
}

type tracing struct {
	view        *View
	trace, root string
	spans       []otlpSpan
}

// spanID is an id that is the same each time the run is exported.
func spanID(run, part string, digits int) string {
	sum := sha256.Sum256([]byte(run + "\n" + part))
	return hex.EncodeToString(sum[:])[:digits]
}

func text(key, value string) otlpAttribute {
	return otlpAttribute{key, otlpValue{String: &value}}
}

func number(key string, n int) otlpAttribute {
	s := strconv.Itoa(n)
	return otlpAttribute{key, otlpValue{Int: &s}}
}

func nano(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

// add adds a span; an end that is missing is that of the run.
func (t *tracing) add(s otlpSpan, from, to time.Time) {
	if to.IsZero() {
		to = t.view.Last
	}
	if from.IsZero() {
		from = to
	}
	s.Trace, s.Start, s.End = t.trace, nano(from), nano(to)
	t.spans = append(t.spans, s)
}

func (t *tracing) run() {
	v := t.view
	s := otlpSpan{ID: t.root, Name: "invoke_agent toolpost", Kind: spanInternal, Attributes: []otlpAttribute{
		text("gen_ai.operation.name", "invoke_agent"), text("toolpost.run.id", v.ID), text("toolpost.run.kind", string(v.Kind)),
		text("toolpost.run.status", string(v.Status)), text("gen_ai.request.model", v.Model), text("gen_ai.conversation.id", v.Session),
	}}
	if s.Status.Code = statusOK; v.Status != StatusOK {
		s.Status = otlpStatus{statusError, v.Message}
	}
	t.add(s, v.Started, v.Ended)
}

func (t *tracing) turn(i int, turn *Turn) {
	t.add(otlpSpan{ID: spanID(t.view.ID, "turn "+strconv.Itoa(i), 16), Parent: t.root, Name: "chat " + t.view.Model, Kind: spanClient,
		Attributes: []otlpAttribute{text("gen_ai.operation.name", "chat"), text("gen_ai.request.model", t.view.Model), number("toolpost.turn", turn.Index)}},
		turn.Started, turn.Replied)
}

func (t *tracing) call(c *Call) {
	s := otlpSpan{ID: spanID(t.view.ID, c.ID(), 16), Parent: t.root, Name: "execute_tool " + c.Tool(), Kind: spanInternal, Attributes: []otlpAttribute{
		text("gen_ai.operation.name", "execute_tool"), text("gen_ai.tool.name", c.Tool()), text("gen_ai.tool.call.id", c.ID()),
		text("gen_ai.tool.call.arguments", string(argsOf(c))), text("toolpost.call.status", string(c.Result.Status)),
	}}
	if c.Asked.Step != "" {
		s.Attributes = append(s.Attributes, text("toolpost.step.id", c.Asked.Step), number("toolpost.attempt", c.Asked.Attempt))
	}
	if s.Status.Code = statusOK; c.Result.IsError() {
		s.Attributes = append(s.Attributes, text("error.type", codeOf(c.Result)))
		s.Status = otlpStatus{statusError, errorMessage(c.Result)}
	}
	from := c.Started
	if from.IsZero() {
		from = c.Scheduled
	}
	t.add(s, from, c.Ended)
}

func errorMessage(r *tool.Result) string {
	if r.Err == nil {
		return ""
	}
	return r.Err.Message
}
