package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// LevelNone is the level of a [Cell] that puts no wall of the operating system
// around commands: they run with the rights of this process.
const LevelNone = "none"

// Cell is where commands are started, and the only place: nothing else in the
// program starts a process. It bounds them in time, output and size, and ends
// everything they started when it is closed.
//
// A Cell is safe for concurrent use. It is made by [NewCell].
type Cell struct {
	root   *Root
	limits Limits
	named  []string // variables that the operator lets through besides the safe ones
	mark   cellMark

	mu      sync.Mutex
	closed  bool
	running map[*Process]bool
	left    []*tree // ended commands that may have left something running
}

// NewCell makes the place for the commands of one session. root decides which
// folders they can start in; it stays the caller's to close, after the Cell.
func NewCell(root *Root, p Profile) (*Cell, error) {
	if root == nil {
		return nil, fail(KindInvalid, "", "a cell needs an open workspace")
	}
	for _, name := range p.Env {
		if !isEnvName(strings.ReplaceAll(name, "*", "_")) {
			return nil, fail(KindInvalid, "", "environment variable "+quote(name)+" in the profile is not a name; values do not stand there")
		}
	}
	if err := checkLimits(p.Limits); err != nil {
		return nil, err
	}
	var named []string
	for _, name := range p.Env {
		named = append(named, envKey(name))
	}
	return &Cell{root: root, limits: p.Limits, named: named, mark: newCellMark(), running: map[*Process]bool{}}, nil
}

// Level says which walls stand around commands: today always [LevelNone].
func (c *Cell) Level() string { return LevelNone }

// Start starts a command and returns while it runs. Its output goes to out,
// which may be nil.
//
// When ctx ends, the command and everything it started is told to terminate,
// and killed [Grace] later. Nothing was started when an error is returned:
// [KindInvalid] for a command, environment or limit that cannot be carried
// out, [KindInvalidPath] or [KindNotFound] for the folder, and with Argv
// [KindNotFound] or [KindPermission] for the program.
func (c *Cell) Start(ctx context.Context, cmd Cmd, out Sink) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := cmd.check(); err != nil {
		return nil, err
	}
	limits := c.limits.narrow(cmd.Limits)
	if err := checkLimits(limits); err != nil {
		return nil, err
	}
	if limits.OutputBytes <= 0 {
		limits.OutputBytes = DefaultOutputBytes
	}
	dir, err := c.openDir(cmd.Dir)
	if err != nil {
		return nil, err
	}
	defer dir.close()
	env := c.environ(cmd, dir.host)
	path, argv, err := c.program(cmd, env, dir.host)
	if err != nil {
		return nil, err
	}
	path, argv = withLimits(path, argv, limits)
	p := &Process{cell: c, limits: limits, sink: out, started: time.Now(), done: make(chan struct{}), fed: make(chan struct{}), stop: make(chan Reason, 1)}
	if err := p.wire(cmd); err != nil {
		return nil, err
	}
	if err := c.launch(p, path, argv, dir.enter, env, cmd); err != nil {
		p.unwire()
		return nil, startError(cmd, err)
	}
	go p.run(ctx, cmd)
	return p, nil
}

// launch is the one call in the project that makes a process.
func (c *Cell) launch(p *Process, path string, argv []string, dir string, env []string, cmd Cmd) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return fail(KindClosed, "", "the session is over; no more commands can be started")
	}
	var err error
	p.proc, p.tree, err = c.mark.plant(func() (*os.Process, error) {
		return os.StartProcess(path, argv, &os.ProcAttr{
			Dir: dir, Env: env, Files: p.child, Sys: childAttr(path, argv, cmd),
		})
	})
	if err == nil {
		c.running[p] = true
	}
	return err
}

// forget takes an ended command off the list.
func (c *Cell) forget(p *Process) {
	leaves := p.tree.mayLeave()
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.running, p)
	if leaves {
		c.left = append(c.left, p.tree)
	}
}

// Close ends every command of the cell with [ReasonCancelled], and everything
// that ended ones left running, and returns when all is gone. No command can
// be started afterwards. Closing twice is harmless.
func (c *Cell) Close() error {
	c.mu.Lock()
	c.closed = true
	var running []*Process
	for p := range c.running {
		running = append(running, p)
	}
	c.mu.Unlock()
	for _, p := range running {
		p.request(ReasonCancelled)
	}
	for _, p := range running {
		<-p.done
	}
	c.mu.Lock()
	left := c.left
	c.left = nil
	c.mu.Unlock()
	for _, t := range append(left, c.mark.everything()...) {
		t.end(leftoverGrace)
	}
	return nil
}

// workDir is a folder held open from its check to the start in it.
type workDir struct {
	host  string // for people and PWD
	enter string // what the child changes to
	root  *os.Root
	file  *os.File
}

func (d *workDir) close() {
	if d.file != nil {
		d.file.Close()
	}
	if d.root != nil {
		d.root.Close()
	}
}

func (c *Cell) openDir(name string) (*workDir, error) {
	if name == "" {
		name = "."
	}
	clean, err := c.root.Clean(name)
	if err != nil {
		return nil, err
	}
	p, err := c.root.resolve(clean, followLast)
	if err != nil {
		return nil, err
	}
	defer p.close()
	switch {
	case p.info == nil:
		return nil, &Error{Kind: KindNotFound, Path: clean, Msg: "the folder to start in does not exist", Err: os.ErrNotExist}
	case !p.info.IsDir():
		return nil, fail(KindNotDir, clean, "the place to start in is not a folder")
	}
	d := &workDir{host: filepath.Join(c.root.Name(), filepath.FromSlash(p.path()))}
	if d.root, err = p.folder().OpenRoot(p.base); err == nil {
		d.file, err = d.root.Open(".")
	}
	if err != nil {
		d.close()
		return nil, wrap("entering the folder", clean, err)
	}
	d.enter = descriptorPath(d.file, d.host)
	return d, nil
}
