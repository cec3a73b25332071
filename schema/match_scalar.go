package schema

import (
	"slices"
	"unicode/utf8"

	"github.com/toolpost/toolpost/internal/jsonx"
)

func (m *matcher) word(n *node, i int, word string, k kind) (int, bool) {
	end, msg := jsonx.Literal(m.b, i, word)
	if msg != "" || n.types != 0 && n.types&k == 0 {
		return i, false
	}
	return end, n.plainEnum(func(v *val) bool { return v.kind == k && string(v.raw) == word })
}

// plainEnum tests enum and const with equal, unless inline has done so.
func (n *node) plainEnum(equal func(*val) bool) bool {
	if n.constant != nil && !n.constant.is(kindArray|kindObject) && !equal(n.constant) {
		return false
	}
	if !n.hasEnum {
		return true
	}
	return slices.ContainsFunc(n.enum, equal)
}

func (m *matcher) number(n *node, i int) (int, bool) {
	end, msg := jsonx.Number(m.b, i)
	if msg != "" {
		return i, false
	}
	lit := m.b[i:end]
	if small, ok := smallInt(lit); ok {
		return end, n.integer(small, lit)
	}
	d, ok := jsonx.ParseDecimal(lit)
	if !ok {
		return i, false
	}
	return end, n.decimal(&d, lit)
}

// integer checks a number that was written with few digits and nothing else.
func (n *node) integer(small int64, lit []byte) bool {
	if n.types != 0 && n.types&(kindInteger|kindNumber) == 0 {
		return false
	}
	for _, b := range []*bound{n.min, n.max, n.over, n.under, n.multiple} {
		if b != nil && !b.fits {
			d, _ := jsonx.ParseDecimal(lit)
			return n.decimal(&d, lit)
		}
	}
	switch {
	case n.min != nil && small < n.min.small, n.max != nil && small > n.max.small,
		n.over != nil && small <= n.over.small, n.under != nil && small >= n.under.small,
		n.multiple != nil && small%n.multiple.small != 0:
		return false
	}
	if n.constant == nil && !n.hasEnum {
		return true
	}
	d, _ := jsonx.ParseDecimal(lit)
	return n.listedNumber(&d)
}

func (n *node) listedNumber(d *jsonx.Decimal) bool {
	return n.plainEnum(func(v *val) bool {
		if v.kind&kindNumber == 0 {
			return false
		}
		o, ok := jsonx.ParseDecimal(v.raw)
		return ok && d.Cmp(&o) == 0
	})
}

func (n *node) decimal(d *jsonx.Decimal, lit []byte) bool {
	if n.types != 0 && n.types&kindNumber == 0 && !(n.types&kindInteger != 0 && d.IsInt()) {
		return false
	}
	switch {
	case n.min != nil && d.Cmp(&n.min.dec) < 0, n.max != nil && d.Cmp(&n.max.dec) > 0,
		n.over != nil && d.Cmp(&n.over.dec) <= 0, n.under != nil && d.Cmp(&n.under.dec) >= 0,
		n.multiple != nil && !divides(n.multiple, lit):
		return false
	}
	return n.constant == nil && !n.hasEnum || n.listedNumber(d)
}

func (m *matcher) str(n *node, i int) (int, bool) {
	end, plain, msg := jsonx.String(m.b, i)
	if msg != "" || n.types != 0 && n.types&kindString == 0 {
		return i, false
	}
	if n.minLen < 0 && n.maxLen < 0 && n.pattern == nil && n.format == nil && !n.hasEnum && n.constant == nil {
		return end, true
	}
	text := m.text(i, end, plain)
	if n.minLen >= 0 || n.maxLen >= 0 {
		if c := utf8.RuneCount(text); c < n.minLen || n.maxLen >= 0 && c > n.maxLen {
			return i, false
		}
	}
	if n.pattern != nil && !n.pattern.match(text) || n.format != nil && !n.format(text) {
		return i, false
	}
	return end, n.plainEnum(func(v *val) bool { return v.kind == kindString && v.text == string(text) })
}

// text is what the string b[i:end] stands for, until the next call.
func (m *matcher) text(i, end int, plain bool) []byte {
	if plain {
		return m.b[i+1 : end-1]
	}
	m.buf = jsonx.AppendText(m.buf[:0], m.b[i:end])
	return m.buf
}
