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

// TestModuleSettings compares what the module "environment" passes on in the blocks limits and
// pull_request with the blocks of the commit resource.
func TestModuleSettings(t *testing.T) {
	t.Parallel()
	var resp resource.SchemaResponse
	(&gitOpsCommitResource{}).Schema(t.Context(), resource.SchemaRequest{}, &resp)
	main := readFile(t, "../../modules/environment/main.tf")
	for name, from := range map[string]string{"limits": "var", "pull_request": `pull_request\.value`} {
		block, ok := resp.Schema.Blocks[name].(schema.ListNestedBlock)
		if !ok {
			t.Fatalf("the resource has no block %s", name)
		}
		text := regexp.MustCompile(`(?s)\n  (dynamic )?"?` + name + `"? \{\n(.*?)\n  \}`).FindStringSubmatch(main)
		if text == nil {
			t.Fatalf("main.tf has no block %s", name)
		}
		var passes []string
		for _, match := range regexp.MustCompile(`(\w+) += .*?`+from+`\.(\w+)`).FindAllStringSubmatch(text[2], -1) {
			if match[1] != match[2] {
				t.Errorf("the module passes %s as %s.%s", match[2], name, match[1])
			}
			passes = append(passes, match[1])
		}
		slices.Sort(passes)
		if want := slices.Sorted(maps.Keys(block.NestedObject.Attributes)); !slices.Equal(passes, want) {
			t.Errorf("%s: the module passes %q, but the block has %q", name, passes, want)
		}
	}
}
