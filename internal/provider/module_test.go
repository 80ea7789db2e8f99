// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// TestModuleSettings compares the settings that the module "environment" accepts in limits and
// review, and those that it passes on, with the blocks of the commit resource.
func TestModuleSettings(t *testing.T) {
	t.Parallel()
	var resp resource.SchemaResponse
	(&gitOpsCommitResource{}).Schema(t.Context(), resource.SchemaRequest{}, &resp)
	quoted := regexp.MustCompile(`"(\w+)"`)
	variables := readFile(t, "../../modules/environment/variables.tf")
	main := readFile(t, "../../modules/environment/main.tf")
	for variable, name := range map[string]string{"limits": "limits", "review": "pull_request"} {
		block, ok := resp.Schema.Blocks[name].(schema.SingleNestedBlock)
		if !ok {
			t.Fatalf("the resource has no block %s", name)
		}
		want := slices.Sorted(maps.Keys(block.Attributes))
		list := regexp.MustCompile(`(?s)setsubtract\(keys\(var\.` + variable + `\), \[(.*?)\]`).FindStringSubmatch(variables)
		passed := regexp.MustCompile(`(?m)^ +(\w+) += lookup\(`+name+`\.value, "(\w+)", null\)$`).FindAllStringSubmatch(main, -1)
		if list == nil {
			t.Fatalf("variables.tf does not check the settings of %s", variable)
		}
		var accepts, passes []string
		for _, match := range quoted.FindAllStringSubmatch(list[1], -1) {
			accepts = append(accepts, match[1])
		}
		for _, match := range passed {
			if match[1] != match[2] {
				t.Errorf("the module passes %s.%s as %s", variable, match[2], match[1])
			}
			passes = append(passes, match[1])
		}
		slices.Sort(accepts)
		slices.Sort(passes)
		if !slices.Equal(accepts, want) || !slices.Equal(passes, want) {
			t.Errorf("%s: the module accepts %q and passes %q, but the block %s has %q", variable, accepts, passes, name, want)
		}
	}
}
