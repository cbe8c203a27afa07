package capture

import (
	"bytes"
	"os"
	"slices"
	"strconv"
)

// A procStat is what /proc tells of one process.
type procStat struct{ pid, parent, group int }

// living lists the processes of this system that have not ended. One that has ended and that nobody waited for, as
// happens in containers without an init, is not living.
func living() []procStat {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var all []procStat
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if s, ok := readStat(pid); ok {
			all = append(all, s)
		}
	}
	return all
}

// readStat reads /proc/PID/stat: after the name, which is in parentheses and can hold anything, come the state, the
// parent and the group.
func readStat(pid int) (procStat, bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return procStat{}, false
	}
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) < 3 || fields[0][0] == 'Z' || fields[0][0] == 'X' {
		return procStat{}, false
	}
	parent, err1 := strconv.Atoi(string(fields[1]))
	group, err2 := strconv.Atoi(string(fields[2]))
	return procStat{pid, parent, group}, err1 == nil && err2 == nil
}

// outside lists the descendants of root that are not in its group.
func outside(root int) []int {
	children := map[int][]procStat{}
	for _, s := range living() {
		children[s.parent] = append(children[s.parent], s)
	}
	var all []int
	for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
		for _, s := range children[queue[0]] {
			queue = append(queue, s.pid)
			if s.group != root {
				all = append(all, s.pid)
			}
		}
		delete(children, queue[0])
	}
	slices.Sort(all)
	return all
}

// anyLiving reports whether one of the group or of the given processes has not ended.
func anyLiving(group int, pids []int) bool {
	return slices.ContainsFunc(living(), func(s procStat) bool { return s.group == group || slices.Contains(pids, s.pid) })
}
