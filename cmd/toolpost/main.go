package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

func main() {
	os.Exit(newProgram().main())
}

// A program is one run of the binary: everything it takes from the world and
// all it gives back stand in its fields, so that a test can build one.
type program struct {
	args    []string
	stdin   *os.File
	stdout  io.Writer
	stderr  io.Writer
	environ []string
	system  string // folder of the managed and the system configuration

	globals globals
	out     *output
	dir     string // the folder of -C, absolute
	config  *config
}

// newProgram is the program as the shell started it.
func newProgram() *program {
	return &program{
		args: os.Args[1:], stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		environ: os.Environ(), system: systemFolder(),
	}
}

// systemFolder holds the configuration that an administrator owns.
func systemFolder() string {
	if runtime.GOOS == "windows" {
		return `C:\ProgramData\toolpost`
	}
	return "/etc/toolpost"
}

// main does what the arguments say and returns the exit code.
func (p *program) main() int {
	p.out = newOutput(p)
	err := p.do()
	if ferr := p.out.flush(); err == nil {
		err = ferr
	}
	return p.finish(err)
}

func (p *program) do() error {
	cmd, err := p.parse()
	if err != nil {
		return err
	}
	p.out.configure(&p.globals)
	if p.dir, err = p.folder(); err != nil {
		return err
	}
	return cmd.Run(p)
}

// folder is the folder in which the command works.
func (p *program) folder() (string, error) {
	dir, err := filepath.Abs(p.globals.Dir)
	if err != nil {
		return "", err
	}
	st, err := os.Stat(dir)
	if err != nil {
		return "", &problem{code: codeNotFound, exit: exitUsage, message: "-C " + p.globals.Dir + ": no such folder"}
	}
	if !st.IsDir() {
		return "", &problem{code: codeUsage, exit: exitUsage, message: "-C " + p.globals.Dir + " is a file; it takes a folder"}
	}
	return dir, nil
}

// finish shows the error, if there is one, and is the exit code for it. Whoever
// closes our output, such as head, ends us without a word.
func (p *program) finish(err error) int {
	if err == nil {
		return exitOK
	}
	if errors.Is(err, syscall.EPIPE) {
		return exitOK
	}
	var done exitCode
	if errors.As(err, &done) {
		return int(done)
	}
	pr := asProblem(err)
	p.out.problem(pr)
	return pr.exit
}

// env is a variable of the environment, or "".
func (p *program) env(name string) string {
	v, _ := p.lookupEnv(name)
	return v
}

func (p *program) lookupEnv(name string) (string, bool) {
	for _, kv := range slices.Backward(p.environ) {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v, true
		}
	}
	return "", false
}

// readStdin is all of standard input. A person at a terminal is told how to end
// it, or refused if nothing is to be asked.
func (p *program) readStdin() ([]byte, error) {
	if terminal(p.stdin) {
		if p.globals.NoInput {
			return nil, &problem{code: codeUsage, exit: exitUsage, message: "standard input is a terminal, and --no-input says that nobody types there"}
		}
		p.out.note("reading from the terminal; ctrl+d ends it\n")
	}
	return io.ReadAll(bufio.NewReader(p.stdin))
}
