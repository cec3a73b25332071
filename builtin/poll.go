package builtin

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/tool"
)

// poll returns what a session wrote since the last poll, and waits for it if
// there is nothing. A peek leaves it for the next poll.
func (s *session) poll(ctx context.Context, timeoutMS int, peek bool) (*tool.Result, error) {
	if err := s.await(ctx, time.Duration(timeoutMS)*time.Millisecond); err != nil {
		return nil, err
	}
	over := !s.running() // asked first, so that no output is behind what is taken
	s.mu.Lock()
	lost := s.pending.dropped > 0
	var fresh string
	if peek {
		fresh = s.pending.text()
	} else {
		fresh = s.pending.take()
	}
	if s.idle++; fresh != "" {
		s.idle = 0
	}
	idle := s.idle
	s.mu.Unlock()
	out := s.data("poll")
	out.Output, out.Truncated = fresh, lost
	if !over {
		out.Status, out.ExitCode, out.TimedOut = statusRunning, nil, false
		out.RetryInMS = retryHint(idle)
		note := fmt.Sprintf("still running after %s; poll again in %d ms", s.duration().Round(time.Millisecond), out.RetryInMS)
		return filetool.Answer(joinNote(fresh, note), out), nil
	}
	return filetool.Answer(joinNote(fresh, s.note()), out), nil
}

// await waits until there is output that was not polled or the command has
// ended, and no longer than d.
func (s *session) await(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		s.mu.Lock()
		some := !s.pending.empty()
		s.mu.Unlock()
		if some || !s.running() {
			return nil
		}
		select {
		case <-s.fresh:
		case <-s.done:
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// retryHint grows with the polls that brought nothing: 1 s, 2 s, 4 s, up to 30 s.
func retryHint(idle int) int {
	return min(1000<<min(max(idle-1, 0), 5), 30_000)
}

// log is some lines of what is kept of the output, the last ones if no offset
// is given.
func (s *session) log(in processIn) (*tool.Result, error) {
	s.mu.Lock()
	text := s.merged.text()
	lost := s.merged.dropped > 0
	s.mu.Unlock()
	var lines []string
	if text != "" {
		lines = strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	}
	limit := in.Limit
	if limit < 1 {
		limit = 200
	}
	start := in.Offset
	if start < 1 {
		start = max(len(lines)-limit+1, 1)
	}
	if start > len(lines) && in.Offset > 1 {
		return nil, tool.Errorf(tool.CodeInvalid, "offset %d is past the end of the output, which has %s", in.Offset, filetool.Plural(len(lines), "line"))
	}
	out := s.data("log")
	end := min(start-1+limit, len(lines))
	out.Output = strings.Join(lines[start-1:end], "")
	out.StartLine, out.TotalLines, out.Truncated = start, len(lines), lost
	note := fmt.Sprintf("lines %d to %d of %d; %s", min(start, end), end, len(lines), s.note())
	return filetool.Answer(joinNote(out.Output, note), out), nil
}
