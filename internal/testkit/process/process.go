// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package process runs servers for tests so that none of them outlives the test
// process, however that ends.
package process

import (
	"bytes"
	"os/exec"
	"runtime"
	"sync"
)

// Process is a command that runs. On unix, it has a process group of its own.
type Process struct {
	command *exec.Cmd
	output  log
	ended   chan struct{}
}

// Start starts a command. What it prints is kept. On Linux, the kernel kills it when
// this process ends.
func Start(command *exec.Cmd) (*Process, error) {
	group(command)
	p := &Process{command: command, ended: make(chan struct{})}
	command.Stdout, command.Stderr = &p.output, &p.output
	started := make(chan error)
	go func() {
		// For the kernel, the parent is the thread that starts it, which has to stay.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := command.Start()
		started <- err
		if err != nil {
			return
		}
		_ = command.Wait() // most are killed
		close(p.ended)
	}()
	return p, <-started
}

// Ended is closed when the command has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Output is what it has printed so far.
func (p *Process) Output() string { return p.output.String() }

// Stop kills the command and whatever it has started, and waits until it has ended.
func (p *Process) Stop() {
	select {
	case <-p.ended:
	default:
		kill(p.command.Process)
		<-p.ended
	}
}

// log keeps what is written to it.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(text)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
