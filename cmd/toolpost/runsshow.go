package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

// Run shows a run, or one of its calls.
func (c *runsShowCommand) Run(p *program) error {
	cfg, err := p.settings()
	if err != nil {
		return err
	}
	store := p.runStore(cfg)
	id, err := resolveRun(store, c.Name)
	if err != nil {
		return err
	}
	view, damage := store.Load(id)
	if view == nil {
		return damage
	}
	if err := c.show(p, store, view); err != nil {
		return err
	}
	if damage != nil {
		return &problem{code: string(tool.AsError(damage).Code), exit: exitTool, message: tool.AsError(damage).Message, run: id, cause: damage,
			advice: "What is shown stands before the damage."}
	}
	return nil
}

func (c *runsShowCommand) show(p *program, store *audit.Store, v *audit.View) error {
	if c.Call == "" {
		if c.Result || c.Effects {
			return c.all(p, store, v)
		}
		if p.out.json() {
			return p.out.document(documentOf(v))
		}
		(&waterfall{out: p.out, view: v}).draw()
		return nil
	}
	call, err := v.Call(c.Call)
	if err != nil {
		return &problem{code: codeNotFound, exit: exitUsage, message: tool.AsError(err).Message, run: v.ID, try: []string{"toolpost runs show " + shortID(v.ID)}}
	}
	return c.one(p, store, v, call)
}

// all shows the output or the effects of every call.
func (c *runsShowCommand) all(p *program, store *audit.Store, v *audit.View) error {
	for _, call := range v.Calls {
		if !p.out.json() {
			p.out.printf("── %d %s %s\n", call.N, call.Tool(), clip(shortArgs(argsOf(call)), 60))
		}
		if err := c.one(p, store, v, call); err != nil {
			return err
		}
	}
	return nil
}

func (c *runsShowCommand) one(p *program, store *audit.Store, v *audit.View, call *audit.Call) error {
	switch {
	case c.Result:
		return showOutput(p, store, v, call)
	case c.Effects && p.out.json():
		return p.out.document(effectsOf(call))
	case c.Effects:
		p.out.printf("%s", effectsText(effectsOf(call)))
		return nil
	case p.out.json():
		return p.out.document(callDocumentOf(call))
	}
	showCall(p.out, v, call)
	return nil
}

func argsOf(c *audit.Call) json.RawMessage {
	if c.Ran != nil {
		return c.Ran.Args
	}
	return c.Asked.Args
}

func effectsOf(c *audit.Call) *tool.Effects {
	if c.Result == nil || c.Result.Effects == nil {
		return &tool.Effects{}
	}
	return c.Result.Effects
}

// showOutput writes all that a call returned: its artifact if it was cut, else
// what the model read.
func showOutput(p *program, store *audit.Store, v *audit.View, call *audit.Call) error {
	r := call.Result
	if r == nil {
		return &problem{code: codeNotFound, exit: exitUsage, message: fmt.Sprintf("call %d has no result yet", call.N), run: v.ID, call: call.ID(), try: []string{"toolpost runs tail " + shortID(v.ID)}}
	}
	if r.Artifact == nil {
		if p.out.json() {
			return p.out.document(shownResult{1, r})
		}
		p.out.printf("%s", textOf(r))
		return nil
	}
	a, err := store.OpenArtifact(v.ID, r.Artifact.ID)
	if err != nil {
		return err
	}
	defer a.Close()
	var text io.Reader = a.Reader()
	if p.out.json() {
		b, err := io.ReadAll(text)
		if err != nil {
			return fmt.Errorf("read artifact %s: %w", r.Artifact.ID, err)
		}
		return p.out.document(struct {
			V        int           `json:"v"`
			Artifact tool.Artifact `json:"artifact"`
			Content  string        `json:"content"`
		}{1, a.Artifact, string(b)})
	}
	return p.copyClean(text)
}

// copyClean writes a text of any length, cleaned.
func (p *program) copyClean(text io.Reader) error {
	buf := make([]byte, 1<<20)
	kept, last := 0, byte('\n') // bytes of a character that is not whole yet; the last byte written
	for {
		n, err := text.Read(buf[kept:])
		n += kept
		whole := n
		if err == nil {
			whole = wholeText(buf[:n])
		}
		p.out.write(clean(string(buf[:whole])))
		if whole > 0 {
			last = buf[whole-1]
		}
		kept = copy(buf, buf[whole:n])
		switch {
		case p.out.broken != nil:
			return p.out.broken
		case errors.Is(err, io.EOF):
			if last != '\n' {
				p.out.write("\n")
			}
			return nil
		case err != nil:
			return fmt.Errorf("read artifact: %w", err)
		}
	}
}

