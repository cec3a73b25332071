package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// kind is what the value of a setting may be.
type kind int

const (
	kindText     kind = iota
	kindList          // of texts
	kindInt           //
	kindDuration      // a text such as "90s"
	kindSize          // bytes: a whole number, or a text such as "64KiB"
	kindMoney         // US dollars
)

// String is the kind in words, for messages.
func (k kind) String() string {
	switch k {
	case kindList:
		return "a list of texts"
	case kindInt:
		return "a whole number"
	case kindDuration:
		return `a duration such as "90s" or "15m"`
	case kindSize:
		return `a size such as "64KiB", or a number of bytes`
	case kindMoney:
		return "an amount in US dollars"
	}
	return "a text"
}

// A setting is one key of the configuration. Only keys that act have one: what
// is not in the table is refused wherever it is written.
type setting struct {
	key   string // with "*" for a name that the user chooses
	kind  kind
	def   string // as it would be written after -c; "" is none
	doc   string
	check func(v any) error // nil: any value of the kind
	// own marks a setting that a project's files may not make, since they come
	// with the project and not from the person at the keyboard.
	own bool
}

// from is v, as a TOML or JSON file has it, as a value of the setting.
func (s *setting) from(v any) (any, error) {
	x, err := s.kind.from(v)
	if err != nil {
		return nil, err
	}
	if s.check != nil {
		if err := s.check(x); err != nil {
			return nil, &valueError{err}
		}
	}
	return x, nil
}

// parse is text, as an environment variable or a flag has it, as a value of the
// setting.
func (s *setting) parse(text string) (any, error) {
	switch s.kind {
	case kindList:
		return s.from(splitList(text))
	case kindInt:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("wants %s, got %q", s.kind, clip(text, 40))
		}
		return s.from(n)
	case kindMoney:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("wants %s, got %q", s.kind, clip(text, 40))
		}
		return s.from(f)
	case kindText, kindDuration, kindSize:
	}
	return s.from(text)
}

// valueError is a value of the right kind that is not allowed.
type valueError struct{ error }

// splitList reads a list from one text: JSON, or elements parted by commas.
func splitList(text string) any {
	text = strings.TrimSpace(text)
	if text == "" {
		return []any{}
	}
	var list []any
	if json.Unmarshal([]byte(text), &list) == nil {
		return list
	}
	for e := range strings.SplitSeq(text, ",") {
		list = append(list, strings.TrimSpace(e))
	}
	return list
}

func (k kind) from(v any) (any, error) {
	bad := fmt.Errorf("wants %s, got %s", k, describe(v))
	switch k {
	case kindText:
		if s, ok := v.(string); ok {
			return s, nil
		}
	case kindList:
		return listFrom(v, bad)
	case kindInt:
		if n, ok := whole(v); ok {
			return n, nil
		}
	case kindMoney:
		if f, ok := number(v); ok && f >= 0 && !math.IsInf(f, 0) {
			return f, nil
		}
	case kindDuration:
		s, _ := v.(string)
		if d, err := time.ParseDuration(s); err == nil && d > 0 {
			return d, nil
		}
	case kindSize:
		if n, ok := whole(v); ok && n >= 0 {
			return n, nil
		}
		if s, ok := v.(string); ok {
			if n, ok := parseSize(s); ok {
				return n, nil
			}
		}
	}
	return nil, bad
}

func listFrom(v any, bad error) (any, error) {
	raw, ok := v.([]any)
	if !ok {
		return nil, bad
	}
	list := make([]string, 0, len(raw))
	for _, e := range raw {
		s, ok := e.(string)
		if !ok {
			return nil, fmt.Errorf("wants %s, got a list with %s", kindList, describe(e))
		}
		list = append(list, s)
	}
	return list, nil
}

func whole(v any) (int64, bool) {
	switch n := v.(type) {
	case int64:
		return n, true
	case json.Number:
		i, err := n.Int64()
		return i, err == nil
	}
	return 0, false
}

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, true
	case json.Number:
		f, err := n.Float64()
		return f, err == nil
	}
	return 0, false
}

// parseSize reads bytes with a unit: B, KB, MB, GB by thousands, KiB, MiB, GiB
// by 1024.
func parseSize(s string) (int64, bool) {
	units := []struct {
		name string
		n    int64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}, {"", 1}}
	for _, u := range units {
		digits, ok := strings.CutSuffix(s, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if err != nil || n < 0 || n > math.MaxInt64/u.n {
			return 0, false
		}
		return n * u.n, true
	}
	return 0, false
}

// describe is v as a message names it.
func describe(v any) string {
	switch x := v.(type) {
	case string:
		return fmt.Sprintf("the text %q", clip(x, 40))
	case bool:
		return strconv.FormatBool(x)
	case []any:
		return "a list"
	case map[string]any:
		return "a table"
	case nil:
		return "null"
	}
	return clip(fmt.Sprint(v), 40)
}

// show is a value as a person writes it.
func show(v any) string {
	switch x := v.(type) {
	case nil:
		return "—"
	case string:
		if x == "" {
			return `""`
		}
		return x
	case []string:
		b, err := json.Marshal(x)
		if err != nil {
			return fmt.Sprint(x)
		}
		return string(b)
	case time.Duration:
		return shortDuration(x)
	}
	return fmt.Sprint(v)
}

// shortDuration is d without the zero units that String ends in: 15m, not 15m0s.
func shortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
