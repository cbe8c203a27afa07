//go:build unix

package capture

import (
	"os/exec"
	"slices"
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
	for _, pid := range outside(g.pgid) {
		if !slices.Contains(g.strays, pid) {
			g.strays = append(g.strays, pid)
		}
	}
}

func (g *group) alive() bool { return anyLiving(g.pgid, g.strays) }
func (g *group) terminate()  { g.signal(syscall.SIGTERM) }
func (g *group) kill()       { g.signal(syscall.SIGKILL) }
func (g *group) close()      {}

func (g *group) signal(s syscall.Signal) {
	_ = syscall.Kill(-g.pgid, s)
	for _, pid := range g.strays {
		_ = syscall.Kill(pid, s)
	}
}
