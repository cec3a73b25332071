package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/provider/anthropic"
	"github.com/toolpost/toolpost/provider/gemini"
	"github.com/toolpost/toolpost/provider/ollama"
	"github.com/toolpost/toolpost/provider/openai"
	"github.com/toolpost/toolpost/tool"
)

// An endpoint is one configured API: models.NAME of the configuration.
type endpoint struct {
	name    string // "openai", or what stands for NAME
	api     api
	base    string // without the default of its API
	keyEnv  string // "" if it has no key
	from    string // where its address was set
	foreign bool   // a project's file names its address or its key, and it is not on this machine
}

// An api is one way of speaking with models over HTTP.
type api struct {
	name string // as models.NAME.api has it
	base string // where it is when nothing else is said; "" if that must be said
	key  string // the variable that people keep its key in; "" if it needs none
	make func(p *program, c *config, e *endpoint, id string, key func() string) (client, error)
}

// A client is a provider that can say whether it is set up as it must be.
type client interface {
	llm.Provider
	Check() error
	Local() bool
}

// apis is every API, and the provider's name that stands for it.
func apis() map[string]api {
	return map[string]api{
		"openai": {name: "openai-chat", base: openai.DefaultBaseURL, key: "OPENAI_API_KEY", make: openaiChat},
		"anthropic": {name: "anthropic-messages", base: anthropic.DefaultBaseURL, key: "ANTHROPIC_API_KEY", make: func(p *program, _ *config, e *endpoint, id string, key func() string) (client, error) {
			return &anthropic.Messages{Name: e.name, BaseURL: e.base, Model: id, Key: key, KeyName: e.keyEnv, Left: p.leftOut}, nil
		}},
		"gemini":              {name: gemini.Generate, base: gemini.DefaultBaseURL, key: gemini.KeyEnv, make: geminiClient},
		"gemini-interactions": {name: gemini.Interactions, base: gemini.DefaultBaseURL, key: gemini.KeyEnv, make: geminiClient},
		"ollama": {name: "ollama-native", base: ollama.DefaultBaseURL, make: func(_ *program, c *config, e *endpoint, id string, key func() string) (client, error) {
			return &ollama.Client{Name: e.name, BaseURL: e.base, Model: id, Key: key, KeyName: e.keyEnv, Context: int(c.int("models." + e.name + ".context_window"))}, nil
		}},
	}
}

// apiFor is the API of a provider: the one that its configuration names, the one
// of its own name, or else that of OpenAI at an address that must be given.
func apiFor(c *config, provider string) api {
	word := c.text("models." + provider + ".api")
	for name, a := range apis() {
		if word == a.name || word == "" && name == provider {
			if name != provider && c.isSet("models."+provider+".base_url") {
				a.key = "" // a server that is not known gets no key that was not named for it
			}
			return a
		}
	}
	a := apis()["openai"]
	a.base, a.key = "", ""
	return a
}

// isAPI checks the name of an API.
func isAPI(v any) error {
	s, _ := v.(string)
	var known []string
	for _, a := range apis() {
		if a.name == s {
			return nil
		}
		known = append(known, a.name)
	}
	slices.Sort(known)
	return fmt.Errorf("is one of %s", strings.Join(known, ", "))
}

// openaiChat is an endpoint that speaks OpenAI's Chat Completions.
func openaiChat(_ *program, c *config, e *endpoint, id string, key func() string) (client, error) {
	dialect := e.dialect(c, id)
	return &openai.Chat{Name: e.name, BaseURL: e.base, Model: id, Dialect: dialect, Key: key, KeyName: e.keyEnv}, nil
}

// geminiClient is an endpoint that speaks one of Google's APIs.
func geminiClient(_ *program, _ *config, e *endpoint, id string, key func() string) (client, error) {
	return &gemini.Client{Name: e.name, API: e.api.name, BaseURL: e.base, Model: id, Key: key, KeyName: e.keyEnv}, nil
}

