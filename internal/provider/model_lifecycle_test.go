// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
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

// lifecycle has the steps of every modelling resource: it is created, planned again,
// updated. All computed values are known at every plan.
type lifecycle struct {
	// address is the resource's in the configurations, which TestAccModel_lifecycle changes.
	address string
	// create and update are configurations; created and updated the objects they stand for.
	create, update   string
	created, updated manifest.Object
}

// called renames the resource.
func (l lifecycle) called(name string) lifecycle {
	kind, old, _ := strings.Cut(l.address, ".")
	for _, config := range []*string{&l.create, &l.update} {
		*config = strings.Replace(*config, fmt.Sprintf("%q %q", kind, old), fmt.Sprintf("%q %q", kind, name), 1) + "\n"
	}
	l.address = kind + "." + name
	return l
}

// expect adds to a step the planned values of the resource, which are all known, and the
// values in its state.
func (l lifecycle) expect(step *resource.TestStep, object manifest.Object, action plancheck.ResourceActionType) {
	for name, text := range map[string]string{"id": object.Metadata().Name, "manifest": manifest.Encode(object)} {
		want := knownvalue.StringExact(text)
		step.ConfigPlanChecks.PreApply = append(step.ConfigPlanChecks.PreApply, plancheck.ExpectKnownValue(l.address, tfjsonpath.New(name), want))
		step.ConfigStateChecks = append(step.ConfigStateChecks, statecheck.ExpectKnownValue(l.address, tfjsonpath.New(name), want))
	}
	step.ConfigPlanChecks.PreApply = append(step.ConfigPlanChecks.PreApply, plancheck.ExpectResourceAction(l.address, action))
}

// Resources of all kinds are created and changed.
func TestAccModel_lifecycle(t *testing.T) {
	t.Parallel()
	var create, update resource.TestStep
	for i, l := range []lifecycle{
		clusterTypeLifecycle(), gitOpsRepoLifecycle(), schedulingPolicyLifecycle(), templateLifecycle(), workloadLifecycle(),
		workloadOfTwoEnvironmentsLifecycle(),
	} {
		l = l.called(fmt.Sprint("test", i))
		create.Config += l.create
		update.Config += l.update
		l.expect(&create, l.created, plancheck.ResourceActionCreate)
		l.expect(&update, l.updated, plancheck.ResourceActionUpdate)
	}
	inSteps(t, create, update)
}

// Another name is another resource. What comes from a resource still to be created is unknown at plan,
// blocks too, and the rest is known. An apply finds mistakes in values that become known.
func TestAccModel_unknown(t *testing.T) {
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

// modeller is a modelResource of any kind.
type modeller interface {
	models() manifest.Kind
	// terraformName is the resource's name: "kalypso_workload".
	terraformName() string
	// block has the attributes and blocks of the resource.
	block() schema.NestedBlockObject
}

func (r *modelResource) models() manifest.Kind { return r.row.Kind }
func (r *modelResource) terraformName() string { return typeName + "_" + r.typeName }
func (r *modelResource) block() schema.NestedBlockObject {
	s := modelSchema(r.typeName, r.row)
	return schema.NestedBlockObject{Attributes: s.Attributes, Blocks: s.Blocks}
}

// modelled are the modelling resources by kind.
var modelled = sync.OnceValue(func() map[manifest.Kind]modeller {
	all := map[manifest.Kind]modeller{}
	for _, constructor := range (&kalypsoProvider{}).Resources(context.Background()) {
		if m, ok := constructor().(modeller); ok {
			all[m.models()] = m
		}
	}
	return all
})
