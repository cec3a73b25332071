package sandbox

import (
	"path"
	"slices"
	"strings"
)

// system are the folders at the top of a machine; deep are those of them that
// the system alone fills, so that what stands right below is as vital.
var (
	system = []string{"applications", "bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "libx32", "library", "media", "mnt", "opt", "private", "proc", "root", "run", "sbin", "srv", "sys", "system", "users", "usr", "var", "volumes", "windows"}
	deep   = []string{"bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "proc", "sbin", "sys", "system", "users", "usr", "var", "library"}
)

// isVital reports a path whose removal or opening to all would ruin the
// machine or the user's home: /, the system's folders, and ~. Unknown
// variables count as empty, since that is how rm -rf $X/ goes wrong.
func isVital(w Word, cwd string) bool {
	name := w.loose
	if name == "" {
		return false
	}
	if strings.HasPrefix(name, "~") {
		user, rest, _ := strings.Cut(name, "/")
		return trimAll(rest) == "" && !strings.Contains(user, unknownText)
	}
	if !strings.HasPrefix(name, "/") {
		if strings.Count(name, "..") >= 5 && strings.Trim(name, "./*") == "" {
			return true
		}
		if cwd == "" {
			return false
		}
		if strings.HasPrefix(cwd, "~") {
			return trimAll(path.Join(cwd, name)[1:]) == ""
		}
		name = cwd + "/" + name
	}
	name = trimAll(path.Clean(trimAll(name)))
	if name == "" {
		return true
	}
	parts := strings.Split(strings.ToLower(strings.TrimPrefix(name, "/")), "/")
	switch len(parts) {
	case 1:
		return matchesAny(parts[0], system)
	case 2:
		return matchesAny(parts[0], deep) && !(parts[0] == "var" && parts[1] == "tmp") && !(parts[0] == "dev" && parts[1] == "shm")
	}
	return false
}

// trimAll takes off endings that mean "all of it".
func trimAll(name string) string {
	for {
		short := name
		for _, end := range []string{"/", "/*", "/.*", "/.", "/.[!.]*", "/**", "/.??*"} {
			short = strings.TrimSuffix(short, end)
		}
		if short == "*" || short == ".*" || short == "." {
			short = ""
		}
		if short == name {
			return name
		}
		name = short
	}
}

func matchesAny(pattern string, names []string) bool {
	if !strings.ContainsAny(pattern, "*?[") {
		return slices.Contains(names, pattern)
	}
	return slices.ContainsFunc(names, func(n string) bool {
		ok, err := path.Match(pattern, n)
		return ok || err != nil
	})
}

// devices are the names under /dev that are disks or memory.
var devices = []string{"sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "md", "dm-", "mapper/", "loop", "nbd", "sr", "mem", "kmem", "port", "block/"}

// isDevice reports a path that is a disk, the machine's memory, or the kernel's
// emergency switch.
func isDevice(name, cwd string) bool {
	if !strings.HasPrefix(name, "/") && cwd != "" {
		name = cwd + "/" + name
	}
	name = strings.ToLower(path.Clean(name))
	if name == "/proc/sysrq-trigger" {
		return true
	}
	rest, ok := strings.CutPrefix(name, "/dev/")
	if !ok {
		return strings.HasPrefix(name, `\\.\physicaldrive`)
	}
	return slices.ContainsFunc(devices, func(d string) bool { return strings.HasPrefix(rest, d) }) || strings.ContainsAny(rest, "*?[")
}
