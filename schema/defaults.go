package schema

// maxDefaults bounds how deep defaults may bring in one another.
const maxDefaults = 16

// fill puts in the defaults of missing properties.
func (f *fitter) fill(v *val) { f.fillAt(f.schema.root, v, "", 0) }

func (f *fitter) fillAt(n *node, v *val, ptr string, depth int) bool {
	changed := false
	switch {
	case v.is(kindObject) && depth < maxDefaults:
		for _, p := range n.fillable() {
			if v.get(p.name) != nil {
				continue
			}
			to := p.node.fallback.clone()
			f.change(join(ptr, p.name), ChangeDefault, "", f.show(p.node, to))
			v.members = append(v.members, member{p.name, to})
			changed = true
		}
		for _, m := range v.members {
			if sub := n.part(m.name); sub != nil && f.fillAt(sub, m.val, join(ptr, m.name), depth+1) {
				changed = true
			}
		}
	case v.is(kindArray) && depth < maxDefaults:
		parts := n.elements()
		for i, e := range v.elems {
			if sub := parts.at(i); sub != nil && e.is(kindArray|kindObject) && f.fillAt(sub, e, join(ptr, itoa(i)), depth+1) {
				changed = true
			}
		}
	}
	if changed {
		v.raw = nil
	}
	return changed
}

// fillable lists the properties with a default that hold for n whatever the
// value: its own, and those of its $ref and allOf.
func (n *node) fillable() []prop {
	var list []prop
	seen := map[*node]bool{}
	var add func(n *node)
	add = func(n *node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, p := range n.props {
			if p.node != nil && p.node.fallback != nil && p.node.fitsVal(p.node.fallback) {
				list = append(list, p)
			}
		}
		if n.ref != nil {
			add(n.ref)
		}
		for _, o := range n.allOf {
			add(o)
		}
	}
	add(n)
	return list
}
