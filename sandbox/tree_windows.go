package sandbox

import (
	"errors"
	"os"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// tree is a job object: everything that the command starts is in it, and all
// of it ends when the job is closed, also by the end of this process.
type tree struct {
	leader int

	mu  sync.Mutex
	job windows.Handle
}

type cellMark struct{}

func newCellMark() cellMark { return cellMark{} }

func (cellMark) plant(start func() (child, error)) (child, *tree, error) {
	proc, err := start()
	if err != nil {
		return nil, nil, err
	}
	t, err := newJob(proc)
	if err != nil {
		if o, ok := proc.(offspring); ok {
			_ = o.proc.Kill()
		}
		_ = proc.wait()
		return nil, nil, err
	}
	return proc, t, nil
}

func newJob(proc child) (*tree, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, os.NewSyscallError("CreateJobObject", err)
	}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err == nil {
		err = assign(job, proc.pid())
	}
	if err != nil {
		windows.CloseHandle(job)
		return nil, os.NewSyscallError("AssignProcessToJobObject", err)
	}
	return &tree{leader: proc.pid(), job: job}, nil
}

func assign(job windows.Handle, pid int) error {
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h)
	return windows.AssignProcessToJobObject(job, h)
}

func (cellMark) everything() []*tree { return nil }

func checkLimits(l Limits) error {
	if l.Memory > 0 || l.Processes > 0 || l.OpenFiles > 0 || l.FileBytes > 0 {
		return fail(KindInvalid, "", "limits on memory, processes, open files and file size are not enforced on Windows; leave them out here")
	}
	return nil
}

func descriptorPath(_ *os.File, name string) string { return name }

// mayLeave is always true: the job lives until the cell is closed.
func (t *tree) mayLeave() bool { return true }

func (t *tree) over(Limits) Reason { return "" }

func (t *tree) end(grace time.Duration) { t.endUnless(grace, nil) }

// endUnless ends the job at once: there is no signal to ask it first.
func (t *tree) endUnless(time.Duration, <-chan Reason) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.job != 0 {
		_ = windows.TerminateJobObject(t.job, 1)
		_ = windows.CloseHandle(t.job)
		t.job = 0
	}
}

func (t *tree) signalGroup(sig os.Signal) error {
	if sig != os.Kill && sig != os.Interrupt {
		return errors.New("not a signal of this system")
	}
	if sig == os.Interrupt {
		return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(t.leader))
	}
	t.end(0)
	return nil
}
