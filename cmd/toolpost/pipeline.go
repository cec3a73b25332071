package main

import (
	"fmt"

	"github.com/toolpost/toolpost/llm"
)

// maxRetries bounds how often one request is repeated.
const maxRetries = 5

// retried asks p again where that is safe, n times at most.
func retried(p llm.Provider, n int) llm.Provider {
	return &llm.Retry{Provider: p, Max: retryMax(n), Discard: true}
}

// retryMax is n as a llm.Retry has it: there zero means its default.
func retryMax(n int) int {
	if n <= 0 {
		return -1
	}
	return min(n, maxRetries)
}

// modelName is the model of a run that names none: the setting, or else the
// pipeline "default".
func modelName(c *config) string {
	if name := c.text("model"); name != "" {
		return name
	}
	if c.isSet("pipelines.default.model") {
		return "default"
	}
	return ""
}

// pipeline is a model with others to fall back to.
func (p *program) pipeline(c *config, name string) (*model, error) {
	key := "pipelines." + name + "."
	first := c.text(key + "model")
	if first == "" {
		return nil, &problem{code: codeConfigValue, exit: exitInvalid, message: fmt.Sprintf("pipeline %q names no model", name),
			try: []string{fmt.Sprintf("toolpost run -c %smodel=openai/NAME …", key)}}
	}
	line := &llm.Pipeline{Name: name, Retry: llm.Retry{Max: maxRetries, Discard: true}}
	if c.isSet(key + "retries") {
		line.Retry.Max = retryMax(int(c.int(key + "retries")))
	}
	whole := &model{name: name, provider: line}
	for i, word := range append([]string{first}, c.list(key+"fallbacks")...) {
		if word == name || c.isSet("pipelines."+word+".model") {
			return nil, &problem{code: codeConfigValue, exit: exitInvalid, message: fmt.Sprintf("pipeline %q falls back to the pipeline %q; it takes models", name, word)}
		}
		m, err := p.model(c, word)
		if err != nil {
			return nil, err
		}
		bare := m.provider
		if r, ok := bare.(*llm.Retry); ok {
			bare = r.Provider
		}
		line.Models = append(line.Models, llm.Model{Provider: bare, Name: m.request.Model, Label: m.name, Context: m.window})
		if i == 0 {
			whole.request, whole.window, whole.price = m.request, m.window, m.price
		}
	}
	return whole, nil
}
