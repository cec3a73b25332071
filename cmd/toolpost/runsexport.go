package main

import (
	"fmt"
	"io"
	"os"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/tool"
)

type runsExportCommand struct {
	Name name   `arg:"" name:"run" help:"Full id, unique prefix, -1 for the last, or @label."`
	As   string `default:"bundle" enum:"bundle,otel,jsonl" help:"bundle (a tar of the run, with the public key to verify it), otel (OTLP JSON) or jsonl (its events)."`
	To   string `placeholder:"FILE" help:"Write to FILE, which must not exist; stdout if left out."`
}

// Run writes a run in another form.
func (c *runsExportCommand) Run(p *program) error {
	b, err := p.lookBack(c.Name)
	if err != nil {
		return err
	}
	return p.writeOut(c.To, c.As == "bundle", func(w io.Writer) error { return b.store.Export(w, b.view.ID, audit.Format(c.As)) })
}

// writeOut writes to a new file, or to stdout if none is named. What is no text is
// not for a terminal.
func (p *program) writeOut(file string, binary bool, write func(io.Writer) error) error {
	if file == "" {
		if binary && terminal(p.out.outFile) {
			return &problem{code: codeUsage, exit: exitUsage, message: "a bundle is not for a terminal", try: []string{"toolpost runs export -1 --to run.tar"}}
		}
		if err := p.out.flush(); err != nil {
			return err
		}
		return write(p.stdout)
	}
	f, err := os.OpenFile(p.absolute(file), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return &problem{code: codeUsage, exit: exitUsage, message: fmt.Sprintf("--to %s: %s", file, reason(err))}
	}
	err = write(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = os.Remove(f.Name()) // half of it is of no use
		return tool.Errorf(tool.CodeUnavailable, "write %s: %w", file, err)
	}
	p.out.note("written to " + clean(file) + "\n")
	return nil
}
