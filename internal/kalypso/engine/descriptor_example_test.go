// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/inventory"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/crd"
)

// descriptorOf is the part of a DeploymentDescriptor that the hub reads.
type descriptorOf struct {
	Kind string
	Spec struct {
		Workload struct {
			Name        string
			Application struct {
				Name      string
				Workspace struct{ Name string }
			}
		}
		DeploymentTarget struct{ Name, Environment string }
		WorkloadVersion  struct{ Version string }
	}
}

// The templates of examples/deployments write what Kalypso's Observability Hub takes: a
// DeploymentDescriptor by its CRD, strictly, and objects of Flux by whose names the hub
// finds it. kalypso_deployments reads the version.
func TestDescriptorExample(t *testing.T) {
	t.Parallel()
	const example = "../../../examples/deployments"
	var manifests []manifest.Text
	for _, pattern := range []string{"fleet/*.yaml", "templates/*.yaml"} {
		files, err := filepath.Glob(filepath.Join(example, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("no %s, error %v", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			manifests = append(manifests, manifest.Text{Name: file, Text: string(text)})
		}
	}
	for environment, packages := range map[string]int{"dev": 4, "prod": 2} {
		result, err := engine.Compute(t.Context(), engine.Input{Environment: environment, Manifests: manifests})
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for clusterType, dir := range result.Folders {
			for _, e := range dir.Entries {
				if e.Dir == nil {
					continue
				}
				files := map[string][]byte{}
				for _, file := range e.Dir.Entries {
					files[file.Name] = file.Content
				}
				found++
				expectDescribed(t, clusterType, files)
			}
		}
		if found != packages {
			t.Errorf("%s has %d packages, want %d", environment, found, packages)
		}
	}
}

// expectDescribed checks the files of a package.
func expectDescribed(t *testing.T, clusterType string, files map[string][]byte) {
	t.Helper()
	var names []string
	var descriptor descriptorOf
	for document := range strings.SplitSeq(string(files["reconciler.yaml"]), "---\n") {
		var object struct {
			APIVersion, Kind string
			Metadata         struct{ Name string }
		}
		if err := yaml.Unmarshal([]byte(document), &object); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(object.APIVersion, ".fluxcd.io/") {
			names = append(names, object.Metadata.Name)
		}
		if object.Kind != "DeploymentDescriptor" {
			continue
		}
		if err := crd.Check(document); err != nil {
			t.Errorf("%v\n%s", err, document)
		}
		if err := yaml.Unmarshal([]byte(document), &descriptor); err != nil {
			t.Fatal(err)
		}
	}
	s := descriptor.Spec
	want := strings.Join([]string{s.DeploymentTarget.Environment, s.Workload.Application.Workspace.Name, s.Workload.Application.Name,
		s.Workload.Name, s.DeploymentTarget.Name, clusterType}, ".")
	if !slices.Equal(names, []string{want, want}) || len(want) > 63 {
		t.Errorf("the objects of Flux are %q, want %q", names, want)
	}
	p := inventory.Read(files)
	if p.Version == "" || p.Version != s.WorkloadVersion.Version || p.Build == "" || p.Commit == "" || p.Workload != s.Workload.Name ||
		len(p.Sources) != 1 || len(p.Unreadable) > 0 {
		t.Errorf("read as %+v", p)
	}
}

// The descriptor has the texts that people write about a version, and those in Kalypso's
// own manifests are enough. Names that Flux refuses are errors of the plan.
func TestDescriptorExample_otherFleets(t *testing.T) {
	t.Parallel()
	const example = "../../../examples/deployments/"
	var manifests []manifest.Text
	for _, file := range []string{"fleet/cluster-types.yaml", "fleet/scheduling.yaml", "templates/flux-with-descriptor.yaml",
		"templates/namespace.yaml"} {
		manifests = append(manifests, manifest.Text{Name: file, Text: read(t, example+file)})
	}
	target := func(name, manifests string) string {
		return "    - {name: " + name + ", environment: dev, labels: {purpose: live}, manifests: {repo: https://github.com/contoso/shop, " +
			"branch: dev, path: ./live" + manifests + "}}\n"
	}
	for name, test := range map[string]struct {
		targets string
		// has is what the version of the descriptor says; empty for no descriptor.
		has, wrong string
	}{
		"repo, branch and path": {targets: target("live", "")},
		"no commit":             {targets: target("live", ", version: 1.0.0")},
		"no version":            {targets: target("live", ", commit: abc")},
		"no build":              {targets: target("live", ", version: 1.0.0, commit: abc"), has: "version: \"1.0.0\"\n    commit: \"abc\"\n"},
		"everything": {targets: target("live", ", version: 1.0.0, commit: abc, build: \"7\""), has: "version: \"1.0.0\"\n    build: " +
			"\"7\"\n    commit: \"abc\"\n"},
		"a name of 63": {targets: target("t"+strings.Repeat("x", 30), "")},
		"a name of 64": {targets: target("t"+strings.Repeat("x", 31), ""), wrong: "may have 63. Shorten the names in it"},
	} {
		workload := "apiVersion: scheduler.kalypso.io/v1alpha1\nkind: Workload\nmetadata: {name: shop, labels: {workspace: retail}}\nspec:\n  " +
			"deploymentTargets:\n" + test.targets
		result, err := engine.Compute(t.Context(), engine.Input{Environment: "dev",
			Manifests: append(slices.Clone(manifests), manifest.Text{Name: "workload.yaml", Text: workload})})
		if test.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), test.wrong) || !strings.Contains(err.Error(), "store") {
				t.Errorf("%s: error %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		written := 0
		for file, text := range files(result) {
			if !strings.HasSuffix(file, "reconciler.yaml") {
				continue
			}
			written++
			if described := strings.Contains(text, "DeploymentDescriptor"); described != (test.has != "") || !strings.Contains(text, test.has) {
				t.Errorf("%s: %s is\n%s", name, file, text)
			}
			delivers(t, name+": "+file, text)
		}
		if written != 2 {
			t.Errorf("%s: %d packages", name, written)
		}
	}
}
