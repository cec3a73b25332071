package plan

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/toolpost/toolpost/tool"
)

// touched is what the calls of a preview would change if they were made: the
// resources that their tools lock, by the key of the call.
type touched map[string]string

// add notes what a call would change: what its tool locks, and the path at which
// it says that it would have put something.
func (t touched) add(key string, spec *tool.Spec, args, data json.RawMessage) {
	in, out := members(args), members(data)
	for _, name := range spec.Locks {
		t.note(key, in[name])
	}
	for _, name := range []string{"path", "toPath"} {
		t.note(key, out[name])
	}
}

func (t touched) note(key, resource string) {
	if resource != "" {
		t[path.Clean(resource)] = key
	}
}

// explains says which earlier call may be the reason why a call failed that was
// tried before it: one that would change what it names, or, where something is
// missing, make a folder that it lies in.
func (t touched) explains(args json.RawMessage, e *tool.Error) (key, resource string, ok bool) {
	if e == nil || e.Code != tool.CodeNotFound && e.Code != tool.CodeConflict && e.Code != tool.CodePrecondition {
		return "", "", false
	}
	in := members(args)
	for _, name := range sorted(in) {
		for at := path.Clean(in[name]); in[name] != "" && at != "." && at != "/"; at = path.Dir(at) {
			if key, ok := t[at]; ok {
				return key, at, true
			}
			if e.Code != tool.CodeNotFound {
				break
			}
		}
	}
	return "", "", false
}

// members is the members of an object that are strings.
func members(doc json.RawMessage) map[string]string {
	var all map[string]json.RawMessage
	_ = json.Unmarshal(doc, &all) // what is no object has none
	out := make(map[string]string, len(all))
	for k, v := range all {
		if s, ok := rawString(v); ok && !strings.ContainsRune(s, '\n') {
			out[k] = s
		}
	}
	return out
}
