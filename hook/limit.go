package hook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolpost/toolpost/tool"
)

// What a Limit does when a field is zero.
const (
	LimitBytes     = 65536   // of serialised JSON that the model reads of one result
	LimitDataBytes = 1 << 20 // of Result.Data that stays in the result
)

// A Limit cuts what the model reads of a result, and keeps the whole elsewhere.
//
// All text blocks of a result together, each as a JSON string, take at most
// Bytes, and at most three tenths of the context window at four bytes a token;
// the shortest are left whole, the others are cut as [Truncate] and
// [TruncateText] do. If the text is the data of the result, it is cut as the
// JSON value that it is. A last block names the artifact that holds the whole,
// and how to read on; Result.Artifact names it for programs.
//
// Result.Data is for programs and stays as it is, so that it fits the tool's
// output schema, up to DataBytes; what is longer is moved to the artifact, and
// the result has no data. When there is no place to keep the whole, the data
// stays, and the last block says that the rest was not kept.
//
// The fields are not changed once a call was made; the method may be called
// from many goroutines.
type Limit struct {
	Bytes         int // LimitBytes if zero
	DataBytes     int // LimitDataBytes if zero
	ContextTokens int // size of the model's window; zero: unknown, no limit by it
	// Spill keeps data and names it. Nil keeps nothing.
	Spill func(ctx context.Context, c *tool.Call, data []byte, mime string) (tool.Artifact, error)
}

// Middleware limits what passes back.
func (l *Limit) Middleware(next tool.Handler) tool.Handler {
	return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		res, err := next(ctx, c)
		switch {
		case err != nil:
			e := tool.AsError(err)
			if jsonSize(e.Message) <= l.bytes() && len(e.Details) <= l.dataBytes() {
				return res, err
			}
			res = tool.Fail(err)
		case res == nil:
			return nil, nil
		}
		return l.Apply(ctx, c, res), nil
	}
}

// Apply is res within the limits: res itself if it is, else a copy. It is for
// results that did not come through Middleware, such as those of a client.
func (l *Limit) Apply(ctx context.Context, c *tool.Call, res *tool.Result) *tool.Result {
	if l.fits(res) {
		return res
	}
	r := *res
	w := limiting{Limit: l, ctx: ctx, call: c, res: &r}
	r.Content = body(&r)
	w.error()
	w.content()
	return &r
}

func (l *Limit) bytes() int {
	n := cmp.Or(max(l.Bytes, 0), LimitBytes)
	if l.ContextTokens > 0 {
		n = min(n, l.ContextTokens*4*3/10)
	}
	return n
}

func (l *Limit) dataBytes() int { return cmp.Or(max(l.DataBytes, 0), LimitDataBytes) }

// fits reports whether there is nothing to do.
func (l *Limit) fits(r *tool.Result) bool {
	if len(r.Data) > l.dataBytes() {
		return false
	}
	limit := l.bytes()
	total := 0
	if r.Err != nil {
		if len(r.Err.Details) > l.dataBytes() {
			return false
		}
		total = sizeUpTo(r.Err.Message, limit)
	}
	for i := range r.Content {
		if total > limit {
			return false
		}
		total += sizeUpTo(r.Content[i].Text, limit)
	}
	if len(r.Content) == 0 {
		total += len(r.Data) // tool.Do makes it the text
	}
	return total <= limit
}

// body is the content of r without the envelope that tool.Do puts first.
func body(r *tool.Result) []tool.Content {
	if len(r.Content) > 0 && r.Status != "" && r.Status != tool.StatusOK && (r.Err != nil || !r.IsError()) {
		if env := r.Envelope(); env != nil && r.Content[0].Text == string(env) {
			return r.Content[1:]
		}
	}
	return r.Content
}

// limiting is one result on its way through a Limit.
type limiting struct {
	*Limit
	ctx   context.Context
	call  *tool.Call
	res   *tool.Result // a copy of our own
	spent int          // of the limit, by the error's message
}

// keep spills what is about to be cut. Known is false if it could not be kept;
// then the result tells those who read logs why.
func (w *limiting) keep(data []byte, mime string) (a tool.Artifact, known bool) {
	err := errors.New("no place to keep it is configured")
	if w.Spill != nil {
		a, err = w.Spill(w.ctx, w.call, data, mime)
	}
	if err != nil {
		w.res.Debug = strings.TrimPrefix(w.res.Debug+"\nkeep the whole result: "+err.Error(), "\n")
		return tool.Artifact{}, false
	}
	if w.res.Artifact == nil {
		w.res.Artifact = &a
	}
	return a, true
}

