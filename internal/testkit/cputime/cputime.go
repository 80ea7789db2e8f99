// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package cputime returns how much processor time the process has used. Benchmarks report it
// because wall time depends on the other work of the machine.
package cputime

import (
	"testing"
)

// Report runs a benchmark's loop and reports the processor time of each of the parts that
// one turn consists of, as cpu-µs/<part>.
func Report(b *testing.B, parts int, part string, loop func()) {
	b.Helper()
	start := Used()
	loop()
	b.ReportMetric(float64((Used()-start).Nanoseconds())/1e3/float64(b.N)/float64(parts), "cpu-µs/"+part)
}
