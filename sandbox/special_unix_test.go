//go:build unix

package sandbox_test

import (
	"bytes"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolpost/toolpost/sandbox"
)

func TestSpecialFilesAreRefusedAtOnce(t *testing.T) {
	r, dir := open(t, sandbox.Profile{})
	if err := unix.Mkfifo(filepath.Join(dir, "fifo"), 0o666); err != nil {
		t.Fatal(err)
	}
	short, err := os.MkdirTemp("", "s") // socket names are limited to about 100 bytes
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(short)
	l, err := net.Listen("unix", filepath.Join(short, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.Rename(filepath.Join(short, "s"), filepath.Join(dir, "socket")); err != nil && !errors.Is(err, syscall.EXDEV) {
		t.Fatal(err)
	}
	names := []string{"fifo", "socket"}
	if os.Geteuid() == 0 && unix.Mknod(filepath.Join(dir, "zero"), syscall.S_IFCHR|0o666, int(unix.Mkdev(1, 5))) == nil {
		names = append(names, "zero")
	}
	link(t, "fifo", filepath.Join(dir, "l"))
	for _, name := range append(names, "l") {
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, err := r.Read(name, sandbox.ReadOptions{})
			wantKind(t, "Read "+name, err, sandbox.KindNotRegular)
			_, err = r.Reader(name)
			wantKind(t, "Reader "+name, err, sandbox.KindNotRegular)
			_, err = r.Write(name, []byte("x"), sandbox.WriteOptions{})
			wantKind(t, "Write "+name, err, sandbox.KindNotRegular)
			_, err = r.List(name)
			wantKind(t, "List "+name, err, sandbox.KindNotDir)
			defer r.Lock(name)()
		}()
		select {
		case <-done:
		case <-time.After(2 * time.Second):
			t.Fatalf("%s: still waiting after 2 s", name)
		}
	}
	if e, err := r.Lstat("fifo"); e.Kind != sandbox.EntryFIFO || err != nil {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := r.Remove("fifo", sandbox.RemoveOptions{}); err != nil {
		t.Error(err)
	}
}

// TestFoldersExchangedWithLinksOpenNothing races every operation against a
// folder that is exchanged with a link to the outside.
func TestFoldersExchangedWithLinksOpenNothing(t *testing.T) {
	r, dir, outside := arena(t)
	put(t, dir, "flip/canary")
	if err := os.WriteFile(filepath.Join(dir, "flip/canary"), []byte("inside"), 0o644); err != nil {
		t.Fatal(err)
	}
	link(t, outside, filepath.Join(dir, "flop"))
	before := picture(t, dir)
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for !stop.Load() {
			exchange(filepath.Join(dir, "flip"), filepath.Join(dir, "flop"))
		}
	})
	for range 3000 {
		if f, err := r.Read("flip/canary", sandbox.ReadOptions{}); err == nil && string(f.Content) == "original" {
			t.Error("read the canary outside")
			break
		}
	}
	for range 100 {
		_, _ = r.Write("flip/canary", []byte("inside"), sandbox.WriteOptions{})
		_, _ = r.Write("flip/new", []byte("inside"), sandbox.WriteOptions{})
		_, _ = r.Mkdir("flip/dir/dir")
		_, _ = r.Rename("flip/new", "flip/new2", sandbox.RenameOptions{Replace: true})
		_, _ = r.Remove("flip/dir", sandbox.RemoveOptions{Recursive: true})
	}
	stop.Store(true)
	wg.Wait()
	if after := picture(t, dir); after != before {
		t.Errorf("outside is now\n%s\nwas\n%s", after, before)
	}
}

func exchange(a, b string) {
	tmp := a + ".tmp"
	_ = os.Rename(a, tmp)
	_ = os.Rename(b, a)
	_ = os.Rename(tmp, b)
}

