package sandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Cell is where commands are started, and the only place: nothing else in the
// program starts a process. It bounds them in time, output and size, and ends
// everything they started when it is closed.
//
// A Cell is safe for concurrent use. It is made by [NewCell].
type Cell struct {
	root   *Root
	limits Limits
	wanted Confine
	named  []string // variables that the operator lets through besides the safe ones
	mark   cellMark

	standMu sync.Mutex // held while walls are put up
	walls   walls      // nil until they are needed
	layers  []Layer    // set with walls
	over    bool       // none are put up any more

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
	if err := errors.Join(checkLimits(p.Limits), p.Confine.check()); err != nil {
		return nil, err
	}
	var named []string
	for _, name := range p.Env {
		named = append(named, envKey(name))
	}
	c := &Cell{root: root, limits: p.Limits, wanted: p.Confine, named: named, mark: newCellMark(), running: map[*Process]bool{}}
	if rank(p.Confine.Require) > 0 {
		if _, err := c.standing(); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Level says which walls stand around commands: [LevelNone], [LevelLandlock]
// or [LevelFull]. The first call puts them up, unless a command has been
// started already; it takes some milliseconds.
func (c *Cell) Level() string {
	w, err := c.standing()
	if err != nil {
		return LevelNone
	}
	return w.level()
}

// Layers says wall by wall what stands around commands, and what higher levels
// than [Cell.Level] lack. It is empty where none were asked for.
func (c *Cell) Layers() []Layer {
	_, _ = c.standing()
	c.standMu.Lock()
	defer c.standMu.Unlock()
	return slices.Clone(c.layers)
}

// standing puts up the walls at their first use, and again when they have
// fallen. Walls lower than required are an error.
func (c *Cell) standing() (walls, error) {
	c.standMu.Lock()
	defer c.standMu.Unlock()
	if c.over && c.walls == nil {
		return noWalls{}, nil
	}
	if c.walls == nil || c.walls.fallen() && !c.over {
		w, layers := c.putUp()
		if rank(w.level()) < rank(c.wanted.Require) {
			w.close()
			return nil, &Error{Kind: KindUnconfined, Msg: "commands are not run: sandbox level " + c.wanted.Require + " is required and this system reaches " + w.level() + lacking(layers)}
		}
		c.walls, c.layers = w, layers
	}
	return c.walls, nil
}

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
	w, err := c.standing()
	if err != nil {
		return nil, err
	}
	dir, err := c.openDir(cmd.Dir)
	if err != nil {
		return nil, err
	}
	defer dir.close()
	env := c.environ(w, cmd, dir.host)
	path, argv, err := c.program(w, cmd, env, dir.host)
	if err != nil {
		return nil, err
	}
	path, argv = withLimits(path, argv, limits)
	p := &Process{cell: c, limits: limits, sink: out, started: time.Now(), done: make(chan struct{}), fed: make(chan struct{}), stop: make(chan Reason, 1)}
	if err := p.wire(w, cmd); err != nil {
		return nil, err
	}
	if err := c.launch(p, w, spawn{cmd: cmd, path: path, argv: argv, env: env, dir: dir, files: p.child, mark: c.mark}); err != nil {
		p.unwire()
		return nil, startError(cmd, err)
	}
	go p.run(ctx, cmd)
	return p, nil
}

// launch starts the command unless the cell has been closed.
func (c *Cell) launch(p *Process, w walls, s spawn) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return fail(KindClosed, "", "the session is over; no more commands can be started")
	}
	var err error
	if p.first, p.tree, err = w.start(s); err == nil {
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
	c.standMu.Lock()
	defer c.standMu.Unlock()
	c.over = true
	if c.walls != nil {
		c.walls.close()
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
	if c.wanted.Overlay {
		// It may be there for commands alone; the cell itself is the wall.
		return &workDir{host: filepath.Join(c.root.Name(), filepath.FromSlash(clean))}, nil
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
