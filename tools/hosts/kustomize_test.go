// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package hosts

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// TestKustomize builds what kubectl apply -k applies: the workload's folder in its
// repository, and the platform configuration, in the namespace of the package.
func TestKustomize(t *testing.T) {
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	shop := gittest.NewNamed(t, "shop.git")
	shop.CommitFiles(t, "prod", map[string][]byte{
		"checkout/kustomization.yaml": []byte("resources: [checkout.yaml]\n"),
		"checkout/checkout.yaml": []byte("{apiVersion: apps/v1, kind: Deployment, metadata: {name: checkout, namespace: elsewhere}}\n" +
			"---\n{apiVersion: v1, kind: Service, metadata: {name: checkout}}\n"),
	}, "Add the checkout")
	all, folder := render(t, "https://github.com/contoso/shop-manifests", shop.FileURL()), t.TempDir()
	write(t, all, folder, "lab/shop-checkout")
	if err := os.Rename(filepath.Join(folder, "reconciler.yaml"), filepath.Join(folder, "kustomization.yaml")); err != nil {
		t.Fatal(err)
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, object := range built.Resources() {
		got[object.GetKind()+" "+object.GetName()] = object.GetNamespace()
	}
	const namespace = "prod-lab-shop-checkout"
	want := map[string]string{"ConfigMap platform-config": namespace, "Deployment checkout": namespace, "Service checkout": namespace}
	if !maps.Equal(got, want) {
		t.Errorf("built %q, want %q", got, want)
	}
}
