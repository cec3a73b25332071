package hook

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/toolpost/toolpost/tool"
)

// Times of hooks and of waiting for a person.
const (
	DefaultTimeout  = 10 * time.Second  // of a hook that names none
	MaxTimeout      = 600 * time.Second // of a hook, whatever it names
	DefaultQuestion = 120 * time.Second // of a Question that names none
)

// period is what a hook that asks for d is given.
func period(d, or time.Duration) time.Duration {
	return min(max(cmp.Or(d, or), 0), MaxTimeout)
}

// bounded runs fn under a deadline and the guard that tools have, so that it is
// back soon after d whatever fn does: a panic, runtime.Goexit and an overrun are
// errors. Fn gets a copy of the call; when bounded returns an error, fn may
// still be running, and what it writes to is not to be read.
func bounded(ctx context.Context, c *tool.Call, d time.Duration, fn func(context.Context, *tool.Call) error) error {
	own := *c
	own.Timeout, own.Deadline = d, time.Now().Add(d)
	res, err := tool.Guard(func(ctx context.Context, own *tool.Call) (*tool.Result, error) {
		return nil, fn(ctx, own)
	})(ctx, &own)
	if err == nil && res != nil && res.Err != nil { // the guard had effects to tell of
		err = res.Err
	}
	return err
}

// overran reports whether err is that of a function that was not done in time.
func overran(err error) bool {
	return errors.Is(err, &tool.Error{Code: tool.CodeTimeout})
}
