package main

import (
	"fmt"
	"strings"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/provider/openai"
	"github.com/toolpost/toolpost/tool"
)

// An endpoint is one configured API: models.NAME of the configuration.
type endpoint struct {
	name    string // "openai", or what stands for NAME
	base    string
	keyEnv  string // "" if it has no key
	from    string // where its address was set
	foreign bool   // a project's file names its address or its key, and it is not on this machine
}

// endpoint is a model of an OpenAI-compatible API: PROVIDER/ID.
func (p *program) endpoint(c *config, name, provider, id string) (*model, error) {
	key := "models." + provider + "."
	e := &endpoint{name: provider, base: c.text(key + "base_url"), keyEnv: c.text(key + "api_key_env")}
	if e.base == "" && provider != "openai" {
		return nil, p.unknownModel(c, name)
	}
	if c.isSet(key + "base_url") {
		e.from = c.whence(key + "base_url")
	}
	e.foreign = (c.byProject(key+"base_url") || c.byProject(key+"api_key_env")) && !loopback(baseOf(e.base))
	chat := &openai.Chat{Name: provider, BaseURL: e.base, Model: id}
	dialect, _ := openai.DialectFor(c.text(key+"dialect"), baseOf(e.base), id)
	chat.Dialect = &dialect
	if err := chat.Check(); err != nil {
		return nil, &problem{code: codeConfigValue, exit: exitInvalid, message: tool.AsError(err).Message, cause: err, try: []string{"toolpost config show models"}}
	}
	if e.keyEnv == "" {
		e.keyEnv = usualKey(provider, &dialect)
	}
	if err := p.giveKey(e, chat); err != nil {
		return nil, err
	}
	return &model{
		name: name, provider: retried(chat, maxRetries), endpoint: e, window: int(c.int(key + "context_window")),
		request: llm.Request{Model: id, MaxTokens: int(c.int(key + "max_tokens"))},
		price:   priceOf(c, key),
	}, nil
}

func baseOf(base string) string {
	if base == "" {
		return openai.DefaultBaseURL
	}
	return base
}

// usualKey is the variable that people keep the key of a provider in. A server
// that is not known gets no key that was not named for it.
func usualKey(provider string, d *openai.Dialect) string {
	switch {
	case provider == "openai":
		return "OPENAI_API_KEY"
	case d.Name != "generic":
		return d.KeyEnv
	}
	return ""
}

// giveKey sees to it that the key is there where one is needed, and goes to no
// host that a project's file has named.
func (p *program) giveKey(e *endpoint, chat *openai.Chat) error {
	value := ""
	if e.keyEnv != "" {
		value = p.env(e.keyEnv)
	}
	if value == "" {
		if e.keyEnv == "" || chat.Local() || e.foreign {
			return nil
		}
		return &problem{code: codeKeyMissing, exit: exitAuth, message: fmt.Sprintf("%s needs an API key, and %s is not set", e.name, e.keyEnv),
			facts: []string{"endpoint  " + baseOf(e.base)}, advice: "Nothing was sent.",
			try: []string{"export " + e.keyEnv + "=…", "toolpost demo      needs no key"}}
	}
	if e.foreign {
		return &problem{code: codeKeyMissing, exit: exitAuth,
			message: fmt.Sprintf("%s is not sent to %s, as a file of the project wants", e.keyEnv, baseOf(e.base)),
			facts:   []string{"models." + e.name + ".base_url  " + orDash(e.from)},
			advice:  "If you trust it, say so yourself:",
			try:     []string{fmt.Sprintf("toolpost run -c models.%[1]s.base_url=%[2]s -c models.%[1]s.api_key_env=%[3]s …", e.name, baseOf(e.base), e.keyEnv)}}
	}
	chat.Key, chat.KeyName = func() string { return value }, e.keyEnv
	return nil
}

// priceOf is what a request costs, nil if no price is configured.
func priceOf(c *config, key string) func(llm.Usage) float64 {
	in, out := c.number(key+"price_input"), c.number(key+"price_output")
	if in == 0 && out == 0 {
		return nil
	}
	return func(u llm.Usage) float64 {
		return (float64(u.Input+u.CacheRead+u.CacheWrite+u.ToolInput)*in + float64(u.Output)*out) / 1e6
	}
}

// facts is what is worth knowing of a model that failed.
func (m *model) facts(e *llm.Error) []string {
	var facts []string
	if m.endpoint != nil {
		line := "endpoint  " + baseOf(m.endpoint.base)
		if m.endpoint.from != "" {
			line += "  (" + m.endpoint.from + ")"
		}
		facts = append(facts, line)
		if e.Status == 401 || e.Status == 403 {
			if m.endpoint.keyEnv != "" {
				facts = append(facts, "key       from "+m.endpoint.keyEnv)
			} else {
				facts = append(facts, fmt.Sprintf("key       none; name its variable with -c models.%s.api_key_env=NAME", m.endpoint.name))
			}
		}
	}
	if e.RequestID != "" {
		facts = append(facts, "request   "+e.RequestID)
	}
	return facts
}

// isDialect checks the name of a dialect.
func isDialect(v any) error {
	s, _ := v.(string)
	if _, ok := openai.DialectFor(s, "", ""); ok {
		return nil
	}
	msg := "is one of " + strings.Join(openai.Dialects(), ", ")
	if near := nearest(s, openai.Dialects()); near != "" {
		msg = fmt.Sprintf("is not %q; did you mean %q?", s, near)
	}
	return fmt.Errorf("%s", msg)
}
