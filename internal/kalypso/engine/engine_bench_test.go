// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/rendering"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/cputime"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/fleetgen"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/peakmem"
)

// BenchmarkCompute measures the whole engine, in parallel as it runs.
func BenchmarkCompute(b *testing.B) {
	for _, size := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("assignments=%d", size), func(b *testing.B) { compute(b, fleetgen.Large(size), size) })
	}
}

// BenchmarkShapes measures the engine on templates in all shapes.
func BenchmarkShapes(b *testing.B) {
	for _, shape := range fleetgen.Shapes {
		b.Run(shape.Name, func(b *testing.B) { compute(b, fleetgen.LargeOf(shape, 10_000), 10_000) })
	}
}

func compute(b *testing.B, manifests []string, assignments int) {
	in := input(manifests)
	b.ReportAllocs()
	cputime.Report(b, assignments, "assignment", func() {
		for b.Loop() {
			result, err := engine.Compute(b.Context(), in)
			if err != nil || len(result.Placement.Assignments) != assignments {
				b.Fatal(err)
			}
		}
	})
	peakmem.Report(b, func() { _, _ = engine.Compute(b.Context(), in) })
}

// BenchmarkFindings measures what findings add to the engine's processor time, on
// templates in all shapes: in turns with the engine, so that the noise of the machine is
// the same for both.
func BenchmarkFindings(b *testing.B) {
	const assignments = 10_000
	for _, shape := range fleetgen.Shapes {
		b.Run(shape.Name, func(b *testing.B) { benchmarkFindings(b, fleetgen.LargeOf(shape, assignments), assignments) })
	}
}

func benchmarkFindings(b *testing.B, manifests []string, assignments int) {
	in := input(manifests)
	var computing, finding time.Duration
	for b.Loop() {
		start := cputime.Used()
		result, err := engine.Compute(b.Context(), in)
		computed := cputime.Used()
		if err != nil || len(foundIn(b, result)) > 0 {
			b.Fatal("the fleet is not sound", err)
		}
		computing += computed - start
		finding += cputime.Used() - computed
	}
	b.ReportMetric(float64(finding.Nanoseconds())/1e3/float64(b.N)/float64(assignments), "findings-µs/assignment")
	b.ReportMetric(100*finding.Seconds()/computing.Seconds(), "%-of-engine")
}

// BenchmarkSteps measures the engine's steps one by one, on one processor.
func BenchmarkSteps(b *testing.B) {
	for _, size := range []int{1_000, 10_000} {
		in := input(fleetgen.Large(size))
		var objects []manifest.Object
		var f *fleet.Fleet
		var placed *placement.Placement
		var composer *composition.Composer
		var renderer *rendering.Renderer
		configs := make([]*composition.Config, size)
		files := make([][]tree.Entry, size)
		for _, step := range []struct {
			name string
			do   func() error
		}{
			{"decode", func() (err error) {
				objects, err = manifest.Decode(in.Manifests)
				return err
			}},
			{"fleet", func() (err error) {
				f, err = fleet.New(objects, in.Environment)
				return err
			}},
			{"place", func() (err error) {
				placed, err = placement.Place(f)
				return err
			}},
			{"compose", func() error {
				composer = composition.New(f)
				for i, a := range placed.Assignments {
					configs[i] = composer.Compose(a)
				}
				return nil
			}},
			{"render", func() (err error) {
				if renderer, err = rendering.New(f); err != nil {
					return err
				}
				for i, a := range placed.Assignments {
					if files[i], err = renderer.Render(b.Context(), a, configs[i]); err != nil {
						return err
					}
				}
				return nil
			}},
			{"tree ids", func() error {
				for _, entries := range files {
					if _, err := tree.NewDir(entries); err != nil {
						return err
					}
				}
				return nil
			}},
		} {
			b.Run(fmt.Sprintf("assignments=%d/%s", size, step.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := step.do(); err != nil {
						b.Fatal(err)
					}
				}
				peakmem.Report(b, func() { _ = step.do() })
			})
		}
	}
}

// BenchmarkStyles measures the rendering of one assignment, with templates in block style and in Helm's
// style, on one processor.
func BenchmarkStyles(b *testing.B) {
	const assignments = 2_000
	for _, shape := range fleetgen.Shapes {
		if shape.Name != "block" && shape.Name != "helm" {
			continue
		}
		b.Run(shape.Name, func(b *testing.B) {
			result, err := engine.Compute(b.Context(), input(fleetgen.LargeOf(shape, assignments)))
			if err != nil {
				b.Fatal(err)
			}
			composer := composition.New(result.Fleet)
			renderer, err := rendering.New(result.Fleet)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				for _, a := range result.Placement.Assignments {
					if _, err := renderer.Render(b.Context(), a, composer.Compose(a)); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*assignments), "µs/assignment")
		})
	}
}
