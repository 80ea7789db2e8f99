// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/fleetgen"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// BenchmarkPlan measures whole `terraform plan` processes: the first plan of a
// fleet and the plan when nothing has changed. Beside them, what Terraform takes
// for nothing at all, and for a single object, which starts the provider.
func BenchmarkPlan(b *testing.B) {
	benchmarkPlan(b, "nothing", newWorkspace(b, "", nil))
	one := newWorkspace(b, inert, nil)
	one.mustRun(b, "apply", "-auto-approve")
	benchmarkPlan(b, "one object/no-op", one)
	for _, size := range []int{1_000, 10_000} {
		manifests := fleetgen.Large(size)
		for _, detail := range []string{"package", "cluster_type"} {
			config := fmt.Sprintf(`
provider "kalypso" {}

locals {
  fleet = [for f in fileset(path.module, "fleet/*.yaml") : file("${path.module}/${f}")]
}

resource "kalypso_gitops_commit" "this" {
  environment = %q
  manifests   = local.fleet
  repo        = %q
  branch      = "main"
  detail      = %q
}
`, fleetgen.Environment, gittest.NewBare(b).FileURL(), detail)
			w := newWorkspace(b, config, manifests)
			name := fmt.Sprintf("assignments=%d/detail=%s", size, detail)
			benchmarkPlan(b, name+"/first", w)
			w.mustRun(b, "apply", "-auto-approve")
			benchmarkPlan(b, name+"/no-op", w)
		}
	}
}

func benchmarkPlan(b *testing.B, name string, w workspace) {
	b.Run(name, func(b *testing.B) {
		var peak int64
		for b.Loop() {
			peak = max(peak, w.mustRun(b, "plan"))
		}
		b.ReportMetric(float64(peak)/1e3, "peak-MB")
	})
}
