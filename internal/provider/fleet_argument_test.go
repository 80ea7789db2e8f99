// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// The functions with a packed argument are those that take a fleet. They refuse an
// argument that is not a fleet. No other argument is packed.
func TestShowsFleet(t *testing.T) {
	t.Parallel()
	takes := 0
	for _, newFunction := range (&kalypsoProvider{}).Functions(t.Context()) {
		var named function.MetadataResponse
		var defined function.DefinitionResponse
		f := newFunction()
		f.Metadata(t.Context(), function.MetadataRequest{}, &named)
		f.Definition(t.Context(), function.DefinitionRequest{}, &defined)
		fleets := 0
		for _, parameter := range defined.Definition.Parameters {
			if parameter.GetName() == deploymentsParameter().GetName() {
				fleets++
			}
		}
		takes += fleets
		if showsFleet[named.Name] != (fleets > 0) || fleets > 0 && len(defined.Definition.Parameters) != 1 {
			t.Errorf("%s takes %d fleets of %d parameters, and showsFleet says %v", named.Name, fleets, len(defined.Definition.Parameters),
				showsFleet[named.Name])
		}
	}
	if takes != len(showsFleet) {
		t.Errorf("%d functions take a fleet, not %d", takes, len(showsFleet))
	}
	_, failed := ofDeployments(dynamically)(t.Context(), function.NewArgumentsData([]attr.Value{types.DynamicValue(types.BoolValue(true))}))
	if failed == nil || failed.Text != "the provider did not pack the argument, because the function is missing in showsFleet. This is a "+
		"bug in the provider: report it" {
		t.Errorf("error %v", failed)
	}
}
