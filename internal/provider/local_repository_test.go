// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// newTrap is a repository on this machine, as a checkout of other people's files may have
// one. A process that reads it or writes to it runs its programs, which make the file
// trapped.
func newTrap(t *testing.T) (url, trapped string) {
	t.Helper()
	repo := gittest.NewBare(t)
	trapped = filepath.Join(t.TempDir(), "trapped")
	repo.CommitFiles(t, "prod", map[string][]byte{"a": []byte("a")}, "first")
	if err := os.WriteFile(filepath.Join(repo.Path(), "objects", "info", "alternates"), []byte(gittest.NewBare(t).Path()+"/objects\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	repo.SetConfig(t, "core.alternateRefsCommand", "touch "+trapped+" #")
	repo.InstallHook(t, "pre-receive", "touch "+trapped)
	return repo.FileURL(), trapped
}

// A manifest that names a repository of this machine is refused with the object, its
// place and what to do. Where the configuration names it, too, it is read and written,
// and still runs nothing.
func TestAccLocalRepository(t *testing.T) {
	t.Parallel()
	acceptance(t)
	url, trapped := newTrap(t)
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
		refused.fails(t, object)
		refused.fails(t, cure)
	}
	resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: inEnvironment(nil), Steps: []resource.TestStep{
		{Config: fleetHCL(r, fleetOptions{commit: "repo = kalypso_gitops_repo.prod.repo"})},
	}})
	if _, err := os.Stat(trapped); err == nil {
		t.Error("a program of the repository has run")
	}
}