// error cuts the message and the details of an error.
func (w *limiting) error() {
	if w.res.Err == nil {
		return
	}
	e := *w.res.Err
	// The envelope is JSON inside JSON: what is escaped once is escaped twice.
	if room := w.bytes() * 2 / 5; sizeUpTo(e.Message, room) > room {
		a, known := w.keep([]byte(e.Message), mimeText)
		text, head := cut(e.Message, max(room, 2), jsonSize(e.Message))
		e.Message = text
		w.res.Content = append(slices.Clip(w.res.Content), textBlock(where(a, known, head, "the error")))
	}
	if len(e.Details) > w.dataBytes() {
		if _, known := w.keep(e.Details, mimeJSON); known {
			e.Details = Truncate(e.Details, LimitBytes/16)
		}
	}
	w.spent = 2*sizeUpTo(e.Message, w.bytes()) + envelopeSize
	w.res.Err = &e
}

// envelopeSize is what stands around the message of an error, about.
const envelopeSize = 120

const (
	mimeText = "text/plain; charset=utf-8"
	mimeJSON = "application/json"
)

// content cuts the text blocks, and moves data that is too long.
func (w *limiting) content() {
	r := w.res
	data := r.Data
	same := len(r.Content) == 0 && len(data) > 0 && r.Err == nil ||
		len(r.Content) == 1 && r.Content[0].Type == tool.ContentText && textual(r.Content[0].Text, data)
	if same && len(r.Content) == 0 {
		r.Content = []tool.Content{textBlock(string(data))} // as tool.Do would
	}
	room := max(w.bytes()-w.spent, 2)
	long := textSize(r.Content, room) > room
	var a tool.Artifact
	known := false
	if len(data) > w.dataBytes() || same && long {
		a, known = w.keep(data, mimeJSON)
		if known && len(data) > w.dataBytes() {
			r.Data = nil
		}
	}
	switch {
	case same && long:
		note := where(a, known, 0, "the data")
		doc := Truncate(data, w.beside(room, note))
		if jsonSize(string(doc)) > w.beside(room, note) { // a JSON text is longer when it is quoted
			doc = shrink(data, w.beside(room, note))
		}
		r.Content = []tool.Content{textBlock(string(doc))}
		w.note(room, note)
	case long:
		if !same {
			a, known = w.keep([]byte(allText(r.Content)), mimeText)
		}
		w.cutBlocks(room, a, known)
	case known:
		w.note(room, where(a, known, 0, "the data"))
	}
}

// shrink is Truncate with the limit for the quoted text.
func shrink(data []byte, limit int) []byte {
	low, high := 2, limit
	for low < high {
		mid := (low + high + 1) / 2
		if jsonSize(string(Truncate(data, mid))) <= limit {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return Truncate(data, low)
}

// cutBlocks cuts the longest text blocks until all of them fit beside the note.
func (w *limiting) cutBlocks(room int, a tool.Artifact, known bool) {
	r := w.res
	total := int(a.Bytes)
	left := w.beside(room, where(a, known, max(total, 1<<20), "the text"))
	var order []int
	for i := range r.Content {
		if r.Content[i].Type == tool.ContentText {
			order = append(order, i)
		}
	}
	sizes := make(map[int]int, len(order))
	for _, i := range order {
		sizes[i] = jsonSize(r.Content[i].Text)
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(sizes[x], sizes[y]) })
	blocks := slices.Clone(r.Content)
	head := 0
	for n, i := range order {
		share := left / (len(order) - n)
		if sizes[i] > share {
			blocks[i].Text, head = cut(blocks[i].Text, max(share, 2), sizes[i])
		}
		left -= min(sizes[i], share)
	}
	if len(order) > 1 {
		head = 0 // the artifact joins them
	}
	r.Content = blocks
	w.note(room, where(a, known, head, "the text"))
}

// beside is what is left of room for the text beside the note.
func (w *limiting) beside(room int, note string) int {
	if size := jsonSize(note); size <= room/2 {
		return room - size
	}
	return room
}

// note adds the note, if it has a place in room.
func (w *limiting) note(room int, note string) {
	if jsonSize(note) <= room/2 {
		w.res.Content = append(slices.Clip(w.res.Content), textBlock(note))
	}
}

// where tells the model where the whole of what is there: from offset on it has
// not seen it.
func where(a tool.Artifact, known bool, offset int, what string) string {
	if !known {
		return "[cut: the rest of " + what + " could not be kept]"
	}
	return fmt.Sprintf(`[cut: %s is kept whole, %d bytes, as artifact %s; read on with read_artifact {"id":%q,"offset":%d}]`, what, a.Bytes, a.ID, a.ID, offset)
}

func textBlock(s string) tool.Content { return tool.Content{Type: tool.ContentText, Text: s} }

// textSize is the JSON size of all texts, or some number above limit.
func textSize(blocks []tool.Content, limit int) int {
	total := 0
	for i := range blocks {
		if blocks[i].Type != tool.ContentText {
			continue
		}
		if total += sizeUpTo(blocks[i].Text, limit); total > limit {
			return total
		}
	}
	return total
}

func allText(blocks []tool.Content) string {
	var texts []string
	for i := range blocks {
		if blocks[i].Type == tool.ContentText {
			texts = append(texts, blocks[i].Text)
		}
	}
	return strings.Join(texts, "\n")
}
