package sandbox

import (
	"slices"
	"strings"
)

// shells run text.
var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "fish", "tcsh", "csh", "yash", "posh", "cmd", "powershell", "pwsh"}

// wrapper says how a program that runs another finds its command line.
type wrapper struct {
	values     string   // short options that take a value
	long       []string // long options that take a value as the next word
	positional int      // words before the command
	assigns    bool     // NAME=value words before the command
	line       string   // options whose value is a shell line: letters, or a word with --
	joined     bool     // the words are joined to a shell line
	query      string   // short options with which nothing is run
	optional   bool     // without -c the words are no command
}

var wrappers = map[string]wrapper{
	"env":             {values: "uCPa", long: []string{"--unset", "--chdir", "--argv0"}, assigns: true, line: "S --split-string"},
	"nice":            {values: "n", long: []string{"--adjustment"}},
	"ionice":          {values: "cnpPu", long: []string{"--class", "--classdata"}},
	"timeout":         {values: "ks", long: []string{"--kill-after", "--signal"}, positional: 1},
	"gtimeout":        {values: "ks", long: []string{"--kill-after", "--signal"}, positional: 1},
	"nohup":           {},
	"setsid":          {},
	"stdbuf":          {values: "ioe", long: []string{"--input", "--output", "--error"}},
	"time":            {values: "fo", long: []string{"--format", "--output"}},
	"command":         {query: "vV"},
	"builtin":         {},
	"exec":            {values: "a"},
	"noglob":          {},
	"nocorrect":       {},
	"sudo":            {values: "ugphCDrtTUR", long: []string{"--user", "--group", "--prompt", "--host", "--chdir", "--chroot", "--role", "--type"}, assigns: true},
	"doas":            {values: "uCa"},
	"pkexec":          {long: []string{"--user"}},
	"run0":            {long: []string{"--user", "--unit", "--property"}},
	"su":              {line: "c --command", values: "sgGw", optional: true},
	"runuser":         {line: "c --command", values: "ugGsw"},
	"chroot":          {long: []string{"--userspec", "--groups"}, positional: 1},
	"unshare":         {values: "SGRw", long: []string{"--setuid", "--setgid", "--root", "--wd"}},
	"nsenter":         {values: "tSG", long: []string{"--target", "--setuid", "--setgid"}},
	"setpriv":         {long: []string{"--reuid", "--regid", "--groups"}},
	"capsh":           {line: "c", optional: true},
	"strace":          {values: "oepsuEaIbOSUX"},
	"ltrace":          {values: "oepsulnaxFwAD"},
	"valgrind":        {},
	"watch":           {values: "n", long: []string{"--interval"}, joined: true},
	"busybox":         {},
	"toybox":          {},
	"flock":           {values: "wEx", long: []string{"--timeout", "--wait", "--conflict-exit-code"}, positional: 1, line: "c --command"},
	"xargs":           {values: "InPLdaEse", long: []string{"--replace", "--max-args", "--max-procs", "--max-lines", "--delimiter", "--arg-file", "--max-chars"}},
	"parallel":        {values: "jIn", long: []string{"--jobs"}},
	"script":          {line: "c --command", values: "EIOBTm", optional: true},
	"ssh":             {values: "bcDEeFIiJLlmOopQRSWw", positional: 1, joined: true},
	"taskset":         {positional: 1},
	"chrt":            {positional: 1, values: "TPD"},
	"setarch":         {positional: 1},
	"linux32":         {},
	"linux64":         {},
	"systemd-run":     {values: "puHME", long: []string{"--unit", "--property", "--uid", "--gid", "--setenv", "--on-calendar", "--on-active", "--slice"}},
	"systemd-cat":     {values: "tp"},
	"fakeroot":        {values: "lsib"},
	"unbuffer":        {},
	"rlwrap":          {},
	"catchsegv":       {},
	"caffeinate":      {values: "tw"},
	"torsocks":        {},
	"proxychains":     {values: "f"},
	"prlimit":         {},
	"cpulimit":        {values: "lpe"},
	"numactl":         {values: "NmCiplHs"},
	"firejail":        {},
	"daemonize":       {values: "aceopulE"},
	"start":           {},
	"call":            {},
	"coproc":          {},
	"then":            {},
	"choom":           {values: "np"},
	"dbus-launch":     {},
	"tini":            {},
	"dumb-init":       {},
	"gosu":            {positional: 1},
	"su-exec":         {positional: 1},
	"setuidgid":       {positional: 1},
	"s6-setuidgid":    {positional: 1},
	"ts":              {optional: true},
	"annotate-output": {},
}

// inner returns the command line inside the words that follow a wrapper's
// name, and shell lines given as option values. ok is false when the wrapper
// was only asked something.
func (w wrapper) inner(args []Word) (rest []Word, lines []string, ok bool) {
	i := 0
	for ; i < len(args); i++ {
		opt := args[i].loose
		if opt == "--" {
			i++
			break
		}
		if w.assigns && isAssignment(opt) {
			continue
		}
		if len(opt) < 2 || opt[0] != '-' {
			break
		}
		line, skip, query := w.option(opt, args[i+1:])
		if query {
			return nil, nil, false
		}
		if line != "" {
			lines = append(lines, line)
		}
		i += skip
	}
	rest = args[min(i, len(args)):]
	for w.assigns && len(rest) > 0 && isAssignment(rest[0].loose) {
		rest = rest[1:]
	}
	if w.positional > 0 {
		rest = rest[min(w.positional, len(rest)):]
		// An option may follow the positional words, as in flock FILE -c LINE.
		if w.line != "" && len(rest) > 1 && rest[0].loose == "-c" {
			return nil, append(lines, rest[1].loose), true
		}
	}
	if w.optional {
		for j, word := range rest {
			if word.loose == "-c" && j+1 < len(rest) {
				lines = append(lines, rest[j+1].loose)
			}
		}
		rest = nil
	}
	return rest, lines, true
}

// option reads one option: a shell line in it, how many more words it takes,
// and whether it only asks something.
func (w wrapper) option(opt string, next []Word) (line string, skip int, query bool) {
	value := func() string {
		if len(next) == 0 {
			return ""
		}
		return next[0].loose
	}
	lineOpts := strings.Fields(w.line)
	if strings.HasPrefix(opt, "--") {
		name, val, has := strings.Cut(opt, "=")
		switch {
		case slices.Contains(lineOpts, name) && has:
			return val, 0, false
		case slices.Contains(lineOpts, name):
			return value(), 1, false
		case slices.Contains(w.long, opt):
			return "", 1, false
		}
		return "", 0, false
	}
	for i := 1; i < len(opt); i++ {
		letter := opt[i : i+1]
		switch {
		case strings.Contains(w.query, letter):
			return "", 0, true
		case slices.Contains(lineOpts, letter) && i+1 < len(opt):
			return opt[i+1:], 0, false
		case slices.Contains(lineOpts, letter):
			return value(), 1, false
		case strings.Contains(w.values, letter) && i+1 == len(opt):
			return "", 1, false
		case strings.Contains(w.values, letter):
			return "", 0, false
		}
	}
	return "", 0, false
}

func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && isEnvName(name)
}
