package builtin

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolpost/toolpost/builtin/internal/filetool"
	"github.com/toolpost/toolpost/schema"
	"github.com/toolpost/toolpost/tool"
)

// keyNames is what a terminal of the xterm kind sends for a key, by the name
// of the key in lower case.
var keyNames = map[string]string{
	"enter": "\r", "return": "\r", "cr": "\r", "tab": "\t", "btab": "\x1b[Z", "backtab": "\x1b[Z",
	"escape": "\x1b", "esc": "\x1b", "space": " ", "backspace": "\x7f", "bspace": "\x7f",
	"delete": "\x1b[3~", "del": "\x1b[3~", "dc": "\x1b[3~", "insert": "\x1b[2~", "ins": "\x1b[2~", "ic": "\x1b[2~",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D",
	"home": "\x1b[H", "end": "\x1b[F",
	"pageup": "\x1b[5~", "pgup": "\x1b[5~", "ppage": "\x1b[5~",
	"pagedown": "\x1b[6~", "pgdn": "\x1b[6~", "npage": "\x1b[6~",
	"f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS",
	"f5": "\x1b[15~", "f6": "\x1b[17~", "f7": "\x1b[18~", "f8": "\x1b[19~",
	"f9": "\x1b[20~", "f10": "\x1b[21~", "f11": "\x1b[23~", "f12": "\x1b[24~",
}

// modified is the keys whose sequence changes with Shift, Alt and Ctrl, by the
// final byte of "ESC [ 1 ; modifier byte".
var modified = map[string]string{"up": "A", "down": "B", "right": "C", "left": "D", "home": "H", "end": "F"}

// keySequence is the bytes that a terminal sends for a key such as "Enter",
// "C-c", "Ctrl+C", "^C", "M-x", "S-Up" or "q".
func keySequence(name string) (string, error) {
	shift, alt, ctrl, key := modifiers(name)
	if shift && strings.EqualFold(key, "tab") {
		shift, key = false, "btab"
	}
	if final, ok := modified[strings.ToLower(key)]; ok && (shift || alt || ctrl) {
		n := 1
		for i, set := range []bool{shift, alt, ctrl} {
			if set {
				n += 1 << i
			}
		}
		return "\x1b[1;" + string(rune('0'+n)) + final, nil
	}
	seq, known := keyNames[strings.ToLower(key)]
	if !known && utf8.RuneCountInString(key) == 1 {
		seq, known = key, true
		if shift {
			seq = strings.ToUpper(key)
		}
	}
	if known && ctrl {
		seq, known = control(seq)
	}
	if !known {
		return "", tool.Errorf(tool.CodeInvalid, "no key %q; nearest: %s; use literal for text", filetool.Clip(name, 40),
			strings.Join(schema.Nearest(strings.ToLower(key), slices.Sorted(maps.Keys(keyNames)), 3), ", "))
	}
	if alt {
		seq = "\x1b" + seq
	}
	return seq, nil
}

// modifiers splits "C-M-x", "ctrl+alt+x" or "^X" into its parts.
func modifiers(name string) (shift, alt, ctrl bool, key string) {
	key = name
	if len(key) == 2 && key[0] == '^' {
		return false, false, true, key[1:]
	}
	for {
		i := strings.IndexAny(key, "-+")
		if i < 1 || i+1 >= len(key) {
			return shift, alt, ctrl, key
		}
		switch strings.ToLower(key[:i]) {
		case "c", "ctrl", "control":
			ctrl = true
		case "m", "alt", "meta":
			alt = true
		case "s", "shift":
			shift = true
		default:
			return shift, alt, ctrl, key
		}
		key = key[i+1:]
	}
}

// control is the control character of a key, where it has one.
func control(seq string) (string, bool) {
	if len(seq) != 1 {
		return "", false
	}
	switch b := seq[0]; {
	case b >= 'a' && b <= 'z':
		return string(rune(b - 'a' + 1)), true
	case b >= '@' && b <= '_':
		return string(rune(b - '@')), true
	case b == ' ':
		return "\x00", true
	case b == '?':
		return "\x7f", true
	}
	return "", false
}
