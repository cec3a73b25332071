package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolpost/toolpost/schema"
)

// A Set is tools that can be listed and called: all that a driver needs. Call
// is a Handler that ends soon after its context has. Both may be called from
// many goroutines at once.
type Set interface {
	Specs() []Spec
	Call(ctx context.Context, c *Call) (*Result, error)
}

// A Registry is to calls what http.ServeMux is to requests. The zero Registry
// is empty and ready. Its methods may be called at the same time; middleware is
// applied when a tool is added, not when it is called, so Use comes before Add.
type Registry struct {
	mu      sync.RWMutex
	mw      []Middleware
	tools   map[string]*entry // by name
	aliases map[string]*entry // by other names
	specs   []Spec            // sorted by name; replaced, never changed
}

type entry struct {
	spec    Spec
	handler Handler // the middleware around execute
	raw     Handler // the tool's own, guarded
}

// Use adds middleware for the tools that are added after it. The first is the
// outermost: it sees the call first and the result last.
func (r *Registry) Use(mw ...Middleware) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mw = append(r.mw, mw...)
}

// Add adds tools. A tool whose name is there already replaces it. Nothing is
// added if one of them is not fit: a name outside [A-Za-z0-9_.-]{1,128} (slashes
// allowed between), no handler, or an example that does not fit its own schema.
func (r *Registry) Add(tools ...Tool) error {
	for i := range tools {
		if err := tools[i].check(); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tools == nil {
		r.tools, r.aliases = map[string]*entry{}, map[string]*entry{}
	}
	for _, t := range tools {
		e := &entry{spec: t.Spec, raw: t.Handler}
		if !t.guardsItself() {
			e.raw = Guard(t.Handler)
		}
		e.handler = e.execute
		for _, mw := range slices.Backward(r.mw) {
			e.handler = mw(e.handler)
		}
		r.tools[t.Name] = e
		for _, a := range t.Aliases {
			r.aliases[a] = e
		}
	}
	specs := make([]Spec, 0, len(r.tools))
	for _, e := range r.tools {
		specs = append(specs, e.spec)
	}
	slices.SortFunc(specs, func(a, b Spec) int { return strings.Compare(a.Name, b.Name) })
	r.specs = specs
	return nil
}

func (t *Tool) check() error {
	if !validName(t.Name) {
		return Errorf(CodeInvalid, "tool name %q: 1 to 128 of letters, digits, '_', '-', '.' and '/'", t.Name)
	}
	if t.Handler == nil {
		return Errorf(CodeInvalid, "tool %s has no handler", t.Name)
	}
	for i, ex := range t.Examples {
		if err := t.Input.Check(ex); err != nil {
			return Errorf(CodeInvalid, "tool %s: example %d does not fit its own parameters: %w", t.Name, i+1, err)
		}
	}
	return nil
}

func validName(s string) bool {
	if s == "" || len(s) > 128 {
		return false
	}
	for _, b := range []byte(s) {
		switch {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9', b == '_', b == '-', b == '.', b == '/':
		default:
			return false
		}
	}
	return true
}

// Specs is what the registry has on offer, sorted by name. The slice is shared:
// it is not to be changed.
func (r *Registry) Specs() []Spec {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.specs
}

// Lookup is the spec of the tool that a call by this name would reach.
func (r *Registry) Lookup(name string) (Spec, bool) {
	if e := r.find(name); e != nil {
		return e.spec, true
	}
	return Spec{}, false
}

func (r *Registry) find(name string) *entry {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if e := r.tools[name]; e != nil {
		return e
	}
	return r.aliases[name]
}

// Call finds the tool by name or alias, fits the arguments to its schema, and
// has the middleware and the handler answer. It sets c.Spec, c.Args and c.Tool
// to what will run.
func (r *Registry) Call(ctx context.Context, c *Call) (*Result, error) {
	e := r.find(c.Tool)
	if e == nil {
		return nil, r.unknown(c.Tool)
	}
	c.Spec, c.Tool = &e.spec, e.spec.Name
	if err := fit(c); err != nil {
		return nil, err
	}
	return e.handler(ctx, c)
}

// unknown names the tools that may have been meant.
func (r *Registry) unknown(name string) error {
	specs := r.Specs()
	if len(specs) == 0 {
		return &Error{Code: CodeNotFound, Message: fmt.Sprintf("no tool %q: there are no tools", clip(name)), cause: ErrUnknownTool}
	}
	names := make([]string, len(specs))
	for i := range specs {
		names[i] = specs[i].Name
	}
	near := nearest(name, names)
	err := &Error{Code: CodeNotFound, Message: fmt.Sprintf("no tool %q; nearest: %s", clip(name), strings.Join(near, ", ")), cause: ErrUnknownTool}
	err.Details, _ = json.Marshal(struct {
		Tool    string   `json:"tool"`
		Nearest []string `json:"nearest"`
	}{clip(name), near})
	return err
}

// nearest is three of names, those that may have been meant first.
func nearest(name string, names []string) []string {
	near := schema.Nearest(name, names, 3)
	for _, n := range names {
		if len(near) < 3 && !slices.Contains(near, n) {
			near = append(near, n)
		}
	}
	return near
}

func clip(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return s
}

// fit makes c.Args fit the schema of its tool, or says why they do not.
func fit(c *Call) error {
	f, err := c.Spec.Input.Fit(c.Args)
	if err == nil {
		c.Args, c.checked = f.Doc, f.Doc
		c.Changes = append(c.Changes, f.Changes...)
		return nil
	}
	e := &Error{Code: CodeInvalid, Message: schema.Explain(c.Spec.Name, c.Spec.Input, c.Args, err), cause: err}
	if inv := new(schema.Invalid); asInvalid(err, &inv) {
		e.Details, _ = encode(struct {
			Problems []schema.Problem `json:"problems"`
		}{inv.Problems})
	}
	return e
}

// execute is the innermost handler: it checks arguments that middleware has
// changed, tells that the call starts, runs the tool under its deadline, and
// checks what comes back.
func (e *entry) execute(ctx context.Context, c *Call) (*Result, error) {
	if err := recheck(c); err != nil {
		return nil, err
	}
	if len(e.spec.Locks) > 0 {
		Notify(ctx, Note{Kind: NoteReady, Call: c})
	}
	if c.Timeout <= 0 {
		c.Timeout = e.spec.Timeout
	}
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	started := time.Now()
	c.Deadline = started.Add(c.Timeout)
	Notify(ctx, Note{Kind: NoteStarted, Call: c, At: started})
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	res, err := e.raw(ctx, c)
	res, err = e.checkOutput(res, err)
	if res == nil && err != nil {
		res = Fail(err)
	}
	if res == nil {
		return nil, nil
	}
	r := res.own()
	r.Started, r.Ended = started, started.Add(time.Since(started))
	return r, nil
}

// recheck validates again arguments that are not those which were checked.
func recheck(c *Call) error {
	a, b := c.Args, c.checked
	if len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] {
		return nil
	}
	return fit(c)
}

// checkOutput holds a tool to its own output schema.
func (e *entry) checkOutput(res *Result, err error) (*Result, error) {
	if err != nil || res == nil || e.spec.Output == nil {
		return res, err
	}
	if res.Status != StatusOK && res.Status != "" || res.Err != nil {
		return res, nil
	}
	bad := e.spec.Output.Check(res.Data)
	if bad == nil {
		return res, nil
	}
	r := res.own()
	r.Status = StatusError
	r.Err = &Error{Code: CodeInternal, Message: "the tool's data does not fit its own output schema: " + bad.Error(), cause: bad}
	r.Err.Details, _ = encode(struct {
		Data json.RawMessage `json:"data"`
	}{bytes.Clone(res.Data)})
	r.Data, r.Content = nil, nil
	return r, nil
}
