package tool

import (
	"context"
	"slices"
	"sync"
)

// Effects is what a call did to the world, as observed by the file root, the
// sandbox and the dialer.
type Effects struct {
	Observed []string      `json:"sideEffectsObserved,omitempty"` // create-file, modify-file, …
	Created  []FileEffect  `json:"created,omitempty"`
	Modified []FileEffect  `json:"modified,omitempty"`
	Deleted  []FileEffect  `json:"deleted,omitempty"`
	Renamed  []Rename      `json:"renamed,omitempty"`
	Commands []CommandRun  `json:"commands,omitempty"`
	Network  []NetworkPeer `json:"network,omitempty"`
}

// A FileEffect is a change to one file or folder.
type FileEffect struct {
	Path    string `json:"path"`
	Kind    string `json:"kind"` // file or folder
	Before  string `json:"beforeEtag,omitzero"`
	After   string `json:"afterEtag,omitzero"`
	Trashed bool   `json:"trashed,omitzero"`
}

// A Rename is a file or folder that has another name.
type Rename struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// A CommandRun is a command that was started.
type CommandRun struct {
	Argv     []string `json:"argv"`
	ExitCode int      `json:"exitCode"` // -1 while it runs, or if a signal ended it
}

// A NetworkPeer is a host that was spoken to.
type NetworkPeer struct {
	Host string `json:"host"`
	Port int    `json:"port"`
}

// Observe adds e to the effects of the call that ctx belongs to. What is
// observed after the call has ended is dropped. It is safe for concurrent use.
func Observe(ctx context.Context, e Effects) {
	if x, ok := ctx.Value(callKey{}).(*running); ok {
		x.effects.add(e)
	}
}

// effectLog collects the effects of one call.
type effectLog struct {
	mu   sync.Mutex
	sum  *Effects
	done bool
}

func (l *effectLog) add(e Effects) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done {
		return
	}
	if l.sum == nil {
		l.sum = new(Effects)
	}
	l.sum.Add(e)
}

// close is what was observed until now; nothing is added any more.
func (l *effectLog) close() *Effects {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done = true
	return l.sum
}

// Add puts the effects of another call to these.
func (s *Effects) Add(e Effects) {
	for _, o := range e.Observed {
		if !slices.Contains(s.Observed, o) {
			s.Observed = append(s.Observed, o)
		}
	}
	s.Created = append(s.Created, e.Created...)
	s.Modified = append(s.Modified, e.Modified...)
	s.Deleted = append(s.Deleted, e.Deleted...)
	s.Renamed = append(s.Renamed, e.Renamed...)
	s.Commands = append(s.Commands, e.Commands...)
	s.Network = append(s.Network, e.Network...)
}
