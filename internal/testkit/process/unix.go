// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// group has the command start in a process group of its own.
func group(command *exec.Cmd) {
	if command.SysProcAttr == nil {
		command.SysProcAttr = &syscall.SysProcAttr{}
	}
	command.SysProcAttr.Setpgid = true
	dieWithParent(command.SysProcAttr)
}

// kill ends the group of a process.
func kill(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL) // the process may just have ended
}

// PeakMemory returns the most memory, in kB, that an ended process took. Zero: the process did
// not start.
func PeakMemory(ended *os.ProcessState) int64 {
	if ended != nil {
		if usage, ok := ended.SysUsage().(*syscall.Rusage); ok {
			return usage.Maxrss
		}
	}
	return 0
}
