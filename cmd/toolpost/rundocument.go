package main

import (
	"time"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/tool"
)

// shownRun is a run on record for programs: its facts and end, turns and calls.
type shownRun struct {
	V int `json:"v"`
	audit.Summary
	Live  bool        `json:"live"`
	Turns []shownTurn `json:"turns"`
	Calls []shownCall `json:"calls"`
}

type shownTurn struct {
	Index   int       `json:"index"`
	Started time.Time `json:"startedAt,omitzero"`
	Replied time.Time `json:"repliedAt,omitzero"`
	Ended   time.Time `json:"endedAt,omitzero"`
}

// shownCall is a call on record for programs.
type shownCall struct {
	N         int          `json:"n"`
	Turn      int          `json:"turn"`
	ID        string       `json:"callId"`
	Tool      string       `json:"tool"`
	Status    tool.Status  `json:"status,omitempty"`
	Unknown   bool         `json:"outcomeUnknown,omitempty"`
	Scheduled time.Time    `json:"scheduledAt,omitzero"`
	Waiting   time.Time    `json:"waitingAt,omitzero"`
	Started   time.Time    `json:"startedAt,omitzero"`
	Ended     time.Time    `json:"endedAt,omitzero"`
	Millis    float64      `json:"durationMs"`
	Asked     *tool.Call   `json:"asked"`
	Ran       *tool.Call   `json:"ran,omitempty"`
	Result    *tool.Result `json:"result,omitempty"`
}

func documentOf(v *audit.View) shownRun {
	d := shownRun{V: 1, Summary: v.Summary, Live: v.Live, Turns: []shownTurn{}, Calls: []shownCall{}}
	for _, t := range v.Turns {
		if t.Index > 0 {
			d.Turns = append(d.Turns, shownTurn{t.Index, t.Started, t.Replied, t.Ended})
		}
	}
	for _, c := range v.Calls {
		d.Calls = append(d.Calls, shownCallOf(c))
	}
	return d
}

func shownCallOf(c *audit.Call) shownCall {
	s := shownCall{N: c.N, Turn: c.Turn, ID: c.ID(), Tool: c.Tool(), Unknown: c.Unknown, Scheduled: c.Scheduled, Waiting: c.Waiting,
		Started: c.Started, Ended: c.Ended, Asked: c.Asked, Ran: c.Ran, Result: c.Result}
	if !c.Started.IsZero() && !c.Ended.IsZero() {
		s.Millis = float64(c.Ended.Sub(c.Started).Microseconds()) / 1000
	}
	if c.Result != nil {
		s.Status = c.Result.Status
	}
	return s
}

// callDocument is one call as a document of its own.
type callDocument struct {
	V int `json:"v"`
	shownCall
}

func callDocumentOf(c *audit.Call) callDocument { return callDocument{1, shownCallOf(c)} }
