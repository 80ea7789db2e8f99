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
// imported, updated. All computed values are known at every plan.
type lifecycle struct {
	// address is the resource's in the configurations, which TestAccModel_lifecycle changes.
	address string
	// create and update are configurations; created and updated the objects they stand for.
	create, update   string
	created, updated manifest.Object
	// imported is the created object in another spelling.
	imported string
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

// importing is an import block with an id.
func (l lifecycle) importing(id string) string {
	return fmt.Sprintf("import {\n  to = %s\n  id = %s\n}\n", l.address, strings.ReplaceAll(fmt.Sprintf("%q", id), "${", "$${"))
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

// Resources of all kinds are created, changed, and imported in two spellings.
func TestAccModel_lifecycle(t *testing.T) {
	t.Parallel()
	var create, update, written, imported resource.TestStep
	for i, l := range []lifecycle{
		clusterTypeLifecycle(), gitOpsRepoLifecycle(), schedulingPolicyLifecycle(), templateLifecycle(), workloadLifecycle(),
		workloadOfTwoEnvironmentsLifecycle(),
	} {
		l = l.called(fmt.Sprint("test", i))
		create.Config += l.create
		update.Config += l.update
		l.expect(&create, l.created, plancheck.ResourceActionCreate)
		l.expect(&update, l.updated, plancheck.ResourceActionUpdate)
		for step, id := range map[*resource.TestStep]string{&written: manifest.Encode(l.created), &imported: l.imported} {
			step.Config += l.importing(id) + l.create
			l.expect(step, l.created, plancheck.ResourceActionNoop)
		}
	}
	inSteps(t, create, update)
	inSteps(t, written)
	inSteps(t, imported)
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
