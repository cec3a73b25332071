package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/toolpost/toolpost/schema"
)

// A config is the settings of all layers, each with its origin.
type config struct {
	values  map[string]value // by full key
	project string           // folder of the project's file; the working folder if there is none
	found   []foundFile      // every place that was looked at
}

// A value is what one key is set to, and where.
type value struct {
	v     any
	layer string // defaults, system, user, project, …
	place string // file:line:col, the variable, or the flag
}

// foundFile is a place of the configuration.
type foundFile struct {
	layer, path string
	exists      bool
}

func (c *config) text(key string) string   { s, _ := c.values[key].v.(string); return s }
func (c *config) list(key string) []string { l, _ := c.values[key].v.([]string); return l }
func (c *config) int(key string) int64     { n, _ := c.values[key].v.(int64); return n }
func (c *config) duration(key string) time.Duration {
	d, _ := c.values[key].v.(time.Duration)
	return d
}
func (c *config) number(key string) float64 { f, _ := c.values[key].v.(float64); return f }
func (c *config) isSet(key string) bool     { _, ok := c.values[key]; return ok }

// byProject reports whether a file of the project sets a key.
func (c *config) byProject(key string) bool {
	layer := c.values[key].layer
	return layer == layerProject || layer == layerLocal
}

// names is what stands for the "*" in keys such as models.*.base_url that are
// set, sorted.
func (c *config) names(table string) []string {
	seen := map[string]bool{}
	for k := range c.values {
		if rest, ok := strings.CutPrefix(k, table+"."); ok {
			if i := strings.LastIndexByte(rest, '.'); i > 0 {
				seen[rest[:i]] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// book finds the setting for a key.
type book struct{ list []setting }

func newBook() *book { return &book{settings()} }

// find is the setting whose key matches: "*" stands for one part, which may
// hold any characters.
func (b *book) find(key []string) *setting {
	for i := range b.list {
		if matches(strings.Split(b.list[i].key, "."), key) {
			return &b.list[i]
		}
	}
	return nil
}

func matches(pattern, key []string) bool {
	if len(pattern) != len(key) {
		return false
	}
	for i, p := range pattern {
		if p != "*" && p != key[i] {
			return false
		}
	}
	return true
}

// known is how many leading parts of key lead towards a setting.
func (b *book) known(key []string) int {
	best := 0
	for i := range b.list {
		pattern := strings.Split(b.list[i].key, ".")
		n := 0
		for n < len(key) && n < len(pattern) && (pattern[n] == "*" || pattern[n] == key[n]) {
			n++
		}
		best = max(best, n)
	}
	return best
}

// under is the names that may follow the parts of key.
func (b *book) under(key []string) []string {
	var names []string
	for i := range b.list {
		pattern := strings.Split(b.list[i].key, ".")
		if len(pattern) > len(key) && matches(pattern[:len(key)], key) && pattern[len(key)] != "*" && !slices.Contains(names, pattern[len(key)]) {
			names = append(names, pattern[len(key)])
		}
	}
	return names
}

// isTable reports whether key is what settings stand below.
func (b *book) isTable(key []string) bool {
	for i := range b.list {
		pattern := strings.Split(b.list[i].key, ".")
		if len(pattern) > len(key) && matches(pattern[:len(key)], key) {
			return true
		}
	}
	return false
}

// unknown is the problem for a key that is not a setting: which part of it, and
// what may have been meant.
func (b *book) unknown(key []string) (part int, message, near string) {
	part = b.known(key)
	if part >= len(key) { // all of it leads somewhere: a table where a value stands, or the other way
		return len(key) - 1, fmt.Sprintf("%q is a table, not a setting", strings.Join(key, ".")), ""
	}
	options := b.under(key[:part])
	message = fmt.Sprintf("%q is not a setting", clip(strings.Join(key[:part+1], "."), 80))
	if n := schema.Nearest(key[part], options, 1); len(n) > 0 {
		near = fmt.Sprintf("did you mean %q?", n[0])
	} else if len(options) > 0 && len(options) <= 12 {
		near = "known here: " + strings.Join(options, ", ")
	}
	return part, message, near
}

// set reads the leaves of a document into values. Layer is the name of the layer
// the document belongs to.
func (b *book) set(c *config, d *document, layer string, project bool) []*problem {
	var problems []*problem
	told := map[string]bool{}
	for _, l := range d.leaves {
		key := strings.Join(l.key, ".")
		s := b.find(l.key)
		switch {
		case l.table && b.isTable(l.key):
		case s == nil || l.table:
			part, message, near := b.unknown(l.key)
			if l.table && s != nil {
				message = fmt.Sprintf("%q wants %s, got a table", key, s.kind)
			}
			id := strings.Join(l.key[:part+1], ".")
			if !told[id] {
				told[id] = true
				problems = append(problems, d.problem(codeConfigKey, l.at[part], message, near))
			}
		default:
			at := l.at[len(l.at)-1]
			v, err := s.from(l.value)
			if err == nil && project && s.own {
				err = &valueError{fmt.Errorf("cannot be set by a project's file, which came with the project: set it in your own configuration, in the environment or with -c")}
			}
			if err != nil {
				problems = append(problems, d.problem(valueCode(err), at, fmt.Sprintf("%q %v", key, err), ""))
				continue
			}
			c.values[key] = value{v, layer, fmt.Sprintf("%s:%d:%d", d.file, at.line, at.col)}
		}
	}
	return problems
}

func valueCode(err error) string {
	if _, ok := err.(*valueError); ok { //nolint:errorlint // made by setting.from, never wrapped
		return codeConfigValue
	}
	return codeConfigType
}
