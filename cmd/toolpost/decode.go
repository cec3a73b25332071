package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/provider/anthropic"
	"github.com/toolpost/toolpost/provider/gemini"
	"github.com/toolpost/toolpost/provider/ollama"
	"github.com/toolpost/toolpost/provider/openai"
)

type modelsCommands struct {
	Decode modelsDecodeCommand `cmd:"" help:"Read the recorded body of a model's answer and print what it says: text, calls, stop reason, usage."`
}

type modelsDecodeCommand struct {
	Wire string `required:"" placeholder:"WIRE" help:"openai-chat, anthropic-messages, gemini-generate, gemini-interactions or ollama-native."`
	File string `arg:"" optional:"" default:"-" help:"The recording; - reads it from stdin."`
}

// wires is how the answer of each API is read.
func wires() map[string]func(io.Reader) iter.Seq2[llm.Delta, error] {
	return map[string]func(io.Reader) iter.Seq2[llm.Delta, error]{
		"openai-chat":       openai.Decode,
		anthropic.API:       anthropic.Decode,
		gemini.Generate:     gemini.Decode,
		gemini.Interactions: gemini.DecodeInteractions,
		"ollama-native":     ollama.Decode,
	}
}

// decodedCall is a call of a recorded answer. Arguments that are not JSON stand
// as a string, with why the call would not be run.
type decodedCall struct {
	ID        string          `json:"id,omitempty"` // the provider's own
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	NotRun    string          `json:"notRun,omitempty"`
}

// decodedAnswer is a recorded answer.
type decodedAnswer struct {
	V        int           `json:"v"`
	Wire     string        `json:"wire"`
	Model    string        `json:"model,omitempty"`
	Text     string        `json:"text"`
	Thinking string        `json:"thinking,omitempty"`
	Calls    []decodedCall `json:"calls"`
	Stop     llm.Stop      `json:"stopReason"`
	Usage    *llm.Usage    `json:"usage,omitempty"`
	Error    string        `json:"error,omitempty"`
}

// Run decodes a recording.
func (c *modelsDecodeCommand) Run(p *program) error {
	decode := wires()[c.Wire]
	if decode == nil {
		known := slices.Sorted(maps.Keys(wires()))
		pr := &problem{code: codeUsage, exit: exitUsage, message: fmt.Sprintf("there is no wire %q", clip(c.Wire, 40)), facts: []string{"wires: " + strings.Join(known, ", ")}}
		if near := nearest(c.Wire, known); near != "" {
			pr.facts = append(pr.facts, fmt.Sprintf("did you mean %q?", near))
		}
		return pr
	}
	body, err := p.readInput(c.File)
	if err != nil {
		return err
	}
	var reply llm.Reply
	for d, err := range decode(bytes.NewReader(body)) {
		if err != nil {
			reply.Fail(err)
			break
		}
		reply.Add(d)
	}
	m := reply.Message()
	out := decodedAnswer{V: 1, Wire: c.Wire, Model: cmpName(m.Served, m.Model), Text: m.Text(), Calls: []decodedCall{}, Stop: m.Stop, Usage: m.Usage, Error: m.Error}
	for _, b := range m.Blocks {
		out.Thinking += b.Thinking
		if b.Call == nil {
			continue
		}
		call := decodedCall{ID: b.Call.ProviderID, Name: b.Call.Tool, Arguments: b.Call.Args}
		if b.Broken != nil {
			call.NotRun = string(b.Broken.Code) + ": " + b.Broken.Message
		}
		out.Calls = append(out.Calls, call)
	}
	if err := p.out.document(out); err != nil {
		return err
	}
	if m.Error != "" {
		return &problem{code: codeInvalid, exit: exitInvalid, message: "the recording ends in a failure: " + clip(m.Error, 300)}
	}
	return nil
}
