//go:build unix

package capture

import (
	"os/exec"
	"syscall"
)

func leaveGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// running counts a process that has ended as running where nobody waits for it, which only Linux can tell apart.
func running(pid int) bool { return syscall.Kill(pid, 0) == nil && anyLiving(pid, []int{pid}) }
