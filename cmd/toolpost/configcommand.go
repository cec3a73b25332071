package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// shownSetting is one setting for programs.
type shownSetting struct {
	Key    string          `json:"key"`
	Value  json.RawMessage `json:"value"`
	Origin string          `json:"origin"`
	Place  string          `json:"place,omitempty"`
}

// Run prints every setting with its origin.
func (c *configShowCommand) Run(p *program) error {
	values := defaults(newBook())
	if !c.Defaults {
		cfg, err := p.settings()
		if err != nil {
			return err
		}
		values = cfg.values
	}
	list, err := c.choose(values)
	if err != nil {
		return err
	}
	switch p.out.form {
	case "json":
		return p.out.document(struct {
			V        int            `json:"v"`
			Settings []shownSetting `json:"settings"`
		}{1, list})
	case "jsonl":
		for _, s := range list {
			if err := p.out.document(s); err != nil {
				return err
			}
		}
		return nil
	}
	for _, s := range list {
		from := s.Origin
		if s.Place != "" {
			from += " · " + s.Place
		}
		p.out.styled(fmt.Sprintf("%-38s %-26s %s\n", clean(s.Key), clean(show(values[s.Key].v)), p.out.outStyle.faint(clean(from))))
	}
	return nil
}

// choose is the settings that were asked for, sorted as the table of settings
// is.
func (c *configShowCommand) choose(values map[string]value) ([]shownSetting, error) {
	b := newBook()
	order := map[string]int{}
	for i := range b.list {
		order[b.list[i].key] = i
	}
	rank := func(key string) int {
		if s := b.find(strings.Split(key, ".")); s != nil {
			return order[s.key]
		}
		return len(order)
	}
	keys := slices.SortedFunc(maps.Keys(values), func(x, y string) int {
		if d := rank(x) - rank(y); d != 0 {
			return d
		}
		return strings.Compare(x, y)
	})
	list := []shownSetting{}
	for _, k := range keys {
		if !wanted(c.Keys, k) {
			continue
		}
		v := values[k]
		raw, err := json.Marshal(plain(v.v))
		if err != nil {
			return nil, fmt.Errorf("show %s: %w", k, err)
		}
		list = append(list, shownSetting{k, raw, v.layer, v.place})
	}
	if len(list) == 0 {
		return nil, c.nothing(b)
	}
	return list, nil
}

// nothing tells a key that is not set from one that does not exist.
func (c *configShowCommand) nothing(b *book) error {
	for _, k := range c.Keys {
		parts := strings.Split(k, ".")
		if b.find(parts) == nil && !b.isTable(parts) {
			_, message, near := b.unknown(parts)
			pr := &problem{code: codeConfigKey, exit: exitInvalid, message: message}
			if near != "" {
				pr.facts = []string{near}
			}
			return pr
		}
	}
	return &problem{code: codeNotFound, exit: exitUsage, message: strings.Join(c.Keys, ", ") + ": not set, and there is no default", try: []string{"toolpost config schema"}}
}

func wanted(keys []string, key string) bool {
	return len(keys) == 0 || slices.ContainsFunc(keys, func(k string) bool { return k == key || strings.HasPrefix(key, k+".") })
}

// plain is a value as JSON has it: a duration is its text.
func plain(v any) any {
	if d, ok := v.(time.Duration); ok {
		return shortDuration(d)
	}
	return v
}

// Run checks all layers.
func (*configLintCommand) Run(p *program) error {
	c, problems := p.loadConfig()
	if len(problems) > 0 {
		first := *problems[0]
		first.more = problems[1:]
		return &first
	}
	n := 0
	for _, f := range c.found {
		if f.exists {
			n++
		}
	}
	if p.out.json() {
		return p.out.document(struct {
			V     int  `json:"v"`
			OK    bool `json:"ok"`
			Files int  `json:"files"`
		}{1, true, n})
	}
	p.out.printf("configuration ok: %d files, %d settings\n", n, len(c.values))
	return nil
}

// Run lists the files of the configuration.
func (*configPathCommand) Run(p *program) error {
	c, _ := p.loadConfig()
	type row struct {
		Layer  string `json:"layer"`
		Path   string `json:"path"`
		Exists bool   `json:"exists"`
	}
	var rows []row
	for _, f := range c.found {
		rows = append(rows, row{f.layer, f.path, f.exists})
	}
	if p.out.json() {
		return p.out.document(struct {
			V     int   `json:"v"`
			Files []row `json:"files"`
		}{1, rows})
	}
	for _, r := range rows {
		mark := "–"
		if r.Exists {
			mark = "✓"
		}
		p.out.printf("%s %-18s %s\n", mark, r.Layer, r.Path)
	}
	return nil
}

// Run prints the JSON Schema of the configuration.
func (*configSchemaCommand) Run(p *program) error {
	b, err := json.MarshalIndent(configSchema(newBook()), "", "  ")
	if err != nil {
		return fmt.Errorf("write schema: %w", err)
	}
	p.out.styled(string(b) + "\n")
	return nil
}

// configSchema is the JSON Schema of a configuration file. Keys that nothing
// reads are not in it, and none but those in it are allowed.
func configSchema(b *book) map[string]any {
	root := closedObject()
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "toolpost.toml and toolpost.json"
	for i := range b.list {
		s := &b.list[i]
		at := root
		parts := strings.Split(s.key, ".")
		for _, part := range parts[:len(parts)-1] {
			at = below(at, part)
		}
		properties(at)[parts[len(parts)-1]] = s.schema()
	}
	return root
}

func closedObject() map[string]any {
	return map[string]any{"type": "object", "properties": map[string]any{}, "additionalProperties": false}
}

func properties(object map[string]any) map[string]any {
	p, _ := object["properties"].(map[string]any)
	return p
}

// below is the object for one part of a key, made if it is not there.
func below(object map[string]any, part string) map[string]any {
	if part == "*" {
		if sub, ok := object["additionalProperties"].(map[string]any); ok {
			return sub
		}
		sub := closedObject()
		object["additionalProperties"] = sub
		return sub
	}
	if sub, ok := properties(object)[part].(map[string]any); ok {
		return sub
	}
	sub := closedObject()
	properties(object)[part] = sub
	return sub
}

func (s *setting) schema() map[string]any {
	m := map[string]any{"description": s.doc}
	switch s.kind {
	case kindList:
		m["type"], m["items"] = "array", map[string]any{"type": "string"}
	case kindInt:
		m["type"] = "integer"
	case kindSize:
		m["type"], m["pattern"] = []string{"integer", "string"}, `^[0-9]+ *(B|KB|MB|GB|KiB|MiB|GiB)?$`
	case kindMoney:
		m["type"], m["minimum"] = "number", 0
	case kindDuration:
		m["type"], m["pattern"] = "string", `^([0-9.]+(ns|us|µs|ms|s|m|h))+$`
	case kindText:
		m["type"] = "string"
	}
	if v, err := s.parse(s.def); err == nil && s.def != "" {
		m["default"] = plain(v)
	}
	return m
}
