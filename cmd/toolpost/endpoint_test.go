package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/toolpost/toolpost/llm/llmtest"
)

// answer is one line of a file of answers for the command endpoint.
type answer struct {
	Text  string `json:"text"`
	Calls []struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
		Raw  string          `json:"raw"`
	} `json:"calls"`
	Finish  string  `json:"finish"`
	Status  int     `json:"status"`
	Type    string  `json:"type"`
	Message string  `json:"message"`
	After   float64 `json:"retryAfter"`
	HTML    bool    `json:"html"`
	Broken  int     `json:"broken"`
	Hanging int     `json:"hanging"`
	Repeat  int     `json:"repeat"`
	Pace    int     `json:"paceMs"`
	Bearer  string  `json:"bearer"` // refused without this key
	Asked   string  `json:"asked"`  // must stand in the request
}

// answering is a server with the answers of a file, one JSON object a line.
func answering(file string) (http.Handler, error) {
	s := llmtest.NewServer()
	var asked []answer
	for line := range strings.Lines(file) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		var a answer
		dec := json.NewDecoder(strings.NewReader(line))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&a); err != nil {
			return nil, fmt.Errorf("answer %q: %w", line, err)
		}
		s.Add(a.http())
		for range a.Repeat + 1 {
			asked = append(asked, a)
		}
	}
	n := 0
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n < len(asked) {
			want := asked[n]
			n++
			if want.Bearer != "" && r.Header.Get("Authorization") != "Bearer "+want.Bearer {
				http.Error(w, "the key that was sent is another", http.StatusNotAcceptable)
				return
			}
			if want.Asked != "" {
				var body bytes.Buffer
				_, _ = body.ReadFrom(r.Body)
				if !strings.Contains(body.String(), want.Asked) {
					http.Error(w, "the request does not say "+want.Asked+": "+body.String(), http.StatusNotAcceptable)
					return
				}
			}
		}
		s.ServeHTTP(w, r)
	}), nil
}

func (a answer) http() llmtest.Answer {
	h := llmtest.Chat(a.turn())
	switch {
	case a.HTML:
		h = llmtest.HTML(a.Status)
	case a.Status == http.StatusTooManyRequests && a.After > 0:
		h = llmtest.RateLimit(a.After)
	case a.Status != 0:
		h = llmtest.Refuse(a.Status, a.Type, a.Message)
	}
	if a.Broken > 0 {
		h = h.Broken(a.Broken)
	}
	if a.Hanging > 0 {
		h = h.Hanging(a.Hanging)
	}
	h.Pace, h.Repeat = time.Duration(a.Pace)*time.Millisecond, a.Repeat
	return h
}

func (a answer) turn() llmtest.Turn {
	t := llmtest.Turn{Text: a.Text, Finish: a.Finish, Usage: true}
	for _, c := range a.Calls {
		args := c.Raw
		if args == "" {
			args = string(c.Args)
		}
		t.Calls = append(t.Calls, llmtest.Call{ID: c.ID, Name: c.Name, Args: args})
	}
	return t
}

// await FILE TEXT waits until a file holds a text, as a program in the
// background writes it.
func awaitCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await file text")
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	end := time.After(20 * time.Second)
	for {
		if b, err := os.ReadFile(ts.MkAbs(args[0])); err == nil && strings.Contains(string(b), args[1]) {
			return
		}
		select {
		case <-tick.C:
		case <-end:
			ts.Fatalf("%s does not hold %q", args[0], args[1])
		}
	}
}
