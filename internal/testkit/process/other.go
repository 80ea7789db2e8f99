// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

//go:build !unix

package process

import (
	"os"
	"os/exec"
)

func group(*exec.Cmd) {}

func kill(p *os.Process) { _ = p.Kill() } // the process may just have ended

// PeakMemory returns zero: benchmarks run on unix.
func PeakMemory(*os.ProcessState) int64 { return 0 }
