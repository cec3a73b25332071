package sandbox_test

import (
	"bytes"
	_ "embed"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolpost/toolpost/sandbox"
)

//go:embed testdata/attacks.txt
var attackList string

// A raid is a line of testdata/attacks.txt.
type raid struct {
	line    string
	gap     bool // has an effect at level landlock, as its documentation says
	harmful bool // not to be tried without walls
	kind    string
}

func attacks(t testing.TB) []raid {
	t.Helper()
	var list []raid
	for line := range strings.Lines(attackList) {
		var a raid
		line = strings.TrimSpace(line)
		line, a.gap = strings.CutPrefix(line, "~ ")
		line, a.harmful = strings.CutPrefix(line, "! ")
		for _, kind := range []string{"suid", "vsock"} {
			if rest, ok := strings.CutPrefix(line, "@"+kind+" "); ok {
				line, a.kind = rest, kind
			}
		}
		if a.line = line; line != "" && !strings.HasPrefix(line, "#") {
			list = append(list, a)
		}
	}
	return list
}

// wraps are ways to say a command; the long test tries every attack in each.
var wraps = []string{
	"%s", "sh -c '%s'", "bash -c '%s'", "eval '%s'", "env -i PATH=$PATH sh -c '%s'", "nohup sh -c '%s' 2>&1", "setsid -w sh -c '%s'", "timeout 5 sh -c '%s'",
	"nice sh -c '%s'", "perl -e 'system(shift)' '%s'", "echo '%s' | sh", "xargs -0 sh -c < /dev/null; printf '%%s' '%s' | xargs -0 -n1 sh -c", "find . -maxdepth 0 -exec sh -c '%s' ';'",
	"mkdir -p x/y && cd x/y && sh -c '%s'", "(sh -c '%s') & wait",
}

// A field is a workspace with things around it that no command may reach.
type field struct {
	t       *testing.T
	dir     string
	base    string
	secret  string // content of the canary and of our environment
	name    string // of a file beside the canary
	touched atomic.Int32
	tcp     net.Listener
	udp     net.PacketConn
	sock    string
	abs     string
	victim  *exec.Cmd
	died    chan struct{}
	before  string
}

func newField(t *testing.T) *field {
	t.Helper()
	base, err := os.MkdirTemp("", "f")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = exec.Command("chmod", "-R", "u+rwx", base).Run()
		os.RemoveAll(base)
	})
	f := &field{t: t, base: base, dir: filepath.Join(base, "ws"), secret: "secret" + strconv.FormatInt(time.Now().UnixNano(), 36), name: "name-of-a-file"}
	t.Setenv("FIELD_SECRET", f.secret)
	f.listen()
	f.plant()
	return f
}

func (f *field) outside(parts ...string) string {
	return filepath.Join(append([]string{f.base, "outside"}, parts...)...)
}

// plant makes everything anew.
func (f *field) plant() {
	f.t.Helper()
	_ = exec.Command("chmod", "-R", "u+rwx", f.outside()).Run()
	os.RemoveAll(f.outside())
	for name, text := range map[string]string{
		f.outside("canary"): f.secret + "\n", f.outside(f.name): "x", f.outside("dir", "file"): "x",
		filepath.Join(f.dir, "f"): "text\n", filepath.Join(f.dir, ".git", "config"): "[core]\n", filepath.Join(f.dir, ".git", "HEAD"): "ref: refs/heads/main\n",
		filepath.Join(f.dir, ".git", "hooks", "present"): "hook\n", filepath.Join(f.dir, ".git", "objects", "keep"): "", filepath.Join(f.dir, ".git", "refs", "keep"): "",
		filepath.Join(f.dir, ".mcp.json"): "{}\n", filepath.Join(f.dir, ".vscode", "tasks.json"): "{}\n", filepath.Join(f.dir, "toolpost.toml"): "\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			f.t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			f.t.Fatal(err)
		}
	}
	f.serveSocket()
	f.victim = exec.Command("sleep", "600")
	f.victim.Dir = f.outside()
	if err := f.victim.Start(); err != nil {
		f.t.Fatal(err)
	}
	died := make(chan struct{})
	victim := f.victim
	f.died = died
	go func() {
		_ = victim.Wait()
		close(died)
	}()
	f.t.Cleanup(func() { _ = victim.Process.Kill(); <-died })
	f.before = f.look()
}

func (f *field) listen() {
	f.t.Helper()
	var err error
	if f.tcp, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		f.t.Fatal(err)
	}
	if f.udp, err = net.ListenPacket("udp", "127.0.0.1:0"); err != nil {
		f.t.Fatal(err)
	}
	f.abs = "toolpost-test-" + f.secret
	abstract, err := net.Listen("unix", "@"+f.abs)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { f.tcp.Close(); f.udp.Close(); abstract.Close() })
	go f.accept(f.tcp)
	go f.accept(abstract)
	go func() {
		buf := make([]byte, 16)
		for {
			if _, _, err := f.udp.ReadFrom(buf); err != nil {
				return
			}
			f.touched.Add(1)
		}
	}()
}

func (f *field) serveSocket() {
	f.t.Helper()
	l, err := net.Listen("unix", f.outside("socket"))
	if err != nil {
		f.t.Fatal(err)
	}
	f.sock = f.outside("socket")
	f.t.Cleanup(func() { l.Close() })
	go f.accept(l)
}

func (f *field) accept(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		f.touched.Add(1)
		c.Close()
	}
}

