package llm

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/toolpost/toolpost/internal/jsonx"
	"github.com/toolpost/toolpost/tool"
)

// A Profile is what a provider wants of a history. The zero Profile is the
// least that all want.
type Profile struct {
	Provider string // who is asked; its own reasoning is sent back to it, that of others is not
	API      string // not compared if empty
	Model    string // not compared if empty

	IDs              IDRule
	ResultImages     bool // results may hold images; else they follow in a user message
	MergeResults     bool // the results of one reply stand in one message
	MergeRoles       bool // no two messages of one role in a row
	AssistantBetween bool // a user message must not follow results directly
	ForeignThinking  bool // the readable reasoning of other models is kept as text
}

// interrupted answers a call that has no result.
const interrupted = "no result: interrupted"

// Sanitize is a history made fit for a provider: replies that failed or were
// aborted are left out; every call has one result, directly behind its reply
// and in the order of the calls, and every result a call; ids fit the profile;
// arguments are objects; the reasoning of other models, empty text, NUL and
// other control characters are gone; images stand where they may. It does not
// change msgs; what needs no change is shared with it. Doing it twice changes
// nothing more.
func Sanitize(msgs []Message, p Profile) []Message {
	s := sanitizer{p: p, ids: IDCodec{Rule: p.IDs}, out: make([]Message, 0, len(msgs)+2)}
	s.collect(msgs)
	for i := range msgs {
		m := &msgs[i]
		switch {
		case m.Broken() || m.Role == RoleTool:
		case m.Role == RoleAssistant:
			s.assistant(m, i)
		default:
			s.plain(m)
		}
	}
	return s.out
}

type sanitizer struct {
	p       Profile
	ids     IDCodec
	out     []Message
	results []answer
	byID    map[string][]int // of results, by our id and by the provider's, oldest first
}

// An answer is a result and where it stood.
type answer struct {
	r    *tool.Result
	at   int
	used bool
}

func (s *sanitizer) collect(msgs []Message) {
	for i := range msgs {
		for j := range msgs[i].Blocks {
			r := msgs[i].Blocks[j].Result
			if r == nil {
				continue
			}
			if s.byID == nil {
				s.byID = make(map[string][]int)
			}
			n := len(s.results)
			s.results = append(s.results, answer{r: r, at: i})
			if r.ID != "" {
				s.byID["o"+r.ID] = append(s.byID["o"+r.ID], n)
			}
			s.byID["p"+r.ProviderID] = append(s.byID["p"+r.ProviderID], n)
		}
	}
}

// answerTo takes the result of c, which message at made: by our own id, else,
// in histories from elsewhere, the oldest of the provider's.
func (s *sanitizer) answerTo(c *tool.Call, at int) *tool.Result {
	if c.ID != "" {
		if r := s.take("o"+c.ID, at, func(*tool.Result) bool { return true }); r != nil {
			return r
		}
	}
	return s.take("p"+c.ProviderID, at, func(r *tool.Result) bool {
		return (r.ID == "" || c.ID == "" || r.ID == c.ID) && (c.ProviderID != "" || r.Tool == c.Tool)
	})
}

func (s *sanitizer) take(key string, at int, ok func(*tool.Result) bool) *tool.Result {
	for _, n := range s.byID[key] {
		if a := &s.results[n]; !a.used && a.at >= at && ok(a.r) {
			a.used = true
			return a.r
		}
	}
	return nil
}

// plain is a message of the user or the system.
func (s *sanitizer) plain(m *Message) {
	blocks := make([]Block, 0, len(m.Blocks))
	for _, b := range m.Blocks {
		switch b.Type {
		case tool.ContentText:
			if b.Text = Clean(b.Text); b.Text != "" {
				blocks = append(blocks, b)
			}
		case tool.ContentImage:
			blocks = append(blocks, b)
		}
	}
	if len(blocks) == 0 {
		return
	}
	if n := len(s.out); n > 0 && s.p.AssistantBetween && m.Role == RoleUser && s.out[n-1].Role == RoleTool {
		s.out = append(s.out, Message{Role: RoleAssistant, Blocks: []Block{TextBlock("Understood.")}})
	}
	s.add(*m, blocks)
}

func (s *sanitizer) add(m Message, blocks []Block) {
	m.Blocks = blocks
	if n := len(s.out); n > 0 && s.p.MergeRoles && s.out[n-1].Role == m.Role && m.Role != RoleTool {
		last := &s.out[n-1]
		last.Blocks = append(last.Blocks[:len(last.Blocks):len(last.Blocks)], blocks...)
		return
	}
	s.out = append(s.out, m)
}

