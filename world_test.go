package toolpost_test

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A reach is a way out of the process: to files, commands, the network or the
// environment.
type reach string

const (
	toFiles    reach = "files"
	toCommands reach = "commands"
	toNetwork  reach = "the network"
	toEnviron  reach = "the environment"
)

// waysOut are the names of the standard library, and of the modules at home
// here, that reach outside. A package that has no leave may not name them.
var waysOut = map[string]map[string]reach{
	"os": {
		"Open": toFiles, "OpenFile": toFiles, "OpenRoot": toFiles, "OpenInRoot": toFiles, "Create": toFiles, "CreateTemp": toFiles,
		"ReadFile": toFiles, "WriteFile": toFiles, "ReadDir": toFiles, "DirFS": toFiles, "CopyFS": toFiles,
		"Stat": toFiles, "Lstat": toFiles, "Readlink": toFiles, "Mkdir": toFiles, "MkdirAll": toFiles, "MkdirTemp": toFiles,
		"Remove": toFiles, "RemoveAll": toFiles, "Rename": toFiles, "Link": toFiles, "Symlink": toFiles, "Truncate": toFiles,
		"Chdir": toFiles, "Chmod": toFiles, "Chown": toFiles, "Lchown": toFiles, "Chtimes": toFiles, "Getwd": toFiles,
		"StartProcess": toCommands, "FindProcess": toCommands,
		"Getenv": toEnviron, "LookupEnv": toEnviron, "Environ": toEnviron, "Setenv": toEnviron, "Unsetenv": toEnviron,
		"Clearenv": toEnviron, "ExpandEnv": toEnviron, "UserHomeDir": toEnviron, "UserConfigDir": toEnviron,
		"UserCacheDir": toEnviron, "Args": toEnviron, "Stdin": toEnviron, "Stdout": toEnviron, "Stderr": toEnviron, "Exit": toEnviron,
	},
	"io/ioutil":     {"*": toFiles},
	"path/filepath": {"Walk": toFiles, "WalkDir": toFiles, "Glob": toFiles, "EvalSymlinks": toFiles, "Abs": toFiles},
	"os/exec":       {"Command": toCommands, "CommandContext": toCommands, "LookPath": toCommands, "Cmd": toCommands},
	"plugin":        {"*": toCommands},
	"syscall": {"Open": toFiles, "Openat": toFiles, "Unlink": toFiles, "Rename": toFiles, "Exec": toCommands, "ForkExec": toCommands,
		"StartProcess": toCommands, "Kill": toCommands, "Socket": toNetwork, "Connect": toNetwork},
	"golang.org/x/sys/unix": {"Open": toFiles, "Openat": toFiles, "Openat2": toFiles, "Unlink": toFiles, "Unlinkat": toFiles,
		"Rename": toFiles, "Renameat2": toFiles, "Exec": toCommands, "Kill": toCommands, "Socket": toNetwork, "Connect": toNetwork},
	"net": {"Dial": toNetwork, "DialTimeout": toNetwork, "Dialer": toNetwork, "Listen": toNetwork, "ListenPacket": toNetwork,
		"ListenConfig": toNetwork, "DialTCP": toNetwork, "DialUDP": toNetwork, "DialUnix": toNetwork, "DialIP": toNetwork,
		"ListenTCP": toNetwork, "ListenUDP": toNetwork, "ListenUnix": toNetwork, "LookupHost": toNetwork, "LookupIP": toNetwork,
		"LookupAddr": toNetwork, "DefaultResolver": toNetwork, "Resolver": toNetwork},
	"net/http": {"Get": toNetwork, "Head": toNetwork, "Post": toNetwork, "PostForm": toNetwork, "Client": toNetwork,
		"DefaultClient": toNetwork, "DefaultTransport": toNetwork, "Transport": toNetwork,
		"ListenAndServe": toNetwork, "ListenAndServeTLS": toNetwork, "Serve": toNetwork, "Server": toNetwork},
	"crypto/tls":            {"Dial": toNetwork, "Dialer": toNetwork, "Listen": toNetwork},
	"github.com/creack/pty": {"*": toCommands},
	"mvdan.cc/sh/v3/interp": {"*": toCommands},
	"modernc.org/sqlite":    {"*": toFiles},
	"database/sql":          {"Open": toFiles},
}

