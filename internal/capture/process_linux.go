package capture

import (
	"bytes"
	"os"
	"slices"
	"strconv"
)

// descendants lists the processes below root. A process whose parent ended is no longer below it; the process group
// reaches those.
func descendants(root int) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if parent, ok := parentOf(pid); ok {
			children[parent] = append(children[parent], pid)
		}
	}
	var all []int
	for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
		below := children[queue[0]]
		delete(children, queue[0])
		all = append(all, below...)
		queue = append(queue, below...)
	}
	slices.Sort(all)
	return all
}

// parentOf reads the fourth field of /proc/PID/stat; the second is a name in parentheses that can hold anything.
func parentOf(pid int) (int, bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) < 2 {
		return 0, false
	}
	parent, err := strconv.Atoi(string(fields[1]))
	return parent, err == nil
}
