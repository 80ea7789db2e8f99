// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// killed runs the CLI, and expects that it fails because its providers are killed. at gets
// the function that kills them, and calls it once, at the right time.
func (w workspace) killed(t *testing.T, args []string, at func(kill func())) {
	t.Helper()
	command := w.command(slices.Insert(slices.Clone(args), 1, "-no-color")...)
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	started := make(chan int, 1)
	var done atomic.Bool
	at(func() {
		for _, child := range childrenOf(<-started) {
			if p, err := os.FindProcess(child); err == nil {
				_ = p.Kill() // it may just have ended
			}
		}
		done.Store(true)
	})
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	started <- command.Process.Pid
	if err := command.Wait(); err == nil || !done.Load() {
		t.Fatalf("%v was not interrupted: %v\n%s", args, err, out.String())
	}
}

// childrenOf returns the processes that a process has started: those of a CLI are
// its providers.
func childrenOf(parent int) (children []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		text, err := os.ReadFile(file)
		_, rest, found := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		if err != nil || !found || len(fields) < 2 || fields[1] != strconv.Itoa(parent) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
			children = append(children, pid)
		}
	}
	return children
}
