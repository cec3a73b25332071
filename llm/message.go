package llm

import (
	"encoding/json"
	"strings"

	"github.com/toolpost/toolpost/tool"
)

// A Message is what one side says in one go.
type Message struct {
	ID       string  `json:"id,omitzero"`
	Role     Role    `json:"role"`
	Blocks   []Block `json:"blocks"`
	Stop     Stop    `json:"stopReason,omitzero"`  // of an assistant message: why it ended
	Usage    *Usage  `json:"usage,omitempty"`      // of an assistant message
	Provider string  `json:"provider,omitzero"`    // who said it: the provider's name
	API      string  `json:"api,omitzero"`         // and its wire, such as openai-chat
	Model    string  `json:"model,omitzero"`       // and the model, as it was asked for
	Served   string  `json:"servedModel,omitzero"` // as the server calls it, if that differs
	Error    string  `json:"error,omitzero"`       // why it is not whole; such a message is not sent again
}

// Role says who speaks.
type Role string

// Roles.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool" // bears the results of calls
)

// A Block is one part of a message: of its members the one that Type names is
// set. Text and images are the embedded Content.
type Block struct {
	tool.Content
	Thinking  string          `json:"thinking,omitzero"`
	Signature string          `json:"signature,omitzero"` // the provider's proof of a thinking, text or call block; replayed as it came
	Call      *tool.Call      `json:"call,omitempty"`     // as the model sent it
	Result    *tool.Result    `json:"result,omitempty"`
	Opaque    json.RawMessage `json:"opaque,omitempty"` // the provider's own; replayed as it came

	// Broken says why Call cannot be run: it was cut off (TRUNCATED_CALL), is not
	// JSON (VALIDATION_ERROR) or is too large (LIMIT_EXCEEDED). Such a call is
	// answered with this error and never handed to a tool. Arguments that are not
	// JSON are kept in Call.Args as a JSON string of the text that came.
	Broken *tool.Error `json:"broken,omitempty"`
}

// Kinds of block beside tool.ContentText and tool.ContentImage.
const (
	BlockThinking tool.ContentType = "thinking"
	BlockCall     tool.ContentType = "call"
	BlockResult   tool.ContentType = "result"
	BlockOpaque   tool.ContentType = "opaque"
)

// TextBlock is a block of text.
func TextBlock(s string) Block {
	return Block{Content: tool.Content{Type: tool.ContentText, Text: s}}
}

// ResultBlock is a block that answers a call.
func ResultBlock(r *tool.Result) Block {
	return Block{Content: tool.Content{Type: BlockResult}, Result: r}
}

// User is a message of the user with one block of text.
func User(text string) Message {
	return Message{Role: RoleUser, Blocks: []Block{TextBlock(text)}}
}

// System is a system message with one block of text.
func System(text string) Message {
	return Message{Role: RoleSystem, Blocks: []Block{TextBlock(text)}}
}

// Text is the text blocks of m, joined.
func (m *Message) Text() string {
	if len(m.Blocks) == 1 && m.Blocks[0].Type == tool.ContentText {
		return m.Blocks[0].Text
	}
	var b strings.Builder
	for i := range m.Blocks {
		if m.Blocks[i].Type == tool.ContentText {
			b.WriteString(m.Blocks[i].Text)
		}
	}
	return b.String()
}

// Calls is how many calls m asks for.
func (m *Message) Calls() int {
	n := 0
	for i := range m.Blocks {
		if m.Blocks[i].Call != nil {
			n++
		}
	}
	return n
}

// Broken reports whether an assistant message was aborted or failed, so that it
// is not to be sent to a model again.
func (m *Message) Broken() bool {
	return m.Role == RoleAssistant && (m.Error != "" || m.Stop == StopBroken || m.Stop == StopAborted)
}

// Stop says why a reply ended.
type Stop string

// Stop reasons. One that a provider invents is kept as its text and treated as
// StopEnd.
const (
	StopEnd         Stop = "stop"
	StopCalls       Stop = "tool_calls"
	StopLength      Stop = "length"
	StopContextFull Stop = "context_full"
	StopRefused     Stop = "refused"
	StopContinue    Stop = "continue"      // the provider wants to be asked to go on
	StopBadCall     Stop = "bad_tool_call" // the provider could not read its model's call
	StopBroken      Stop = "broken"        // the stream ended without a reason
	StopAborted     Stop = "aborted"       // by us
)

// Cut reports whether a reply that stopped so may have been cut inside a call.
func (s Stop) Cut() bool {
	switch s {
	case StopLength, StopContextFull, StopRefused, StopBadCall, StopBroken, StopAborted:
		return true
	}
	return false
}

// Usage is what a request cost, in tokens.
type Usage struct {
	Input      int64 `json:"input"` // without what was read from or written to a cache
	CacheRead  int64 `json:"cacheRead,omitzero"`
	CacheWrite int64 `json:"cacheWrite,omitzero"`
	Output     int64 `json:"output"` // with reasoning
	Reasoning  int64 `json:"reasoning,omitzero"`
	ToolInput  int64 `json:"toolInput,omitzero"` // of a prompt, for tool results, where a provider counts them apart
}

// Add is the sum of both.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Input + v.Input, u.CacheRead + v.CacheRead, u.CacheWrite + v.CacheWrite,
		u.Output + v.Output, u.Reasoning + v.Reasoning, u.ToolInput + v.ToolInput}
}

// Total is all tokens, read and written.
func (u Usage) Total() int64 {
	return u.Input + u.CacheRead + u.CacheWrite + u.Output + u.ToolInput
}
