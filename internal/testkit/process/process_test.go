// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

//go:build unix

package process

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain is the parent of TestStart_killedParent if the environment says so.
func TestMain(m *testing.M) {
	if os.Getenv("PROCESS_PARENT") == "" {
		os.Exit(m.Run())
	}
	p, err := Start(exec.Command("sleep", "600"))
	if err != nil {
		panic(err)
	}
	fmt.Println(p.command.Process.Pid)
	<-p.Ended()
}

func TestStart(t *testing.T) {
	t.Parallel()
	p, err := Start(exec.Command("echo", "said"))
	if err != nil {
		t.Fatal(err)
	}
	<-p.Ended()
	p.Stop()
	if p.Output() != "said\n" {
		t.Errorf("it says %q", p.Output())
	}
	if _, err := Start(exec.Command("no-such-command")); err == nil {
		t.Error("a command that does not exist runs")
	}
}

// TestStop ends what the command has started too.
func TestStop(t *testing.T) {
	t.Parallel()
	p, err := Start(exec.Command("sh", "-c", "sleep 600 & echo $!; wait"))
	if err != nil {
		t.Fatal(err)
	}
	within(t, "no child", func() bool { return p.Output() != "" })
	p.Stop()
	gone(t, p.Output())
}

// TestStart_killedParent kills the parent, that has no time to end anything.
func TestStart_killedParent(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends a process with its parent")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parent := exec.Command(program)
	parent.Env = append(os.Environ(), "PROCESS_PARENT=1")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	child, err := bufio.NewReader(out).ReadString('\n')
	if err := errors.Join(err, parent.Process.Kill()); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // it was killed
	gone(t, child)
}

// gone waits until no process has this id. One that has ended and that nobody has waited
// for yet is gone too.
func gone(t *testing.T, pid string) {
	t.Helper()
	id, err := strconv.Atoi(strings.TrimSpace(pid))
	if err != nil {
		t.Fatal(err)
	}
	within(t, "the process is still there", func() bool {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id)) // only Linux has it
		return errors.Is(syscall.Kill(id, 0), syscall.ESRCH) || strings.Contains(string(stat), ") Z ")
	})
}

// within waits until something holds.
func within(t *testing.T, otherwise string, holds func() bool) {
	t.Helper()
	for range 200 {
		if holds() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal(otherwise)
}
