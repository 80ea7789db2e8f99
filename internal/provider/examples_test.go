// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// The documentation of every object resource has the same objects twice: as resources
// and in YAML. The test applies them unchanged, and they are equal.
func TestExamples(t *testing.T) {
	t.Parallel()
	for kind, model := range objectResources() {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			read := func(name string) string {
				text, err := os.ReadFile(filepath.Join("../../examples/resources", model.terraformName(), name))
				if err != nil {
					t.Fatal(err)
				}
				return string(text)
			}
			config := read("resource.tf")
			objects, err := manifest.Decode([]manifest.Text{{Name: "manifest.yaml", Text: read("manifest.yaml")}})
			if err != nil {
				t.Fatal(err)
			}
			var written []string
			for _, object := range objects {
				written = append(written, manifest.Encode(object))
			}
			// The YAML has them in the order of the resources.
			resources := regexp.MustCompile(`(?m)^resource "`+model.terraformName()+`" "(\w+)"`).FindAllStringSubmatch(config, -1)
			if len(resources) == 0 || len(resources) != len(written) {
				t.Fatalf("%d resources, and %d objects in YAML", len(resources), len(written))
			}
			var checks []statecheck.StateCheck
			for i, match := range resources {
				checks = append(checks, statecheck.ExpectKnownValue(model.terraformName()+"."+match[1], tfjsonpath.New("manifest"),
					knownvalue.StringExact(written[i])))
			}
			expectDirectly(t, config, checks...)
		})
	}
}
