package scripted

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// expect checks what the turn wants to have been told.
func (m *Model) expect(t *Turn, n int, req *llm.Request) error {
	if len(t.Expect) == 0 {
		return nil
	}
	heard := since(req)
	for _, want := range t.Expect {
		if !strings.Contains(heard, want) {
			return m.fail(t.line, t.column, "turn %d expects %q in what came since the last reply, which was: %s", n+1, want, clip(heard))
		}
	}
	return nil
}

// since is the text of the results and messages behind the last reply.
func since(req *llm.Request) string {
	first := len(req.Messages)
	for first > 0 && req.Messages[first-1].Role != llm.RoleAssistant {
		first--
	}
	var b strings.Builder
	for _, msg := range req.Messages[first:] {
		for i := range msg.Blocks {
			if r := msg.Blocks[i].Result; r != nil {
				b.WriteString(llm.ResultText(r))
			} else {
				b.WriteString(msg.Blocks[i].Text)
			}
			b.WriteByte('\n')
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func clip(s string) string {
	if s == "" {
		return "nothing"
	}
	if len(s) > 400 {
		s = strings.ToValidUTF8(s[:400], "") + "…"
	}
	return strconv.Quote(s)
}

const refPrefix = "$result."

func hasRef(args json.RawMessage) bool { return bytes.Contains(args, []byte(`"`+refPrefix)) }

// resolve is the arguments of c with its references replaced.
func (m *Model) resolve(t *Turn, c *Call, req *llm.Request) (json.RawMessage, error) {
	var bad error
	out := eachString(c.Args, func(s string) json.RawMessage {
		if bad != nil || !strings.HasPrefix(s, refPrefix) {
			return nil
		}
		v, err := lookUp(req, s)
		if err != nil {
			bad = m.fail(t.line, t.column, "arguments of %s: %w", c.Tool, err)
		}
		return v
	})
	return out, bad
}

// eachString is args with each string that change has an answer to replaced.
// Names of members are left alone.
func eachString(args json.RawMessage, change func(string) json.RawMessage) json.RawMessage {
	out := make(json.RawMessage, 0, len(args))
	for i := 0; i < len(args); {
		if args[i] != '"' {
			out = append(out, args[i])
			i++
			continue
		}
		end := i + 1
		for end < len(args) && args[end] != '"' {
			if args[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end+1, len(args))
		lit := args[i:end]
		i = end
		var s string
		if rest := bytes.TrimLeft(args[end:], " \n\r\t"); !bytes.HasPrefix(rest, []byte(":")) && json.Unmarshal(lit, &s) == nil {
			if v := change(s); v != nil {
				lit = v
			}
		}
		out = append(out, lit...)
	}
	return out
}

// lookUp is the value that ref points at.
func lookUp(req *llm.Request, ref string) (json.RawMessage, error) {
	name, path, _ := strings.Cut(strings.TrimPrefix(ref, refPrefix), ".")
	if at := strings.IndexByte(name, '['); at >= 0 {
		return nil, fmt.Errorf("%s: a member must follow the name of the call, as in $result.%s.data", ref, name[:at])
	}
	r := newest(req, name)
	if r == nil {
		return nil, fmt.Errorf("%s: no call with id %q has a result yet", ref, name)
	}
	v, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ref, err)
	}
	at := refPrefix + name
	for path != "" {
		var key string
		key, path = next(path)
		if v, err = member(v, key); err != nil {
			return nil, fmt.Errorf("%s: %s %w", ref, at, err)
		}
		at += "." + key
	}
	return v, nil
}

func newest(req *llm.Request, id string) *tool.Result {
	for i := len(req.Messages) - 1; i >= 0; i-- {
		blocks := req.Messages[i].Blocks
		for j := len(blocks) - 1; j >= 0; j-- {
			if r := blocks[j].Result; r != nil && (r.ProviderID == id || r.ID == id) {
				return r
			}
		}
	}
	return nil
}

// next splits the first key off a path of names, dots and [n].
func next(path string) (key, rest string) {
	if strings.HasPrefix(path, "[") {
		key, rest, _ = strings.Cut(path[1:], "]")
		return key, strings.TrimPrefix(rest, ".")
	}
	if at := strings.IndexAny(path, ".["); at >= 0 {
		return path[:at], strings.TrimPrefix(path[at:], ".")
	}
	return path, ""
}

func member(v json.RawMessage, key string) (json.RawMessage, error) {
	if len(v) > 0 && v[0] == '[' {
		var list []json.RawMessage
		n, err := strconv.Atoi(key)
		if err == nil {
			err = json.Unmarshal(v, &list)
		}
		if err != nil || n < 0 || n >= len(list) {
			return nil, fmt.Errorf("has no element [%s]", key)
		}
		return list[n], nil
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(v, &m) != nil {
		return nil, fmt.Errorf("has no member %q: it is not an object", key)
	}
	got, ok := m[key]
	if !ok {
		return nil, fmt.Errorf("has no member %q, only %s", key, strings.Join(slices.Sorted(maps.Keys(m)), ", "))
	}
	return got, nil
}
