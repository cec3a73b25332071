package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/toolpost/toolpost/tool"
)

type readIn struct {
	Query string `json:"query,omitzero" desc:"Words to look for; the memories that fit best come first."`
	Key   string `json:"key,omitzero" desc:"The one memory of this key."`
	Limit int    `json:"limit,omitzero" desc:"Most memories to return." min:"1" max:"100" default:"10"`
}

type readOut struct {
	Items []itemOut `json:"items"`
}

type itemOut struct {
	ID      string   `json:"id"`
	Key     string   `json:"key,omitzero"`
	Text    string   `json:"text"`
	Score   float64  `json:"score"` // higher fits better; 0 without a query
	Created string   `json:"createdAt"`
	Updated string   `json:"updatedAt"`
	Tags    []string `json:"tags"`
}

type writeIn struct {
	Text string   `json:"text" desc:"What to remember, as a text that makes sense on its own." min:"1"`
	Key  string   `json:"key,omitzero" desc:"Name by which to find, extend or replace it."`
	Tags []string `json:"tags,omitzero" desc:"Words to find it by." max:"20"`
	Mode string   `json:"mode,omitzero" desc:"What to do when the key is there: append to its text, or overwrite it." enum:"append,overwrite" default:"append"`
}

type writeOut struct {
	ID      string `json:"id"`
	Key     string `json:"key,omitzero"`
	Created bool   `json:"created"` // false if a memory was extended, replaced or there already
}

// Tools returns memory_read and memory_write.
func (s *Store) Tools() []tool.Tool {
	return []tool.Tool{
		s.tool(tool.New[readIn, readOut](tool.Spec{
			Name:  "memory_read",
			Label: "Recall",
			Description: "Recall what was remembered in this or earlier runs. " +
				"With query the memories that fit its words best, with key the one of that name, else the newest.",
			Examples:   []json.RawMessage{json.RawMessage(`{"query":"deploy staging"}`), json.RawMessage(`{}`)},
			Risk:       tool.RiskReads,
			Category:   "memory",
			Idempotent: true,
		}, s.read), readText),
		s.tool(tool.New[writeIn, writeOut](tool.Spec{
			Name:  "memory_write",
			Label: "Remember",
			Description: "Remember a fact, decision or preference for later runs. " +
				"Give a key to be able to extend or replace it; without one each text is a memory of its own.",
			Examples:    []json.RawMessage{json.RawMessage(`{"text":"Deploys go through make ship.","key":"deploy","tags":["ops"]}`)},
			Risk:        tool.RiskWrites,
			Category:    "memory",
			SideEffects: []string{"write-memory"},
			Previews:    true,
			Locks:       []string{"key"},
		}, s.write), writeText),
	}
}

// tool gives the model a text to read instead of the data.
func (s *Store) tool(t tool.Tool, text func(json.RawMessage) string) tool.Tool {
	next := t.Handler
	t.Handler = func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		r, err := next(ctx, c)
		if err != nil || !r.OK() {
			return r, err
		}
		shown := text(r.Data)
		if c.DryRun && c.Tool == "memory_write" {
			shown = "dry run, nothing was remembered: " + shown
		}
		r.Content = []tool.Content{{Type: tool.ContentText, Text: shown}}
		r.User, _, _ = strings.Cut(shown, "\n")
		return r, nil
	}
	return t
}

func (s *Store) read(ctx context.Context, in readIn) (readOut, error) {
	limit := cmp.Or(in.Limit, 10)
	var found []Item
	var err error
	switch {
	case in.Key != "":
		var it Item
		it, err = s.Get(ctx, in.Key)
		found = []Item{it}
	case strings.TrimSpace(in.Query) != "":
		found, err = s.Search(ctx, in.Query, limit)
	default:
		found, err = s.Newest(ctx, limit)
	}
	if err != nil {
		return readOut{}, err
	}
	out := readOut{Items: []itemOut{}}
	for _, it := range found {
		out.Items = append(out.Items, itemOut{
			ID: it.ID, Key: it.Key, Text: it.Text, Score: it.Score, Tags: it.Tags,
			Created: it.Created.Format(time.RFC3339), Updated: it.Updated.Format(time.RFC3339),
		})
	}
	return out, nil
}

func (s *Store) write(ctx context.Context, in writeIn) (writeOut, error) {
	item, mode := Item{Key: in.Key, Text: in.Text, Tags: in.Tags}, Mode(cmp.Or(in.Mode, string(Append)))
	if c := tool.Current(ctx); c != nil && c.DryRun {
		item, err := check(item, mode)
		if err != nil {
			return writeOut{}, err
		}
		planned, created, err := s.plan(ctx, s.db.Read(), item, mode)
		return writeOut{planned.ID, planned.Key, created}, fault(err)
	}
	stored, created, err := s.Put(ctx, item, mode)
	if err != nil {
		return writeOut{}, err
	}
	tool.Observe(ctx, tool.Effects{Observed: []string{"write-memory"}})
	return writeOut{stored.ID, stored.Key, created}, nil
}

func readText(data json.RawMessage) string {
	var out readOut
	if err := json.Unmarshal(data, &out); err != nil {
		return string(data)
	}
	if len(out.Items) == 0 {
		return "[nothing is remembered that fits]"
	}
	var b strings.Builder
	for i, it := range out.Items {
		if i > 0 {
			b.WriteString("\n---\n")
		}
		fmt.Fprintf(&b, "[%s", it.Created)
		if it.Key != "" {
			fmt.Fprintf(&b, ", key %s", it.Key)
		}
		if len(it.Tags) > 0 {
			fmt.Fprintf(&b, ", tags %s", strings.Join(it.Tags, " "))
		}
		fmt.Fprintf(&b, "]\n%s", it.Text)
	}
	return b.String()
}

func writeText(data json.RawMessage) string {
	var out writeOut
	if err := json.Unmarshal(data, &out); err != nil {
		return string(data)
	}
	what := "remembered as a new memory"
	if !out.Created {
		what = "put into the memory that was there"
	}
	if out.Key != "" {
		what += " with key " + out.Key
	}
	return what
}
