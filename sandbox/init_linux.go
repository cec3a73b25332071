package sandbox

import (
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// How this program is started again as the first process of a cell. The name
// tells what it is to be; the socket to the runtime is descriptor 3.
const (
	nameBuild  = "toolpost-cell-build" // makes the root, then becomes serve
	nameServe  = "toolpost-cell"       // starts and reaps commands
	nameHolder = "toolpost-cell-ids"   // is there for its user namespace

	controlFD = 3
)

// readyVar is how [Init] leaves word that this process has passed it: only
// then is it safe to start the program again as the first process of a cell.
const readyVar = "TOOLPOST_CELL_INIT"

// Init must be the first call in the main function of a program that confines
// commands at [LevelFull], and in the TestMain of its tests. The program is
// started again as the first process of each cell, and there Init takes over
// and never returns; in all other processes it returns at once.
//
// In a program that does not call it, cells have at most [LevelLandlock].
func Init() {
	switch os.Args[0] {
	case nameHolder:
		select {}
	case nameBuild:
		runtime.LockOSThread()
		err := buildAndBecome()
		w, werr := newWire(os.NewFile(controlFD, "control"))
		if werr == nil {
			_ = w.send(failure(err))
		}
		os.Exit(1)
	case nameServe:
		serve()
		syscall.Exit(0) // at once: os.Exit lets the race detector linger
	}
	os.Setenv(readyVar, strconv.Itoa(os.Getpid()))
}

// passedInit reports whether this very process, not its parent, called [Init].
func passedInit() bool { return os.Getenv(readyVar) == strconv.Itoa(os.Getpid()) }

// stepError is a system call that failed on the way.
type stepError struct {
	step string
	err  error
}

func (e *stepError) Error() string { return e.step + ": " + e.err.Error() }
func (e *stepError) Unwrap() error { return e.err }

func step(name string, err error) error {
	if err == nil {
		return nil
	}
	return &stepError{name, bare(err)}
}

func failure(err error) frame {
	f := frame{Op: opFailed, Step: err.Error()}
	if e, ok := err.(*stepError); ok {
		f.Step = e.step
		if errno, ok := e.err.(syscall.Errno); ok {
			f.Errno = int(errno)
		} else {
			f.Step = e.Error()
		}
	}
	return f
}

// buildAndBecome makes the cell around this process, gives up all rights, and
// executes the program anew to serve in it. It returns only when that fails.
func buildAndBecome() error {
	w, err := newWire(duplicate(controlFD))
	if err != nil {
		return step("taking the control socket", err)
	}
	f, files, err := w.receive()
	if err != nil || f.Plan == nil {
		return step("reading the plan", err)
	}
	defer w.conn.Close()
	exe, err := unix.Open("/proc/self/exe", unix.O_PATH, 0)
	if err != nil {
		return step("opening the program", err)
	}
	if err := f.Plan.build(files, w); err != nil {
		return err
	}
	if err := f.Plan.surrender(exe); err != nil {
		return err
	}
	env := []string{"GOMAXPROCS=2", "GOTRACEBACK=none"}
	return step("starting the first process", execFD(exe, []string{nameServe}, env))
}

// duplicate is a second descriptor, so that the first stays open.
func duplicate(fd int) *os.File {
	d, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 10)
	if err != nil {
		return os.NewFile(uintptr(fd), "control")
	}
	return os.NewFile(uintptr(d), "control")
}

// ignoreSignals has signals of the cell's own processes do nothing here: a
// command that could end the first process would end them all.
func ignoreSignals() <-chan os.Signal {
	all := make(chan os.Signal, 16)
	for n := syscall.Signal(1); n < 65; n++ {
		if n != syscall.SIGKILL && n != syscall.SIGSTOP && n != syscall.SIGCHLD && n != syscall.SIGURG {
			signal.Notify(all, n)
		}
	}
	go func() {
		for range all {
		}
	}()
	children := make(chan os.Signal, 1)
	signal.Notify(children, syscall.SIGCHLD)
	return children
}
