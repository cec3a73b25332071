//go:build unix

package sandbox

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// member is a live process of a tree.
type member struct {
	pid, group int
}

// end tells everything in the tree to terminate, waits, kills what is left,
// and returns when nothing is. Grace zero kills at once.
func (t *tree) end(grace time.Duration) { t.endUnless(grace, nil) }

// endUnless is end with a grace that a second request cuts short.
func (t *tree) endUnless(grace time.Duration, hurry <-chan Reason) {
	if grace > 0 && t.signalAll(syscall.SIGTERM) > 0 {
		t.await(grace, hurry)
	}
	deadline := time.Now().Add(Grace)
	tick := time.NewTicker(checkEvery / 10)
	defer tick.Stop()
	for t.signalAll(syscall.SIGKILL) > 0 && time.Now().Before(deadline) {
		<-tick.C
	}
}

func (t *tree) await(grace time.Duration, hurry <-chan Reason) {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	for {
		select {
		case <-timer.C:
			return
		case why := <-hurry:
			if why == ReasonKilled {
				return
			}
		case <-tick.C:
			if len(t.members()) == 0 {
				return
			}
		}
	}
}

// signalAll signals every member and returns how many there were. Groups are
// signalled as such, which no fork can slip through.
func (t *tree) signalAll(sig syscall.Signal) int {
	members := t.members()
	self, own := os.Getpid(), syscall.Getpgrp()
	groups := map[int]bool{}
	for _, m := range members {
		if m.group > 1 && m.group != own && !groups[m.group] {
			groups[m.group] = true
			_ = syscall.Kill(-m.group, sig)
		}
	}
	for _, m := range members {
		if m.pid > 1 && m.pid != self && !groups[m.group] {
			_ = syscall.Kill(m.pid, sig)
		}
	}
	return len(members)
}

func (t *tree) signalGroup(sig os.Signal) error {
	s, ok := sig.(syscall.Signal)
	if !ok {
		return errors.New("not a signal of this system")
	}
	return syscall.Kill(-t.leader, s)
}
