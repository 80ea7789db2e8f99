// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// The documentation of every modelling resource has the same objects three times: as
// resources, with the function, in YAML. The test applies them unchanged, and they are
// equal.
func TestAccExamples(t *testing.T) {
	t.Parallel()
	for kind, model := range modelled() {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			read := func(name string) string {
				text, err := os.ReadFile(filepath.Join("../../examples/resources", model.terraformName(), name))
				if err != nil {
					t.Fatal(err)
				}
				return string(text)
			}
			config := read("resource.tf") + read("function.tf")
			objects, err := manifest.Decode([]manifest.Text{{Name: "manifest.yaml", Text: read("manifest.yaml")}})
			if err != nil {
				t.Fatal(err)
			}
			// More attributes of an object are behind it.
			var written []string
			for _, object := range objects {
				if text := manifest.Encode(object); object.Metadata().Kind == kind {
					written = append(written, text)
				} else {
					written[len(written)-1] += "---\n" + text
				}
			}
			// The YAML has them in the order of the resources. The function's objects have
			// the names of the resources.
			resources := regexp.MustCompile(`(?m)^resource "`+model.terraformName()+`" "(\w+)"`).FindAllStringSubmatch(config, -1)
			if len(resources) == 0 || len(resources) != len(written) {
				t.Fatalf("%d resources, and %d objects in YAML", len(resources), len(written))
			}
			var checks []statecheck.StateCheck
			for i, match := range resources {
				name, want := match[1], knownvalue.StringExact(written[i])
				config += "output \"" + name + "\" { value = local." + name + " }\n"
				checks = append(checks,
					statecheck.ExpectKnownValue(model.terraformName()+"."+name, tfjsonpath.New("manifest"), want),
					statecheck.ExpectKnownOutputValue(name, want))
			}
			if strings.Contains(config, "yamlencode") { // which Terraform alone has
				inSteps(t, resource.TestStep{Config: config, ConfigStateChecks: checks})
			} else {
				expectDirectly(t, config, checks...)
			}
		})
	}
}
