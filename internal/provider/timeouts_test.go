// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"
)

// A time limit that is not positive would end each operation at once, with an error that blames a server.
func TestTimeouts(t *testing.T) {
	t.Parallel()
	const read, branch = "\n  timeouts {\n    read = \"0s\"\n  }\n", "repo = \"https://git.example/fleet\"\n  branch = \"main\"\n"
	all := map[string]mistake{}
	for name, config := range map[string]string{
		"commit": "resource \"kalypso_gitops_commit\" \"dev\" {\n environment = \"dev\"\n manifests = [\"a: b\"]\n " + branch + read +
			"}\n",
		"control plane": controlPlaneHCL("environment = \"dev\"\n  directory = \".\"\n" + read),
		"deployments":   deploymentsHCL(branchOf("https://git.example/fleet", "dev", `branch = "dev"`) + read),
		"promotion":     promotionHCL("dev", "environment = \"dev\"\n  target {\n  "+branch+"  }\n  source {\n  "+branch+"  }\n"+read),
	} {
		all[name] = mistake{config, "timeouts.read is 0s, and has to be longer than 0s, such as 5m."}
		all[name+", less"] = mistake{strings.Replace(config, "0s", "-3s", 1), "timeouts.read is -3s"}
	}
	expectMistakes(t, all)
}
