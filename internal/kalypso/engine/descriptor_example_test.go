// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/crd"
)

// descriptorOf is what the hub reads of a DeploymentDescriptor.
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
	schema, err := jsonschema.NewCompiler().Compile("testdata/deploymentdescriptor.json")
	if err != nil {
		t.Fatal(err)
	}
	const example = "../../../examples/deployments"
	var manifests []manifest.Input
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
			manifests = append(manifests, manifest.Input{Name: file, Text: string(text)})
		}
	}
	for environment, packages := range map[string]int{"dev": 4, "prod": 2} {
		result, err := engine.Compute(engine.Input{Environment: environment, Manifests: manifests})
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
				expectDescribed(t, schema, clusterType, files)
			}
		}
		if found != packages {
			t.Errorf("%s has %d packages, want %d", environment, found, packages)
		}
	}
}

// expectDescribed checks the files of a package.
func expectDescribed(t *testing.T, schema *jsonschema.Schema, clusterType string, files map[string][]byte) {
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
		if crd.Delivers(object.APIVersion) {
			names = append(names, object.Metadata.Name)
		}
		if object.Kind != "DeploymentDescriptor" {
			continue
		}
		text, err := yaml.YAMLToJSONStrict([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%v\n%s", err, document)
		}
		if err := yaml.Unmarshal([]byte(document), &descriptor); err != nil {
			t.Fatal(err)
		}
	}
	s := descriptor.Spec
	want := strings.Join([]string{s.DeploymentTarget.Environment, s.Workload.Application.Workspace.Name, s.Workload.Application.Name, s.Workload.Name, s.DeploymentTarget.Name, clusterType}, ".")
	if !slices.Equal(names, []string{want, want}) || len(want) > 63 {
		t.Errorf("the objects of Flux are %q, want %q", names, want)
	}
	p := deployments.Read(files)
	if p.Version == "" || p.Version != s.WorkloadVersion.Version || p.Build == "" || p.Commit == "" || p.Workload != s.Workload.Name || len(p.Sources) != 1 || len(p.Unreadable) > 0 {
		t.Errorf("read as %+v", p)
	}
}
