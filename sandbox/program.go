package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// program returns the file to start and its argument list.
func (c *Cell) program(w walls, cmd Cmd, env []string, dir string) (string, []string, error) {
	if cmd.Line != "" {
		path, argv := shellFor(cmd.Line)
		return path, argv, nil
	}
	name := cmd.Argv[0]
	if strings.ContainsRune(toSlash(name), '/') {
		path := filepath.FromSlash(name)
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if w.apart() {
			return path, cmd.Argv, nil // the start will tell
		}
		return path, cmd.Argv, executable(name, path)
	}
	for _, kv := range env {
		key, list, _ := strings.Cut(kv, "=")
		if envKey(key) != "PATH" {
			continue
		}
		if path, ok := search(name, list); ok {
			return path, cmd.Argv, nil
		}
	}
	return "", nil, notFound(name)
}

func notFound(name string) error {
	return &Error{Kind: KindNotFound, Msg: "program " + quote(name) + " was not found; check its name, or install it", Err: fs.ErrNotExist}
}

// search looks through the absolute folders of a path list. A relative one,
// such as ".", would let a file of the workspace take the place of a program.
func search(name, list string) (string, bool) {
	for _, dir := range filepath.SplitList(list) {
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, ext := range programSuffixes(name) {
			path := filepath.Join(dir, name+ext)
			if executable(name, path) == nil {
				return path, true
			}
		}
	}
	return "", false
}

func programSuffixes(name string) []string {
	if runtime.GOOS != "windows" || filepath.Ext(name) != "" {
		return []string{""}
	}
	return []string{".com", ".exe", ".bat", ".cmd"}
}

func executable(name, path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil && errors.Is(err, fs.ErrNotExist):
		return notFound(name)
	case err != nil:
		return &Error{Kind: KindPermission, Msg: "program " + quote(name) + " cannot be reached", Err: bare(err)}
	case info.IsDir():
		return fail(KindPermission, "", "program "+quote(name)+" is a folder")
	case runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		return fail(KindPermission, "", "program "+quote(name)+" is not executable; run chmod +x on it, or start it with its interpreter")
	}
	return nil
}

// startError says why the operating system did not start the command.
func startError(cmd Cmd, err error) error {
	if KindOf(err) != "" {
		return err
	}
	name := "the shell"
	if len(cmd.Argv) > 0 {
		name = "program " + quote(cmd.Argv[0])
	}
	cause := bare(err)
	switch {
	case errors.Is(cause, fs.ErrNotExist):
		return &Error{Kind: KindNotFound, Msg: name + " could not be started: it or its interpreter does not exist", Err: cause}
	case errors.Is(cause, fs.ErrPermission):
		return &Error{Kind: KindPermission, Msg: name + " could not be started: permission denied", Err: cause}
	}
	return &Error{Kind: KindIO, Msg: name + " could not be started: " + cause.Error(), Err: cause}
}
