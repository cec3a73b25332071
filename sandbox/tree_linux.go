package sandbox

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"fmt"
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
	begin  uint64 // start time of the leader, in clock ticks since boot
	mark   uint64
	mask   uint64 // which bits of the mark count
	marked bool

	mu    sync.Mutex
	ended bool // the leader has been reaped; its pid may be another's
}

// plant marks a process just started and gives it its limits.
func (m cellMark) plant(proc *os.Process, limits Limits) (*tree, error) {
	t := &tree{leader: proc.Pid, mark: m.cell | m.serial.Add(1)&markSerial, mask: math.MaxUint64}
	if st, ok := readStat(proc.Pid); ok {
		t.begin = st.begin
	}
	pids := append([]int{proc.Pid}, children(proc.Pid)...)
	for _, pid := range pids {
		if err := setLimits(pid, limits); err != nil && pid == proc.Pid && err != unix.ESRCH {
			return nil, fmt.Errorf("setting limits of the command: %w", err)
		}
		err := unix.Prlimit(pid, rlimitLocks, &unix.Rlimit{Cur: t.mark, Max: t.mark}, nil)
		t.marked = t.marked || err == nil
	}
	return t, nil
}

// everything is a tree of all that bears a mark of the cell.
func (m cellMark) everything() []*tree {
	return []*tree{{mark: m.cell, mask: ^uint64(markSerial), marked: true, ended: true}}
}

func setLimits(pid int, limits Limits) error {
	for _, l := range []struct {
		resource int
		value    int64
	}{{unix.RLIMIT_NOFILE, int64(limits.OpenFiles)}, {unix.RLIMIT_FSIZE, limits.FileBytes}} {
		if l.value <= 0 {
			continue
		}
		var old unix.Rlimit
		if err := unix.Prlimit(pid, l.resource, nil, &old); err != nil {
			return err
		}
		v := min(uint64(l.value), old.Max)
		if err := unix.Prlimit(pid, l.resource, &unix.Rlimit{Cur: v, Max: v}, nil); err != nil {
			return err
		}
	}
	return nil
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
			if !in[st.pid] && in[st.parent] && st.begin >= t.begin {
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
		case st.parent == self && st.pid != t.leader && st.session != self:
			_, _ = unix.Wait4(st.pid, nil, unix.WNOHANG, nil)
		}
	}
	return out
}

// owns reports whether a process bears the mark or is in the session of the
// leader. While the leader is not reaped its pid, and so its session, is its
// own; afterwards only a session that still has members is.
func (t *tree) owns(st procStat, ended bool) bool {
	if t.begin != 0 && st.begin < t.begin {
		return false
	}
	if t.leader != 0 && !ended && (st.pid == t.leader || st.session == t.leader) {
		return true
	}
	if t.leader != 0 && ended && !t.marked && st.session == t.leader {
		return true
	}
	return t.marked && markOf(st.pid)&t.mask == t.mark&t.mask
}

// markOf reads the mark of a process. One that has gained rights, such as su,
// does not answer the system call but shows its limits to everyone.
func markOf(pid int) uint64 {
	var l unix.Rlimit
	err := unix.Prlimit(pid, rlimitLocks, nil, &l)
	if err == nil {
		return l.Max
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
	if len(fields) < 2 {
		return 0
	}
	v, _ := strconv.ParseUint(string(fields[1]), 10, 64)
	return v
}
