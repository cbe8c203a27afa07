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
	// It waits until it is in the job: what it started before would not be.
	cmd.SysProcAttr.CreationFlags |= windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_SUSPENDED
	cmd.SysProcAttr.HideWindow = true
}

func (g *group) started(cmd *exec.Cmd) {
	pid := uint32(cmd.Process.Pid)
	g.job = jobOf(pid)
	if resume(pid) != nil {
		_ = cmd.Process.Kill() // and its end is told
	}
}

// jobOf puts a process into a job of its own; 0 when the system does not let it.
func jobOf(pid uint32) windows.Handle {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0
	}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, _ = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, pid)
	if err == nil {
		err = windows.AssignProcessToJobObject(job, process)
		windows.CloseHandle(process)
	}
	if err != nil {
		windows.CloseHandle(job)
		return 0
	}
	return job
}

// resume lets the one thread of a new process run.
func resume(pid uint32) error {
	threads, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(threads)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(threads, &entry); err == nil; err = windows.Thread32Next(threads, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return err
		}
		defer windows.CloseHandle(thread)
		_, err = windows.ResumeThread(thread)
		return err
	}
	return err
}

func (g *group) collect() {}

// alive asks the job: one that is told to end still has processes for a while.
func (g *group) alive() bool {
	var now struct { // JOBOBJECT_BASIC_ACCOUNTING_INFORMATION
		_      [4]int64
		_      [2]uint32
		Active uint32
		_      uint32
	}
	return g.job != 0 && windows.QueryInformationJobObject(g.job, windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&now)), uint32(unsafe.Sizeof(now)), nil) == nil && now.Active > 0
}

// terminate ends the job: Windows has no request to terminate that a program without a console would hear.
func (g *group) terminate() { g.kill() }

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
