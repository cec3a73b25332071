//go:build unix && !linux

package sandbox

import (
	"os"
	"sync"
)

// tree is all processes that a command has started, as far as they can be
// found by parent, process group and session leader.
type tree struct {
	leader int

	mu    sync.Mutex
	ended bool
}

type cellMark struct{}

func newCellMark() cellMark { return cellMark{} }

func (cellMark) plant(start func() (child, error)) (child, *tree, error) {
	proc, err := start()
	if err != nil {
		return nil, nil, err
	}
	return proc, &tree{leader: proc.pid()}, nil
}

// everything has nothing to add: without marks, what ended commands left is
// remembered command by command.
func (cellMark) everything() []*tree { return nil }

func checkLimits(l Limits) error {
	if l.Memory > 0 || l.Processes > 0 {
		return fail(KindInvalid, "", "limits on memory and processes are enforced on Linux only; leave them out here")
	}
	return nil
}

func descriptorPath(_ *os.File, name string) string { return name }

// mayLeave is called when the leader has been reaped. Its group is watched on
// only while it has members, because then no other process can get its number.
func (t *tree) mayLeave() bool {
	left := len(t.members()) > 0
	t.mu.Lock()
	t.ended = !left
	t.mu.Unlock()
	return left
}

func (t *tree) over(Limits) Reason { return "" }

func (t *tree) members() []member {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return nil
	}
	all := readAllStats()
	in := map[int]bool{}
	for _, st := range all {
		in[st.pid] = st.pid == t.leader || st.group == t.leader
	}
	for grown := true; grown; {
		grown = false
		for _, st := range all {
			if !in[st.pid] && in[st.parent] {
				in[st.pid], grown = true, true
			}
		}
	}
	var out []member
	for _, st := range all {
		if in[st.pid] && !st.zombie && st.pid != os.Getpid() {
			out = append(out, member{st.pid, st.group})
		}
	}
	return out
}

type procStat struct {
	pid, parent, group int
	zombie             bool
}
