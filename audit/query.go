package audit

import (
	"bytes"
	"iter"
	"path"
	"strings"
	"time"

	"github.com/toolpost/toolpost/tool"
)

// A Query says which calls are looked for. Empty fields ask for nothing; a call is
// found if it is all that the others ask for.
type Query struct {
	Run    string      // full id
	Kind   Kind        //
	Tool   string      // its name, or a pattern with *
	Status tool.Status //
	Code   tool.Code   // of the error
	Path   string      // a file or folder that it changed, or a pattern with *
	Text   string      // that stands in the arguments, the data, the content or the error
	Since  time.Time   // of the start of the run
	Before time.Time   //
}

// A Found is a call that a query found, and the run it belongs to.
type Found struct {
	Run  *Summary
	Call *Call
}

// Query is the calls of the store that q asks for: newest run first, in each in
// the order in which they were asked for. A run that cannot be read comes with an
// error, and the search goes on.
func (s *Store) Query(q Query) iter.Seq2[Found, error] {
	return func(yield func(Found, error) bool) {
		for sum, err := range s.List() {
			switch {
			case err != nil:
				if !yield(Found{}, err) {
					return
				}
				continue
			case !q.run(sum):
				continue
			}
			v, err := s.Load(sum.ID)
			if err != nil && !yield(Found{Run: sum}, err) {
				return
			}
			if v == nil {
				continue
			}
			for _, c := range v.Calls {
				if q.call(c) && !yield(Found{sum, c}, nil) {
					return
				}
			}
		}
	}
}

func (q *Query) run(s *Summary) bool {
	return (q.Run == "" || q.Run == s.ID) && (q.Kind == "" || q.Kind == s.Kind) &&
		(q.Since.IsZero() || !s.Started.Before(q.Since)) && (q.Before.IsZero() || s.Started.Before(q.Before))
}

func (q *Query) call(c *Call) bool {
	return (q.Tool == "" || wild(q.Tool, c.Tool())) &&
		(q.Status == "" || c.Result.Status == q.Status) &&
		(q.Code == "" || codeOf(c.Result) == string(q.Code)) &&
		(q.Path == "" || touches(c.Result.Effects, q.Path)) &&
		(q.Text == "" || says(c, q.Text))
}

func wild(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return pattern == name || err == nil && ok
}

// touches reports whether a path is among the effects.
func touches(e *tool.Effects, pattern string) bool {
	if e == nil {
		return false
	}
	hit := func(p string) bool {
		return wild(pattern, p) || strings.HasPrefix(p, strings.TrimSuffix(pattern, "/")+"/")
	}
	for _, list := range [][]tool.FileEffect{e.Created, e.Modified, e.Deleted} {
		for _, f := range list {
			if hit(f.Path) {
				return true
			}
		}
	}
	for _, r := range e.Renamed {
		if hit(r.From) || hit(r.To) {
			return true
		}
	}
	return false
}

// says reports whether a text stands in what went in or came out.
func says(c *Call, text string) bool {
	if bytes.Contains(argsOf(c), []byte(text)) || bytes.Contains(c.Result.Data, []byte(text)) {
		return true
	}
	for i := range c.Result.Content {
		if strings.Contains(c.Result.Content[i].Text, text) {
			return true
		}
	}
	return c.Result.Err != nil && strings.Contains(c.Result.Err.Message, text)
}
