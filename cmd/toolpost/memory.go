package main

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"github.com/toolpost/toolpost/builtin/memory"
	"github.com/toolpost/toolpost/tool"
)

// lazyMemory is the memory tools. Their file is made and opened by the first
// call, so that a program which never remembers anything pays nothing for it.
type lazyMemory struct {
	path string

	mu     sync.Mutex
	store  *memory.Store
	byName map[string]tool.Handler
}

// tools is the memory tools with handlers that open the store first.
func (m *lazyMemory) tools() []tool.Tool {
	tools := new(memory.Store).Tools()
	for i := range tools {
		name := tools[i].Name
		tools[i].Handler = func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
			h, err := m.handler(ctx, name)
			if err != nil {
				return nil, err
			}
			return h(ctx, c)
		}
	}
	return tools
}

func (m *lazyMemory) handler(ctx context.Context, name string) (tool.Handler, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.store == nil {
		if err := os.MkdirAll(filepath.Dir(m.path), 0o700); err != nil {
			return nil, tool.Errorf(tool.CodeUnavailable, "the memory cannot be opened: %s", reason(err))
		}
		s, err := memory.Open(context.WithoutCancel(ctx), m.path)
		if err != nil {
			return nil, err
		}
		m.store, m.byName = s, map[string]tool.Handler{}
		for _, t := range s.Tools() {
			m.byName[t.Name] = t.Handler
		}
	}
	return m.byName[name], nil
}

func (m *lazyMemory) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.store == nil {
		return nil
	}
	return m.store.Close()
}
