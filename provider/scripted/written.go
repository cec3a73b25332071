package scripted

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/tool"
)

// scriptYAML is a script as written.
type scriptYAML struct {
	Model string     `yaml:"model"`
	Chunk int        `yaml:"chunk"`
	Pace  span       `yaml:"pace"`
	Loop  bool       `yaml:"loop"`
	Turns []turnYAML `yaml:"turns"`
}

type turnYAML struct {
	Expect   words      `yaml:"expect"`
	Thinking string     `yaml:"thinking"`
	Text     string     `yaml:"text"`
	Calls    []callYAML `yaml:"calls"`
	Stop     string     `yaml:"stop"`
	Usage    *usageYAML `yaml:"usage"`
	Delay    span       `yaml:"delay"`
	Repeat   int        `yaml:"repeat"`
	Error    *errorYAML `yaml:"error"`
	Cut      bool       `yaml:"cut"`
}

type callYAML struct {
	Tool string  `yaml:"tool"`
	ID   string  `yaml:"id"`
	Args jsonDoc `yaml:"args"`
	Raw  string  `yaml:"raw"`
}

type usageYAML struct {
	Input      int64 `yaml:"input"`
	Output     int64 `yaml:"output"`
	CacheRead  int64 `yaml:"cacheRead"`
	CacheWrite int64 `yaml:"cacheWrite"`
	Reasoning  int64 `yaml:"reasoning"`
}

type errorYAML struct {
	Status     int    `yaml:"status"`
	Code       string `yaml:"code"`
	Type       string `yaml:"type"`
	Message    string `yaml:"message"`
	RetryAfter span   `yaml:"retryAfter"`
}

// turn is y as a Turn, or what is wrong with it.
func (y *turnYAML) turn() (t Turn, msg string) {
	t = Turn{Expect: y.Expect, Thinking: y.Thinking, Text: y.Text, Stop: llm.Stop(y.Stop), Delay: time.Duration(y.Delay), Cut: y.Cut, Repeat: y.Repeat}
	if u := y.Usage; u != nil {
		t.Usage = &llm.Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Reasoning: u.Reasoning}
	}
	for i, c := range y.Calls {
		args := json.RawMessage(c.Args)
		switch {
		case c.Tool == "":
			return t, fmt.Sprintf("call %d names no tool", i+1)
		case c.Raw != "" && args != nil:
			return t, fmt.Sprintf("call %d has both args and raw: keep one", i+1)
		case string(args) == "null":
			args = nil
		case args != nil && args[0] != '{':
			return t, fmt.Sprintf("call %d: args must be a mapping; for anything else use raw", i+1)
		}
		t.Calls = append(t.Calls, Call{Tool: c.Tool, ID: c.ID, Args: args, Raw: c.Raw})
	}
	switch {
	case y.Repeat < 0:
		return t, fmt.Sprintf("repeat is %d; it must be 1 or more", y.Repeat)
	case y.Error != nil && (y.Text != "" || y.Thinking != "" || len(y.Calls) > 0 || y.Cut || y.Stop != ""):
		return t, "a turn with error says nothing: move text, thinking, calls, stop and cut to a turn of their own"
	case y.Error != nil:
		t.Fail = y.Error.failure()
	}
	return t, ""
}

func (y *errorYAML) failure() *llm.Error {
	e := llm.ErrorOf(y.Status, nil, nil)
	e.Provider, e.Type, e.Message, e.RetryAfter = "script", y.Type, y.Message, time.Duration(y.RetryAfter)
	if e.Message == "" {
		e.Message = "the script says that the request fails"
	}
	if y.Code != "" {
		e.Code, e.Retryable = tool.Code(y.Code), tool.Code(y.Code) == tool.CodeUnavailable
	}
	return e
}
