package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/toolpost/toolpost/llm"
	"github.com/toolpost/toolpost/session"
	"github.com/toolpost/toolpost/tool"
)

// Run lists the sessions, the last used first.
func (c *sessionLsCommand) Run(p *program) error {
	cfg, err := p.settings()
	if err != nil {
		return err
	}
	list, err := p.sessionStore(cfg).List()
	if err != nil {
		return err
	}
	if c.Limit > 0 {
		list = list[:min(len(list), c.Limit)]
	}
	switch p.out.form {
	case "json":
		if list == nil {
			list = []session.Summary{}
		}
		return p.out.document(struct {
			V        int               `json:"v"`
			Sessions []session.Summary `json:"sessions"`
		}{1, list})
	case "jsonl":
		for i := range list {
			if err := p.out.document(list[i]); err != nil {
				return err
			}
		}
		return nil
	}
	for i := range list {
		s := &list[i]
		p.out.printf("%-36s  %s  %4d messages  %8s  %s\n", s.ID, s.Changed.Local().Format(time.DateTime), s.Messages, bytesText(s.Bytes), clip(s.First, 40))
	}
	if len(list) == 0 {
		p.out.note("no sessions yet; `toolpost run` makes one\n")
	}
	return nil
}

// Run prints what was said in a session.
func (c *sessionShowCommand) Run(p *program) error {
	cfg, err := p.settings()
	if err != nil {
		return err
	}
	store := p.sessionStore(cfg)
	id, err := resolveSession(store, string(c.Name))
	if err != nil {
		return err
	}
	msgs, err := store.Read(id)
	if err != nil {
		return err
	}
	switch p.out.form {
	case "json":
		return p.out.document(struct {
			V        int           `json:"v"`
			ID       string        `json:"sessionId"`
			Messages []llm.Message `json:"messages"`
		}{1, id, msgs})
	case "jsonl":
		for i := range msgs {
			if err := p.out.document(msgs[i]); err != nil {
				return err
			}
		}
		return nil
	}
	p.out.styled(p.out.outStyle.bold("session "+clean(id)) + "\n")
	for i := range msgs {
		p.out.styled(messageText(p.out.outStyle, &msgs[i]))
	}
	p.out.note(p.out.errStyle.faint("go on  toolpost run --session "+shellWord(clean(id))+` "…"`) + "\n")
	return nil
}

// messageText is a message for people: what was said, and a line for each call
// and each result.
func messageText(st style, m *llm.Message) string {
	var b strings.Builder
	b.WriteString("\n" + st.cyan(string(m.Role)) + "\n")
	for i := range m.Blocks {
		k := &m.Blocks[i]
		switch {
		case k.Call != nil:
			fmt.Fprintf(&b, "  → %s %s\n", clean(k.Call.Tool), clean(pretty(k.Call.Args)))
		case k.Result != nil:
			fmt.Fprintf(&b, "  ← %s %s\n", clean(k.Result.Tool), statusWord(k.Result))
			text := textOf(k.Result)
			if text == "" && k.Result.Err != nil {
				text = k.Result.Err.Message
			}
			if text != "" {
				b.WriteString(indent(clean(clipLines(text, 8)), "      "))
			}
		case k.Thinking != "":
			b.WriteString(st.faint(indent(clean(clipLines(k.Thinking, 8)), "  ~ ")))
		case k.Type == tool.ContentImage:
			fmt.Fprintf(&b, "  [%s, %s]\n", k.MIME, bytesText(int64(len(k.Data))))
		case k.Text != "":
			b.WriteString(indent(clean(k.Text), "  "))
		}
	}
	if m.Error != "" {
		fmt.Fprintf(&b, "  %s\n", st.red("broken off: "+clean(clip(m.Error, 200))))
	}
	return b.String()
}

// clipLines is the first n lines of a text.
func clipLines(s string, n int) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	if len(lines) <= n {
		return strings.Join(lines, "\n")
	}
	return strings.Join(lines[:n], "\n") + fmt.Sprintf("\n… %d more lines", len(lines)-n)
}
