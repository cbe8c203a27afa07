package capture

import (
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A group is a job object: all that the program starts is in it and ends with it.
type group struct{ job windows.Handle }

// command runs batch files, such as npx, through the command interpreter, which has quoting rules of its own.
func command(argv []string) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	switch strings.ToLower(filepath.Ext(cmd.Path)) {
	case ".bat", ".cmd":
	default:
		return cmd
	}
	if cmd.Err != nil {
		return cmd
	}
	line := `"` + cmd.Path + `"`
	for _, arg := range argv[1:] {
		if strings.ContainsAny(arg, "\"%\r\n") {
			cmd.Err = faultf(nil, "start the program behind the batch file directly",
				"an argument with a quote, a percent sign or a line end cannot be given safely to a batch file")
			return cmd
		}
		line += ` "` + arg + `"`
	}
	shell := exec.Command("cmd.exe")
	shell.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd.exe /d /s /c "` + line + `"`}
	return shell
}

func (g *group) prepare(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags |= windows.CREATE_NEW_PROCESS_GROUP
	cmd.SysProcAttr.HideWindow = true
}

func (g *group) started(cmd *exec.Cmd) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return
	}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, _ = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(cmd.Process.Pid))
	if err == nil {
		err = windows.AssignProcessToJobObject(job, process)
		windows.CloseHandle(process)
	}
	if err != nil {
		windows.CloseHandle(job)
		return
	}
	g.job = job
}

// Windows has no request to terminate that a console-less program would hear, so the job is simply ended.
func (g *group) collect()    {}
func (g *group) alive() bool { return false }
func (g *group) terminate()  {}

func (g *group) kill() {
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
	}
}

func (g *group) close() {
	if g.job != 0 {
		windows.CloseHandle(g.job)
	}
}
