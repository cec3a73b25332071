package sandbox

import (
	"os"
)

// walls are what stands around the commands of a [Cell].
type walls interface {
	level() string

	// start starts the process of a command.
	start(spawn) (child, *tree, error)

	// terminal opens a terminal where the commands are.
	terminal(Size) (ours, theirs *os.File, err error)

	// furnish fits inherited variables to what commands can reach.
	furnish(vars map[string]string)

	// apart reports whether commands see other files than this process.
	apart() bool

	// fallen reports whether the walls are gone, and all commands with them.
	fallen() bool

	// close ends what still runs and returns when nothing of it is left.
	close()
}

// spawn is a command ready to be started.
type spawn struct {
	cmd   Cmd
	path  string
	argv  []string
	env   []string
	dir   *workDir
	files []*os.File
	mark  cellMark
}

// child is the first process of a command.
type child interface {
	pid() int
	wait() status // returns when it has ended; called once
}

// status is how a process ended.
type status struct {
	code   int
	signal string // name, or empty
}

// noWalls is [LevelNone].
type noWalls struct{}

func (noWalls) level() string { return LevelNone }

func (noWalls) apart() bool { return false }

func (noWalls) furnish(map[string]string) {}

func (noWalls) close() {}

func (noWalls) fallen() bool { return false }

func (noWalls) terminal(size Size) (ours, theirs *os.File, err error) { return openTerminal(size) }

func (noWalls) start(s spawn) (child, *tree, error) {
	return s.mark.plant(func() (child, error) { return s.fork() })
}

// fork starts a child of this process.
func (s spawn) fork() (child, error) {
	proc, err := os.StartProcess(s.path, s.argv, &os.ProcAttr{
		Dir: s.dir.enter, Env: s.env, Files: s.files, Sys: childAttr(s.path, s.argv, s.cmd),
	})
	if err != nil {
		return nil, err
	}
	return offspring{proc}, nil
}

// offspring is a child of this very process.
type offspring struct{ proc *os.Process }

func (o offspring) pid() int { return o.proc.Pid }

func (o offspring) wait() status {
	state, _ := o.proc.Wait()
	if state == nil {
		return status{code: -1}
	}
	return exitStatus(state)
}
