// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// A registration or BaseRepo can name a repository on any server: a server that lists references
// without an end does not delay a plan.
func TestControlPlane_hostileServer(t *testing.T) {
	t.Parallel()
	_, id := gittest.Commit(gittest.ObjectID("tree", nil))
	script := gittest.Script{References: gittest.Then(
		gittest.Says(strings.TrimSuffix(gittest.Listed(id, "main", "side-band-64k"), gittest.Flush)),
		gittest.SaysForEver(gittest.Packet(id+" refs/pull/"+strings.Repeat("1", 1000)+"\n")))}
	bad := gittest.ServeHTTP(t, gittest.NewBare(t), gittest.WithScript(script)).URL()
	platform := servers["http"](t)
	platform.commit(t, "dev", map[string]string{"fleet.yaml": clusterTypeYAML("small") + "---\n" +
		registrationYAML("bad", bad, "main", ".", "team")})
	provider := strings.Replace(providerFor(platform), "{\n", "{\n  max_fetch_mib = 1\n", 1)
	planDirectly(t, provider+controlPlaneHCL(fmt.Sprintf("repo = %q\n  branch = \"dev\"\n  environment = \"dev\"",
		platform.url))).Fails(t, "sends more than 65 MiB as an answer")
}

// If a server knows no partial fetches, the whole repository is fetched, and it contains
// the objects of the control plane.
func TestControlPlane_withoutPartialFetch(t *testing.T) {
	t.Parallel()
	platform := servers["http"](t)
	platform.repo.SetConfig(t, "uploadpack.allowFilter", "false")
	platform.repo.SetConfig(t, "uploadpack.allowAnySHA1InWant", "false")
	noise := make([]byte, 6<<20)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	platform.commit(t, "dev", map[string]string{
		"noise":                 string(noise),
		"fleet/fleet.yaml":      clusterTypeYAML("small") + "---\n" + policyYAML("all", "", "small"),
		"fleet/app/app.yaml":    workloadYAML("app"),
		"beside/not/fleet.yaml": clusterTypeYAML("other"),
	})
	reading := controlPlaneHCL(fmt.Sprintf("repo = %q\n  branch = \"dev\"\n  path = \"fleet\"\n  environment = \"dev\"", platform.url))
	limited := func(mib string) string {
		return strings.Replace(providerFor(platform), "{\n", "{\n  max_fetch_mib = "+mib+"\n", 1) + reading
	}
	planDirectly(t, limited("5")).Fails(t, "sends more than 5 MiB for one fetch")
	expectDirectly(t, limited("7"), checkAssignments("small/app-live:"))
	expectDirectly(t, providerFor(platform)+reading, checkAssignments("small/app-live:"))
}
