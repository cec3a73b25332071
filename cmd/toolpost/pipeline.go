package main

import (
	"github.com/toolpost/toolpost/llm"
)

const llmRetries = 5

func retried(p llm.Provider, n int) llm.Provider { return p }

func (p *program) pipeline(c *config, name string) (*model, error) {
	return nil, p.unknownModel(c, name)
}
