//go:build unix

package capture

import (
	"os/exec"
	"syscall"
)

// A group is the process group of a program, and descendants that left it.
type group struct {
	pgid   int
	strays []int
}

func command(argv []string) *exec.Cmd { return exec.Command(argv[0], argv[1:]...) }

func (g *group) prepare(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
func (g *group) started(cmd *exec.Cmd) { g.pgid = cmd.Process.Pid }

// collect looks for descendants that made a group of their own. It has to be called while their parents still live: one
// whose parent has ended before cannot be told from a stranger.
func (g *group) collect() {
	for _, pid := range descendants(g.pgid) {
		if group, err := syscall.Getpgid(pid); err == nil && group != g.pgid {
			g.strays = append(g.strays, pid)
		}
	}
}

// alive reports whether a process of the group runs. A zombie that nobody waits for counts too, until kill.
func (g *group) alive() bool { return syscall.Kill(-g.pgid, 0) == nil }

func (g *group) terminate() { g.signal(syscall.SIGTERM) }
func (g *group) kill()      { g.signal(syscall.SIGKILL) }
func (g *group) close()     {}

func (g *group) signal(s syscall.Signal) {
	_ = syscall.Kill(-g.pgid, s)
	for _, pid := range g.strays {
		_ = syscall.Kill(pid, s)
	}
}
