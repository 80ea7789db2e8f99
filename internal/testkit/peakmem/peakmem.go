// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package peakmem measures for benchmarks how much memory a piece of work
// holds at its worst moment.
package peakmem

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

// interval is short against the work that is measured.
const interval = time.Millisecond

// Report runs the work once, outside the benchmark's clock, and reports the most
// memory that Go's heap took while it ran, above what it took before, as peak-MB.
func Report(b *testing.B, work func()) {
	b.Helper()
	b.StopTimer()
	defer b.StartTimer()
	b.ReportMetric(float64(Measure(work))/1e6, "peak-MB")
}

// Measure runs the work and returns the most bytes that Go's heap took while it ran,
// above what it took before. Whatever else runs counts too.
func Measure(work func()) uint64 {
	runtime.GC()
	before := heap()
	done, peak := make(chan struct{}), make(chan uint64)
	go func() {
		highest := before
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				highest = max(highest, heap())
			case <-done:
				peak <- max(highest, heap())
				return
			}
		}
	}()
	work()
	close(done)
	return <-peak - before
}

// heap returns the bytes of all objects on the heap, living and not yet collected.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
