package sandbox

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// procStat is what is used of /proc/PID/stat; see proc_pid_stat(5).
type procStat struct {
	pid     int
	state   byte
	parent  int
	group   int
	session int
}

func readStat(pid int) (procStat, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return procStat{}, false
	}
	return parseStat(pid, string(b))
}

// parseStat starts after the last parenthesis, since the name before it may
// hold anything.
func parseStat(pid int, s string) (procStat, bool) {
	i := strings.LastIndexByte(s, ')')
	f := strings.Fields(s[i+1:])
	if i < 0 || len(f) < 4 || f[0] == "" {
		return procStat{}, false
	}
	st := procStat{pid: pid, state: f[0][0]}
	st.parent, _ = strconv.Atoi(f[1])
	st.group, _ = strconv.Atoi(f[2])
	st.session, _ = strconv.Atoi(f[3])
	return st, true
}

func readAllStats() []procStat {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	out := make([]procStat, 0, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if st, ok := readStat(pid); ok {
			out = append(out, st)
		}
	}
	return out
}

// over reports which of the sampled limits the tree has passed, if any.
func (t *tree) over(l Limits) Reason {
	members := t.members()
	if l.Processes > 0 && len(members) > l.Processes {
		return ReasonProcessLimit
	}
	if l.Memory <= 0 {
		return ""
	}
	var resident int64
	for _, m := range members {
		resident += residentBytes(m.pid)
	}
	if resident <= l.Memory {
		return ""
	}
	// Resident sizes count a shared page once for each process; ask for the
	// proportional ones, which cost more, only now.
	var proportional int64
	for _, m := range members {
		proportional += proportionalBytes(m.pid)
	}
	if proportional > l.Memory {
		return ReasonMemoryLimit
	}
	return ""
}

func residentBytes(pid int) int64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	f := bytes.Fields(b)
	if len(f) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(f[1]), 10, 64)
	return pages * int64(os.Getpagesize())
}

// proportionalBytes falls back on the resident size where the kernel does not
// tell or does not let us see.
func proportionalBytes(pid int) int64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/smaps_rollup")
	if err != nil {
		return residentBytes(pid)
	}
	_, rest, ok := bytes.Cut(b, []byte("\nPss:"))
	f := bytes.Fields(rest)
	if !ok || len(f) == 0 {
		return residentBytes(pid)
	}
	kib, _ := strconv.ParseInt(string(f[0]), 10, 64)
	return kib << 10
}
