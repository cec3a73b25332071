package main

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/provider/scripted"
	"github.com/toolpost/toolpost/tool"
)

// A model is who answers in a run, resolved from its name.
type model struct {
	name     string // as it was asked for
	provider llm.Provider
	endpoint *endpoint   // nil for a script and a pipeline
	request  llm.Request // what each request starts from
	window   int         // tokens of its context; 0 if unknown
	price    func(llm.Usage) float64
}

// model resolves the name of a model: script:FILE, a pipeline, or
// PROVIDER/NAME.
func (p *program) model(c *config, name string) (*model, error) {
	if name == "" {
		return nil, p.noModel(c)
	}
	if file, ok := strings.CutPrefix(name, "script:"); ok && file != "" {
		return p.scriptedModel(name, file)
	}
	if slices.Contains(c.names("pipelines"), name) {
		return p.pipeline(c, name)
	}
	provider, id, ok := strings.Cut(name, "/")
	if !ok || provider == "" || id == "" {
		return nil, p.unknownModel(c, name)
	}
	return p.endpoint(c, name, provider, id)
}

// noModel says how to name one.
func (p *program) noModel(c *config) error {
	pr := &problem{code: codeModelUnknown, exit: exitUsage, message: "no model is named",
		facts:  []string{"models: " + strings.Join(p.knownModels(c), ", ")},
		advice: "Name one, or look at the agent at work without any:",
		try:    []string{`toolpost run --model openai/NAME "…"`, "toolpost demo"}}
	return pr
}

// knownModels is the forms of names that work here.
func (p *program) knownModels(c *config) []string {
	names := []string{"script:FILE.yaml"}
	for _, n := range slices.Sorted(maps.Keys(apis())) {
		names = append(names, n+"/NAME")
	}
	for _, n := range c.names("models") {
		if _, ok := apis()[n]; !ok {
			names = append(names, n+"/NAME")
		}
	}
	return append(names, c.names("pipelines")...)
}

func (p *program) unknownModel(c *config, name string) error {
	pr := &problem{code: codeModelUnknown, exit: exitUsage, message: fmt.Sprintf("there is no model %q", clip(name, 80)),
		facts: []string{"models: " + strings.Join(p.knownModels(c), ", ")}}
	if near := nearest(name, c.names("pipelines")); near != "" {
		pr.facts = append([]string{fmt.Sprintf("did you mean the pipeline %q?", near)}, pr.facts...)
	}
	if provider, _, ok := strings.Cut(name, "/"); ok && provider != "" {
		pr.advice = "If it is an OpenAI-compatible endpoint, say where it is:"
		pr.try = []string{fmt.Sprintf("toolpost run --model %s -c models.%s.base_url=http://HOST:PORT/v1 …", clip(name, 60), clip(provider, 40))}
	}
	return pr
}

// scriptedModel reads the script of a scripted model.
func (p *program) scriptedModel(name, file string) (*model, error) {
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.dir, path)
	}
	m, err := scripted.Open(path)
	if err == nil {
		return &model{name: name, provider: m, request: llm.Request{Model: cmpName(m.Name, "scripted")}}, nil
	}
	pr := &problem{code: codeScript, exit: exitInvalid, cause: err, advice: "Nothing was run. The form of a script:", try: []string{"toolpost help script"}}
	if e, ok := errors.AsType[*tool.Error](err); ok {
		first, rest, _ := strings.Cut(strings.ReplaceAll(e.Message, path, file), "\n")
		pr.message = first
		if rest != "" {
			pr.facts = strings.Split(strings.TrimRight(rest, "\n"), "\n")
		}
		return nil, pr
	}
	pr.message = fmt.Sprintf("%s: %s", file, reason(err))
	return nil, pr
}

func cmpName(name, other string) string {
	if name != "" {
		return name
	}
	return other
}

// loopback reports whether a URL names this machine.
func loopback(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
