package schema

import (
	"encoding/json"

	"github.com/toolpost/toolpost/internal/jsonx"
)

// Restore makes of arguments that a model wrote for the view what the author's
// schema speaks of: aliases, boxes and enum strings are undone, and null is
// taken out where it stood for an absent property. Arguments that need nothing
// are returned as they are; so is text that is no JSON, for [Schema.Fit] to tell
// the model. Numbers and strings keep every digit and escape.
func (v View) Restore(args []byte) json.RawMessage {
	return v.turn(args, turner{back: true})
}

// Express is the counterpart of Restore: arguments as the author's schema has
// them, written as the provider of the view wrote or would write them. Calls of
// a history that go to a provider other than their own pass through it.
func (v View) Express(args []byte) json.RawMessage {
	return v.turn(args, turner{})
}

func (v View) turn(args []byte, t turner) json.RawMessage {
	if v.plan == nil || jsonx.Check(args) != nil {
		return args
	}
	doc := parseVal(args)
	if v.plan.boxed && !t.back {
		inner := t.value(v.plan.props[0].form, doc)
		return (&val{kind: kindObject, members: []member{{"value", inner}}}).append(nil)
	}
	out := t.value(v.plan, doc)
	if v.plan.boxed && out.is(kindObject) && len(out.members) == 1 && out.get("value") != nil {
		out = out.get("value")
	}
	return out.append(nil)
}

// A turner rewrites values between the author's form and that of a view.
type turner struct {
	back  bool // towards the author's
	depth int
}

// value returns v rewritten, or v itself when nothing changes.
func (t turner) value(f *form, v *val) *val {
	if f == nil || t.depth > 2*jsonx.MaxDepth {
		return v
	}
	t.depth++
	if f.def != nil {
		return t.value(f.def.body, v)
	}
	if f.words != nil {
		v = t.word(f, v)
	}
	switch {
	case v.is(kindObject):
		v = t.object(f, v)
	case v.is(kindArray):
		v = t.array(f, v)
	}
	for _, o := range f.allOf {
		v = t.value(o, v)
	}
	for _, o := range []*form{f.not, f.cond, f.yes, f.no} {
		v = t.value(o, v)
	}
	for _, p := range f.extends {
		v = t.value(p.form, v)
	}
	for _, list := range [][]*form{f.anyOf, f.oneOf} {
		if o := t.choose(list, v); o != nil {
			v = t.value(o, v)
		}
	}
	return v
}

func (t turner) word(f *form, v *val) *val {
	if t.back {
		if to, ok := f.words[v.text]; ok && v.is(kindString) {
			return to
		}
		return v
	}
	for _, e := range f.enum {
		if to := f.words[e.text]; to != nil && string(to.key(nil)) == string(v.key(nil)) {
			return e
		}
	}
	return v
}

func (t turner) object(f *form, v *val) *val {
	out := &val{kind: kindObject}
	changed := false
	seen := map[string]bool{}
	for _, m := range v.members {
		p := f.find(m.name, t.back)
		if p == nil {
			to := m.val
			for _, o := range f.others(m.name) {
				to = t.value(o, to)
			}
			changed = changed || to != m.val
			out.members = append(out.members, member{m.name, to})
			continue
		}
		seen[p.name] = true
		if t.back && p.drop && m.val.is(kindNull) {
			changed = true
			continue
		}
		name := p.original()
		if !t.back {
			name = p.name
		}
		to := t.value(p.form, m.val)
		changed = changed || to != m.val || name != m.name
		out.members = append(out.members, member{name, to})
	}
	if !t.back {
		for _, p := range f.props {
			if p.fill && !seen[p.name] {
				out.members = append(out.members, member{p.name, nullVal})
				changed = true
			}
		}
	}
	if !changed {
		return v
	}
	return out
}

// find is the property that a member of that name is. On the way back, another
// form of the same object may have undone its alias.
func (f *form) find(name string, back bool) *entry {
	for _, p := range f.props {
		if back && p.name == name || p.original() == name {
			return p
		}
	}
	return nil
}

// others are what f says of a member that is no declared property.
func (f *form) others(name string) []*form {
	var list []*form
	for _, p := range f.patterns {
		if newPattern(p.name).MatchString(name) {
			list = append(list, p.form)
		}
	}
	switch {
	case len(list) > 0:
	case f.rest != nil:
		list = append(list, f.rest)
	case f.more != nil:
		list = append(list, f.more)
	}
	return list
}

func (t turner) array(f *form, v *val) *val {
	out := &val{kind: kindArray}
	changed := false
	for i, e := range v.elems {
		to := t.value(f.contains, t.value(f.element(i), e))
		changed = changed || to != e
		out.elems = append(out.elems, to)
	}
	if !changed {
		return v
	}
	return out
}

// choose is the first of the alternatives that v may be meant for, or nil.
func (t turner) choose(list []*form, v *val) *form {
	for _, o := range list {
		if t.plausible(o, v, 0) {
			return o
		}
	}
	return nil
}

// maxLook bounds how deep an alternative is compared with a value.
const maxLook = 6

// plausible reports whether v may be meant for f, whose form it has on the side
// that t comes from.
func (t turner) plausible(f *form, v *val, depth int) bool {
	if f == nil || depth > maxLook {
		return true
	}
	if f.def != nil {
		return t.plausible(f.def.body, v, depth+1)
	}
	if f.never || !t.typeFits(f, v) || f.has && !t.holds(f, v) {
		return false
	}
	if list := f.union(); len(list) > 0 {
		found := false
		for _, o := range list {
			found = found || t.plausible(o, v, depth+1)
		}
		if !found {
			return false
		}
	}
	if v.is(kindObject) {
		return t.plausibleObject(f, v, depth)
	}
	for i, e := range v.elems {
		if !t.plausible(f.element(i), e, depth+1) {
			return false
		}
	}
	return true
}

func (t turner) typeFits(f *form, v *val) bool {
	if !t.back && f.words != nil {
		return true // its own type is that of the words
	}
	return f.types == 0 || f.types&v.kind != 0
}

func (t turner) holds(f *form, v *val) bool {
	if t.back || f.words == nil {
		return holdsValue(f.enum, v)
	}
	for _, to := range f.words {
		if string(to.key(nil)) == string(v.key(nil)) {
			return true
		}
	}
	return v.is(kindNull) && f.types&kindNull != 0
}

func (t turner) plausibleObject(f *form, v *val, depth int) bool {
	for _, m := range v.members {
		p := f.find(m.name, t.back)
		switch {
		case p != nil:
			if !t.plausible(p.form, m.val, depth+1) {
				return false
			}
		default:
			for _, o := range f.others(m.name) {
				if !t.plausible(o, m.val, depth+1) {
					return false
				}
			}
		}
	}
	for _, p := range f.props {
		name := p.name
		if !t.back {
			name = p.original()
		}
		if f.requires(p.name) && v.get(name) == nil && (t.back || !p.fill) {
			return false
		}
	}
	return true
}

// works reports whether arguments for f may need work.
func (f *form) works(seen map[*def]bool) bool {
	if f.words != nil || f.boxed {
		return true
	}
	for _, p := range f.props {
		if p.own != "" || p.fill {
			return true
		}
	}
	if f.def != nil && !seen[f.def] {
		seen[f.def] = true
		if f.def.body.works(seen) {
			return true
		}
	}
	found := false
	f.parts(func(o *form) { found = found || o.works(seen) })
	return found
}
