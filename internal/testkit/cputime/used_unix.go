// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

//go:build unix

package cputime

import (
	"syscall"
	"time"
)

// Used returns the processor time of the process up to now, on all processors.
func Used() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err) // of one's own process, it does not fail
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
