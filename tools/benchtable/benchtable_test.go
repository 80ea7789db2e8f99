// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"strings"
	"testing"
)

const printed = `goos: linux
pkg: example.com/x/engine
cpu: A processor
BenchmarkCompute/assignments=10000-2   10  150000000 ns/op  30.0 peak-MB
BenchmarkShapes/block-2   10  150000000 ns/op  11.0 cpu-µs/assignment
BenchmarkShapes/helm-2   10  150000000 ns/op  44.0 cpu-µs/assignment
BenchmarkCompute/assignments=3000-2   10  150000000 ns/op
something else
pkg: example.com/x/provider
BenchmarkPlan/nothing-2   10  100000000 ns/op  0.10 cpu-sec/op
BenchmarkPlan/assignments=1/detail=package/none-2   10  200000000 ns/op  0.20 cpu-sec/op
BenchmarkPlan/assignments=10000/detail=package/none-2   10  1000000000 ns/op  2.00 cpu-sec/op
BenchmarkPlan/assignments=10000/detail=cluster_type/none-2   10  1000000000 ns/op  0.50 cpu-sec/op
PASS
`

func TestTable(t *testing.T) {
	t.Parallel()
	r, err := read(strings.NewReader(printed))
	if err != nil {
		t.Fatal(err)
	}
	got := page(r)
	for _, want := range []string{
		"(A processor, 2 cores)",
		"| 10,000 assignments | 0.15 s | 0.30 s |  |\n",
		"| 10,000 assignments: heap | 30 MB | 200 MB |  |\n",
		"| what the provider adds to the start of a plan | 0.10 s | 0.15 s |  |\n",
		"| no change, 10,000, `package` | 10.0 times (2.00 s) | 5 times | **missed by 100 %**: " + mapOfAll + " |\n",
		"| no change, 10,000, `cluster_type` | 2.5 times (0.50 s) | 1.5 times | **missed by 67 %**: " + manifestsOfAll + " |\n",
		"| processor time of an assignment, the worst shape | 44.0 µs, helm | 40.0 µs | " +
			"**missed by 10 %**: Helm's helpers call many functions for each file |\n",
		" aims were measured, and 3 of these are missed.\n",
		"\nNot measured:\n\n- Plans: no change, a provider that only keeps a map of 10,000 digests (`provider.Plan/bare/length=10000`, cpu-sec/op)\n",
		"\nMeasured, but in no table:\n\n- engine.Compute/assignments=3000\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	for _, other := range []string{"## Commits", "| first plan", "- provider"} {
		if strings.Contains(got, other) {
			t.Errorf("%q was not measured:\n%s", other, got)
		}
	}
}

// A check fails for plans beyond half more than the aim or beyond a bound of their own, and for those that were not measured.
func TestCheck(t *testing.T) {
	t.Parallel()
	r, err := read(strings.NewReader(printed))
	if err != nil {
		t.Fatal(err)
	}
	slow := strings.Join(check(r), "\n")
	for text, want := range map[string]bool{
		"no change, 10,000, `cluster_type`: 2.5 times (0.50 s), at most 2.25 times": true, "first plan, 10,000, `package`: , at most": true,
		"no change, 10,000, `package`": false, "100,000": false,
	} {
		if strings.Contains(slow, text) != want {
			t.Errorf("%q: want %v in\n%s", text, want, slow)
		}
	}
}

// Every row has a name, a benchmark and a format.
func TestRowsAreWhole(t *testing.T) {
	t.Parallel()
	for _, s := range sections {
		for _, row := range s.rows {
			if row.what == "" || row.bench == "" || row.unit == "" || !strings.Contains(row.format, "%") {
				t.Errorf("%s: %+v lacks something", s.title, row)
			}
		}
	}
}

// A row that was not measured meets no aim.
func TestNothingMeasured(t *testing.T) {
	t.Parallel()
	r, err := read(strings.NewReader(""))
	if err != nil {
		t.Fatal(err)
	}
	if got := page(r); !strings.Contains(got, "\n0 of ") || strings.Contains(got, "| |") {
		t.Error(got)
	}
}
