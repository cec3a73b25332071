package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/toolpost/toolpost/audit"
)

type runsGCCommand struct {
	OlderThan string `name:"older-than" placeholder:"AGE" help:"Remove runs that began longer ago: 30d, 12h."`
	Keep      int    `placeholder:"N" help:"Keep the newest N."`
	MaxBytes  int64  `name:"max-bytes" placeholder:"BYTES" help:"Keep the newest that take no more than this together."`
	Labelled  bool   `help:"Remove runs with a label, too."`
	DryRun    bool   `name:"dry-run" help:"Say which, and remove nothing."`
}

// Run removes old runs.
func (c *runsGCCommand) Run(p *program) error {
	cfg, err := p.settings()
	if err != nil {
		return err
	}
	r := audit.Retention{Runs: c.Keep, Bytes: c.MaxBytes, Labelled: c.Labelled, DryRun: c.DryRun}
	if r.Age, err = age(c.OlderThan); err != nil {
		return err
	}
	if r.Age <= 0 && r.Runs <= 0 && r.Bytes <= 0 {
		return &problem{code: codeUsage, exit: exitUsage, message: "nothing says which runs to keep; nothing was removed",
			try: []string{"toolpost runs gc --older-than 30d --dry-run", "toolpost runs gc --keep 100 --dry-run"}}
	}
	removed, err := p.runStore(cfg).GC(r)
	if err != nil {
		return err
	}
	if p.out.json() {
		return p.out.document(struct {
			V       int             `json:"v"`
			DryRun  bool            `json:"dryRun,omitempty"`
			Removed []audit.Removed `json:"removed"`
		}{1, c.DryRun, removed})
	}
	var bytes int64
	for _, x := range removed {
		bytes += x.Bytes
		p.out.printf("%-18s  %s  %9s  %s\n", shortID(x.Run), x.Started.Local().Format(time.DateTime), bytesText(x.Bytes), x.Why)
	}
	word := "removed"
	if c.DryRun {
		word = "would be removed"
	}
	p.out.printf("%s %s, %s\n", plural(len(removed), "run"), word, bytesText(bytes))
	return nil
}

// age reads a duration that may be in days.
func age(s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(s)
	if days, ok := strings.CutSuffix(s, "d"); ok {
		var n float64
		n, err = strconv.ParseFloat(days, 64)
		d = time.Duration(n * float64(24*time.Hour))
	}
	if err != nil || d <= 0 {
		return 0, &problem{code: codeUsage, exit: exitUsage, message: strconv.Quote(clip(s, 40)) + " is no age; 30d, 12h and 90m are"}
	}
	return d, nil
}
