// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/fleetgen"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/gittest"
)

// BenchmarkPlan measures whole `terraform plan` processes: the first plan of a
// fleet and the plan when nothing has changed, beside an empty configuration.
func BenchmarkPlan(b *testing.B) {
	binary := buildProvider(b)
	benchmarkPlan(b, "empty configuration", newWorkspace(b, binary, `provider "kalypso" {}`, nil))
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
			w := newWorkspace(b, binary, config, manifests)
			name := fmt.Sprintf("assignments=%d/detail=%s", size, detail)
			benchmarkPlan(b, name+"/first", w)
			w.terraform(b, "apply", "-auto-approve", "-input=false")
			benchmarkPlan(b, name+"/no-op", w)
		}
	}
}

func benchmarkPlan(b *testing.B, name string, w workspace) {
	b.Run(name, func(b *testing.B) {
		var peak int64
		for b.Loop() {
			peak = max(peak, w.terraform(b, "plan", "-input=false"))
		}
		b.ReportMetric(float64(peak)/1e3, "peak-MB")
	})
}

// workspace is a folder with a configuration and a CLI that finds our provider.
type workspace struct {
	dir, cliConfig string
}

// buildProvider builds the provider as users run it.
func buildProvider(b *testing.B) string {
	dir := b.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "terraform-provider-kalypso"), "github.com/kalypso-gitops/terraform-provider-kalypso")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return dir
}

func newWorkspace(b *testing.B, binary, config string, manifests []string) workspace {
	w := workspace{dir: b.TempDir()}
	w.cliConfig = filepath.Join(w.dir, "cli.tfrc")
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	write(w.cliConfig, fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"kalypso-gitops/kalypso\" = %q\n  }\n  direct {}\n}\n", binary))
	write(filepath.Join(w.dir, "main.tf"), "terraform {\n  required_providers {\n    kalypso = { source = \"kalypso-gitops/kalypso\" }\n  }\n}\n"+config)
	for i, text := range manifests {
		write(filepath.Join(w.dir, "fleet", fmt.Sprintf("%05d.yaml", i)), text)
	}
	return w
}

// terraform runs the CLI and gives the most memory, in kB, that it or the provider took.
func (w workspace) terraform(b *testing.B, args ...string) int64 {
	command := exec.Command(os.Getenv("TF_ACC_TERRAFORM_PATH"), args...) //nolint:gosec // the CLI under test
	command.Dir = w.dir
	command.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+w.cliConfig)
	if out, err := command.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return command.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
}
