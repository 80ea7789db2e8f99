// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// results has the measured values by benchmark and unit. The name of a benchmark has its
// package, as engine.Compute, but not the number of processors.
type results struct {
	values map[string]map[string]float64
	// names are the benchmarks in the order in which they ran.
	names []string
	// cpu and cores describe the machine.
	cpu, cores string
}

// processors matches the number of processors, which ends the name of a benchmark.
var processors = regexp.MustCompile(`-(\d+)$`)

// read reads the output of `go test -bench`. If a benchmark ran several times, the last
// result counts.
func read(from io.Reader) (results, error) {
	r := results{values: map[string]map[string]float64{}, cores: "1"}
	reader := benchfmt.NewReader(from, "results")
	for reader.Scan() {
		result, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			continue // not a line with a result
		}
		name := path.Base(result.GetConfig("pkg")) + "." + result.Name.String()
		if match := processors.FindStringSubmatch(name); match != nil {
			name, r.cores = strings.TrimSuffix(name, match[0]), match[1]
		}
		if r.values[name] == nil {
			r.values[name] = map[string]float64{}
			r.names = append(r.names, name)
		}
		for _, v := range result.Values {
			r.values[name][v.Unit] = v.Value
		}
		r.cpu = result.GetConfig("cpu")
	}
	return r, reader.Err()
}

// machine describes the machine of the run.
func (r results) machine() string { return fmt.Sprintf("%s, %s cores", r.cpu, r.cores) }

// worst returns the largest value of a unit among the benchmarks whose names match, and the
// name of the benchmark with this value.
func (r results) worst(pattern, unit string) (value float64, name string, ok bool) {
	match := matching(pattern)
	for _, candidate := range r.names {
		v, has := r.values[candidate][unit]
		if part := match.FindStringSubmatch(candidate); part != nil && has && (!ok || v > value) {
			value, name, ok = v, part[len(part)-1], true
		}
	}
	return value, name, ok
}

// without returns the benchmarks that no row names.
func (r results) without(all []section) []string {
	var patterns []*regexp.Regexp
	for _, s := range all {
		for _, row := range s.rows {
			patterns = append(patterns, matching(row.bench), matching(row.times), matching(row.minus))
		}
	}
	var names []string
	for _, name := range r.names {
		if !slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(name) }) {
			names = append(names, name)
		}
	}
	return names
}

// matching matches the names of a pattern, in which a star stands for any part of a name.
func matching(pattern string) *regexp.Regexp {
	return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, "([^/]*)") + "$")
}
