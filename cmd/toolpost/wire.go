package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/builtin"
	"github.com/toolpost/toolpost/builtin/vault"
	"github.com/toolpost/toolpost/hook"
	"github.com/toolpost/toolpost/sandbox"
	"github.com/toolpost/toolpost/tool"
)

// A shop is the tools of one command, and all that they stand on. It is the one
// place where the packages of toolpost are put together.
type shop struct {
	config   *config
	store    *audit.Store
	root     *sandbox.Root
	notes    *sandbox.Root // nil without a vault
	cell     *sandbox.Cell
	exec     *builtin.Exec
	memory   *lazyMemory
	registry *tool.Registry
	set      *offer
	loop     *hook.Loop
	redact   *hook.Redact
}

// shopFacts is what a command knows that asks for a shop.
type shopFacts struct {
	foreground bool                  // the program ends with the call: nothing stays in the background
	ended      func(builtin.Session) // hears of commands in the background that end
	window     int                   // tokens of the model's context
	extra      []tool.Tool
	plan       bool // calls come from a plan: their data is for its references, not for a model
}

// openShop opens the workspace and puts the tools together.
func (p *program) openShop(f shopFacts) (*shop, error) {
	c, err := p.settings()
	if err != nil {
		return nil, err
	}
	s := &shop{config: c, store: p.runStore(c), registry: new(tool.Registry)}
	s.set = &offer{Registry: s.registry, config: c}
	if err := s.open(p, f); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *shop) open(p *program, f shopFacts) error {
	dir, err := p.readyWorkspace(s.config)
	if err != nil {
		return err
	}
	profile := sandbox.Profile{Workspace: dir}
	ignore := s.config.list("workspace.ignore")
	if rel, ok := inside(dir, p.storeFolder(s.config)); ok { // the record is not for tools to write, or to find in a search
		profile.Protected = []string{rel}
		ignore = append(slices.Clone(ignore), "/"+rel)
	}
	if s.root, err = sandbox.Open(profile); err != nil {
		return workspaceProblem(p.shortPath(profile.Workspace), err)
	}
	if s.cell, err = sandbox.NewCell(s.root, profile); err != nil {
		return fmt.Errorf("prepare the place of commands: %w", err)
	}
	s.memory = &lazyMemory{path: p.memoryPath(s.config)}
	s.redact = &hook.Redact{Values: p.secrets(s.config)}
	s.registry.Use(s.middleware(p, f)...)
	files := builtin.Files{Root: s.root, Ignore: ignore}
	s.exec = &builtin.Exec{Cell: s.cell, Foreground: f.foreground, OnEnd: f.ended, Timeout: s.config.duration("tools.exec.timeout")}
	artifacts := builtin.Artifacts{Load: s.loadArtifact}
	notes, err := s.openVault(p)
	if err != nil {
		return err
	}
	tools := slices.Concat(files.Tools(), s.exec.Tools(), artifacts.Tools(), s.memory.tools(), notes, f.extra)
	if err := s.registry.Add(tools...); err != nil {
		return fmt.Errorf("add tools: %w", err)
	}
	return nil
}

// openVault is the tools over the folder of notes, none if there is no such folder
// in the configuration.
func (s *shop) openVault(p *program) ([]tool.Tool, error) {
	if s.config.text("vault.root") == "" {
		return nil, nil
	}
	dir, err := p.ownFolder(s.config, "vault.root")
	if err != nil {
		return nil, err
	}
	if s.notes, err = sandbox.Open(sandbox.Profile{Workspace: dir, Protected: []string{".obsidian"}}); err != nil {
		return nil, &problem{code: codeConfigValue, exit: exitInvalid, message: fmt.Sprintf("vault.root %s cannot be used: %v", p.shortPath(dir), err), cause: err,
			try: []string{"toolpost config show vault.root"}}
	}
	return slices.Concat((&vault.Vault{Root: s.notes}).Tools(), vault.Utilities()), nil
}

func workspaceProblem(dir string, err error) error {
	return &problem{code: codeConfigValue, exit: exitInvalid, message: fmt.Sprintf("the workspace %s cannot be used: %v", dir, err), cause: err,
		try: []string{"toolpost config show workspace.root"}}
}

// middleware is what stands around every tool, the outermost first. A call
// passes it from above to below, its result from below to above: the order of
// steps 6 to 14 of a call's life.
func (s *shop) middleware(p *program, f shopFacts) []tool.Middleware {
	limit := &hook.Limit{Bytes: int(s.config.int("limits.output_to_model")), ContextTokens: f.window, Spill: s.spill}
	repeat := int(s.config.int("limits.repeat"))
	s.loop = &hook.Loop{NoteAt: repeat, RefuseAt: repeat + 2, EndAt: repeat + 5}
	artifacts := &hook.Artifacts{Load: s.artifactText}
	images := &hook.Images{}
	if f.plan {
		return []tool.Middleware{hook.Log(p.logger(s.config)), s.redact.Middleware, hook.Sanitize, artifacts.Middleware, s.deadline, s.originals}
	}
	return []tool.Middleware{
		hook.Log(p.logger(s.config)),
		limit.Middleware, // what it keeps and cuts has been redacted
		s.redact.Middleware,
		hook.Sanitize,
		named,
		artifacts.Middleware,
		s.loop.Middleware,
		s.deadline,
		images.Middleware,
		s.originals, // of what the tool is about to change, with the arguments it will see
	}
}

// deadline holds calls to the times that the configuration gives them.
func (s *shop) deadline(next tool.Handler) tool.Handler {
	return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		if c.Timeout <= 0 {
			c.Timeout = s.timeoutOf(c.Spec)
		}
		return next(ctx, c)
	}
}

