//go:build unix

package sandbox_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/toolpost/toolpost/sandbox"
)

func TestATerminalIsOne(t *testing.T) {
	c, _ := newCell(t, sandbox.Profile{})
	var mu sync.Mutex
	var screen string
	p, err := c.Start(context.Background(), sandbox.Cmd{Line: "test -t 0 && test -t 1 && stty size; read a; echo got $a; stty size; cat; echo end", TTY: &sandbox.Size{Rows: 30, Cols: 100}}, func(from sandbox.Stream, b []byte) {
		mu.Lock()
		defer mu.Unlock()
		if from != sandbox.Terminal {
			t.Errorf("output from %s", from)
		}
		screen += string(b)
	})
	if err != nil {
		t.Fatal(err)
	}
	wait := func(text string) {
		t.Helper()
		deadline := time.After(10 * time.Second)
		for {
			mu.Lock()
			seen := strings.Contains(screen, text)
			mu.Unlock()
			if seen {
				return
			}
			select {
			case <-deadline:
				t.Fatalf("%q does not come; screen %q", text, screen)
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
	wait("30 100\r\n")
	if err := p.Resize(sandbox.Size{Rows: 10, Cols: 20}); err != nil {
		t.Error(err)
	}
	if _, err := p.Write(context.Background(), []byte("word\n")); err != nil {
		t.Error(err)
	}
	wait("got word\r\n")
	wait("10 20\r\n")
	if err := p.CloseStdin(); err != nil {
		t.Error(err)
	}
	if exit, err := p.Wait(context.Background()); exit.Reason != sandbox.ReasonExited || err != nil {
		t.Errorf("%+v, %v", exit, err)
	}
	wait("end\r\n")
	if _, err := p.Write(context.Background(), []byte("x")); sandbox.KindOf(err) != sandbox.KindClosed {
		t.Errorf("Write after the end: %v", err)
	}
}

func TestInputStaysOpenWhenAsked(t *testing.T) {
	c, _ := newCell(t, sandbox.Profile{})
	var got string
	p, err := c.Start(context.Background(), sandbox.Cmd{Line: "cat", OpenStdin: true, Stdin: []byte("a")}, func(_ sandbox.Stream, b []byte) { got += string(b) })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Write(context.Background(), []byte("b")); err != nil {
		t.Error(err)
	}
	if err := p.CloseStdin(); err != nil {
		t.Error(err)
	}
	if exit, _ := p.Wait(context.Background()); exit.Code != 0 || len(got) != 2 {
		t.Errorf("%+v %q", exit, got)
	}
	p, err = c.Start(context.Background(), sandbox.Cmd{Line: "sleep 60", OpenStdin: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if n, err := p.Write(ctx, make([]byte, 1<<20)); !errors.Is(err, context.DeadlineExceeded) || n == 0 || n == 1<<20 {
		t.Errorf("Write to a program that does not read = %d, %v", n, err)
	}
	if err := p.Signal(syscall.SIGINT); err != nil {
		t.Error(err)
	}
	if exit, _ := p.Wait(context.Background()); exit.Reason != sandbox.ReasonSignaled || exit.Signal != "SIGINT" {
		t.Errorf("%+v", exit)
	}
}