// dialect is what an OpenAI-compatible endpoint takes and refuses.
func (e *endpoint) dialect(c *config, id string) *openai.Dialect {
	d, _ := openai.DialectFor(c.text("models."+e.name+".dialect"), e.address(), id)
	return &d
}

// leftOut tells of a tool that a provider would refuse, and the whole request
// with it.
func (p *program) leftOut(_ context.Context, name string, why error) {
	p.out.note(p.out.errStyle.yellow(clean(fmt.Sprintf("tool %s is not offered to this model: %v", name, why))) + "\n")
}

// endpoint is a model behind an API: PROVIDER/ID.
func (p *program) endpoint(c *config, name, provider, id string) (*model, error) {
	key := "models." + provider + "."
	a := apiFor(c, provider)
	e := &endpoint{name: provider, api: a, base: c.text(key + "base_url"), keyEnv: c.text(key + "api_key_env")}
	if e.address() == "" {
		return nil, p.unknownModel(c, name)
	}
	if c.isSet(key + "base_url") {
		e.from = c.whence(key + "base_url")
	}
	e.foreign = (c.byProject(key+"base_url") || c.byProject(key+"api_key_env")) && !loopback(e.address())
	if e.keyEnv == "" {
		e.keyEnv = e.usualKey(c, id)
	}
	value, err := p.keyOf(e)
	if err != nil {
		return nil, err
	}
	made, err := a.make(p, c, e, id, func() string { return value })
	if err == nil {
		err = made.Check()
	}
	if err != nil {
		return nil, &problem{code: codeConfigValue, exit: exitInvalid, message: tool.AsError(err).Message, cause: err, try: []string{"toolpost config show models"}}
	}
	return &model{
		name: name, provider: retried(made, maxRetries), endpoint: e, window: int(c.int(key + "context_window")),
		request: llm.Request{Model: id, MaxTokens: int(c.int(key + "max_tokens"))},
		price:   priceOf(c, key),
	}, nil
}

// address is where the endpoint is.
func (e *endpoint) address() string {
	if e.base == "" {
		return e.api.base
	}
	return e.base
}

// usualKey is the variable that people keep the key of a provider in. A server
// that is not known gets no key that was not named for it.
func (e *endpoint) usualKey(c *config, id string) string {
	if e.api.key != "" || e.api.name != "openai-chat" {
		return e.api.key
	}
	if d := e.dialect(c, id); d.Name != "generic" {
		return d.KeyEnv
	}
	return ""
}

// keyOf is the key of an endpoint, which goes to no host that a project's file
// has named.
func (p *program) keyOf(e *endpoint) (string, error) {
	value := ""
	if e.keyEnv != "" {
		value = p.env(e.keyEnv)
	}
	if value == "" {
		if e.keyEnv == "" || loopback(e.address()) || e.foreign {
			return "", nil
		}
		return "", &problem{code: codeKeyMissing, exit: exitAuth, message: fmt.Sprintf("%s needs an API key, and %s is not set", e.name, e.keyEnv),
			facts: []string{"endpoint  " + e.address()}, advice: "Nothing was sent.",
			try: []string{"export " + e.keyEnv + "=…", "toolpost demo      needs no key"}}
	}
	if e.foreign {
		return "", &problem{code: codeKeyMissing, exit: exitAuth,
			message: fmt.Sprintf("%s is not sent to %s, as a file of the project wants", e.keyEnv, e.address()),
			facts:   []string{"models." + e.name + ".base_url  " + orDash(e.from)},
			advice:  "If you trust it, say so yourself:",
			try:     []string{fmt.Sprintf("toolpost run -c models.%[1]s.base_url=%[2]s -c models.%[1]s.api_key_env=%[3]s …", e.name, e.address(), e.keyEnv)}}
	}
	return value, nil
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
		line := "endpoint  " + m.endpoint.address()
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
