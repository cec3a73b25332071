package sandbox

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"math"
	"os"
	"strconv"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// How the processes of a command are found again. A process group or session
// is left by setsid, a parent is lost by a double fork, an environment is
// dropped by env -i. What every process inherits and none gives up by
// accident is a resource limit, so each command is marked by one that the
// kernel has not used since 2.4.25: the number of file locks.
//
// A mark is 1 bit of flag, 41 random bits for the cell, and 20 bits for the command.
const (
	rlimitLocks = 10
	markFlag    = 1 << 62
	markSerial  = 1<<20 - 1
)

// cellMark hands out marks. Serial numbers wrap; the tree of an ended command
// is then only as exact as the cell.
type cellMark struct {
	cell   uint64
	serial *atomic.Uint64
}

func newCellMark() cellMark {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return cellMark{
		cell:   markFlag | binary.LittleEndian.Uint64(b[:])&(1<<61-1)&^markSerial,
		serial: new(atomic.Uint64),
	}
}

// tree is all processes that a command has started, itself included.
type tree struct {
	leader int
	mark   uint64
	mask   uint64 // which bits of the mark count
	marked bool

	mu    sync.Mutex
	ended bool // the leader has been reaped; its pid may be another's
}

// marking guards the limit of this process, which is what a child inherits:
// it is the command's mark for the moment of the fork. Nothing else uses it.
var marking sync.Mutex

// plant starts a process with a mark of its own, which it has from its first
// moment on.
func (m cellMark) plant(start func() (child, error)) (child, *tree, error) {
	t := m.next()
	marking.Lock()
	defer marking.Unlock()
	var own unix.Rlimit
	if unix.Prlimit(0, rlimitLocks, nil, &own) == nil && own.Max >= t.mark {
		t.marked = unix.Prlimit(0, rlimitLocks, &unix.Rlimit{Cur: t.mark, Max: own.Max}, nil) == nil
		defer unix.Prlimit(0, rlimitLocks, &own, nil)
	}
	proc, err := start()
	if err != nil {
		return nil, nil, err
	}
	t.leader = proc.pid()
	return proc, t, nil
}

// next is the tree of a command that is about to be started.
func (m cellMark) next() *tree {
	return &tree{mark: m.cell | m.serial.Add(1)&markSerial, mask: math.MaxUint64}
}

// everything is a tree of all that bears a mark of the cell.
func (m cellMark) everything() []*tree {
	return []*tree{{mark: m.cell, mask: ^uint64(markSerial), marked: true, ended: true}}
}

// checkLimits refuses what cannot be enforced here; on Linux all can.
func checkLimits(Limits) error { return nil }

// descriptorPath is a path that leads to an open folder whatever happens to
// its name. Without /proc the name has to do.
func descriptorPath(dir *os.File, name string) string {
	path := "/proc/self/fd/" + strconv.Itoa(int(dir.Fd()))
	if _, err := os.Stat(path); err != nil {
		return name
	}
	return path
}

// mayLeave is called when the leader has been reaped. What a marked command
// leaves is found by the mark of the cell; only others need remembering.
func (t *tree) mayLeave() bool {
	t.mu.Lock()
	t.ended = true
	t.mu.Unlock()
	return !t.marked && len(t.members()) > 0
}

// members lists the live processes of the tree. Zombies do not count; those
// that have become our own children are reaped on the way.
func (t *tree) members() []member {
	t.mu.Lock()
	ended := t.ended
	t.mu.Unlock()
	all := readAllStats()
	in := map[int]bool{}
	for _, st := range all {
		if t.owns(st, ended) {
			in[st.pid] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, st := range all {
			if !in[st.pid] && in[st.parent] {
				in[st.pid], grown = true, true
			}
		}
	}
	self := os.Getpid()
	delete(in, self)
	var out []member
	for _, st := range all {
		switch {
		case !in[st.pid]:
		case st.state != 'Z' && st.state != 'X':
			out = append(out, member{st.pid, st.group})
		case st.parent == self && st.pid != t.leader && st.session != ownSession():
			_, _ = unix.Wait4(st.pid, nil, unix.WNOHANG, nil)
		}
	}
	return out
}

// owns reports whether a process bears the mark or is in the session of the
// leader. While the leader is not reaped its pid, and so its session, is its
// own; afterwards only a session that still has members is.
func (t *tree) owns(st procStat, ended bool) bool {
	if t.leader != 0 && !ended && (st.pid == t.leader || st.session == t.leader) {
		return true
	}
	if t.leader != 0 && ended && !t.marked && st.session == t.leader {
		return true
	}
	return t.marked && st.session != ownSession() && markOf(st.pid)&t.mask == t.mark&t.mask
}

// ownSession is the session of this process, which no command is in: what it
// starts elsewhere at the moment of a fork may bear the mark and is spared.
func ownSession() int {
	sid, err := unix.Getsid(0)
	if err != nil {
		return 0
	}
	return sid
}

// markOf reads the mark of a process. One that has gained rights, such as su,
// does not answer the system call but shows its limits to everyone.
func markOf(pid int) uint64 {
	var l unix.Rlimit
	err := unix.Prlimit(pid, rlimitLocks, nil, &l)
	if err == nil {
		return l.Cur
	}
	if err != unix.EPERM {
		return 0
	}
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/limits")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(b, []byte("Max file locks"))
	fields := bytes.Fields(rest)
	if len(fields) < 1 {
		return 0
	}
	v, _ := strconv.ParseUint(string(fields[0]), 10, 64)
	return v
}
