// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/fleetgen"
)

// largeFleet is a fleet of that many assignments.
func largeFleet(assignments int) engine.Input {
	in := engine.Input{Environment: fleetgen.Environment}
	for i, text := range fleetgen.Large(assignments) {
		in.Manifests = append(in.Manifests, manifest.Input{Name: strconv.Itoa(i), Text: text})
	}
	return in
}

func BenchmarkPlan(b *testing.B) {
	for _, size := range []int{10_000, 100_000} {
		s := newServer(b)
		settings := s.settings(largeFleet(size))
		changed := s.settings(with(largeFleet(size), "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\n  labels: {platform-config: \"true\", region: \"r0\", size: \"5\"}\ndata:\n  ONE: a\n"))
		i := instance{server: s}
		b.Run(fmt.Sprintf("assignments=%d/first", size), func(b *testing.B) {
			for b.Loop() {
				_, m := i.plan(b, settings)
				succeeded(b, m)
			}
		})
		i.apply(b, settings)
		b.Run(fmt.Sprintf("assignments=%d/changed", size), func(b *testing.B) {
			for b.Loop() {
				_, m := i.plan(b, changed)
				succeeded(b, m)
			}
		})
		b.Run(fmt.Sprintf("assignments=%d/none", size), func(b *testing.B) {
			for b.Loop() {
				_, m := i.plan(b, settings)
				succeeded(b, m)
			}
		})
	}
}
