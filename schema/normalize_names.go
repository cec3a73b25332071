package schema

import "strings"

// rename gives properties whose names the dialect refuses an alias.
func (n *normalizer) rename(root *form) {
	if n.d.Properties.Rest == "" {
		return
	}
	n.everywhere(root, func(f *form) {
		f.each(func(f *form) {
			for _, p := range f.props {
				if !n.d.Properties.Legal(p.name) {
					n.alias(f, p)
				}
			}
		})
	})
}

func (n *normalizer) alias(f *form, p *entry) {
	name := n.d.Properties.alias(p.name)
	unique := name
	for i := 2; f.prop(unique) != nil; i++ {
		tail := "_" + itoa(i)
		unique = name[:min(len(name), n.d.Properties.Max-len(tail))] + tail
	}
	n.lose(p.form, "properties", Aliased)
	for i, s := range f.required {
		if s == p.name {
			f.required[i] = unique
		}
	}
	for i, d := range f.needs {
		if d.name == p.name {
			f.needs[i].name = unique
		}
		list := append([]string(nil), d.list...)
		for j, s := range list {
			if s == p.name {
				list[j] = unique
			}
		}
		f.needs[i].list = list
	}
	p.own, p.name = p.name, unique
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