// timeoutOf is how long a call of a tool may take.
func (s *shop) timeoutOf(spec *tool.Spec) time.Duration {
	d := spec.Timeout
	if d <= 0 {
		d = tool.DefaultTimeout
	}
	if limit := s.config.duration("limits.call_timeout"); limit > 0 {
		d = min(d, limit)
	}
	return d
}

// spill keeps what is too long for the model with the run of the call.
func (s *shop) spill(_ context.Context, c *tool.Call, data []byte, mime string) (tool.Artifact, error) {
	return s.store.Put(c.Run, data, mime)
}

// loadArtifact opens an artifact of the run that the call belongs to.
func (s *shop) loadArtifact(ctx context.Context, id string) (builtin.Blob, error) {
	a, err := s.store.OpenArtifact(runOf(ctx), id)
	if err != nil {
		return nil, err
	}
	return &artifactBlob{SectionReader: a.Reader(), artifact: a}, nil
}

func runOf(ctx context.Context) string {
	if c := tool.Current(ctx); c != nil {
		return c.Run
	}
	return ""
}

// artifactBlob is an artifact as read_artifact wants it.
type artifactBlob struct {
	*io.SectionReader
	artifact *audit.Artifact
}

// Close lets go of the file.
func (b *artifactBlob) Close() error { return b.artifact.Close() }

// close ends everything that the tools started.
func (s *shop) close() error {
	var errs []error
	if s.exec != nil {
		errs = append(errs, s.exec.Close())
	}
	if s.cell != nil {
		errs = append(errs, s.cell.Close())
	}
	if s.memory != nil {
		errs = append(errs, s.memory.close())
	}
	for _, r := range []*sandbox.Root{s.notes, s.root} {
		if r != nil {
			errs = append(errs, r.Close())
		}
	}
	return errors.Join(append(errs, s.store.Close())...)
}

// An offer is the tools that the configuration lets through.
type offer struct {
	*tool.Registry
	config *config
}

// Specs is what is on offer.
func (o *offer) Specs() []tool.Spec {
	all := o.Registry.Specs()
	if len(o.config.list("tools.allow")) == 0 && len(o.config.list("tools.deny")) == 0 {
		return all
	}
	var specs []tool.Spec
	for i := range all {
		if o.denied(all[i].Name) == nil {
			specs = append(specs, all[i])
		}
	}
	return specs
}

// Call refuses what is not on offer; the rest is the registry's.
func (o *offer) Call(ctx context.Context, c *tool.Call) (*tool.Result, error) {
	if spec, ok := o.Lookup(c.Tool); ok {
		if err := o.denied(spec.Name); err != nil {
			return nil, err
		}
	}
	return o.Registry.Call(ctx, c)
}

// denied says which setting keeps a tool off the list, nil if none does.
func (o *offer) denied(name string) error {
	for _, pattern := range o.config.list("tools.deny") {
		if wild(pattern, name) {
			return tool.Errorf(tool.CodeDenied, "%s is turned off by tools.deny (%s)", name, o.config.whence("tools.deny"))
		}
	}
	allow := o.config.list("tools.allow")
	if len(allow) > 0 && !slices.ContainsFunc(allow, func(pattern string) bool { return wild(pattern, name) }) {
		return tool.Errorf(tool.CodeDenied, "%s is not among the tools of tools.allow (%s)", name, o.config.whence("tools.allow"))
	}
	return nil
}

// wild matches a name against a pattern with *.
func wild(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

// whence is where a setting was made, for messages that a model may read: a
// file outside the project only by its last name.
func (c *config) whence(key string) string {
	v := c.values[key]
	if v.place == "" {
		return v.layer
	}
	if filepath.IsAbs(v.place) || strings.HasPrefix(v.place, "~") {
		return v.layer + ", " + filepath.Base(v.place)
	}
	return v.layer + ", " + v.place
}

// secrets is values that must not be shown: the keys of the configured
// endpoints, and variables whose name says that they hold a secret.
func (p *program) secrets(c *config) []string {
	keys := map[string]bool{}
	for _, n := range c.names("models") {
		keys[c.text("models."+n+".api_key_env")] = true
	}
	var values []string
	for _, kv := range p.environ {
		name, v, _ := strings.Cut(kv, "=")
		if len(v) >= 8 && (keys[name] || secretName(name)) {
			values = append(values, v)
		}
	}
	return values
}

func secretName(name string) bool {
	name = strings.ToUpper(name)
	return slices.ContainsFunc([]string{"_KEY", "_TOKEN", "_SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"}, func(word string) bool {
		return strings.HasSuffix(name, word) || strings.HasSuffix(name, word+"S")
	})
}

// artifactText is the whole of an artifact, for an argument that names it.
func (s *shop) artifactText(ctx context.Context, id string) ([]byte, error) {
	a, err := s.store.OpenArtifact(runFrom(ctx), id)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	const most = 16 << 20
	if a.Bytes > most {
		return nil, tool.Errorf(tool.CodeLimit, "artifact %s has %d bytes; at most %d can be an argument", id, a.Bytes, most)
	}
	var buf bytes.Buffer
	if _, err := buf.ReadFrom(a.Reader()); err != nil {
		return nil, fmt.Errorf("read artifact %s: %w", id, err)
	}
	return buf.Bytes(), nil
}

type runKey struct{}

// named tells the middleware behind it, by the context, which run a call belongs
// to.
func named(next tool.Handler) tool.Handler {
	return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		return next(context.WithValue(ctx, runKey{}, c.Run), c)
	}
}

func runFrom(ctx context.Context) string {
	id, _ := ctx.Value(runKey{}).(string)
	return id
}
