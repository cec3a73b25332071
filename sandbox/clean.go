package sandbox

import (
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPath is the longest path accepted, in bytes: PATH_MAX of Linux.
const maxPath = 4096

// Clean applies the rules for paths and returns the path relative to the
// workspace, with forward slashes and without "." or ".." parts; the workspace
// itself is ".". It looks at the text only and touches no file.
//
// Refused with [KindInvalidPath]: an empty path; NUL and other control
// characters; invalid UTF-8; a path that begins with "~"; a file: URL; a
// Windows drive or UNC path on any system that does not have it as workspace,
// and device names, backslash tricks and streams on Windows; ".." above the
// workspace; an absolute path outside the workspace. An absolute path inside
// is accepted and made relative. The comparison is by component, so that
// /srv/ab is not inside /srv/a.
func (r *Root) Clean(name string) (string, error) {
	if err := checkText(name); err != nil {
		return "", err
	}
	rel := name
	if isAbs(name) {
		in, ok := r.inside(name)
		if !ok {
			return "", fail(KindInvalidPath, name, "is outside the workspace; give a path relative to it")
		}
		rel = in
	} else if looksWindows(name) {
		return "", fail(KindInvalidPath, name, "is a Windows drive or network path; give a path relative to the workspace")
	}
	rel = toSlash(rel)
	for _, part := range strings.Split(strings.ReplaceAll(rel, `\`, "/"), "/") {
		if part == ".." && strings.Contains(rel, `\`) {
			return "", fail(KindInvalidPath, name, `has ".." between backslashes; use forward slashes`)
		}
	}
	clean := path.Clean(rel)
	if clean == ".." || strings.HasPrefix(clean, "../") {
		return "", fail(KindInvalidPath, name, `goes above the workspace by ".."; give a path inside it`)
	}
	if err := checkLocal(name, clean); err != nil {
		return "", err
	}
	return clean, nil
}

func checkText(name string) error {
	switch {
	case name == "":
		return &Error{Kind: KindInvalidPath, Msg: `the path is empty; "." is the workspace itself`}
	case len(name) > maxPath:
		return fail(KindInvalidPath, name, "is longer than 4096 bytes")
	case !utf8.ValidString(name):
		return fail(KindInvalidPath, name, "is not valid UTF-8")
	case strings.HasPrefix(name, "~"):
		return fail(KindInvalidPath, name, `begins with "~", which is not expanded here; give a path inside the workspace ("./~x" for a file of that name)`)
	case len(name) > 5 && strings.EqualFold(name[:5], "file:") && (name[5] == '/' || name[5] == '\\'):
		return fail(KindInvalidPath, name, "is a URL; give a plain path")
	}
	for _, c := range name {
		if unicode.IsControl(c) || c == '\u2028' || c == '\u2029' {
			return fail(KindInvalidPath, name, "holds a control character")
		}
	}
	return nil
}

// checkLocal refuses what the operating system would read in another way,
// such as NUL, COM1 or name:stream on Windows.
func checkLocal(name, clean string) error {
	if clean == "." || filepath.IsLocal(filepath.FromSlash(clean)) {
		if runtime.GOOS != "windows" || !strings.Contains(clean, ":") {
			return nil
		}
	}
	return fail(KindInvalidPath, name, "is a reserved name of the operating system")
}

func isAbs(name string) bool {
	return filepath.IsAbs(name) || strings.HasPrefix(name, "/")
}

// looksWindows reports C:\x, C:/x, \\server\share and \\?\ forms. They are
// refused everywhere: elsewhere than on Windows they could only make a file
// with a strange name.
func looksWindows(name string) bool {
	if strings.HasPrefix(name, `\`) {
		return true
	}
	if len(name) < 2 || name[1] != ':' {
		return false
	}
	c := name[0] | 0x20
	if c < 'a' || c > 'z' {
		return false
	}
	return runtime.GOOS == "windows" || len(name) > 2 && (name[2] == '\\' || name[2] == '/')
}

func toSlash(name string) string { return filepath.ToSlash(name) }

// inside makes an absolute path relative to the workspace, by the name under
// which the workspace was opened or by its canonical one.
func (r *Root) inside(name string) (string, bool) {
	clean := filepath.Clean(name)
	for _, base := range r.bases {
		rel, err := filepath.Rel(base, clean)
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			continue
		}
		if endsAsDir(name) && rel != "." {
			rel += "/"
		}
		return rel, true
	}
	return "", false
}

// endsAsDir reports whether the path, as written, can only be a folder.
func endsAsDir(name string) bool {
	name = toSlash(name)
	return strings.HasSuffix(name, "/") || strings.HasSuffix(name, "/.") || strings.HasSuffix(name, "/..") || name == "." || name == ".."
}

// cleanFile is Clean for a path that must name a file.
func (r *Root) cleanFile(name string) (string, error) {
	clean, err := r.Clean(name)
	if err != nil {
		return "", err
	}
	if clean == "." {
		return "", fail(KindNotRegular, name, "is the workspace folder, not a file")
	}
	if endsAsDir(name) {
		return "", fail(KindInvalidPath, name, "ends like a folder; leave out the trailing slash to name a file")
	}
	return clean, nil
}
