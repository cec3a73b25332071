package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/toolpost/toolpost/internal/jsonx"
	"github.com/toolpost/toolpost/tool"
)

// A Difference is one thing in which a call of a run is not like that of another.
// As an error it is the end of a replay.
type Difference struct {
	N    int    `json:"n"`    // the call's number in the first run, or in the other if that has no such call
	Tool string `json:"tool"` //
	Step string `json:"stepId,omitzero"`
	What What   `json:"what"`        //
	At   string `json:"at,omitzero"` // JSON pointer of the first place, inside arguments, data and effects
	Was  string `json:"was"`         // what the first run has there: JSON, or a word; "" for nothing
	Is   string `json:"is"`          // and the other
}

// What says in what two calls differ.
type What string

// What calls can differ in.
const (
	WhatCall    What = "call"    // one run makes a call that the other does not
	WhatTool    What = "tool"    // which tool is called
	WhatSpec    What = "spec"    // what the tool promises: hashes of its spec
	WhatArgs    What = "args"    //
	WhatStatus  What = "status"  //
	WhatCode    What = "code"    // of the error
	WhatData    What = "data"    //
	WhatContent What = "content" // of results without data
	WhatEffects What = "effects" //
)

// Error is the difference with both sides.
func (d *Difference) Error() string {
	where := fmt.Sprintf("call %d (%s): %s", d.N, d.Tool, d.What)
	if d.At != "" {
		where += " " + d.At
	}
	return fmt.Sprintf("%s: was %s, is %s", where, side(d.Was), side(d.Is))
}

func side(s string) string {
	if s == "" {
		return "not there"
	}
	if r := []rune(s); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return s
}

// compareCalls is in what b is not like a; prose is not compared: what errors say,
// notes and previews.
func compareCalls(a, b *Call) []Difference {
	c := comparing{n: a.N, tool: a.Tool(), step: a.Asked.Step}
	c.words(WhatTool, a.Tool(), b.Tool())
	c.json(WhatArgs, argsOf(a), argsOf(b))
	c.results(a.Result, b.Result)
	return c.found
}

// argsOf is the arguments with which a call ran, or was asked for.
func argsOf(c *Call) json.RawMessage {
	if c.Ran != nil {
		return c.Ran.Args
	}
	return c.Asked.Args
}

type comparing struct {
	n          int
	tool, step string
	found      []Difference
}

func (c *comparing) add(what What, at, was, is string) {
	c.found = append(c.found, Difference{N: c.n, Tool: c.tool, Step: c.step, What: what, At: at, Was: was, Is: is})
}

func (c *comparing) words(what What, was, is string) {
	if was != is {
		c.add(what, "", was, is)
	}
}

func (c *comparing) results(a, b *tool.Result) {
	c.words(WhatStatus, string(a.Status), string(b.Status))
	c.words(WhatCode, codeOf(a), codeOf(b))
	c.json(WhatData, a.Data, b.Data)
	if len(a.Data) == 0 && len(b.Data) == 0 && !a.IsError() && !b.IsError() {
		c.json(WhatContent, contentOf(a), contentOf(b))
	}
	c.json(WhatEffects, effectsOf(a), effectsOf(b))
}

func codeOf(r *tool.Result) string {
	if r.Err == nil {
		return ""
	}
	return string(r.Err.Code)
}

func contentOf(r *tool.Result) json.RawMessage {
	b, _ := json.Marshal(r.Content) // texts and bytes always have a form
	return b
}

func effectsOf(r *tool.Result) json.RawMessage {
	if r.Effects == nil {
		return nil
	}
	b, _ := json.Marshal(r.Effects) // as above
	return b
}

// json compares two documents structurally.
func (c *comparing) json(what What, a, b json.RawMessage) {
	if bytes.Equal(a, b) {
		return
	}
	x, okA := parseAny(a)
	y, okB := parseAny(b)
	if !okA || !okB {
		c.add(what, "", string(a), string(b))
		return
	}
	if at, was, is, differ := firstDifference(x, y, ""); differ {
		c.add(what, at, textOf(was), textOf(is))
	}
}

// absent stands for a member that is not there.
type absent struct{}

func parseAny(doc json.RawMessage) (any, bool) {
	if len(doc) == 0 {
		return absent{}, true
	}
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	var v any
	return v, dec.Decode(&v) == nil && !dec.More()
}

func textOf(v any) string {
	if v == (any)(absent{}) {
		return ""
	}
	b, _ := json.Marshal(v) // it was parsed
	return string(b)
}

// firstDifference is the first place, in the order of the names, in which two
// values differ. Members that mean nothing are passed over.
func firstDifference(a, b any, at string) (place string, was, is any, differ bool) {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			return at, a, b, true
		}
		names := slices.Sorted(maps.Keys(x))
		for name := range y {
			if _, there := x[name]; !there {
				names = append(names, name)
			}
		}
		for _, name := range names {
			if volatile(name) {
				continue
			}
			if p, w, i, d := firstDifference(member(x, name), member(y, name), at+"/"+escapePointer.Replace(name)); d {
				return p, w, i, true
			}
		}
		return "", nil, nil, false
	case []any:
		y, ok := b.([]any)
		if !ok {
			return at, a, b, true
		}
		for i := range max(len(x), len(y)) {
			if p, w, s, d := firstDifference(element(x, i), element(y, i), at+"/"+strconv.Itoa(i)); d {
				return p, w, s, true
			}
		}
		return "", nil, nil, false
	case json.Number:
		if y, ok := b.(json.Number); ok && sameNumber(x, y) {
			return "", nil, nil, false
		}
		return at, a, b, true
	case absent, string, bool, nil:
		switch b.(type) {
		case map[string]any, []any:
			return at, a, b, true
		}
		return at, a, b, a != b
	}
	return at, a, b, true
}

func member(m map[string]any, name string) any {
	if v, ok := m[name]; ok {
		return v
	}
	return absent{}
}

func element(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return absent{}
}

func sameNumber(a, b json.Number) bool {
	if a == b {
		return true
	}
	x, okA := jsonx.ParseDecimal([]byte(a))
	y, okB := jsonx.ParseDecimal([]byte(b))
	return okA && okB && x.Cmp(&y) == 0
}

// volatile reports a member that differs from call to call without meaning:
// durations, process ids and times, as package hook's guard against loops has it.
func volatile(name string) bool {
	switch strings.ToLower(strings.ReplaceAll(name, "_", "")) {
	case "createdat", "duration", "durationms", "durationseconds", "elapsed", "elapsedms", "elapsedseconds",
		"endedat", "finishedat", "pid", "ppid", "processid", "requestid", "runtimems", "startedat",
		"timestamp", "took", "tookms", "traceid", "uptime", "uptimems", "modified", "modifiedat", "mtime":
		return true
	}
	return false
}