// wholeText is how much of b is whole characters.
func wholeText(b []byte) int {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if tail := b[len(b)-i:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				break
			}
			return len(b) - i
		}
	}
	return len(b)
}

// showCall prints one call whole.
func showCall(o *output, v *audit.View, c *audit.Call) {
	st := o.outStyle
	word, took := "running", "—"
	if c.Result != nil {
		word = statusWord(c.Result)
	}
	if c.Unknown {
		word = "CANCELLED, outcome unknown"
	}
	if !c.Started.IsZero() && !c.Ended.IsZero() {
		took = duration(c.Ended.Sub(c.Started))
	}
	o.styled(fmt.Sprintf("%s  %s  %s\n", st.bold(clean(fmt.Sprintf("%d %s", c.N, c.Tool()))), word, took))
	o.printf("  run      %s   turn %d\n  call     %s\n", v.ID, c.Turn, c.ID())
	o.printf("  asked    %s   %s\n", clock(c.Scheduled), pretty(c.Asked.Args))
	if c.Ran != nil && !bytes.Equal(compact(c.Ran.Args), compact(c.Asked.Args)) {
		o.printf("  ran      %s   %s\n", clock(c.Started), pretty(c.Ran.Args))
		for _, ch := range c.Ran.Changes {
			o.printf("           %s\n", changeText(ch))
		}
	}
	if !c.Waiting.IsZero() {
		o.printf("  waited   %s   %s\n", clock(c.Waiting), c.WaitedFor)
	}
	if c.Ran != nil && c.Ran.Timeout > 0 {
		o.printf("  timeout  %s\n", shortDuration(c.Ran.Timeout))
	}
	if e := effectsText(effectsOf(c)); e != "" {
		o.printf("  effects\n%s", indent(e, "    "))
	}
	showResult(o, v, c)
}

func showResult(o *output, v *audit.View, c *audit.Call) {
	r := c.Result
	if r == nil {
		return
	}
	if r.Err != nil {
		o.printf("  error    %s: %s\n", r.Err.Code, strings.ReplaceAll(r.Err.Message, "\n", "\n           "))
	}
	if d := diffOf(r); d != "" {
		o.printf("  diff\n%s", indent(d, "    "))
	} else if text := textOf(r); text != "" {
		o.printf("  result\n%s", indent(text, "    "))
	}
	if r.Artifact != nil {
		o.printf("  artifact %s, %s: toolpost runs show %s %d --output\n", r.Artifact.ID, bytesText(r.Artifact.Bytes), shortID(v.ID), c.N)
	}
}

func clock(t time.Time) string {
	if t.IsZero() {
		return "—"
	}
	return t.Local().Format("15:04:05.000")
}

func compact(doc json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, doc) != nil {
		return doc
	}
	return b.Bytes()
}

// pretty is arguments on one line, or what was sent if they are no JSON.
func pretty(doc json.RawMessage) string {
	return clip(string(compact(doc)), 4000)
}

func changeText(ch schema.Change) string {
	s := ch.Kind + " " + ch.Pointer
	if ch.From != "" || ch.To != "" {
		s += ": " + clip(ch.From, 60) + " → " + clip(ch.To, 60)
	}
	return s
}

func indent(text, by string) string {
	text = strings.TrimRight(text, "\n")
	return by + strings.ReplaceAll(text, "\n", "\n"+by) + "\n"
}

// effectsText is what a call did to the world, a line each; "" if nothing.
func effectsText(e *tool.Effects) string {
	var b strings.Builder
	file := func(sign string, list []tool.FileEffect) {
		for _, f := range list {
			fmt.Fprintf(&b, "%s %s %s", sign, f.Kind, f.Path)
			if f.Before != "" || f.After != "" {
				fmt.Fprintf(&b, "  %s → %s", orDash(f.Before), orDash(f.After))
			}
			b.WriteByte('\n')
		}
	}
	file("+", e.Created)
	file("~", e.Modified)
	file("−", e.Deleted)
	for _, r := range e.Renamed {
		fmt.Fprintf(&b, "→ %s to %s\n", r.From, r.To)
	}
	for _, c := range e.Commands {
		fmt.Fprintf(&b, "$ %s  exit %d\n", clip(strings.Join(c.Argv, " "), 200), c.ExitCode)
	}
	for _, n := range e.Network {
		fmt.Fprintf(&b, "⇄ %s:%d\n", n.Host, n.Port)
	}
	return b.String()
}

func orDash(s string) string {
	if s == "" {
		return "—"
	}
	return s
}