// assistant is a reply and, behind it, the results of its calls.
func (s *sanitizer) assistant(m *Message, at int) {
	own := m.Provider != "" && m.Provider == s.p.Provider && (s.p.API == "" || m.API == s.p.API) && (s.p.Model == "" || m.Model == s.p.Model)
	blocks := make([]Block, 0, len(m.Blocks))
	var results []*tool.Result
	for _, b := range m.Blocks {
		switch b.Type {
		case tool.ContentText:
			if b.Text = Clean(b.Text); b.Text == "" && (b.Signature == "" || !own) {
				continue
			}
		case BlockThinking:
			if !own {
				if b.Thinking = Clean(b.Thinking); !s.p.ForeignThinking || b.Thinking == "" {
					continue
				}
				b = TextBlock(b.Thinking)
			}
		case BlockOpaque:
			if !own {
				continue
			}
		case BlockCall:
			if b.Call == nil {
				continue
			}
			r := s.answerTo(b.Call, at)
			b.Call, r = s.pair(b.Call, r, own)
			results = append(results, r)
		case tool.ContentImage:
		default:
			continue
		}
		if !own {
			b.Signature = ""
		}
		blocks = append(blocks, b)
	}
	if len(blocks) == 0 {
		return
	}
	s.add(*m, blocks)
	s.answers(results)
}

// pair gives a call and its result the same id, and the call arguments that are
// an object. An id that the provider itself made it takes back as it is.
func (s *sanitizer) pair(c *tool.Call, r *tool.Result, own bool) (*tool.Call, *tool.Result) {
	raw := c.ProviderID
	if raw == "" {
		raw = c.ID
	}
	id, args := "", object(c.Args)
	if own && c.ProviderID != "" {
		id = s.ids.Own(raw)
	} else {
		id = s.ids.ID(raw)
	}
	if id != c.ProviderID || args != nil {
		d := *c
		d.ProviderID = id
		if args != nil {
			d.Args = args
		}
		c = &d
	}
	if r == nil {
		r = tool.Fail(tool.Errorf(tool.CodeCancelled, interrupted))
		r.Ref, r.ProviderID = c.Ref, id
	}
	if r.ProviderID != id || r.Tool == "" {
		d := *r
		d.ProviderID = id
		if d.Tool == "" {
			d.Tool = c.Tool
		}
		r = &d
	}
	return c, r
}

// object is what to send for arguments that are not an object, nil if they are
// one: the object that a string holds, else an empty one. The result of such a
// call quotes what came.
func object(args json.RawMessage) json.RawMessage {
	t := bytes.TrimSpace(args)
	if len(t) > 0 && t[0] == '{' && jsonx.Check(t) == nil {
		return nil
	}
	var inner string
	if len(t) > 0 && t[0] == '"' && json.Unmarshal(t, &inner) == nil {
		if in := strings.TrimSpace(inner); strings.HasPrefix(in, "{") && jsonx.Check([]byte(in)) == nil {
			return json.RawMessage(in)
		}
	}
	return json.RawMessage("{}")
}

// answers adds the results of one reply, and the images in them where the
// target takes none there.
func (s *sanitizer) answers(results []*tool.Result) {
	if len(results) == 0 {
		return
	}
	blocks := make([]Block, 0, len(results))
	var images []Block
	for _, r := range results {
		r = cleanResult(r)
		if !s.p.ResultImages {
			var pics []Block
			if r, pics = withoutImages(r); len(pics) > 0 {
				images = append(images, TextBlock("Images from the result of "+r.Tool+":"))
				images = append(images, pics...)
			}
		}
		blocks = append(blocks, ResultBlock(r))
	}
	if s.p.MergeResults {
		s.out = append(s.out, Message{Role: RoleTool, Blocks: blocks})
	} else {
		for i := range blocks {
			s.out = append(s.out, Message{Role: RoleTool, Blocks: blocks[i : i+1 : i+1]})
		}
	}
	if len(images) > 0 {
		if s.p.AssistantBetween {
			s.out = append(s.out, Message{Role: RoleAssistant, Blocks: []Block{TextBlock("Understood.")}})
		}
		s.out = append(s.out, Message{Role: RoleUser, Blocks: images})
	}
}

// withoutImages is r with a line of text in place of each image, and the images.
func withoutImages(r *tool.Result) (*tool.Result, []Block) {
	n := 0
	for i := range r.Content {
		if r.Content[i].Type == tool.ContentImage {
			n++
		}
	}
	if n == 0 {
		return r, nil
	}
	d, images := *r, make([]Block, 0, n)
	d.Content = make([]tool.Content, 0, len(r.Content))
	for _, c := range r.Content {
		if c.Type == tool.ContentImage {
			images = append(images, Block{Content: c})
			c = tool.Content{Type: tool.ContentText, Text: "[the image follows in the next user message]"}
		}
		d.Content = append(d.Content, c)
	}
	return &d, images
}

func cleanResult(r *tool.Result) *tool.Result {
	for i := range r.Content {
		if r.Content[i].Text != Clean(r.Content[i].Text) {
			d := *r
			d.Content = append([]tool.Content(nil), r.Content...)
			for j := range d.Content {
				d.Content[j].Text = Clean(d.Content[j].Text)
			}
			return &d
		}
	}
	return r
}
