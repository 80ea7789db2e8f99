// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"code.gitea.io/sdk/gitea"
	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/flux"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/giteatest"
)

// TestAccFlux_migration takes over what Kalypso has written with its own templates. Their
// versions of Flux's objects are refused by the cluster until the template is changed, as
// the guide says. Then the branch is as Kalypso writes it with the new template, and is
// taken over while Flux applies it: no object of the cluster is deleted or made anew.
// Afterwards the test moves Flux's objects out of flux-system, and the workloads stay.
func TestAccFlux_migration(t *testing.T) {
	t.Parallel()
	d, repos := newExample(t, "migrate", "control-plane", "gitops", "shop", "telemetry", "shop-manifests", "telemetry-manifests")
	repos["shop-manifests"].Write(t, "dev", map[string]string{
		"checkout/shop.yaml": webYAML("blue"),
		"checkout/role.yaml": "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: web}, rules: []}\n",
	})
	repos["telemetry-manifests"].Write(t, "main", map[string]string{"agent/agent.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: " +
		"agent}}\n"})
	c := flux.NewOpenCluster(t) // Kalypso's templates name no service account
	repoSecret := secretYAML("repo-secret", map[string]string{"username": giteatest.Writer,
		"password": d.gitops.ReadToken(t, giteatest.Writer)})
	c.Apply(t, repoSecret)
	d.connect(t, c, "store", "store-1")
	const context = "kalypso/dev/store/store-1"
	kalypsos := d.gitops.Head(t, "dev")
	d.reports(t, kalypsos, context, gitea.StatusFailure, "reconciliation failed")

	d.succeeds(t, []string{"apply", "-auto-approve"}, "no package changes; +0 ~2 -0 other files")
	ours := d.gitops.Head(t, "dev")
	if ours == kalypsos {
		t.Fatal("nothing was written")
	}
	d.reports(t, ours, context, gitea.StatusFailure, "reconciliation failed")
	conditions := fmt.Sprint(c.Get(t, flux.Kustomizations, flux.Namespace, "store").Object["status"])
	if !strings.Contains(conditions, "no matches for kind") || !strings.Contains(conditions, "toolkit.fluxcd.io/v1beta2") {
		t.Errorf("the cluster refuses something else: %s", conditions)
	}

	d.shell(t, "bash flux-v1.sh")
	d.pushes(t, map[string]*giteatest.Repo{"control-plane": repos["control-plane"]})
	d.succeeds(t, []string{"apply", "-auto-approve"}, "+0 ~2 -0 packages in 1 cluster type")
	d.reports(t, d.gitops.Head(t, "dev"), context, gitea.StatusSuccess, "reconciliation succeeded")
	workloads := []string{"ClusterRole web", "ServiceAccount dev-store-shop-checkout/web", "ConfigMap dev-store-shop-checkout/web",
		"ConfigMap dev-store-telemetry-agent/agent"}
	eventually(t, func() error { return present(t, c, workloads...) }) // Kalypso's template does not wait for them
	before, watch := uids(t, c), c.Watch(t, delivered...)

	d.succeeds(t, []string{"state", "rm", "kalypso_gitops_commit.dev"}, "Successfully removed")
	d.shell(t, fmt.Sprintf("git clone --quiet --branch dev %s as-kalypso && cd as-kalypso && git checkout --quiet %s -- cloud/README.md "+
		"store/README.md && git rm --quiet -r .kalypso", authorized(d.gitops), kalypsos)+
		" && git -c user.name=Kalypso -c user.email=kalypso@example.com commit --quiet --message 'As Kalypso writes it' && git push --quiet")
	d.succeeds(t, []string{"apply", "-auto-approve"}, "no package changes; +0 ~2 -0 other files")
	d.reports(t, d.gitops.Head(t, "dev"), context, gitea.StatusSuccess, "reconciliation succeeded")
	d.settled(t)
	if diff := cmp.Diff(before, uids(t, c)); diff != "" {
		t.Errorf("objects (-before +after):\n%s", diff)
	}
	if deleted := watch.Deleted(t); len(deleted) > 0 {
		t.Errorf("deleted: %q", deleted)
	}

	for _, namespace := range []string{"dev-store-shop-checkout", "dev-store-telemetry-agent"} {
		c.Apply(t, strings.Replace(repoSecret, "namespace: "+flux.Namespace, "namespace: "+namespace, 1))
	}
	d.write(t, "main.tf", strings.Replace(readFile(t, filepath.Join(d.dir, "main.tf")), "data.kalypso_control_plane.dev.manifests",
		"local.fleet", 1))
	fleet := readFile(t, filepath.Join(d.dir, "hcl", "hcl.tf"))
	for _, change := range []string{
		`"\\n  prune: true\\n", "\\n  prune: true\\n  deletionPolicy: Orphan\\n"`,
		`"namespace: flux-system", "namespace: \\\"{{ .Namespace }}\\\""`,
	} {
		d.write(t, "hcl.tf", strings.Replace(fleet, "manifests : m\n", "manifests : yamlencode(jsondecode(replace(jsonencode(yamldecode(m)), "+
			change+")))\n", 1))
		d.succeeds(t, []string{"apply", "-auto-approve"}, "+0 ~2 -0 packages in 1 cluster type")
		d.reports(t, d.gitops.Head(t, "dev"), context, gitea.StatusSuccess, "reconciliation succeeded")
	}
	moved := []string{"GitRepository flux-system/shop-checkout", "GitRepository flux-system/telemetry-agent",
		"Kustomization flux-system/shop-checkout", "Kustomization flux-system/telemetry-agent"}
	eventually(t, func() error { return differ(moved, slices.Sorted(slices.Values(watch.Deleted(t)))) })
	after := uids(t, c)
	for _, name := range workloads {
		if after[name] != before[name] {
			t.Errorf("%s was made anew", name)
		}
	}
}
