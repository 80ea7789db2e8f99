// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// Resources of all kinds are created and changed. All computed values are known at every plan. The YAML has the objects
// in the order of the resources.
func TestAccObject_lifecycle(t *testing.T) {
	t.Parallel()
	step := func(config, objects string, action plancheck.ResourceActionType) (step resource.TestStep) {
		step.Config = readFile(t, "testdata/objects/"+config)
		texts := strings.Split(readFile(t, "testdata/objects/"+objects), "---\n")
		resources := regexp.MustCompile(`(?m)^resource "(\w+)" "(\w+)"`).FindAllStringSubmatch(step.Config, -1)
		if len(resources) != len(texts) {
			t.Fatalf("%d resources, and %d objects in YAML", len(resources), len(texts))
		}
		for i, match := range resources {
			address := match[1] + "." + match[2]
			decoded, err := manifest.Decode([]manifest.Text{{Text: texts[i]}})
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{"id": decoded[0].Metadata().Name, "manifest": manifest.Encode(decoded[0])} {
				want := knownvalue.StringExact(text)
				step.ConfigPlanChecks.PreApply = append(step.ConfigPlanChecks.PreApply, plancheck.ExpectKnownValue(address, tfjsonpath.New(name), want))
				step.ConfigStateChecks = append(step.ConfigStateChecks, statecheck.ExpectKnownValue(address, tfjsonpath.New(name), want))
			}
			step.ConfigPlanChecks.PreApply = append(step.ConfigPlanChecks.PreApply, plancheck.ExpectResourceAction(address, action))
		}
		return step
	}
	inSteps(t, step("create.tf", "created.yaml", plancheck.ResourceActionCreate),
		step("update.tf", "updated.yaml", plancheck.ResourceActionUpdate))
}

// Another name is another resource. What comes from a resource still to be created is unknown at plan,
// blocks too, and the rest is known. An apply finds mistakes in values that become known.
func TestAccObject_unknown(t *testing.T) {
	t.Parallel()
	config := func(name, region string) string {
		return fmt.Sprintf(`
resource "terraform_data" "region" { input = %[2]q }
resource "terraform_data" "targets" { input = { live = "prod", test = "dev" } }
resource "kalypso_cluster_type" "test" {
  name              = %[1]q
  labels            = { region = terraform_data.region.output }
  reconciler        = "flux"
  namespace_service = "namespace"
}
resource "kalypso_workload" "test" {
  name = "web"
  dynamic "deployment_target" {
    for_each = terraform_data.targets.output
    content {
      name        = deployment_target.key
      environment = deployment_target.value
    }
  }
}
`, name, region)
	}
	const clusterType, workload = "kalypso_cluster_type.test", "kalypso_workload.test"
	id := func(address, name string) plancheck.PlanCheck {
		return plancheck.ExpectKnownValue(address, tfjsonpath.New("id"), knownvalue.StringExact(name))
	}
	is := func(address string, object manifest.Object) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(address, tfjsonpath.New("manifest"), knownvalue.StringExact(manifest.Encode(object)))
	}
	inSteps(t,
		resource.TestStep{Config: config("large", "east us"), ExpectError: saying(`labels["region"] must be a label's value: "east us"`)},
		resource.TestStep{
			Config: config("large", "east-us"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				id(clusterType, "large"), plancheck.ExpectUnknownValue(clusterType, tfjsonpath.New("manifest")), id(workload, "web"),
			}},
			ConfigStateChecks: checks(
				is(clusterType, &manifest.ClusterType{
					Meta:       manifest.Meta{Kind: manifest.KindClusterType, Name: "large", Labels: map[string]string{"region": "east-us"}},
					Reconciler: "flux", NamespaceService: "namespace",
				}),
				is(workload, &manifest.Workload{
					Meta:              manifest.Meta{Kind: manifest.KindWorkload, Name: "web"},
					DeploymentTargets: []manifest.DeploymentTarget{{Name: "live", Environment: "prod"}, {Name: "test", Environment: "dev"}},
				}),
			),
		},
		resource.TestStep{
			Config: config("huge", "east-us"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(clusterType, plancheck.ResourceActionReplace), id(clusterType, "huge"),
			}},
		},
	)
}

// terraformName is the resource's name: "kalypso_workload".
func (r *objectResource) terraformName() string { return typeName + "_" + r.typeName }

// block has the attributes and blocks of the resource.
func (r *objectResource) block() schema.NestedBlockObject {
	s := objectSchema(r.typeName, r.row)
	return schema.NestedBlockObject{Attributes: s.Attributes, Blocks: s.Blocks}
}

// objectResources are the object resources by kind.
var objectResources = sync.OnceValue(func() map[manifest.Kind]*objectResource {
	all := map[manifest.Kind]*objectResource{}
	for _, constructor := range (&kalypsoProvider{}).Resources(context.Background()) {
		if m, ok := constructor().(*objectResource); ok {
			all[m.row.Kind] = m
		}
	}
	return all
})
