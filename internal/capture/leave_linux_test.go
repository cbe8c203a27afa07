package capture

import (
	"bytes"
	"os"
	"strconv"
)

func zombie(pid int) bool {
	data, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return bytes.Contains(data, []byte(") Z "))
}
