package main

import (
	"crypto/ed25519"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/toolpost/toolpost/audit"
	"github.com/toolpost/toolpost/tool"
)

type auditCommands struct {
	Verify auditVerifyCommand `cmd:"" help:"Whether records are what was written: every byte, in order, to the end, signed."`
	Query  auditQueryCommand  `cmd:"" help:"Calls of all runs, by tool, status, path, text or time."`
	Report auditReportCommand `cmd:"" help:"A run as one page of HTML, with its waterfall."`
}

type auditVerifyCommand struct {
	Names []name `arg:"" name:"run" optional:"" help:"Runs; all if left out."`
	Key   string `placeholder:"FILE" help:"The public key to check signatures with, in place of the store's own."`
}

// Run verifies runs, and names the first bad line of each.
func (c *auditVerifyCommand) Run(p *program) error {
	cfg, err := p.settings()
	if err != nil {
		return err
	}
	store := p.runStore(cfg)
	ids, err := c.ids(store)
	if err != nil {
		return err
	}
	var key ed25519.PublicKey
	if c.Key != "" {
		b, err := os.ReadFile(p.absolute(c.Key))
		if err != nil {
			return &problem{code: codeUsage, exit: exitUsage, message: fmt.Sprintf("--key %s: %s", c.Key, reason(err))}
		}
		if key, err = audit.ParsePublicKey(b); err != nil {
			return err
		}
	}
	proofs := []*audit.Proof{}
	var bad []*audit.Proof
	for _, id := range ids {
		proof, err := store.Verify(id, key)
		if err != nil {
			return err
		}
		proofs = append(proofs, proof)
		if !proof.OK() {
			bad = append(bad, proof)
		}
		if !p.out.json() {
			c.show(p.out, proof)
		}
	}
	if p.out.json() {
		if err := p.out.document(struct {
			V    int            `json:"v"`
			OK   bool           `json:"ok"`
			Runs []*audit.Proof `json:"runs"`
		}{1, len(bad) == 0, proofs}); err != nil {
			return err
		}
	}
	if len(bad) == 0 {
		if len(ids) == 0 {
			p.out.note("no runs yet in " + p.shortPath(store.Dir) + "\n")
		}
		return nil
	}
	pr := &problem{code: codeDiffers, exit: exitDiffers, message: fmt.Sprintf("%s of %d not what was recorded", plural(len(bad), "run"), len(ids)), run: bad[0].Run}
	for _, b := range bad {
		pr.facts = append(pr.facts, shortID(b.Run)+" "+b.Faults[0].String())
	}
	return pr
}

func (c *auditVerifyCommand) ids(store *audit.Store) (ids []string, err error) {
	for _, n := range c.Names {
		id, err := resolveRun(store, n)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	if len(c.Names) > 0 {
		return ids, nil
	}
	for s, err := range store.List() {
		if err != nil {
			return nil, &problem{code: codeDiffers, exit: exitDiffers, message: tool.AsError(err).Message, cause: err}
		}
		ids = append(ids, s.ID)
	}
	return ids, nil
}

func (c *auditVerifyCommand) show(o *output, p *audit.Proof) {
	st := o.outStyle
	if p.OK() {
		tail := ""
		if p.Signed < p.Records {
			tail = fmt.Sprintf(", %d of them not signed yet", p.Records-p.Signed)
		}
		o.styled(fmt.Sprintf("%s %s  %d records, %s, signed by %s%s\n", st.green("✓"), shortID(p.Run), p.Records, bytesText(p.Bytes), p.Key, tail))
		return
	}
	o.styled(fmt.Sprintf("%s %s  %s\n", st.red("✗"), shortID(p.Run), clean(p.Faults[0].String())))
	for _, f := range p.Faults[1:] {
		o.printf("  %-18s  %s\n", "", f)
	}
}

type auditQueryCommand struct {
	Text   string `arg:"" optional:"" help:"Text in the arguments, the result or the error."`
	In     name   `name:"run" placeholder:"RUN" help:"Only in this run."`
	Tool   string `placeholder:"NAME" help:"Only this tool; * stands for anything."`
	Status string `placeholder:"STATUS" help:"ok, error, blocked, timeout, cancelled, skipped …"`
	Code   string `placeholder:"CODE" help:"Only calls that failed with this error code."`
	Path   string `placeholder:"PATH" help:"Only calls that changed this file or something in this folder."`
	Since  string `placeholder:"AGE" help:"Only runs that began less than this ago: 2d, 12h."`
	Limit  int    `short:"n" default:"50" placeholder:"N" help:"At most N calls; 0 for all."`
}

// foundCall is a call that was found, for programs.
type foundCall struct {
	Run     string    `json:"runId"`
	Started time.Time `json:"runStartedAt"`
	shownCall
}

// Run finds calls.
func (c *auditQueryCommand) Run(p *program) error {
	cfg, err := p.settings()
	if err != nil {
		return err
	}
	store := p.runStore(cfg)
	q := audit.Query{Tool: c.Tool, Status: tool.Status(c.Status), Code: tool.Code(c.Code), Path: c.Path, Text: c.Text}
	if c.In != "" {
		if q.Run, err = resolveRun(store, c.In); err != nil {
			return err
		}
	}
	since, err := age(c.Since)
	if err != nil {
		return err
	}
	if since > 0 {
		q.Since = time.Now().Add(-since)
	}
	list, n := []foundCall{}, 0
	for f, err := range store.Query(q) {
		if err != nil {
			p.out.note("passed over: " + clean(tool.AsError(err).Message) + "\n")
			continue
		}
		found := foundCall{f.Run.ID, f.Run.Started, shownCallOf(f.Call)}
		switch p.out.form {
		case "json":
			list = append(list, found)
		case "jsonl":
			if err := p.out.document(found); err != nil {
				return err
			}
		default:
			p.out.printf("%-18s %3d  %-18s %-10s %s\n", shortID(f.Run.ID), f.Call.N, f.Call.Tool(), statusWord(f.Call.Result), clip(shortArgs(argsOf(f.Call)), 70))
		}
		if n++; n == c.Limit {
			break
		}
	}
	if p.out.form == "json" {
		return p.out.document(struct {
			V     int         `json:"v"`
			Calls []foundCall `json:"calls"`
		}{1, list})
	}
	if n == 0 {
		p.out.note("no such call on record\n")
	}
	return nil
}

type auditReportCommand struct {
	Name name   `arg:"" name:"run" optional:"" default:"-1" help:"Full id, unique prefix, -1 for the last, or @label."`
	To   string `placeholder:"FILE" help:"Write to FILE, which must not exist; stdout if left out."`
}

// Run writes the page of a run.
func (c *auditReportCommand) Run(p *program) error {
	cfg, err := p.settings()
	if err != nil {
		return err
	}
	store := p.runStore(cfg)
	id, err := resolveRun(store, c.Name)
	if err != nil {
		return err
	}
	view, err := store.Load(id)
	if view == nil {
		return err
	}
	proof, err := store.Verify(id, nil)
	if err != nil {
		return err
	}
	return p.writeOut(c.To, false, func(w io.Writer) error { return audit.WriteReport(w, view, proof) })
}
