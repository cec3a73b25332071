package schema

import (
	"bytes"
	"encoding/json"

	"github.com/toolpost/toolpost/internal/jsonx"
)

// Fitted is a document that was made to fit a schema.
type Fitted struct {
	// Doc is the document. When nothing had to change it is the one that was
	// given: no copy is made.
	Doc json.RawMessage
	// Changes says what was done, in order.
	Changes []Change
}

// A Change is one thing that [Schema.Fit] did to a document.
type Change struct {
	Pointer string `json:"pointer"`       // where, in the document as it became
	Kind    string `json:"kind"`          // parsed, renamed, alias, conflict, flattened, default, coerced
	From    string `json:"from,omitzero"` // before: a value or a name, at most 80 characters
	To      string `json:"to,omitzero"`   // after
}

// The kinds of [Change].
const (
	ChangeParsed    = "parsed"    // JSON that was sent as a string was parsed
	ChangeRenamed   = "renamed"   // camelCase, snake_case or kebab-case became the schema's own name
	ChangeAlias     = "alias"     // a name that models are used to became the schema's own
	ChangeConflict  = "conflict"  // two names of one property had different values; the schema's own name won
	ChangeFlattened = "flattened" // blocks of text became one text
	ChangeDefault   = "default"   // a default was filled in
	ChangeCoerced   = "coerced"   // a value was written in another type without losing anything
)

// maxPasses bounds how often the steps of Fit are repeated: what one step finds
// (an object inside a string) may be work for another.
const maxPasses = 4

// Fit makes doc, arguments as a model wrote them, fit the schema where that
// changes nothing of their meaning, and checks the outcome.
//
//   - Nothing, or null, becomes {} when the schema requires nothing.
//   - JSON that came as a string where an object or array is wanted is parsed.
//   - A name that the schema does not declare becomes the one declared name that
//     differs from it only in case and separators, or whose usual alias it is
//     (path, old_text, new_text, content), unless that one is present: then the
//     declared name wins. Where a schema says what additional properties are,
//     their names are left alone.
//   - Blocks of text become text where a string is wanted.
//   - "5" becomes 5 and "true" becomes true where a number or boolean is wanted;
//     one value becomes a list of one where a list of such values is wanted.
//   - Defaults are filled in, in the document and in objects it holds.
//
// Of a document that fits as it is only undeclared names and defaults are
// touched; a document that Fit returned is returned as it is. The error is that
// of [Schema.Check], about Fitted.Doc, which then has the changes made so far.
// Text that is not JSON is never turned into anything.
func (s *Schema) Fit(doc []byte) (Fitted, error) {
	if s == nil {
		if empty(doc) {
			return Fitted{Doc: json.RawMessage("{}")}, nil
		}
		return Fitted{Doc: doc}, s.Check(doc)
	}
	v := s.verdict(doc)
	switch {
	case v.ok && !v.wanted, v.ok && s.reason != "" && !s.adjustable():
		return Fitted{Doc: doc}, nil
	case v.tired:
		return Fitted{Doc: doc}, errTired()
	}
	return s.adjust(doc, v.ok)
}

// adjustable reports whether a document that fits could still be changed.
func (s *Schema) adjustable() bool {
	for _, n := range s.nodes {
		if n.fallback != nil || len(n.props) > 0 && !n.closed {
			return true
		}
	}
	return false
}

func empty(doc []byte) bool { return len(bytes.TrimSpace(doc)) == 0 }

func (s *Schema) adjust(doc []byte, fits bool) (Fitted, error) {
	f := &fitter{schema: s, limit: maxSteps + 8*len(doc)}
	given := doc
	if !fits && (empty(doc) || string(bytes.TrimSpace(doc)) == "null") && s.fits([]byte("{}")) {
		f.change("", ChangeCoerced, string(bytes.TrimSpace(doc)), "{}")
		doc = []byte("{}")
	}
	if err := jsonx.Check(doc); err != nil {
		return Fitted{Doc: given}, s.notJSON(doc, err)
	}
	v := parseVal(doc)
	if !fits {
		v = f.whole(v)
		fits = f.settle(v)
	}
	if fits {
		f.improve(v)
	}
	if len(f.changes) == 0 {
		if fits {
			return Fitted{Doc: given}, nil
		}
		return Fitted{Doc: given}, s.Check(given)
	}
	out := Fitted{Doc: v.append(nil), Changes: f.changes}
	return out, s.Check(out.Doc)
}

// A fitter changes one document and notes what it did.
type fitter struct {
	schema  *Schema
	changes []Change
	steps   int // of matching
	limit   int // of steps; beyond it nothing more is coerced
}

func (f *fitter) change(pointer, kind, from, to string) {
	f.changes = append(f.changes, Change{pointer, kind, from, to})
}

// whole parses a document that came as one string.
func (f *fitter) whole(v *val) *val {
	if !v.is(kindString) {
		return v
	}
	inner := f.unpack(v, f.schema.root.wants())
	if inner == nil {
		return v
	}
	f.change("", ChangeParsed, f.show(f.schema.root, v), f.show(f.schema.root, inner))
	return inner
}

// settle repeats the steps until the document fits or nothing changes.
func (f *fitter) settle(v *val) bool {
	for range maxPasses {
		before := len(f.changes)
		f.fold(v)
		f.coerce(v)
		if f.schema.fits(v.append(nil)) {
			return true
		}
		if len(f.changes) == before {
			break
		}
	}
	// A property may be required and have a default all the same.
	before := len(f.changes)
	if s := f.schema; s.defaults {
		saved := v.clone()
		if f.fill(v); len(f.changes) > before && s.fits(v.append(nil)) {
			return true
		}
		*v = *saved
	}
	f.changes = f.changes[:before]
	return false
}

// improve folds names and fills in defaults of a document that fits. They are
// taken in turn, because a default may stand in the way of a name.
func (f *fitter) improve(v *val) {
	for range maxPasses {
		before := len(f.changes)
		f.trial(v, f.fold)
		if f.schema.defaults {
			f.trial(v, f.fill)
		}
		if len(f.changes) == before {
			return
		}
	}
}

// trial applies step to v until nothing changes, and takes everything back when
// v then no longer fits.
func (f *fitter) trial(v *val, step func(*val)) {
	saved, changes := v.clone(), len(f.changes)
	for range maxPasses {
		before := len(f.changes)
		step(v)
		if len(f.changes) == before {
			break
		}
	}
	if len(f.changes) > changes && !f.schema.fits(v.append(nil)) {
		*v = *saved
		f.changes = f.changes[:changes]
	}
}
