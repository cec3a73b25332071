package schema

import (
	"encoding/json"
	"fmt"
	"slices"
)

const (
	maxForms     = 20_000    // nodes of a schema once its references are written out
	maxView      = 256 << 10 // bytes of what is sent
	maxUnroll    = 3         // how often a schema that contains itself is written out
	maxRootCases = 256       // alternatives at the root
)

// Normalize makes of src the schema that is sent to the provider of d. Arguments
// that come back go through [View.Restore] and are then checked against src,
// whatever the view has lost.
//
// It is pure: equal schemas have equal views. A *Schema remembers its views, so
// that only the first request pays. The error says why the provider cannot be
// given this tool; src may be nil, which allows anything.
//
// Eleven passes: read (older drafts are written anew), references, allOf, root,
// alternatives, constants, strictness, keywords, names, limits, bytes. A schema
// whose references unfold to more than 20,000 nodes, or whose view has more than
// 256 KiB, is refused.
func Normalize(src *Schema, d Dialect) (View, error) {
	if src == nil {
		return normalize(MustParse("{}"), d)
	}
	src.viewsMu.Lock()
	defer src.viewsMu.Unlock()
	if v, ok := src.views[d]; ok {
		return v.view, v.err
	}
	if src.views == nil {
		src.views = map[Dialect]viewed{}
	}
	v, err := normalize(src, d)
	src.views[d] = viewed{v, err}
	return v, err
}

// viewed is a view that is remembered.
type viewed struct {
	view View
	err  error
}

func normalize(src *Schema, d Dialect) (View, error) {
	if d.Prefer != "" {
		strict, err := DialectNamed(d.Prefer)
		if err != nil {
			return View{}, fmt.Errorf("dialect %s: %w", d.Name, err)
		}
		strict.Loose = "" // it is this dialect that follows
		if v, err := shape(src, strict); err == nil && !v.Lossy() {
			v.Dialect = d.Name
			return v, nil
		}
		return shape(src, d)
	}
	v, err := shape(src, d)
	why, soft := err.(*notStrict) //nolint:errorlint // made by the passes, never wrapped
	if !soft || d.Loose == "" {
		return v, wrap(d, err)
	}
	loose, err := DialectNamed(d.Loose)
	if err != nil {
		return View{}, fmt.Errorf("dialect %s: %w", d.Name, err)
	}
	if v, err = shape(src, loose); err != nil {
		return View{}, wrap(loose, err)
	}
	v.Dialect, v.NotStrict = d.Name, why.Error()
	return v, nil
}

func wrap(d Dialect, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("schema for %s: %w", d.Name, err)
}

// notStrict is the reason why a schema has no strict form.
type notStrict struct{ at, why string }

func (e *notStrict) Error() string {
	if e.at == "" {
		return "the root " + e.why
	}
	return e.at + " " + e.why
}

// A normalizer turns one schema into the form that one dialect takes.
type normalizer struct {
	d      Dialect
	unroll int
	forms  int
	losses []Loss
	defs   []*def
	loops  map[*form]loop
	says   []string // of the root
	about  string   // its description, where it is not sent
	top    *form
	err    error
}

// shape runs the passes. What unfolds too far is tried with less unfolding.
func shape(src *Schema, d Dialect) (View, error) {
	var err error
	for unroll := maxUnroll; unroll >= 0; unroll-- {
		var origin *form
		if origin, err = readForm(src); err != nil {
			return View{}, err
		}
		n := &normalizer{d: d, unroll: unroll, loops: map[*form]loop{}}
		var v View
		if v, err = n.run(origin); err == nil {
			return v, nil
		}
		if _, big := err.(*tooBig); !big { //nolint:errorlint // made by the passes, never wrapped
			return View{}, err
		}
	}
	return View{}, err
}

// tooBig is the reason why a schema is not sent as it is; written out less, it
// may be.
type tooBig struct{ what string }

func (e *tooBig) Error() string { return e.what }

func (n *normalizer) run(origin *form) (View, error) {
	if size(origin) > maxForms {
		return View{}, fmt.Errorf("the references of the schema unfold to more than %d nodes; make fewer of them fan out", maxForms)
	}
	root := n.expand(origin, nil)
	if n.err == nil {
		n.everywhere(root, n.merged)
		root = n.root(root)
		n.top = root
	}
	if n.err == nil {
		n.everywhere(root, n.merged)
		n.everywhere(root, n.alternatives)
		for slices.ContainsFunc(used(root), func(d *def) bool { return d.body.never }) {
			n.everywhere(root, n.alternatives) // what refers to nothing is nothing
		}
		if n.d.Strict == "" { // which must know what it cannot say
			n.everywhere(root, func(f *form) { n.dropSchemas(f) })
		}
		n.everywhere(root, n.constants)
	}
	if root.never {
		n.fail("no arguments fit the schema: a property that it requires can have no value")
	}
	if n.err == nil {
		n.strict(root)
	}
	if n.err == nil {
		n.everywhere(root, n.filter)
		n.rename(root)
		return n.view(root)
	}
	return View{}, n.err
}

// everywhere runs a pass on the root and on each definition that is in use.
// Passes may bring in definitions.
func (n *normalizer) everywhere(root *form, pass func(*form)) {
	pass(root)
	done := map[*def]bool{}
	for more := true; more && n.err == nil; {
		more = false
		for _, d := range used(root) {
			if !done[d] {
				done[d], more = true, true
				pass(d.body)
			}
		}
	}
}

// used lists the definitions that root refers to, directly or not, in the order
// in which one meets them.
func used(root *form) []*def {
	var list []*def
	var walk func(f *form)
	walk = func(f *form) {
		if f.def != nil && !slices.Contains(list, f.def) {
			list = append(list, f.def)
			walk(f.def.body)
		}
		f.parts(walk)
	}
	walk(root)
	return list
}

func (n *normalizer) fail(format string, args ...any) {
	if n.err == nil {
		n.err = fmt.Errorf(format, args...)
	}
}

func (n *normalizer) lose(f *form, keyword string, class LossClass) {
	l := Loss{Pointer: f.at, Keyword: keyword, Class: class}
	if !slices.Contains(n.losses, l) {
		n.losses = append(n.losses, l)
	}
}

// tell moves a keyword into the words of f.
func (n *normalizer) tell(f *form, keyword, clause string) {
	n.lose(f, keyword, MovedToText)
	if clause != "" && !slices.Contains(f.clauses, clause) {
		f.clauses = append(slices.Clip(f.clauses), clause)
	}
}

// rawOf is a value for a clause.
func rawOf(v *val) json.RawMessage { return appendPlain(nil, v) }
