//go:build unix

package capture

import (
	"os/exec"
	"syscall"
)

func leaveGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

func running(pid int) bool { return syscall.Kill(pid, 0) == nil && !zombie(pid) }
