// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// identityValue is an identity of texts by their names; an empty one is null.
func identityValue(texts map[string]string) tftypes.Value {
	kinds, values := map[string]tftypes.Type{}, map[string]tftypes.Value{}
	for name, text := range texts {
		kinds[name], values[name] = tftypes.String, tftypes.NewValue(tftypes.String, nil)
		if text != "" {
			values[name] = tftypes.NewValue(tftypes.String, text)
		}
	}
	return tftypes.NewValue(tftypes.Object{AttributeTypes: kinds}, values)
}

// identityOf is identityValue as the protocol has it.
func identityOf(t testing.TB, texts map[string]string) *tfprotov6.ResourceIdentityData {
	t.Helper()
	value := identityValue(texts)
	wire, err := tfprotov6.NewDynamicValue(value.Type(), value)
	if err != nil {
		t.Fatal(err)
	}
	return &tfprotov6.ResourceIdentityData{IdentityData: &wire}
}
