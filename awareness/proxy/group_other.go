//go:build !unix

package proxy

import (
	"os"
	"os/exec"
)

func isolate(*exec.Cmd) {}

// terminate is kill where there are no signals.
func terminate(cmd *exec.Cmd) { kill(cmd) }

func kill(cmd *exec.Cmd) { cmd.Process.Kill() }

func exitCode(state *os.ProcessState) int { return state.ExitCode() }
