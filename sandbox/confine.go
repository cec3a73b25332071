package sandbox

import "slices"

// The levels of a [Cell], from no wall to all of them.
const (
	// LevelNone puts no wall of the operating system around commands: they
	// run with the rights of this process.
	LevelNone = "none"

	// LevelLandlock confines each command by Landlock and seccomp alone:
	// files outside cannot be opened and no socket be made, but the existence,
	// sizes and times of files outside can be learnt, and modes and times of
	// files of the same user be changed. /proc tells nothing of processes.
	LevelLandlock = "landlock"

	// LevelFull keeps all commands of a session in namespaces of their own,
	// with a root of their own, no capabilities, Landlock and seccomp.
	LevelFull = "full"
)

// Confine says how commands are kept from what is not theirs. The zero value
// asks for no wall.
type Confine struct {
	// Level is the level wanted: [LevelFull], [LevelLandlock], or
	// [LevelNone], which empty means too. Where this system cannot carry it
	// the next lower one is taken; [Cell.Level] says which it became.
	Level string

	// Require is the least level with which commands are run at all. Where it
	// cannot be reached, [NewCell] fails with [KindUnconfined]. Empty is none.
	Require string

	// Readable are absolute paths outside the workspace that commands may
	// read and run besides the system's own: toolchains, caches. What does
	// not exist is left out.
	Readable []string

	// Writable are absolute paths outside the workspace that commands may
	// change, such as the cache of a compiler. They must exist.
	Writable []string

	// TmpBytes is how much /tmp, the home folder and shared memory of the
	// session may hold together; 0 is [DefaultTmpBytes]. At level full only.
	TmpBytes int64

	// Overlay keeps every change that commands make to the workspace apart
	// from it, until [Cell.Commit] or [Cell.Discard]; [Cell.Effects] shows
	// them. It needs [LevelFull].
	Overlay bool
}

// DefaultTmpBytes is the size of a session's temporary files where the
// Profile names none.
const DefaultTmpBytes = 1 << 30

// A Layer is one of the walls that levels are made of.
type Layer struct {
	Name  string `json:"name"`            // landlock, seccomp, namespaces, root, …
	OK    bool   `json:"ok"`              // it stands, or would
	Lacks string `json:"lacks,omitempty"` // what is missing, and what to do about it
}

var levels = []string{LevelNone, LevelLandlock, LevelFull}

// rank orders levels; an empty one is none.
func rank(level string) int { return max(slices.Index(levels, level), 0) }

func (c Confine) check() error {
	for _, level := range []string{c.Level, c.Require} {
		if level != "" && !slices.Contains(levels, level) {
			return fail(KindInvalid, "", "sandbox level "+quote(level)+" is none of full, landlock and none")
		}
	}
	if rank(c.Require) > rank(c.Level) {
		return fail(KindInvalid, "", "sandbox level "+quote(c.Require)+" is required and only "+quote(levels[rank(c.Level)])+" asked for; ask for the required one")
	}
	for _, path := range slices.Concat(c.Readable, c.Writable) {
		if !isAbs(path) || path == "/" {
			return fail(KindInvalid, "", "path "+quote(path)+" in the profile is not an absolute path below /")
		}
	}
	if c.Overlay && rank(c.Level) < rank(LevelFull) {
		return fail(KindInvalid, "", "an overlay needs sandbox level full")
	}
	return nil
}

// lacking tells what the first missing layers want.
func lacking(layers []Layer) string {
	var text string
	for _, l := range layers {
		if !l.OK {
			text += "; " + l.Name + ": " + l.Lacks
		}
	}
	return text
}
