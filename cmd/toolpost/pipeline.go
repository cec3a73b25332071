package main

import (
	"github.com/toolpost/toolpost/llm"
)

func (p *program) pipeline(c *config, name string) (*model, error) { return nil, p.unknownModel(c, name) }
func (p *program) endpoint(c *config, name, provider, id string) (*model, error) {
	return nil, p.unknownModel(c, name)
}
func (m *model) facts(e *llm.Error) []string { return nil }
func isDialect(v any) error                  { return nil }
