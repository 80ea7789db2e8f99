// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"
	"testing"

	"code.gitea.io/sdk/gitea"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/flux"
)

// beyond is what a workload may not have: a status that another cluster would give, and
// the rights of an administrator.
const beyond = `
apiVersion: notification.toolkit.fluxcd.io/v1beta3
kind: Alert
metadata: {name: forged, namespace: flux-system}
spec:
  providerRef: {name: gitops-status}
  eventMetadata: {environment: stage, clusterType: large, cluster: large-2}
  eventSources: [{kind: Kustomization, name: large}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: forged}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: default, namespace: ` + namespace + `}]
`

// TestAccFlux_rights has a workload's repository reach beyond its namespace: by itself, and
// by Kustomizations of its own that name no account, that of the package, and another
// namespace's repository. All are refused, and the status says so.
func TestAccFlux_rights(t *testing.T) {
	t.Parallel()
	d, c := newDelivery(t), flux.NewCluster(t)
	d.connect(t, c, "large", "large-1")
	const context = "kalypso/dev/large/large-1"
	good := d.writes(t)
	d.reports(t, good, context, gitea.StatusSuccess, "reconciliation succeeded")

	nested := func(name, account, source string) string {
		return fmt.Sprintf("{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: %s}, "+
			"spec: {interval: 5s, path: ./beyond, prune: true, serviceAccountName: %q, sourceRef: {kind: GitRepository, %s}}}\n---\n", name, account,
			source)
	}
	d.web.Write(t, "main", map[string]string{
		"beyond/all.yaml": beyond,
		"live/nested.yaml": nested("of-nobody", "", "name: web-live") + nested("of-the-package", "reconciler", "name: web-live") +
			nested("of-the-platform", "kustomize-controller", "name: web-live") +
			nested("of-another", "reconciler", "name: gitops, namespace: flux-system"),
	})
	for name, reason := range map[string]string{
		"of-nobody":       `User "system:serviceaccount:` + namespace + `:default" cannot`,
		"of-the-package":  `User "system:serviceaccount:` + namespace + `:reconciler" cannot`,
		"of-the-platform": `User "system:serviceaccount:` + namespace + `:kustomize-controller" cannot`,
		"of-another":      "cross-namespace references have been blocked",
	} {
		eventually(t, func() error {
			got := c.Get(t, flux.Kustomizations, namespace, name)
			if text := fmt.Sprint(got); !strings.Contains(text, reason) {
				return fmt.Errorf("%s does not say %q: %s", name, reason, text)
			}
			return nil
		})
	}
	d.reports(t, good, context, gitea.StatusFailure, "health check failed")

	d.web.Write(t, "main", map[string]string{"live/nested.yaml": beyond})
	eventually(t, func() error {
		const reason = `cannot patch resource "clusterrolebindings"`
		if text := fmt.Sprint(c.Get(t, flux.Kustomizations, namespace, "web-live")); !strings.Contains(text, reason) {
			return fmt.Errorf("the workload does not say %q: %s", reason, text)
		}
		return nil
	})
	if c.Get(t, flux.Alerts, flux.Namespace, "forged") != nil || c.Get(t, flux.Bindings, "", "forged") != nil {
		t.Error("the workload has what is the platform's alone")
	}
	runs(t, c, "north", "blue")
}
