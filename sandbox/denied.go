package sandbox

import (
	"path"
	"slices"
	"strings"
)

// The patterns that are never run, as [Denied] names them. They are those of
// clawft's command policy, and stand for everything that comes to the same.
const (
	DeniedRemoveRoot = "rm -rf /"
	DeniedSudo       = "sudo"
	DeniedMkfs       = "mkfs"
	DeniedDD         = "dd if="
	DeniedForkBomb   = ":(){ :|:& };:"
	DeniedChmodRoot  = "chmod 777 /"
	DeniedDevice     = "> /dev/sd"
	DeniedShutdown   = "shutdown"
	DeniedReboot     = "reboot"
	DeniedPoweroff   = "poweroff"
	DeniedFormat     = "format c:"
	DeniedTooComplex = "too complex to judge"
)

// Denied reports whether a command line is one that is never run, and which
// pattern it falls under. It judges what the line would run, so that quotes,
// spaces, letter case, wrappers, variables and shells in shells make no
// difference, and the same words as an argument (grep reboot log.txt) do not
// count. A line that is no valid shell is judged by its text, more strictly.
func Denied(line string) (pattern string, denied bool) {
	if len(line) > maxLine {
		return DeniedTooComplex, true
	}
	s := newScanner()
	if err := s.text(line); err != nil {
		return deniedText(line)
	}
	if s.budget < 0 {
		return DeniedTooComplex, true
	}
	return s.script.denied()
}

// DeniedArgv is [Denied] for a program that is started without a shell.
func DeniedArgv(argv []string) (pattern string, denied bool) {
	words := make([]Word, len(argv))
	for i, arg := range argv {
		words[i] = Word{Text: arg, Literal: true, loose: arg}
	}
	s := newScanner()
	s.run(Command{Argv: words}, nil)
	if s.budget < 0 {
		return DeniedTooComplex, true
	}
	return s.script.denied()
}

func (s *Script) denied() (string, bool) {
	if s.bomb {
		return DeniedForkBomb, true
	}
	for _, c := range s.Commands {
		if pattern := c.denied(); pattern != "" {
			return pattern, true
		}
	}
	for _, r := range s.Redirects {
		if r.writes() && isDevice(r.Target.loose, r.cwd) {
			return DeniedDevice, true
		}
	}
	for _, text := range s.unparsed {
		if pattern, denied := deniedText(text); denied {
			return pattern, true
		}
	}
	for _, text := range s.code {
		if startsPrograms(text) {
			if pattern, denied := deniedText(text); denied {
				return pattern, true
			}
		}
	}
	return "", false
}

// elevators run something with other rights.
var elevators = []string{"sudo", "sudoedit", "doas", "pkexec", "run0", "su", "gosu", "su-exec"}

// stoppers end the machine's work, by the pattern they fall under.
var stoppers = map[string]string{
	"shutdown": DeniedShutdown, "halt": DeniedShutdown, "reboot": DeniedReboot, "kexec": DeniedReboot, "poweroff": DeniedPoweroff,
	"power-off": DeniedPoweroff, "soft-reboot": DeniedReboot,
}

// rules judge one program each, by name.
var rules = map[string]func(c Command, args []Word) string{
	"rm": ruleRemove, "find": ruleFind, "dd": ruleDD, "chmod": ruleChmod, "chown": ruleChmod, "chgrp": ruleChmod,
	"systemctl": ruleStop, "loginctl": ruleStop, "init": ruleInit, "telinit": ruleInit,
	"format": ruleFormat, "rd": ruleWindowsRemove, "rmdir": ruleWindowsRemove, "del": ruleWindowsRemove, "erase": ruleWindowsRemove,
	"cp": ruleDevice, "mv": ruleDevice, "tee": ruleDevice, "install": ruleDevice, "truncate": ruleDevice, "shred": ruleDevice,
	"wipefs": ruleDevice, "blkdiscard": ruleDevice, "sgdisk": ruleDevice, "sfdisk": ruleDevice, "wipe": ruleDevice, "badblocks": ruleDevice,
}

func (c Command) denied() string {
	for _, w := range c.Wrappers {
		if slices.Contains(elevators, w) {
			return DeniedSudo
		}
	}
	if len(c.Argv) == 0 {
		return ""
	}
	args := c.Argv[1:]
	for _, name := range c.names() {
		switch {
		case slices.Contains(elevators, name):
			return DeniedSudo
		case name == "mkfs" || strings.HasPrefix(name, "mkfs.") || slices.Contains([]string{"mke2fs", "mkswap", "mkntfs", "mkdosfs", "newfs", "mkreiserfs"}, name):
			if !asksOnly(args) {
				return DeniedMkfs
			}
		case stoppers[name] != "":
			if !asksOnly(args) {
				return stoppers[name]
			}
		}
		if rule := rules[name]; rule != nil {
			if pattern := rule(c, args); pattern != "" {
				return pattern
			}
		}
	}
	return ""
}

