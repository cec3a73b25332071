package schema

import (
	"slices"
	"strings"
)

// rename gives properties whose names the dialect refuses an alias. A name has
// the same alias wherever it stands, because keywords apart from each other may
// speak of one object.
func (n *normalizer) rename(root *form) {
	if n.d.Properties.Rest == "" {
		return
	}
	var names, bad []string
	n.everywhere(root, func(f *form) {
		f.each(func(f *form) {
			for _, p := range f.props {
				names = append(names, p.name)
			}
			names = append(names, f.required...)
			for _, d := range f.needs {
				names = append(append(names, d.name), d.list...)
			}
			for _, p := range f.extends {
				names = append(names, p.name)
			}
		})
	})
	slices.Sort(names)
	names = slices.Compact(names)
	for _, name := range names {
		if !n.d.Properties.Legal(name) {
			bad = append(bad, name)
		}
	}
	if len(bad) == 0 {
		return
	}
	aliases := n.d.Properties.aliases(bad, names)
	n.everywhere(root, func(f *form) {
		f.each(func(f *form) { n.renameIn(f, aliases) })
	})
}

func (n *normalizer) renameIn(f *form, aliases map[string]string) {
	to := func(name string) string {
		if alias, ok := aliases[name]; ok {
			return alias
		}
		return name
	}
	found := false
	for _, list := range [][]*entry{f.props, f.extends} {
		for _, p := range list {
			if alias, ok := aliases[p.name]; ok {
				n.lose(p.form, "properties", Aliased)
				p.own, p.name = p.name, alias
				found = true
			}
		}
	}
	if found && f.names != nil {
		n.tell(f, "propertyNames", "")
		f.names = nil
	}
	for i, name := range f.required {
		f.required[i] = to(name)
	}
	for i, d := range f.needs {
		list := slices.Clone(d.list)
		for j, name := range list {
			list[j] = to(name)
		}
		f.needs[i] = need{to(d.name), list}
	}
}

// aliases are legal names for bad, unlike each other and all other names.
func (r NameRule) aliases(bad, names []string) map[string]string {
	out, taken := map[string]string{}, map[string]bool{}
	for _, name := range names {
		taken[name] = true
	}
	for _, name := range bad {
		alias := r.alias(name)
		unique := alias
		for i := 2; taken[unique]; i++ {
			tail := "_" + itoa(i)
			unique = alias[:min(len(alias), r.Max-len(tail))] + tail
		}
		taken[unique] = true
		out[name] = unique
	}
	return out
}

// alias is a legal name that looks like name.
func (r NameRule) alias(name string) string {
	var b strings.Builder
	for _, c := range name {
		if inClass(r.Rest, c) {
			b.WriteRune(c)
		} else if s := b.String(); !strings.HasSuffix(s, "_") || s == "" {
			b.WriteByte('_')
		}
	}
	s := b.String()
	if s == "" || !inClass(r.first(), rune(s[0])) {
		s = "_" + s
	}
	if r.Max > 0 {
		s = s[:min(len(s), r.Max)]
	}
	return s
}
