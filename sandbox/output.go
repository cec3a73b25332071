package sandbox

import (
	"os"
	"time"
)

// wire makes the descriptors of the child and our ends of them.
func (p *Process) wire(w walls, cmd Cmd) error {
	err := p.wireFiles(w, cmd)
	if err != nil {
		p.unwire()
		return &Error{Kind: KindIO, Msg: "opening pipes or a terminal for the command: " + bare(err).Error(), Err: bare(err)}
	}
	return nil
}

func (p *Process) wireFiles(w walls, cmd Cmd) error {
	if cmd.TTY != nil {
		ours, theirs, err := w.terminal(cmd.TTY.orDefault())
		if err != nil {
			return err
		}
		p.tty, p.stdin = ours, ours
		p.child = []*os.File{theirs, theirs, theirs}
		p.outputs = []output{{Terminal, ours}}
		return nil
	}
	var in *os.File
	var err error
	if cmd.OpenStdin || len(cmd.Stdin) > 0 {
		in, p.stdin, err = os.Pipe()
	} else {
		in, err = os.OpenFile(os.DevNull, os.O_RDONLY, 0)
	}
	if err != nil {
		return err
	}
	p.child = append(p.child, in)
	for _, stream := range []Stream{Stdout, Stderr} {
		ours, theirs, err := os.Pipe()
		if err != nil {
			return err
		}
		p.child = append(p.child, theirs)
		p.outputs = append(p.outputs, output{stream, ours})
	}
	return nil
}

// unwire closes everything after a start that failed.
func (p *Process) unwire() {
	p.closeChildEnds()
	for _, o := range p.outputs {
		o.file.Close()
	}
	if p.stdin != nil {
		p.stdin.Close()
	}
}

func (p *Process) closeChildEnds() {
	for _, f := range p.child {
		f.Close() // the terminal three times, which is harmless
	}
	p.child = nil
}

func (p *Process) startReaders() {
	p.closeChildEnds()
	for _, o := range p.outputs {
		p.noRead.Go(func() { p.read(o) })
	}
}

// read passes on one stream until its end, the limit or the end of the drain.
func (p *Process) read(o output) {
	if o.file != p.tty {
		defer o.file.Close()
	}
	buf := make([]byte, 32<<10)
	for {
		n, err := o.file.Read(buf)
		if n > 0 && !p.emit(o.stream, buf[:n]) {
			p.request(ReasonOutputLimit)
			return
		}
		if err != nil {
			return
		}
	}
}

// emit gives a chunk to the sink, cut at the limit. It reports whether more
// may come.
func (p *Process) emit(stream Stream, chunk []byte) bool {
	p.outMu.Lock()
	defer p.outMu.Unlock()
	if p.muted {
		return false
	}
	left := p.limits.OutputBytes - p.spent
	if int64(len(chunk)) > left {
		chunk = chunk[:left]
		p.muted = true
	}
	p.spent += int64(len(chunk))
	if p.sink != nil && len(chunk) > 0 {
		p.sink(stream, chunk)
	}
	return !p.muted
}

// cut reports whether output was left out.
func (p *Process) cut() bool {
	p.outMu.Lock()
	defer p.outMu.Unlock()
	return p.muted
}

// drain waits for what is still in the pipes, and no longer than a moment: a
// process left behind can hold them open for ever. It reports whether one did.
func (p *Process) drain() (held bool) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.noRead.Wait()
	}()
	p.closeFeed()
	timer := time.NewTimer(drainTime)
	defer timer.Stop()
	select {
	case <-ended:
		return false
	case <-timer.C:
	}
	for _, o := range p.outputs {
		if o.file.SetReadDeadline(time.Unix(1, 0)) != nil {
			o.file.Close()
		}
	}
	<-ended
	return true
}
