package sandbox

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// landlocked is [LevelLandlock]: each command starts from a thread that has
// given up all that the command must not have, and that ends with the start.
type landlocked struct {
	reach
	rules *landlockRules
	calls callFilter
	dir   string // home and temporary files of the session
}

func (c *Cell) landlock() (*landlocked, error) {
	dir, err := os.MkdirTemp("", "toolpost-cell")
	if err != nil {
		return nil, step("making a temporary folder", err)
	}
	g := []grant{{path: "/dev/tty", rights: mayUse}, {path: "/dev/pts", rights: mayUse}}
	for _, name := range deviceFiles {
		g = append(g, grant{path: "/dev/" + name, rights: mayUse})
	}
	// Of /proc what tells of the machine, not of the processes of others.
	for _, name := range []string{"cpuinfo", "meminfo", "stat", "loadavg", "uptime", "version", "filesystems", "sys"} {
		g = append(g, grant{path: "/proc/" + name, rights: mayRead})
	}
	for _, path := range append(systemDirs, c.wanted.Readable...) {
		g = append(g, grant{path: path, rights: mayRead})
	}
	for _, name := range append([]string{"passwd", "group", "hosts", "nsswitch.conf"}, systemFiles...) {
		g = append(g, grant{path: "/etc/" + name, rights: mayRead})
	}
	for _, path := range append(c.wanted.Writable, c.root.Name(), dir) {
		g = append(g, grant{path: path, rights: mayWrite})
	}
	rules, err := newLandlock(g, false)
	if err != nil {
		os.RemoveAll(dir)
		return nil, step("making Landlock rules", err)
	}
	return &landlocked{reach: c.reach(dir, dir), rules: rules, calls: newFilter(socketsNone), dir: dir}, nil
}

func (l *landlocked) level() string { return LevelLandlock }

func (l *landlocked) apart() bool { return false }

func (l *landlocked) fallen() bool { return false }

func (l *landlocked) terminal(size Size) (ours, theirs *os.File, err error) {
	return openTerminal(size)
}

func (l *landlocked) close() {
	l.rules.close()
	os.RemoveAll(l.dir)
}

func (l *landlocked) start(s spawn) (c child, t *tree, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if err = l.restrict(); err == nil {
			c, t, err = s.mark.plant(s.fork)
		}
	}()
	<-done
	return c, t, err
}

// restrict takes from the calling thread, for good, what commands must not have.
func (l *landlocked) restrict() error {
	if os.Geteuid() == 0 {
		_ = unix.Prctl(unix.PR_SET_SECUREBITS, secbitsOfARootWithNoCaps, 0, 0, 0)
		if err := dropBounding(); err != nil {
			return step("giving up capabilities", err)
		}
	}
	if err := firstError(dropCaps(), noNewPrivs()); err != nil {
		return step("giving up capabilities", err)
	}
	if err := l.rules.restrict(); err != nil {
		return step("applying Landlock", err)
	}
	return step("applying seccomp", l.calls.restrict())
}
