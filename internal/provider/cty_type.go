// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// ctyType converts a framework type to a cty type. Both have the same JSON.
func ctyType(t attr.Type) cty.Type {
	text, err := json.Marshal(t.TerraformType(context.Background()))
	if err != nil {
		panic(err) // a type of a schema always has its JSON
	}
	converted, err := ctyjson.UnmarshalType(text)
	if err != nil {
		panic(err)
	}
	return converted
}
