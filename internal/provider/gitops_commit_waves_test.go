// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"
	"testing"
)

// A wave with an unknown fleet may own all folders of its place.
func TestGitOpsCommit_unknownWave(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	for _, list := range []string{`["a"]`, "[terraform_data.later.output]"} {
		expectDirectly(t, r.provider+fmt.Sprintf("locals {\n  repo = %q\n}\n",
			r.url)+"resource \"terraform_data\" \"later\" { input = \"b\" }\n"+plainFleet("blue", "a b", "prod")+
			strings.Replace(plainCommit("prod", "prod", "prod", "path = \".\"\n  cluster_types = "+list), "local.fleet",
				"concat(local.fleet, [terraform_data.later.output])", 1)).
			Warns(t, "change cannot be previewed: prod")
	}
}
