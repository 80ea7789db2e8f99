// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package hosts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/flux"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// lab is a cluster to which a job with kubectl applies the folder lab.
type lab struct {
	cluster        *flux.Cluster
	shop           *gittest.Repo
	clone, kubectl string
}

// newLab makes one, with a clone of the GitOps repository.
func newLab(t *testing.T) *lab {
	t.Helper()
	l := &lab{cluster: flux.NewCluster(t), shop: gittest.NewNamed(t, "shop.git"), clone: t.TempDir(), kubectl: t.TempDir()}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", l.kubectl+"/", "./kubectl")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for path, content := range render(t, "https://github.com/contoso/shop-manifests", l.shop.FileURL()) {
		if !strings.HasPrefix(path, "lab/") {
			continue
		}
		file := filepath.Join(l.clone, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// delivers writes the workload's repository: a kustomization of these manifests.
func (l *lab) delivers(t *testing.T, manifests string) {
	t.Helper()
	l.shop.CommitFiles(t, "prod", map[string][]byte{
		"checkout/kustomization.yaml": []byte("resources: [all.yaml]\n"), "checkout/all.yaml": []byte(manifests),
	}, "Deliver")
}

// applies runs apply.sh, and returns its output.
func (l *lab) applies(t *testing.T) (string, error) {
	t.Helper()
	script, err := filepath.Abs(filepath.Join(examples, "templates/kubectl-kustomize/apply.sh"))
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "sh", script, "prod", "lab")
	command.Dir = l.clone
	command.Env = []string{
		"PATH=" + l.kubectl + ":" + os.Getenv("PATH"), "HOME=" + l.kubectl, "KUBECONFIG=" + l.cluster.Kubeconfig(),
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
	}
	said, err := command.CombinedOutput()
	return string(said), err
}

const (
	labNamespace = "prod-lab-shop-checkout"
	// ours and old are what the workload deploys, ours into a namespace that it is not to choose.
	ours = "{apiVersion: v1, kind: ConfigMap, metadata: {name: ours, namespace: elsewhere}, data: {color: blue}}\n---\n"
	old  = "{apiVersion: v1, kind: Secret, metadata: {name: old}}\n---\n"
	// beyond are the objects that the workload may not deploy.
	beyond = "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: beyond}, " +
		"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}, " +
		"subjects: [{kind: ServiceAccount, name: default, namespace: " + labNamespace + "}]}\n"
)

// TestKubectl applies a folder to a cluster with apply.sh and kubectl, with what comes, goes,
// reaches too far and is somebody else's.
func TestKubectl(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	secrets := flux.Kind{APIVersion: "v1", Kind: "Secret"}
	l.cluster.Apply(t, "{apiVersion: v1, kind: Namespace, metadata: {name: dev-lab-shop-checkout, labels: "+
		"{gitops.contoso.com/environment: dev, gitops.contoso.com/cluster-type: lab}}}")

	l.delivers(t, ours+old)
	if said, err := l.applies(t); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if got := flux.Text(l.cluster.Get(t, flux.ConfigMaps, labNamespace, "ours"), "data", "color"); got != "blue" {
		t.Errorf("the color is %q", got)
	}
	if got := flux.Text(l.cluster.Get(t, flux.ConfigMaps, labNamespace, "platform-config"), "data", "LOG_LEVEL"); got != "info" {
		t.Errorf("the platform's level of logs is %q", got)
	}
	if l.cluster.Get(t, secrets, labNamespace, "old") == nil {
		t.Error("there is no Secret")
	}
	before := l.cluster.Get(t, flux.ConfigMaps, labNamespace, "ours").GetResourceVersion()

	l.delivers(t, ours)
	if said, err := l.applies(t); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if l.cluster.Get(t, secrets, labNamespace, "old") != nil {
		t.Error("the Secret is still there")
	}
	if after := l.cluster.Get(t, flux.ConfigMaps, labNamespace, "ours").GetResourceVersion(); after != before {
		t.Errorf("what did not change is at %s after %s", after, before)
	}

	l.delivers(t, ours+beyond)
	said, err := l.applies(t)
	if want := `User "system:serviceaccount:` + labNamespace + `:reconciler" cannot`; err == nil || !strings.Contains(said, want) {
		t.Errorf("want %q, got error %v\n%s", want, err, said)
	}
	if l.cluster.Get(t, flux.Bindings, "", "beyond") != nil {
		t.Error("the workload may do everything")
	}

	if err := os.RemoveAll(filepath.Join(l.clone, "lab/shop-checkout")); err != nil {
		t.Fatal(err)
	}
	if said, err := l.applies(t); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if left := l.cluster.Get(t, flux.Namespaces, "", labNamespace); left != nil && left.GetDeletionTimestamp() == nil {
		t.Error("the namespace stays")
	}
	if l.cluster.Get(t, flux.Namespaces, "", "dev-lab-shop-checkout") == nil {
		t.Error("the namespace of another environment is gone")
	}
}
