package llmtest

import (
	"io"
	"net/http"
	"sync"
	"time"
)

// A Server answers the nth request with the nth Answer, and those after the last
// with status 418. The zero Server has none. It is an http.Handler for
// httptest.NewServer.
type Server struct {
	mu      sync.Mutex
	answers []Answer
	seen    []Request
}

// NewServer is a Server with these answers.
func NewServer(answers ...Answer) *Server { return &Server{answers: answers} }

// An Answer is what a Server does with one request. The zero Answer is an empty
// 200.
type Answer struct {
	Status int           // 200 if zero
	Header http.Header   //
	Delay  time.Duration // before the status
	Chunks []string      // of the body, each sent at once
	Pace   time.Duration // between two chunks
	Hang   bool          // after the chunks nothing comes, until the client goes
	Cut    bool          // after the chunks the connection breaks
	Repeat int           // answers so many requests more
}

// A Request is what a Server was asked.
type Request struct {
	Method string
	Path   string
	Header http.Header
	Body   []byte
}

// Add appends answers.
func (s *Server) Add(answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = append(s.answers, answers...)
}

// Requests is what was asked so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.seen...)
}

func (s *Server) next(r Request) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, r)
	if len(s.answers) == 0 {
		return Answer{Status: http.StatusTeapot, Chunks: []string{"the test server has no more answers"}}
	}
	a := s.answers[0]
	if a.Repeat > 0 {
		s.answers[0].Repeat--
	} else {
		s.answers = s.answers[1:]
	}
	return a
}

// ServeHTTP gives the next answer.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went
	}
	a := s.next(Request{Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), Body: body})
	if !pause(r, a.Delay) {
		return
	}
	for k, v := range a.Header {
		w.Header()[k] = v
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "text/event-stream")
	}
	w.WriteHeader(max(a.Status, http.StatusOK))
	out := http.NewResponseController(w)
	for i, c := range a.Chunks {
		if i > 0 && !pause(r, a.Pace) {
			return
		}
		if _, err := io.WriteString(w, c); err != nil || out.Flush() != nil {
			return
		}
	}
	switch {
	case a.Hang:
		_ = out.Flush()
		<-r.Context().Done()
	case a.Cut:
		panic(http.ErrAbortHandler)
	}
}

func pause(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.Context().Done():
		return false
	}
}