// names are the programs that the first word can mean: with a pattern in it,
// all that it matches; quite unknown, rm, whose arguments give it away.
func (c Command) names() []string {
	first := c.Argv[0]
	name := c.base(first)
	switch {
	case strings.Trim(name, unknownText) == "":
		return []string{"rm"}
	case !first.glob:
		return []string{name}
	}
	known := slices.Clone(elevators)
	for n := range stoppers {
		known = append(known, n)
	}
	for n := range rules {
		known = append(known, n)
	}
	known = append(known, "mkfs", "mkfs.ext4")
	return slices.DeleteFunc(known, func(n string) bool {
		ok, err := path.Match(name, n)
		return err == nil && !ok
	})
}

func asksOnly(args []Word) bool {
	return len(args) == 1 && slices.Contains([]string{"--help", "--version", "-V"}, args[0].loose)
}

// operands parts the options from the rest.
func operands(args []Word) (options, rest []Word) {
	for i, w := range args {
		switch {
		case w.loose == "--":
			return options, append(rest, args[i+1:]...)
		case len(w.loose) > 1 && w.loose[0] == '-':
			options = append(options, w)
		default:
			rest = append(rest, w)
		}
	}
	return options, rest
}

// has reports a short option by its letters, or a long one in full or cut short.
func has(options []Word, letters, long string) bool {
	return slices.ContainsFunc(options, func(w Word) bool {
		if strings.HasPrefix(w.loose, "--") {
			return long != "" && len(w.loose) > 3 && strings.HasPrefix(long, w.loose)
		}
		return strings.ContainsAny(w.loose[1:], letters)
	})
}

func ruleRemove(c Command, args []Word) string {
	options, rest := operands(args)
	if !has(options, "rR", "--recursive") && !has(options, "", "--no-preserve-root") {
		return ""
	}
	for _, w := range rest {
		if isVital(w, c.cwd) {
			return DeniedRemoveRoot
		}
	}
	return ""
}

func ruleFind(c Command, args []Word) string {
	if !slices.ContainsFunc(args, func(w Word) bool { return w.loose == "-delete" }) {
		return ""
	}
	for _, w := range args {
		if strings.HasPrefix(w.loose, "-") {
			break
		}
		if isVital(w, c.cwd) {
			return DeniedRemoveRoot
		}
	}
	return ""
}

func ruleDD(c Command, args []Word) string {
	pattern := ""
	for _, w := range args {
		key, value, _ := strings.Cut(w.loose, "=")
		switch {
		case strings.EqualFold(key, "if"):
			return DeniedDD
		case strings.EqualFold(key, "of") && isDevice(value, c.cwd):
			pattern = DeniedDevice
		}
	}
	return pattern
}

func ruleChmod(c Command, args []Word) string {
	options, rest := operands(args)
	if len(rest) == 0 {
		return ""
	}
	open := slices.Contains([]string{"a+rwx", "a=rwx", "ugo+rwx", "ugo=rwx", "+rwx", "=rwx", "a+w", "o+w", "+w", "a+rw", "o+rwx", "o=rwx"}, rest[0].loose) ||
		strings.TrimLeft(rest[0].loose, "01234567") == "" && strings.HasSuffix(rest[0].loose, "777")
	if !open && !has(options, "R", "--recursive") {
		return ""
	}
	for _, w := range rest[1:] {
		if isVital(w, c.cwd) {
			return DeniedChmodRoot
		}
	}
	return ""
}

func ruleStop(_ Command, args []Word) string {
	_, rest := operands(args)
	if len(rest) == 0 {
		return ""
	}
	if rest[0].loose == "isolate" && len(rest) > 1 {
		name, _, _ := strings.Cut(rest[1].loose, ".")
		return stoppers[name]
	}
	return stoppers[strings.ToLower(rest[0].loose)]
}

func ruleInit(_ Command, args []Word) string {
	if len(args) == 0 {
		return ""
	}
	switch args[len(args)-1].loose {
	case "0":
		return DeniedPoweroff
	case "6":
		return DeniedReboot
	}
	return ""
}

func ruleFormat(_ Command, args []Word) string {
	for _, w := range args {
		if isDrive(strings.TrimSuffix(w.loose, `\`)) {
			return DeniedFormat
		}
	}
	return ""
}

func isDrive(text string) bool {
	return len(text) == 2 && text[1] == ':' && (text[0]|0x20) >= 'a' && (text[0]|0x20) <= 'z'
}

// ruleWindowsRemove judges rd /s c:\ and del /s c:\*.
func ruleWindowsRemove(_ Command, args []Word) string {
	deep, drive := false, false
	for _, w := range args {
		deep = deep || strings.EqualFold(w.loose, "/s")
		drive = drive || isDrive(strings.TrimRight(strings.TrimSuffix(w.loose, "*.*"), `\/*`))
	}
	if deep && drive {
		return DeniedRemoveRoot
	}
	return ""
}

// ruleDevice judges programs that write to what they are given.
func ruleDevice(c Command, args []Word) string {
	_, rest := operands(args)
	if name := c.base(c.Argv[0]); (name == "cp" || name == "install") && len(rest) > 0 {
		rest = rest[len(rest)-1:] // the others are read
	}
	for _, w := range rest {
		if isDevice(w.loose, c.cwd) {
			return DeniedDevice
		}
	}
	return ""
}
