package event

import (
	"context"
	"iter"
	"runtime"
	"sync"
	"time"

	"github.com/toolpost/toolpost/tool"
)

// A Stream is the events of one run as it goes on. The run moves only while the
// stream is ranged over, and to break is to cancel it and to wait for its end.
// An error is the last thing it yields, with a zero Event beside it.
//
// The body of the loop is never entered twice at once, but not always by the
// goroutine that began the loop: an event of a call that runs beside others is
// dealt with on that call's goroutine.
type Stream = iter.Seq2[Event, error]

// Go is a stream of what run emits under the given run id. Run is called on the
// goroutine that ranges, with a context that ends when the listener leaves, and
// has ended when the stream has. An error of run is yielded last. A stream can
// be ranged over once for each time the work is to be done.
func Go(ctx context.Context, id string, run func(context.Context, *Run) error) Stream {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		crew := tool.NewCrew()
		defer crew.Dismiss()
		s := &stream{id: id, yield: yield, cancel: cancel, began: time.Now()}
		err := run(tool.WithCrew(ctx, crew), &Run{stream: s, crew: crew})
		switch {
		case s.panicked:
			panic(s.value)
		case s.exited:
			runtime.Goexit()
		case err != nil && !s.gone:
			yield(Event{}, err)
		}
	}
}

// stream brings the events of many goroutines to one listener, one at a time.
// Whoever comes while the listener is busy waits; the first of those who wait
// then deals with the events of all of them, together.
type stream struct {
	id     string
	yield  func(Event, error) bool
	cancel context.CancelFunc
	began  time.Time

	mu      sync.Mutex
	busy    bool
	waiting []*emission

	// Of whoever is busy:
	seq      int64
	gone     bool // no one listens any more
	panicked bool
	exited   bool // by runtime.Goexit
	value    any  // of the panic
}

// emission is an event whose emitter waits. Turn tells it that it was dealt with
// (false), or that it is to deal with all that wait (true).
type emission struct {
	event Event
	turn  chan bool
}

// emit has the listener deal with e. Placed is called, if not nil, once the
// place of e among the others is settled.
func (s *stream) emit(e Event, placed func()) {
	s.mu.Lock()
	if !s.busy {
		s.busy = true
		s.mu.Unlock()
		defer s.release(nil)
		if placed != nil {
			placed()
		}
		s.deal(e)
		return
	}
	w := &emission{e, make(chan bool, 1)}
	s.waiting = append(s.waiting, w)
	s.mu.Unlock()
	if placed != nil {
		placed()
	}
	if !<-w.turn {
		return
	}
	s.mu.Lock()
	together := s.waiting
	s.waiting = nil
	s.mu.Unlock()
	defer s.release(together[1:])
	for i, w := range together {
		w.event.More = i < len(together)-1
		s.deal(w.event)
	}
}

// release lets those go on whose events were dealt with, and hands the listener
// to the next who waits.
func (s *stream) release(dealt []*emission) {
	for _, w := range dealt {
		w.turn <- false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 {
		s.busy = false
		return
	}
	s.waiting[0].turn <- true
}

// deal calls the listener. A panic of it is kept until the run has ended, so
// that the driver can clean up.
func (s *stream) deal(e Event) {
	if s.gone {
		return
	}
	s.seq++
	e.Run, e.Seq = s.id, s.seq
	if e.Time.IsZero() {
		e.Time = s.began.Add(time.Since(s.began)) // half the price of asking for the time of day
	}
	returned, stays := false, false
	defer func() {
		if stays {
			return
		}
		s.gone = true
		s.cancel()
		if returned {
			return
		}
		if v := recover(); v != nil {
			s.panicked, s.value = true, v
			return
		}
		s.exited = true
	}()
	stays = s.yield(e, nil)
	returned = true
}
