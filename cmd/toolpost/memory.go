package main

import (
	"github.com/toolpost/toolpost/tool"
)

// lazyMemory is the memory tools. Their file is opened by the first call.
type lazyMemory struct {
	path string
}

func (m *lazyMemory) tools() []tool.Tool { return nil }
func (m *lazyMemory) close() error       { return nil }