func (f *field) fill(line string) string {
	_, tcp, _ := net.SplitHostPort(f.tcp.Addr().String())
	_, udp, _ := net.SplitHostPort(f.udp.LocalAddr().String())
	return strings.NewReplacer("@OUT", f.outside(), "@CANARY", f.outside("canary"), "@WS", f.dir, "@TCP", tcp, "@UDP", udp,
		"@SOCK", f.sock, "@ABS", f.abs, "@PID", strconv.Itoa(f.victim.Process.Pid), "@RT", strconv.Itoa(os.Getpid())).Replace(line)
}

// look is all that an attack could change: what lies outside, and what is protected inside.
func (f *field) look() string {
	var b bytes.Buffer
	for _, root := range []string{f.outside(), filepath.Join(f.dir, ".git", "hooks"), filepath.Join(f.dir, ".git", "config"), filepath.Join(f.dir, ".mcp.json"), filepath.Join(f.dir, ".vscode"), filepath.Join(f.dir, "toolpost.toml")} {
		_ = filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			info, serr := os.Lstat(path)
			if err != nil || serr != nil {
				fmt.Fprintln(&b, path, "gone")
				return nil
			}
			var text []byte
			if info.Mode().IsRegular() {
				text, _ = os.ReadFile(path)
			}
			when := info.ModTime().UnixNano()
			if info.IsDir() && !strings.HasPrefix(path, f.outside()) {
				when = 0
			}
			fmt.Fprintln(&b, path, info.Mode(), when, string(text))
			return nil
		})
	}
	return b.String()
}

// effect says what an attack did, or "".
func (f *field) effect(a raid, got result) string {
	if strings.Contains(got.all, f.secret) {
		return "read the secret"
	}
	if strings.Contains(got.all, f.name) || strings.Contains(got.all, "it-is-there") {
		return "saw a name outside"
	}
	select {
	case <-f.died:
		return "killed a process"
	default:
	}
	if n := f.touched.Swap(0); n > 0 {
		return "reached a socket"
	}
	if a.kind == "vsock" && strings.Contains(got.all, "made") {
		return "made a socket of another family"
	}
	if now := f.look(); now != f.before {
		return "changed what is not its own"
	}
	if a.kind == "suid" {
		found := ""
		_ = filepath.WalkDir(f.dir, func(path string, _ fs.DirEntry, _ error) error {
			if info, err := os.Lstat(path); err == nil && info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
				found = "made " + info.Name() + " setuid"
			}
			return nil
		})
		return found
	}
	return ""
}

// assault runs attacks and returns those with an effect.
func assault(t *testing.T, level string, list []raid, wraps []string) (effects []string, tried int) {
	t.Helper()
	f := newField(t)
	enter := func() *sandbox.Cell {
		c, _ := newCell(t, sandbox.Profile{Workspace: f.dir, Confine: sandbox.Confine{Level: level, Require: level}, Limits: sandbox.Limits{Wall: 5 * time.Second}})
		return c
	}
	c := enter()
	for _, a := range list {
		if a.harmful && level == sandbox.LevelNone || a.gap && level == sandbox.LevelLandlock {
			continue
		}
		for _, wrap := range wraps {
			if wrap != "%s" && strings.Contains(a.line, "'") {
				continue
			}
			line := fmt.Sprintf(wrap, f.fill(a.line))
			tried++
			what := f.effect(a, run(t, c, sandbox.Cmd{Line: line}))
			if what == "" {
				continue
			}
			effects = append(effects, what+": "+line)
			c.Close()
			_ = f.victim.Process.Kill()
			if level == sandbox.LevelNone {
				os.RemoveAll(f.dir)
			}
			f.plant()
			c = enter()
		}
	}
	c.Close()
	return effects, tried
}

func TestAttacksHaveNoEffect(t *testing.T) {
	ways := wraps[:1]
	if os.Getenv("TOOLPOST_SOAK") != "" {
		ways = wraps
	}
	for _, level := range []string{sandbox.LevelFull, sandbox.LevelLandlock} {
		t.Run("at level "+level, func(t *testing.T) {
			needsLevel(t, level)
			effects, tried := assault(t, level, attacks(t), ways)
			t.Logf("%d of %d attacks had an effect", len(effects), tried)
			if len(effects) > 0 {
				t.Errorf("effects:\n%s", strings.Join(effects, "\n"))
			}
		})
	}
}

// Without walls most of the attacks succeed: the test above can fail.
func TestAttacksWorkWithoutWalls(t *testing.T) {
	list := slices.DeleteFunc(attacks(t), func(a raid) bool { return strings.Contains(a.line, "-m 1") || strings.Contains(a.line, "ssh") }) // slow
	half := list[:0]
	for i, a := range list {
		if i%2 == 0 {
			half = append(half, a)
		}
	}
	effects, tried := assault(t, sandbox.LevelNone, half, wraps[:1])
	t.Logf("%d of %d attacks had an effect", len(effects), tried)
	if len(effects) < 50 {
		t.Errorf("only %d of %d attacks had an effect where nothing stops them:\n%s", len(effects), tried, strings.Join(effects, "\n"))
	}
}

func TestAttacksOfAnOrdinaryUserHaveNoEffect(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs to be root, to become an ordinary user; the tests above were those of one")
	}
	needsLevel(t, sandbox.LevelFull)
	again(t, "^TestAttacksHaveNoEffect$", ordinary)
}
