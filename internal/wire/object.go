package wire

import (
	"encoding/json"
	"strconv"

	"github.com/toolpost/toolpost/internal/jsonx"
)

// An Object is JSON being written: a comma stands before every member but the
// first. Whoever opens a bracket with Put closes it.
type Object struct{ B []byte }

// Key begins a member.
func (o *Object) Key(name string) {
	if n := len(o.B); n > 0 && o.B[n-1] != '{' && o.B[n-1] != '[' {
		o.B = append(o.B, ',')
	}
	o.B = append(jsonx.AppendString(o.B, name), ':')
}

// Str is a member that is a string.
func (o *Object) Str(name, v string) { o.Key(name); o.B = jsonx.AppendString(o.B, v) }

// Raw is a member whose value is written already.
func (o *Object) Raw(name, v string) { o.Key(name); o.B = append(o.B, v...) }

// Num is a member that is a number.
func (o *Object) Num(name string, v int) { o.Key(name); o.B = strconv.AppendInt(o.B, int64(v), 10) }

// JSON is a member that is JSON, written without white space.
func (o *Object) JSON(name string, v json.RawMessage) {
	o.Key(name)
	o.B = jsonx.AppendCompact(o.B, v)
}

// Next begins an element of a list with s.
func (o *Object) Next(s string) {
	if n := len(o.B); o.B[n-1] != '[' {
		o.B = append(o.B, ',')
	}
	o.B = append(o.B, s...)
}

// Put appends s.
func (o *Object) Put(s string) { o.B = append(o.B, s...) }