// A leave is a permission to go one way out, with its reason.
type leave struct {
	to  reach
	why string
}

// leaves say who may reach outside, and how. Everyone else is handed what it
// needs: a tool touches files through sandbox, or not at all.
var leaves = map[string][]leave{
	"sandbox": {
		{toFiles, "it is the one way of tools to files"},
		{toCommands, "and the one place where a command is started"},
		{toEnviron, "a command inherits the names that it is allowed"},
		{toNetwork, "the one dialer of tools is its, and a cell has a loopback of its own"},
	},
	"cmd/toolpost": {
		{toFiles, "configuration, scripts and the store are the command line's"},
		{toEnviron, "so is the environment"},
		{toCommands, "demo --check starts the binary itself"},
	},
	"audit":              {{toFiles, "a record is synced files, with their order of writes in its hands"}},
	"session":            {{toFiles, "a session is a synced file"}},
	"internal/filelock":  {{toFiles, "a lock is a file"}},
	"internal/sqlite":    {{toFiles, "a database is a file"}},
	"internal/wire":      {{toNetwork, "it is a client of servers; who builds a provider may hand it another"}},
	"provider/anthropic": {{toNetwork, "who builds it may hand it a client"}},
	"provider/gemini":    {{toNetwork, "who builds it may hand it a client"}},
	"provider/ollama":    {{toNetwork, "who builds it may hand it a client"}},
	"provider/openai":    {{toNetwork, "who builds it may hand it a client"}},
	"provider/scripted":  {{toFiles, "it reads the script that it is told to"}},
	"llm/llmtest":        {{toFiles, "golden streams are files"}, {toNetwork, "it serves recorded streams on the loopback"}},
	"bench":              {{toCommands, "it runs the benchmarks of other modules"}, {toFiles, "which lie in folders"}, {toEnviron, "it is a command"}},
}

func TestNoPackageReachesOutsideWithoutLeave(t *testing.T) {
	src := tree(t)
	for _, p := range src.packages {
		for _, f := range p.code() {
			for _, w := range usedWaysOut(f) {
				if !hasLeave(p.dir, w.to) {
					t.Errorf("%s: %s reaches %s, for which %s has no leave (see leaves)", src.fset.Position(w.pos), w.name, w.to, p.dir)
				}
			}
		}
	}
}

func TestEveryLeaveIsUsed(t *testing.T) {
	for _, p := range tree(t).packages {
		var used []reach
		for _, f := range p.code() {
			for _, w := range usedWaysOut(f) {
				used = append(used, w.to)
			}
		}
		for _, l := range leaves[p.dir] {
			if !slices.Contains(used, l.to) && !isKit(p.dir) {
				t.Errorf("%s has leave to reach %s and does not use it: take it back", p.dir, l.to)
			}
		}
	}
}

func hasLeave(dir string, to reach) bool {
	if strings.HasPrefix(dir, "cmd/toolpost/") {
		dir = "cmd/toolpost"
	}
	return slices.ContainsFunc(leaves[dir], func(l leave) bool { return l.to == to })
}

type wayOut struct {
	pos  token.Pos
	name string
	to   reach
}

// usedWaysOut are the ways out that a file names.
func usedWaysOut(f *sourceFile) []wayOut {
	known := map[string]map[string]reach{} // by the name the file has for the package
	var used []wayOut
	for _, spec := range f.syntax.Imports {
		imp, err := strconv.Unquote(spec.Path.Value)
		if err != nil || waysOut[imp] == nil {
			continue
		}
		name := path.Base(imp)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		known[name] = waysOut[imp]
		if name == "_" || name == "." { // its names cannot be followed
			for _, to := range waysOut[imp] {
				used = append(used, wayOut{spec.Pos(), imp, to})
				break
			}
		}
	}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := sel.X.(*ast.Ident)
		if !ok || known[x.Name] == nil {
			return true
		}
		to, ok := known[x.Name][sel.Sel.Name]
		if !ok {
			to, ok = known[x.Name]["*"]
		}
		if ok {
			used = append(used, wayOut{sel.Pos(), x.Name + "." + sel.Sel.Name, to})
		}
		return true
	})
	return used
}
