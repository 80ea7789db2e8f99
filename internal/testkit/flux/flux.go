// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package flux

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// accounts are the rights of Flux as flux install gives them: kustomize-controller
// administers the cluster, and who may edit a namespace may have Flux's objects there.
const accounts = `
{apiVersion: v1, kind: ServiceAccount, metadata: {name: kustomize-controller, namespace: ` + Namespace + `}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: cluster-reconciler-flux-system}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: kustomize-controller, namespace: ` + Namespace + `}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: flux-edit-flux-system, labels: {rbac.authorization.k8s.io/aggregate-to-edit: "true"}}
rules:
  - apiGroups: [source.toolkit.fluxcd.io, kustomize.toolkit.fluxcd.io, notification.toolkit.fluxcd.io]
    resources: ["*"]
    verbs: ["*"]
`

// install brings Flux's kinds, namespace and rights into the cluster, as flux install does.
func (c *Cluster) install(t testing.TB) error {
	files, err := filepath.Glob(filepath.Join(c.programs, "crds", "*.yaml"))
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		c.Apply(t, string(text))
	}
	c.Apply(t, "{apiVersion: v1, kind: Namespace, metadata: {name: "+Namespace+"}}")
	c.Apply(t, accounts)
	return nil
}

// startFlux starts the controllers, with the flags of examples/bootstrap/flux-system unless
// the cluster is an open one. A health check ends when a newer revision arrives
// (CancelHealthCheckOnNewRevision).
func (c *Cluster) startFlux() error {
	a := c.addresses
	common := []string{"--enable-leader-election=false", "--log-encoding=json", "--watch-all-namespaces=true", "--metrics-addr=0"}
	var all, kustomize []string
	if !c.open {
		all = []string{"--no-cross-namespace-refs=true"}
		kustomize = []string{"--no-remote-bases=true", "--default-service-account=default"}
	}
	if err := c.run("http://"+a.notificationHealth+"/readyz", "notification-controller",
		slices.Concat(common, all, []string{"--events-addr=" + a.events, "--receiverAddr=" + a.receiver, "--health-addr=" +
			a.notificationHealth})...); err != nil {
		return err
	}
	common = append(common, "--events-addr=http://"+a.events+"/")
	if err := c.run("http://"+a.sourceHealth+"/readyz", "source-controller",
		append(common, "--storage-path="+c.path("source-controller"), "--storage-addr="+a.artifacts, "--storage-adv-addr="+a.artifacts,
			"--health-addr="+a.sourceHealth)...); err != nil {
		return err
	}
	return c.run("http://"+a.kustomizeHealth+"/readyz", "kustomize-controller",
		slices.Concat(common, all, kustomize, []string{"--feature-gates=CancelHealthCheckOnNewRevision=true", "--health-addr=" +
			a.kustomizeHealth})...)
}

// Receiver is the address at which the notification-controller takes webhooks; the status
// of each Receiver has the path.
func (c *Cluster) Receiver() string { return "http://" + c.addresses.receiver }

// Kubeconfig is the file with which kubectl reaches the cluster as its administrator.
func (c *Cluster) Kubeconfig() string { return c.path("kubeconfig") }
