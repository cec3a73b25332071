package sandbox

import (
	"context"
	"errors"
	"os"
	"time"
)

// feed writes Cmd.Stdin, beside everything else, and then closes the input
// unless it is to stay open.
func (p *Process) feed(data []byte, cmd Cmd) {
	if len(data) == 0 {
		close(p.fed)
		return
	}
	in := p.stdin // nobody else writes or closes it before fed is closed
	p.noRead.Go(func() {
		_, err := in.Write(data)
		p.inMu.Lock()
		shut := p.shut
		close(p.fed)
		p.inMu.Unlock()
		if shut || err != nil || !cmd.OpenStdin && cmd.TTY == nil {
			p.closeInput()
		}
	})
}

// closeFeed frees a writer that nobody reads from any more.
func (p *Process) closeFeed() {
	p.inMu.Lock()
	defer p.inMu.Unlock()
	if p.stdin != nil {
		_ = p.stdin.SetWriteDeadline(time.Unix(1, 0))
	}
}

func (p *Process) closeInput() {
	p.inMu.Lock()
	defer p.inMu.Unlock()
	if p.stdin != nil && p.stdin != p.tty {
		p.stdin.Close()
	}
	p.stdin = nil
}

// Write gives bytes to the standard input of the command, or types them into
// its terminal. It waits until the command has taken them, the command ends or
// ctx does, and returns how many went. It fails with [KindClosed] when the
// input is closed, or was never open (see Cmd.OpenStdin).
func (p *Process) Write(ctx context.Context, data []byte) (int, error) {
	p.inMu.Lock()
	in := p.stdin
	p.inMu.Unlock()
	if in == nil {
		return 0, fail(KindClosed, "", "the standard input of the command is closed; start it with a terminal or with its input open")
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	stop := context.AfterFunc(ctx, func() { _ = in.SetWriteDeadline(time.Unix(1, 0)) })
	n, err := in.Write(data)
	if !stop() && p.running() {
		_ = in.SetWriteDeadline(time.Time{})
	}
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, os.ErrDeadlineExceeded) && ctx.Err() != nil:
		return n, ctx.Err()
	}
	return n, &Error{Kind: KindClosed, Msg: "the command does not take input any more", Err: bare(err)}
}

func (p *Process) running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// CloseStdin ends the input: the command reads end of file. In a terminal it
// types Ctrl-D, which programs may read as they like.
func (p *Process) CloseStdin() error {
	if p.tty != nil {
		_, err := p.Write(context.Background(), []byte{4})
		return err
	}
	p.inMu.Lock()
	select {
	case <-p.fed:
	default:
		p.shut = true
	}
	shut := p.shut
	p.inMu.Unlock()
	if !shut {
		p.closeInput()
	}
	return nil
}

// Signal sends a signal to the command's process group: to the first process
// and those it started, unless they made groups of their own. Use [Process.Kill]
// to end everything.
func (p *Process) Signal(sig os.Signal) error {
	if !p.running() {
		return fail(KindClosed, "", "the command is over")
	}
	return wrap("sending the signal", "", p.tree.signalGroup(sig))
}

// Resize sets the size of the command's terminal, which is told of it.
func (p *Process) Resize(size Size) error {
	if p.tty == nil {
		return fail(KindInvalid, "", "the command has no terminal")
	}
	if !p.running() {
		return fail(KindClosed, "", "the command is over")
	}
	return wrap("setting the size of the terminal", "", setTerminalSize(p.tty, size.orDefault()))
}