func TestOldTemporaryFilesAreSweptAndLiveOnesStay(t *testing.T) {
	r, dir := open(t, sandbox.Profile{})
	for _, name := range []string{"old", "held", "young"} {
		put(t, dir, ".toolpost-tmp-"+name)
	}
	past := time.Now().Add(-time.Hour)
	for _, name := range []string{"old", "held"} {
		if err := os.Chtimes(filepath.Join(dir, ".toolpost-tmp-"+name), past, past); err != nil {
			t.Fatal(err)
		}
	}
	held, err := os.Open(filepath.Join(dir, ".toolpost-tmp-held"))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := syscall.Flock(int(held.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Write("x", []byte("x"), sandbox.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, name := range leftovers(t, dir) {
		got = append(got, strings.TrimPrefix(filepath.Base(name), ".toolpost-tmp-"))
	}
	if strings.Join(got, " ") != "held young" {
		t.Errorf("still there: %v; want held and young", got)
	}
}

// inChild runs the test again in a child process, as an ordinary user or in
// namespaces of its own, with its name in the environment.
func inChild(t *testing.T, attr *syscall.SysProcAttr, env ...string) (output string, err error) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	shared, err := os.MkdirTemp("", "child")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(shared)
	// The ordinary user may not enter the folder of the test binary.
	copied := filepath.Join(shared, "test")
	bin, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(shared, 0o777), os.WriteFile(copied, bin, 0o755), os.Chmod(copied, 0o755)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(copied, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir = shared
	cmd.SysProcAttr = attr
	cmd.Env = append(os.Environ(), append(env, "SANDBOX_CHILD="+t.Name(), "TMPDIR="+shared, "HOME="+shared)...)
	b, err := cmd.CombinedOutput()
	return string(b), err
}

func isChild(t *testing.T) bool { return os.Getenv("SANDBOX_CHILD") == t.Name() }

func TestPermissionsAreThoseOfTheUser(t *testing.T) {
	if os.Geteuid() == 0 {
		out, err := inChild(t, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}})
		if err != nil || !strings.Contains(out, "PASS: "+t.Name()) {
			t.Errorf("as uid 65534: %v\n%s", err, out)
		}
		return
	}
	r, dir := open(t, sandbox.Profile{})
	readonly := put(t, dir, "readonly")
	secret := put(t, dir, "secret")
	put(t, dir, "closed/file")
	put(t, dir, "still/file")
	for name, mode := range map[string]os.FileMode{readonly: 0o444, secret: 0, filepath.Join(dir, "closed"): 0, filepath.Join(dir, "still"): 0o555} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	defer os.Chmod(filepath.Join(dir, "closed"), 0o755)
	defer os.Chmod(filepath.Join(dir, "still"), 0o755)
	_, err := r.Write("readonly", []byte("x"), sandbox.WriteOptions{})
	wantKind(t, "Write a read-only file", err, sandbox.KindPermission)
	_, err = r.Read("secret", sandbox.ReadOptions{})
	wantKind(t, "Read a closed file", err, sandbox.KindPermission)
	_, err = r.Read("closed/file", sandbox.ReadOptions{})
	wantKind(t, "Read in a closed folder", err, sandbox.KindPermission)
	_, err = r.Write("closed/file", nil, sandbox.WriteOptions{})
	wantKind(t, "Write in a closed folder", err, sandbox.KindPermission)
	_, err = r.Write("still/new", nil, sandbox.WriteOptions{})
	wantKind(t, "Write a new file in a read-only folder", err, sandbox.KindPermission)
	_, err = r.List("closed")
	wantKind(t, "List", err, sandbox.KindPermission)
	_, err = sandbox.Open(sandbox.Profile{Workspace: filepath.Join(dir, "closed")})
	wantKind(t, "Open", err, sandbox.KindPermission)
	seen := 0
	for e, err := range r.Walk(".", sandbox.WalkOptions{}) {
		if err != nil {
			t.Errorf("the walk ended: %v", err)
		}
		if seen++; e.Path == "closed" && sandbox.KindOf(e.Err) != sandbox.KindPermission {
			t.Errorf("closed folder: %v", e.Err)
		}
	}
	if seen != 5 {
		t.Errorf("walked %d entries, want 5", seen)
	}
	if err == nil || strings.Contains(err.Error(), "goroutine") {
		t.Error(err)
	}
}

func TestAFullDiskLosesNothing(t *testing.T) {
	if !isChild(t) {
		attr := mountAttr()
		if attr == nil {
			needs(t, "mount namespaces, which only Linux has")
		}
		out, err := inChild(t, attr)
		if strings.Contains(out, "cannot mount") || errors.Is(err, syscall.EPERM) {
			needs(t, "root, or user namespaces, to mount a small disk: "+out)
		}
		if err != nil || !strings.Contains(out, "PASS: "+t.Name()) {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	dir := t.TempDir()
	if err := mountSmall(dir); err != nil {
		t.Fatalf("cannot mount: %v", err)
	}
	t.Cleanup(func() { unmount(dir) })
	r, _ := open(t, sandbox.Profile{Workspace: dir})
	if _, err := r.Write("keep", []byte("original"), sandbox.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	big := bytes.Repeat([]byte("x"), 4<<20)
	_, err := r.Write("keep", big, sandbox.WriteOptions{})
	wantKind(t, "replacing", err, sandbox.KindNoSpace)
	_, err = r.Write("a/b/new", big, sandbox.WriteOptions{})
	wantKind(t, "a new file", err, sandbox.KindNoSpace)
	if f, err := r.Read("keep", sandbox.ReadOptions{}); err != nil || string(f.Content) != "original" {
		t.Errorf("the old content is gone: %v", err)
	}
	if names, _ := os.ReadDir(dir); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
	if err := remountReadOnly(dir); err != nil {
		t.Fatalf("cannot mount: %v", err)
	}
	_, err = r.Write("keep", []byte("x"), sandbox.WriteOptions{})
	wantKind(t, "on a read-only disk", err, sandbox.KindReadOnly)
	_, err = r.Write("new", []byte("x"), sandbox.WriteOptions{})
	wantKind(t, "a new file on a read-only disk", err, sandbox.KindReadOnly)
}

// needs skips a test for want of something, and fails it where all is to be there.
func needs(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" && os.Geteuid() == 0 {
		t.Fatal("needs " + what)
	}
	t.Skip("needs " + what)
}

func TestAWriterThatIsKilledLeavesTheOldContentOrTheNew(t *testing.T) {
	contents := []string{strings.Repeat("a", 300_000), strings.Repeat("b", 300_000)}
	if isChild(t) {
		r, _ := open(t, sandbox.Profile{Workspace: os.Getenv("SANDBOX_DIR")})
		for i := 0; ; i++ {
			if _, err := r.Write("file", []byte(contents[i%2]), sandbox.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, dir := open(t, sandbox.Profile{})
	if _, err := r.Write("file", []byte(contents[0]), sandbox.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		cmd := exec.Command(exe, "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), "SANDBOX_CHILD="+t.Name(), "SANDBOX_DIR="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Duration(40+i*7) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		f, err := r.Read("file", sandbox.ReadOptions{})
		if err != nil || string(f.Content) != contents[0] && string(f.Content) != contents[1] {
			t.Fatalf("after kill %d: %d bytes, %v", i, len(f.Content), err)
		}
	}
	past := time.Now().Add(-time.Hour)
	for _, name := range leftovers(t, dir) {
		if err := os.Chtimes(name, past, past); err != nil {
			t.Fatal(err)
		}
	}
	again, _ := open(t, sandbox.Profile{Workspace: dir})
	if _, err := again.Write("other", nil, sandbox.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if names := leftovers(t, dir); len(names) > 0 {
		t.Errorf("not swept: %v", names)
	}
}
