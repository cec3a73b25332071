package sandbox

import (
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// server is the first process of a cell: it starts commands and reaps what
// they leave. When it ends, the kernel ends everything in the cell.
type server struct {
	wire *wire

	mu     sync.Mutex     // held from the fork until the runtime knows the process
	leader map[int]uint64 // commands that run, by process id
}

// serve returns when the runtime is gone or wants no more.
func serve() {
	children := ignoreSignals()
	// Its memory and descriptors are nobody's business: /proc/1 is root's now.
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	unix.Umask(0o022)
	unix.CloseOnExec(controlFD)
	w, err := newWire(os.NewFile(controlFD, "control"))
	if err != nil {
		return
	}
	s := &server{wire: w, leader: map[int]uint64{}}
	go func() {
		for range children {
			s.reap()
		}
	}()
	if s.wire.send(frame{Op: opReady}) != nil {
		return
	}
	for {
		f, files, err := w.receive()
		if err != nil {
			return
		}
		s.answer(f, files)
		closeAll(files)
	}
}

func (s *server) answer(f frame, files []*os.File) {
	switch f.Op {
	case opStart:
		s.mu.Lock()
		if err := s.start(f, files); err != nil {
			s.mu.Unlock()
			s.fail(f.ID, err)
		}
	case opSeen:
		s.mu.Unlock()
		s.reap()
	case opTerminal:
		if err := s.terminal(f); err != nil {
			s.fail(f.ID, err)
		}
	}
}

func (s *server) fail(id uint64, err error) {
	f := failure(err)
	f.ID = id
	_ = s.wire.send(f)
}

// start forks a command. The lock stays held until the runtime has seen the
// process, so that its number is its own until then.
func (s *server) start(f frame, files []*os.File) error {
	dir, err := unix.Openat2(unix.AT_FDCWD, string(f.Dir), &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_MAGICLINKS,
	})
	if err == unix.ENOSYS { // as our own filter has it
		dir, err = unix.Open(string(f.Dir), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	}
	if err != nil {
		return step("entering the folder", err)
	}
	defer unix.Close(dir)
	if err := unix.Fchdir(dir); err != nil {
		return step("entering the folder", err)
	}
	defer func() { _ = os.Chdir("/") }()
	defer setMark(f.Mark)()
	pidfd := -1
	attr := &syscall.ProcAttr{Env: texts(f.Env), Sys: &syscall.SysProcAttr{Setsid: true, Setctty: f.TTY, PidFD: &pidfd}}
	for _, file := range files {
		attr.Files = append(attr.Files, file.Fd())
	}
	pid, err := syscall.ForkExec(string(f.Path), texts(f.Argv), attr)
	if err != nil {
		return step("starting", err)
	}
	s.leader[pid] = f.ID
	if pidfd < 0 {
		return s.wire.send(frame{Op: opStarted, ID: f.ID})
	}
	defer unix.Close(pidfd)
	return s.wire.send(frame{Op: opStarted, ID: f.ID}, pidfd)
}

func texts(list [][]byte) []string {
	out := make([]string, len(list))
	for i, b := range list {
		out[i] = string(b)
	}
	return out
}

// setMark has what is forked next bear the mark of its command; see cellMark.
func setMark(mark uint64) (undo func()) {
	var own unix.Rlimit
	if unix.Getrlimit(rlimitLocks, &own) != nil || own.Max < mark {
		return func() {}
	}
	_ = unix.Setrlimit(rlimitLocks, &unix.Rlimit{Cur: mark, Max: own.Max})
	return func() { _ = unix.Setrlimit(rlimitLocks, &own) }
}

// reap takes in all that has ended and tells of the commands among it.
func (s *server) reap() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
		if id, ok := s.leader[pid]; ok {
			delete(s.leader, pid)
			_ = s.wire.send(frame{Op: opEnded, ID: id, Status: uint32(status)})
		}
	}
}

// terminal opens a terminal of the cell's own and hands out both ends.
func (s *server) terminal(f frame) error {
	ours, theirs, err := openTerminal(Size{}.orDefault())
	if err != nil {
		return step("opening a terminal", err)
	}
	defer ours.Close()
	defer theirs.Close()
	return s.wire.send(frame{Op: opTerminal, ID: f.ID}, int(ours.Fd()), int(theirs.Fd()))
}
