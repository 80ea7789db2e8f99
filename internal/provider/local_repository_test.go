// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// A manifest that names a repository of this machine is refused with the object, its
// place and what to do. If the configuration names the repository too, it is read and written.
func TestAccLocalRepository(t *testing.T) {
	t.Parallel()
	acceptance(t)
	repo := gittest.NewBare(t)
	first, url := repo.CommitFiles(t, "prod", map[string][]byte{"a": []byte("a")}, "first"), repo.FileURL()
	cure := "set KALYPSO_GIT_URL_PREFIX"
	follows := func(object string) string {
		return controlPlaneHCL(fmt.Sprintf("environment = \"prod\"\n  fleet_manifests = [<<-EOT\n%s\n  EOT\n  ]", object))
	}
	r := gitServer{url: url, provider: "provider \"kalypso\" {}\n"}
	for object, config := range map[string]string{
		"GitOpsRepo/prod (manifests[": fleetHCL(r, fleetOptions{}),
		"BaseRepo/main (fleet_manifests[0], line 1)": r.provider + follows(kalypsoObject("BaseRepo", "main", "",
			fmt.Sprintf("{repo: %q, branch: prod, path: .}", url))),
		"WorkloadRegistration/app": r.provider + follows(kalypsoObject("WorkloadRegistration", "app", "",
			fmt.Sprintf("{workload: {repo: %q, branch: prod, path: .}, workspace: team}", url))),
	} {
		refused := planDirectlyWith(t, inEnvironment(nil), config)
		refused.Fails(t, object)
		refused.Fails(t, cure)
	}
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: inEnvironment(nil), Steps: []resource.TestStep{
		{Config: fleetHCL(r, fleetOptions{commit: "repo = kalypso_gitops_repo.prod.repo"})},
	}})
	if repo.Head(t, "prod") == first {
		t.Error("nothing was written")
	}
}
