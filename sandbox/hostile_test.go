package sandbox_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolpost/toolpost/sandbox"
)

// hostilePaths combines ways up, ways to say them and targets.
func hostilePaths(dir string) []string {
	ups := []string{"..", "../..", "../../..", "../../../../../../../../../..", "./..", ".//..", "a/../..", "a/../../..", "a/b/../../..", "in/../..", "in/../../ws/..", ".../..", "out", "out/..", "out/../outside", "in/out", "abs", "up", "up/up", "chain", "proc", "loop", "leaf", "dangling"}
	targets := []string{"", "/", "/.", "/outside/canary", "/outside", "/canary", "/etc/passwd", "/new/file", "/ws/../outside/canary"}
	var paths []string
	for _, up := range ups {
		for _, target := range targets {
			paths = append(paths, up+target)
		}
	}
	paths = append(paths,
		"/etc/passwd", "/etc/../etc/passwd", "//etc/passwd", "/proc/self/cwd/../outside/canary", "/proc/self/root/etc/passwd", "/dev/stdin", "/dev/fd/0",
		dir+"/../outside/canary", dir+"x", dir+"/../ws2/canary", dir+"2/canary", filepath.Dir(dir), filepath.Dir(dir)+"/outside/canary",
		"~", "~/x", "~root", "~root/.ssh/authorized_keys", "$HOME/x", "${HOME}/x", "`id`", "$(id)", "a;id", "a|id", "-rf", "--help",
		"file:///etc/passwd", "FILE:/etc/passwd", "http://x/../../..", "..%2f..%2foutside/canary", "%2e%2e/outside/canary", "..%00/outside", "..\x00/outside/canary", "a\x00/../../outside/canary", "..;/outside/canary",
		`..\outside\canary`, `..\..\outside\canary`, `..\/outside/canary`, `a\..\..\outside\canary`, `C:\Windows\win.ini`, `c:/windows/win.ini`, `\\localhost\c$\x`, `\\?\C:\x`, `\\.\PhysicalDrive0`, `\??\C:\x`, `C:x`, "CON", "NUL", "COM1", "aux.txt", "a:stream", "a::$DATA",
		"\u2025/outside/canary", "\uff0e\uff0e/outside/canary", "..\u2215outside\u2215canary", "..\u200b/outside/canary", ".\u200d./outside/canary", "\xc0\xae\xc0\xae/outside/canary", "..\xc0\xafoutside", "\xff\xfe", "\u202e../outside",
		"a\n../../outside/canary", "a\r/..", "\t../outside/canary", " ../outside/canary", ".. /outside/canary", "../ outside", "...../outside", "....//outside/canary", "..../\\outside", "\x1b[2J", "a\x7fb", "\u0085x",
		strings.Repeat("../", 500)+"etc/passwd", strings.Repeat("a/", 3000), strings.Repeat("a", 300), strings.Repeat("in/", 60)+"canary", strings.Repeat("../ws/", 100)+"../outside/canary", "", "/", "//", "///", ".", "./", "./.",
	)
	return paths
}

// arena is a workspace with links that lead out of it, and canaries around it.
func arena(t testing.TB) (r *sandbox.Root, dir, outside string) {
	t.Helper()
	base := t.TempDir()
	dir = filepath.Join(base, "ws")
	outside = filepath.Join(base, "outside")
	put(t, outside, "canary")
	put(t, base, "canary")
	put(t, base, "ws2", "canary")
	put(t, dir, "a/b/f")
	for name, target := range map[string]string{
		"out": "../outside", "in": "a", "abs": outside, "up": "..", "a/out": "../../outside", "chain": "out", "proc": "/proc/self/root", "loop": "loop", "leaf": "../outside/canary", "dangling": "../outside/planted",
	} {
		link(t, target, filepath.Join(dir, name))
	}
	r, _ = open(t, sandbox.Profile{Workspace: dir})
	return r, dir, outside
}

