// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// lifecycle is what every modelling resource goes through: created, planned
// again, imported, updated. All computed values are known at every plan.
type lifecycle struct {
	address string
	// create and update are configurations; created and updated the objects they stand for.
	create, update   string
	created, updated manifest.Object
	// beside is what stands behind created in its manifest, if anything does.
	beside manifest.Object
	// imported is the created object as somebody else might write it.
	imported string
}

func (l lifecycle) run(t *testing.T) {
	t.Helper()
	created := manifest.Encode(l.created)
	if l.beside != nil {
		created += "---\n" + manifest.Encode(l.beside)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: protoV6ProviderFactories,
		Steps: []resource.TestStep{
			l.step(l.create, l.created, created, plancheck.ResourceActionCreate),
			{
				ResourceName:      l.address,
				ImportState:       true,
				ImportStateId:     created,
				ImportStateVerify: true,
			},
			{
				ResourceName:    l.address,
				ImportState:     true,
				ImportStateKind: resource.ImportBlockWithID,
				ImportStateId:   l.imported,
				ImportPlanChecks: resource.ImportPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(l.address, plancheck.ResourceActionNoop),
				}},
			},
			l.step(l.update, l.updated, manifest.Encode(l.updated), plancheck.ResourceActionUpdate),
		},
	})
}

// step applies a configuration whose values are all known at plan, and plans it again to no effect.
func (l lifecycle) step(config string, object manifest.Object, written string, action plancheck.ResourceActionType) resource.TestStep {
	id := knownvalue.StringExact(object.Metadata().Name)
	text := knownvalue.StringExact(written)
	return resource.TestStep{
		Config: config,
		ConfigPlanChecks: resource.ConfigPlanChecks{
			PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(l.address, action),
				plancheck.ExpectKnownValue(l.address, tfjsonpath.New("id"), id),
				plancheck.ExpectKnownValue(l.address, tfjsonpath.New("manifest"), text),
			},
			PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
		},
		ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue(l.address, tfjsonpath.New("id"), id),
			statecheck.ExpectKnownValue(l.address, tfjsonpath.New("manifest"), text),
		},
	}
}
