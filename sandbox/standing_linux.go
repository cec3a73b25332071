package sandbox

import (
	"bufio"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// standing is the runtime's end of a cell that stands: the process that all
// commands of the session are children of, and the socket to it.
type standing struct {
	init *os.Process
	wire *wire
	gone chan struct{} // closed when the first process is

	layer *os.File // what an overlay has taken, or nil

	mu      sync.Mutex
	last    uint64
	waiting map[uint64]chan reply // for an answer
	ends    map[uint64]chan status
	dead    error
}

type reply struct {
	frame frame
	files []*os.File
}

// stand starts the first process of a cell and waits until its walls stand.
func stand(p *plan, handed []*os.File, attr *syscall.SysProcAttr) (*standing, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, step("opening the control socket", err)
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "control"), os.NewFile(uintptr(pair[1]), "control")
	w, err := newWire(ours)
	if err != nil {
		theirs.Close()
		return nil, step("opening the control socket", err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		theirs.Close()
		w.conn.Close()
		return nil, step("opening the null device", err)
	}
	defer null.Close()
	proc, err := os.StartProcess("/proc/self/exe", []string{nameBuild}, &os.ProcAttr{
		Dir: "/", Env: []string{"GOMAXPROCS=1", "GOTRACEBACK=none"}, Files: []*os.File{null, null, null, theirs}, Sys: attr,
	})
	theirs.Close()
	if err != nil {
		w.conn.Close()
		return nil, step("making namespaces", err)
	}
	s := &standing{init: proc, wire: w, gone: make(chan struct{}), waiting: map[uint64]chan reply{}, ends: map[uint64]chan status{}}
	if err := s.begin(p, handed); err != nil {
		s.end()
		return nil, err
	}
	go s.listen()
	return s, nil
}

// begin hands over the plan and waits for the cell to be ready.
func (s *standing) begin(p *plan, handed []*os.File) error {
	var fds []int
	for _, f := range handed {
		fds = append(fds, int(f.Fd()))
	}
	if err := s.wire.conn.SetReadDeadline(time.Now().Add(startTime)); err != nil {
		return step("preparing the control socket", err)
	}
	if err := s.wire.send(frame{Op: opBuild, Plan: p}, fds...); err != nil {
		return step("sending the plan of the cell", err)
	}
	f, files, err := s.wire.receive()
	if err == nil && f.Op == opLayer && len(files) == 1 {
		s.layer = files[0]
		f, files, err = s.wire.receive()
	}
	closeAll(files)
	switch {
	case err != nil:
		return step("waiting for the cell", err)
	case f.Op == opFailed:
		return f.error()
	}
	return s.wire.conn.SetReadDeadline(time.Time{})
}

// startTime is the longest that a cell may take to stand.
const startTime = 20 * time.Second

func (f frame) error() error {
	if f.Errno == 0 {
		return errors.New(f.Step)
	}
	return &stepError{f.Step, syscall.Errno(f.Errno)}
}

// listen hands answers to those who wait for them, until the cell is gone.
func (s *standing) listen() {
	defer s.fall()
	for {
		f, files, err := s.wire.receive()
		if err != nil {
			return
		}
		if f.Op == opEnded {
			s.mu.Lock()
			ch := s.ends[f.ID]
			delete(s.ends, f.ID)
			s.mu.Unlock()
			if ch != nil {
				ch <- waited(syscall.WaitStatus(f.Status))
			}
			continue
		}
		s.mu.Lock()
		ch := s.waiting[f.ID]
		delete(s.waiting, f.ID)
		s.mu.Unlock()
		if ch == nil {
			closeAll(files)
			continue
		}
		ch <- reply{f, files}
	}
}

// fall is what happens when the first process is gone: so are all others.
func (s *standing) fall() {
	s.end()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dead = errCellGone
	for id, ch := range s.waiting {
		delete(s.waiting, id)
		close(ch)
	}
	for id, ch := range s.ends {
		delete(s.ends, id)
		ch <- status{code: 128 + int(syscall.SIGKILL), signal: "SIGKILL"}
	}
	close(s.gone)
}

var errCellGone = errors.New("the first process of the cell has ended")

// end kills the first process, and with it the cell, and waits for it.
func (s *standing) end() {
	_ = s.init.Kill()
	_, _ = s.init.Wait()
	s.wire.conn.Close()
}

// close ends the cell and returns when nothing of it is left.
func (s *standing) close() {
	_ = s.init.Kill()
	<-s.gone
	if s.layer != nil {
		s.layer.Close()
	}
}

// ask sends a request and waits for its answer.
func (s *standing) ask(f frame, fds ...int) (reply, error) {
	ch := make(chan reply, 1)
	s.mu.Lock()
	if s.dead != nil {
		s.mu.Unlock()
		return reply{}, s.dead
	}
	s.last++
	f.ID = s.last
	s.waiting[f.ID] = ch
	if f.Op == opStart {
		s.ends[f.ID] = make(chan status, 1)
	}
	s.mu.Unlock()
	err := s.wire.send(f, fds...)
	if err == nil {
		var ok bool
		var r reply
		if r, ok = <-ch; !ok {
			return reply{}, errCellGone
		}
		if r.frame.Op != opFailed {
			return r, nil
		}
		err = r.frame.error()
		closeAll(r.files)
	}
	s.mu.Lock()
	delete(s.waiting, f.ID)
	delete(s.ends, f.ID)
	s.mu.Unlock()
	return reply{}, err
}

// inmate is the first process of a command in a cell.
type inmate struct {
	host int // its number outside
	end  chan status
}

func (i *inmate) pid() int     { return i.host }
func (i *inmate) wait() status { return <-i.end }

// start starts a command in the cell.
func (s *standing) start(f frame, files []*os.File) (*inmate, error) {
	f.Op = opStart
	var fds []int
	for _, file := range files {
		fds = append(fds, int(file.Fd()))
	}
	r, err := s.ask(f, fds...)
	if err != nil {
		return nil, err
	}
	defer closeAll(r.files)
	s.mu.Lock()
	end := s.ends[r.frame.ID]
	s.mu.Unlock()
	i := &inmate{end: end}
	if len(r.files) == 1 {
		i.host = pidOf(r.files[0])
	}
	if end == nil { // it fell in between
		i.end = make(chan status, 1)
		i.end <- status{code: 128 + int(syscall.SIGKILL), signal: "SIGKILL"}
	}
	return i, s.wire.send(frame{Op: opSeen, ID: r.frame.ID})
}

// pidOf is the number, in our own namespace, of the process that a pidfd is for.
func pidOf(pidfd *os.File) int {
	f, err := os.Open("/proc/self/fdinfo/" + strconv.Itoa(int(pidfd.Fd())))
	if err != nil {
		return 0
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if text, ok := strings.CutPrefix(sc.Text(), "Pid:"); ok {
			n, _ := strconv.Atoi(strings.TrimSpace(text))
			return max(n, 0)
		}
	}
	return 0
}

// terminal opens a terminal in the cell.
func (s *standing) terminal(size Size) (ours, theirs *os.File, err error) {
	r, err := s.ask(frame{Op: opTerminal})
	if err != nil {
		return nil, nil, err
	}
	if len(r.files) != 2 {
		closeAll(r.files)
		return nil, nil, errors.New("the cell handed out no terminal")
	}
	theirs = r.files[1]
	// A descriptor that blocks could not be given a deadline.
	fd, err := unix.FcntlInt(r.files[0].Fd(), unix.F_DUPFD_CLOEXEC, 3)
	r.files[0].Close()
	if err == nil {
		if err = unix.SetNonblock(fd, true); err == nil {
			ours = os.NewFile(uintptr(fd), "terminal")
			err = setTerminalSize(ours, size)
		}
	}
	if err != nil {
		theirs.Close()
		if ours != nil {
			ours.Close()
		}
		return nil, nil, err
	}
	return ours, theirs, nil
}
