package llm

// An extent finds where the first JSON object or array of a growing text ends,
// without reading a byte twice. It looks at brackets and quotes only: whether
// what lies between them is JSON is asked once, at the end.
type extent struct {
	read  int  // how far the text has been looked at
	end   int  // index after the value, once it is complete
	depth int  // open brackets
	str   bool // inside a string
	esc   bool // behind a backslash in it
}

// complete looks at what b has gained since the last time and reports whether
// its first value is whole. A scalar is whole when something follows it.
func (e *extent) complete(b []byte) bool {
	for ; e.end == 0 && e.read < len(b); e.read++ {
		e.step(b[e.read], e.read)
	}
	return e.end > 0
}

func (e *extent) step(c byte, at int) {
	switch {
	case e.esc:
		e.esc = false
	case e.str:
		switch c {
		case '\\':
			e.esc = true
		case '"':
			e.str = false
			if e.depth == 0 {
				e.end = at + 1
			}
		}
	case c == '"':
		e.str = true
	case c == '{' || c == '[':
		e.depth++
	case c == '}' || c == ']':
		e.depth--
		if e.depth <= 0 {
			e.end = at + 1
		}
	}
}
