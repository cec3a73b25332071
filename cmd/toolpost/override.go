package main

import (
	"fmt"
	"slices"
	"strings"
)

// reserved are variables with our prefix that are no settings.
func reserved(name string) bool { return name == "TOOLPOST_PROFILE" }

// readEnvironment reads TOOLPOST_… variables: the key in capitals, with "_" for
// ".".
func (p *program) readEnvironment(b *book, c *config) []*problem {
	var problems []*problem
	for _, kv := range p.environ {
		name, text, _ := strings.Cut(kv, "=")
		word, ours := strings.CutPrefix(name, "TOOLPOST_")
		if !ours || reserved(name) || text == "" {
			continue
		}
		s, key := b.byVariable(word)
		if s == nil {
			problems = append(problems, unknownVariable(b, name))
			continue
		}
		problems = append(problems, c.assign(s, key, text, layerEnv, name)...)
	}
	return problems
}

// byVariable is the setting that a variable stands for, and its full key.
func (b *book) byVariable(word string) (*setting, string) {
	for i := range b.list {
		s := &b.list[i]
		if s.variable() == word {
			return s, s.key
		}
		before, after, wild := strings.Cut(s.key, "*")
		if !wild {
			continue
		}
		head, tail := variable(before), variable(after)
		if name, ok := strings.CutPrefix(word, head); ok {
			if name, ok = strings.CutSuffix(name, tail); ok && name != "" {
				return s, before + strings.ToLower(name) + after
			}
		}
	}
	return nil, ""
}

func (s *setting) variable() string { return variable(s.key) }

func variable(key string) string { return strings.ToUpper(strings.ReplaceAll(key, ".", "_")) }

// assign sets one key to what a variable or a flag says.
func (c *config) assign(s *setting, key, text, layer, place string) []*problem {
	v, err := s.parse(text)
	if err != nil {
		return []*problem{{code: valueCode(err), exit: exitInvalid, message: fmt.Sprintf("%s: %q %v", place, key, err)}}
	}
	c.values[key] = value{v, layer, place}
	return nil
}

// readFlags reads what -c and the flags that stand for settings say.
func (p *program) readFlags(b *book, c *config) []*problem {
	var problems []*problem
	set := p.globals.Set
	if p.globals.Store != "" {
		set = append(slices.Clone(set), "store="+p.globals.Store)
	}
	if p.globals.Log != "" {
		set = append(slices.Clone(set), "log="+p.globals.Log)
	} else if p.globals.Verbose > 1 {
		set = append(slices.Clone(set), "log=debug")
	}
	for _, kv := range set {
		key, text, ok := strings.Cut(kv, "=")
		if !ok {
			problems = append(problems, &problem{code: codeUsage, exit: exitUsage, message: fmt.Sprintf("-c %q: write KEY=VALUE, such as -c limits.calls=50", clip(kv, 60))})
			continue
		}
		parts := splitKey(key)
		s := b.find(parts)
		if s == nil {
			_, message, near := b.unknown(parts)
			pr := &problem{code: codeConfigKey, exit: exitInvalid, message: "-c " + clip(kv, 80) + ": " + message}
			if near != "" {
				pr.facts = []string{near}
			}
			problems = append(problems, pr)
			continue
		}
		problems = append(problems, c.assign(s, strings.Join(parts, "."), text, layerFlag, "-c "+key)...)
	}
	return problems
}

// splitKey parts a key at its dots; what stands in double quotes is one part.
func splitKey(key string) []string {
	var parts []string
	for key != "" {
		if rest, ok := strings.CutPrefix(key, `"`); ok {
			if name, after, ok := strings.Cut(rest, `"`); ok {
				parts, key = append(parts, name), strings.TrimPrefix(after, ".")
				continue
			}
		}
		name, after, _ := strings.Cut(key, ".")
		parts, key = append(parts, name), after
	}
	return parts
}

func unknownVariable(b *book, name string) *problem {
	pr := &problem{code: codeConfigKey, exit: exitInvalid, message: "environment: " + clip(name, 80) + " is not a setting"}
	var all []string
	for i := range b.list {
		all = append(all, "TOOLPOST_"+b.list[i].variable())
	}
	if near := nearest(name, all); near != "" {
		pr.facts = []string{"did you mean " + near + "?"}
	}
	return pr
}
