package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/mattn/go-isatty"
	"golang.org/x/term"
)

// output is where the program writes: results to stdout, progress and advice to
// stderr. No control character reaches either in text form, whoever wrote the
// text: a model, a tool or a file.
type output struct {
	out  *bufio.Writer
	err  io.Writer
	form string // text, json or jsonl

	outStyle, errStyle style
	quiet              bool
	verbose            int
	broken             error // the first error of stdout
	env                func(string) string
	outFile, errFile   *os.File
}

// newOutput is an output as it is before the flags are known.
func newOutput(p *program) *output {
	o := &output{out: bufio.NewWriterSize(p.stdout, 16<<10), err: p.stderr, form: "text", env: p.env}
	o.outFile, _ = p.stdout.(*os.File)
	o.errFile, _ = p.stderr.(*os.File)
	return o
}

// guess finds the output form in arguments that may not parse, so that an error
// in them is told in the form that was asked for.
func (o *output) guess(args []string) {
	for i, a := range args {
		v, ok := "", false
		switch {
		case a == "--":
			return
		case (a == "-o" || a == "--format") && i+1 < len(args):
			v, ok = args[i+1], true
		case strings.HasPrefix(a, "--format="):
			v, ok = a[len("--format="):], true
		case strings.HasPrefix(a, "-o"):
			v, ok = strings.TrimPrefix(a[2:], "="), true
		}
		if ok && (v == "json" || v == "jsonl") {
			o.form = v
		}
	}
}

// configure takes what the flags say.
func (o *output) configure(g *globals) {
	if g.Output != "" {
		o.form = g.Output
	}
	o.quiet, o.verbose = g.Quiet, g.Verbose
	o.outStyle = style(o.colored(g.Color, o.outFile))
	o.errStyle = style(o.colored(g.Color, o.errFile))
}

// colored decides whether escape codes go to f: --color first, then NO_COLOR
// (no-color.org), then CLICOLOR_FORCE, then whether f is a terminal.
func (o *output) colored(flag string, f *os.File) bool {
	switch {
	case flag == "always":
		return true
	case flag == "never", o.env("NO_COLOR") != "", o.env("TERM") == "dumb":
		return false
	case o.env("CLICOLOR_FORCE") != "" && o.env("CLICOLOR_FORCE") != "0":
		return true
	}
	return terminal(f)
}

func terminal(f *os.File) bool { return f != nil && isatty.IsTerminal(f.Fd()) }

// width is the columns of the terminal at stderr, 100 if it is none.
func (o *output) width(f *os.File) int {
	if terminal(f) {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w >= 40 {
			return w
		}
	}
	return 100
}

// json reports whether results are for programs.
func (o *output) json() bool { return o.form != "text" }

// printf writes a result as text.
func (o *output) printf(format string, args ...any) {
	o.write(clean(fmt.Sprintf(format, args...)))
}

// styled writes text that bears our own escape codes; what is foreign in it has
// been cleaned before.
func (o *output) styled(s string) { o.write(s) }

func (o *output) write(s string) {
	if _, err := o.out.WriteString(s); err != nil && o.broken == nil {
		o.broken = err
	}
}

// document writes v as one line of JSON.
func (o *output) document(v any) error {
	enc := json.NewEncoder(o.out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		err = fmt.Errorf("write result: %w", err)
		o.broken = cmp.Or(o.broken, err)
		return err
	}
	return nil
}

// flush sends what is written on its way.
func (o *output) flush() error {
	if err := o.out.Flush(); err != nil && o.broken == nil {
		o.broken = err
	}
	if errors.Is(o.broken, os.ErrClosed) {
		return syscall.EPIPE
	}
	return o.broken
}

// show writes a part of a story to stdout at once, unless results are for
// programs. What is foreign in s has been cleaned before.
func (o *output) show(s string) {
	if o.json() {
		return
	}
	o.write(s)
	_ = o.flush() // main tells of its error
}

// note writes progress or advice to stderr, if that is wanted. What is foreign
// in s has been cleaned before.
func (o *output) note(s string) {
	if o.quiet || o.json() {
		return
	}
	_ = o.flush() // what was said before comes before; main tells of its error
	_, _ = io.WriteString(o.err, s)
}

// problem tells of an error on stderr: in words, or as one line of JSON.
func (o *output) problem(pr *problem) {
	if o.json() {
		b, err := json.Marshal(pr)
		if err == nil {
			_, _ = o.err.Write(append(b, '\n'))
		}
		return
	}
	var b strings.Builder
	writeProblem(&b, o.errStyle, pr)
	_, _ = io.WriteString(o.err, b.String())
}

func writeProblem(b *strings.Builder, s style, pr *problem) {
	fmt.Fprintf(b, "%s: %s\n", s.red("error "+pr.code), clean(pr.message))
	for _, f := range pr.facts {
		fmt.Fprintf(b, "  %s\n", clean(f))
	}
	for _, m := range pr.more {
		writeProblem(b, s, m)
	}
	if pr.advice != "" {
		fmt.Fprintf(b, "  %s\n", clean(pr.advice))
	}
	for _, t := range pr.try {
		fmt.Fprintf(b, "    %s\n", clean(t))
	}
}

// clean is s without control characters but newline and tab: what a model, a
// tool or a file says must not move the cursor or change the terminal.
func clean(s string) string {
	ok := true
	for _, r := range s {
		if unsafeRune(r) {
			ok = false
			break
		}
	}
	if ok {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.ToValidUTF8(strings.Map(func(r rune) rune {
		switch {
		case r == '\x1b':
			return '␛'
		case unsafeRune(r):
			return -1
		}
		return r
	}, s), "\uFFFD")
}

// unsafeRune reports C0 and C1 controls, DEL, and the characters that turn the
// direction of writing (CVE-2021-42574).
func unsafeRune(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r < ' ', r >= 0x7f && r < 0xa0:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return false
}