// picture is everything around the workspace: names, modes, times, contents.
func picture(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(filepath.Dir(dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == dir {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content := ""
		if info.Mode().IsRegular() {
			raw, _ := os.ReadFile(path)
			content = string(raw)
		}
		mtime := info.ModTime().UnixNano()
		if path == filepath.Dir(dir) {
			mtime = 0
		}
		fmt.Fprintln(&b, path, info.Mode(), mtime, content)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// attack uses every operation on a path and reports what it could read of the
// world outside.
func attack(r *sandbox.Root, name string) (leaked string) {
	if f, err := r.Read(name, sandbox.ReadOptions{}); err == nil && !strings.HasPrefix(string(f.Content), "inside") {
		leaked = "read: " + string(f.Content[:min(len(f.Content), 40)])
	}
	for e, err := range r.Walk(name, sandbox.WalkOptions{Depth: 2}) {
		if err == nil && e.Name == "canary" {
			leaked = "listed: " + e.Path
		}
	}
	_, _ = r.Write(name, []byte("inside"), sandbox.WriteOptions{})
	_, _ = r.Write(name+"/planted", []byte("inside"), sandbox.WriteOptions{})
	_, _ = r.Mkdir(name)
	_, _ = r.Mkdir(name + "/planteddir")
	_, _ = r.Write("src", []byte("inside"), sandbox.WriteOptions{})
	_, _ = r.Rename("src", name, sandbox.RenameOptions{Replace: true})
	_, _ = r.Rename(name, "stolen", sandbox.RenameOptions{})
	if f, err := r.Read("stolen/canary", sandbox.ReadOptions{}); err == nil {
		leaked = "moved in: " + string(f.Content)
	}
	_, _ = r.Remove("stolen", sandbox.RemoveOptions{Recursive: true})
	_, _ = r.Remove(name+"/canary", sandbox.RemoveOptions{})
	return leaked
}

func TestNoHostilePathHasAnEffectOutside(t *testing.T) {
	_, probe, _ := arena(t)
	paths := hostilePaths(probe)
	if len(paths) < 200 {
		t.Fatalf("only %d paths", len(paths))
	}
	t.Logf("%d hostile paths", len(paths))
	const groups = 8 // most of the time goes into waiting for the disk
	for g := range groups {
		t.Run(fmt.Sprint("group ", g), func(t *testing.T) {
			t.Parallel()
			attackAll(t, g, groups, len(paths))
		})
	}
}

func attackAll(t *testing.T, first, step, n int) {
	for i := first; i < n; i += step {
		r, dir, _ := arena(t)
		name := hostilePaths(dir)[i]
		// What stands inside is marked, so that reading it is no leak.
		if err := os.WriteFile(filepath.Join(dir, "a/b/f"), []byte("inside"), 0o644); err != nil {
			t.Fatal(err)
		}
		before := picture(t, dir)
		if leaked := attack(r, name); leaked != "" {
			t.Errorf("path %q: %s", name, leaked)
		}
		_, _ = r.Remove(name, sandbox.RemoveOptions{Recursive: true})
		if after := picture(t, dir); after != before {
			t.Errorf("path %q changed the world outside:\n%s\nwas\n%s", name, after, before)
		}
		if _, err := os.Stat(dir); err != nil {
			t.Errorf("path %q removed the workspace", name)
		}
		r.Close()
	}
}

func FuzzPathsNeverLeaveTheRoot(f *testing.F) {
	for _, seed := range []string{"a", "../x", "a/../../outside/canary", "out/canary", "/etc/passwd", "in/../..", "up/outside/canary", "leaf/", "~", "a\x00"} {
		f.Add(seed)
	}
	r, dir, outside := arena(f)
	f.Fuzz(func(t *testing.T, name string) {
		clean, err := r.Clean(name)
		if err == nil && clean != "." && !filepath.IsLocal(clean) {
			t.Errorf("Clean(%q) = %q", name, clean)
		}
		if again, err2 := r.Clean(clean); err == nil && !strings.HasPrefix(clean, "~") && (again != clean || err2 != nil) {
			t.Errorf("Clean(%q) = %q, which cleans to %q, %v", name, clean, again, err2)
		}
		_, _ = r.Write(name, []byte("inside"), sandbox.WriteOptions{})
		if file, err := r.Read(name, sandbox.ReadOptions{}); err == nil && string(file.Content) == "original" && clean != "a/b/f" && clean != "in/b/f" {
			t.Errorf("%q reads the canary", name)
		}
		_, _ = r.Remove(name, sandbox.RemoveOptions{})
		if b, err := os.ReadFile(filepath.Join(outside, "canary")); err != nil || string(b) != "original" {
			t.Fatalf("%q touched the canary: %q, %v", name, b, err)
		}
		if names, _ := os.ReadDir(outside); len(names) != 1 {
			t.Fatalf("%q made something outside", name)
		}
		if _, err := os.Stat(dir); err != nil {
			t.Fatalf("%q removed the workspace", name)
		}
	})
}
