// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package apischema_test

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/apischema"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/elided"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/golden"
)

// check returns what is wrong with an object.
func check(t testing.TB, text string) (faults []string) {
	t.Helper()
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	for _, f := range apischema.Check(apischema.Objects(&document)[0]) {
		faults = append(faults, f.What)
	}
	return faults
}

// deployment is right.
//
//go:embed testdata/deployment.yaml
var deployment string

// The faults of each object of testdata/objects.yaml, of Kubernetes and of vendors, are in testdata/faults.txt. -update
// writes the latter. The objects of vendors are what Flux and Argo CD accept, and what they would refuse.
func TestCheckObjects(t *testing.T) {
	t.Parallel()
	golden.Documents(t, "testdata/objects.yaml", "testdata/faults.txt", func(text string) string {
		return strings.Join(append(check(t, text), ""), "\n")
	})
}

// TestKubernetes compiles all of Kubernetes' kinds.
func TestKubernetes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("kubernetes.json")
	if err != nil {
		t.Fatal(err)
	}
	var bundle struct{ Kinds map[string]string }
	if err := json.Unmarshal(text, &bundle); err != nil || len(bundle.Kinds) < 80 {
		t.Fatalf("%d kinds, %v", len(bundle.Kinds), err)
	}
	for kind := range bundle.Kinds {
		i := strings.LastIndexByte(kind, '/')
		got := check(t, fmt.Sprintf("{apiVersion: %s, kind: %s, metadata: {name: x}, unknown: a}", kind[:i], kind[i+1:]))
		if !slices.Contains(got, "the unknown field unknown") {
			t.Errorf("%s: %q", kind, got)
		}
	}
}

// TestKubernetesVersion checks the version in the guide.
func TestKubernetesVersion(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../../templates/guides/findings.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	if version := apischema.KubernetesVersion(); !strings.Contains(string(guide), "Kubernetes "+version) {
		t.Errorf("the guide does not say that the schemas are those of Kubernetes %s", version)
	}
}

// TestKinds refuses kinds that Kubernetes never had, and versions that it no longer has. It refuses no kind
// of which it has no other version.
func TestKinds(t *testing.T) {
	t.Parallel()
	gone := func(version, now string) string {
		return fmt.Sprintf("the version %s, … (%s has this kind)", version, now)
	}
	of := " of Kubernetes " + apischema.KubernetesVersion() + " does not have"
	for kind, want := range map[string]string{
		"networking.k8s.io/v1/NetworkPolcy": "the kind NetworkPolcy, which networking.k8s.io/v1" + of +
			" (the nearest is NetworkPolicy)",
		"v1/Deployment":   "the kind Deployment, which v1" + of,
		"apps/v1/Ingress": "the kind Ingress, which apps/v1" + of,
		"certificates.k8s.io/v1/PodCertificateRequest": "the kind PodCertificateRequest, which certificates.k8s.io/v1" + of +
			" (certificates.k8s.io/v1beta1 has this kind)",
		"networking.k8s.io/v2/Ingress": "the version networking.k8s.io/v2, which Kubernetes " + apischema.KubernetesVersion() +
			" does not have (networking.k8s.io/v1 has this kind)",
		"networking.k8s.io/V1/Ingress": "the version networking.k8s.io/V1, which Kubernetes " + apischema.KubernetesVersion() +
			" does not have (networking.k8s.io/v1 has this kind)",
		"v2/ConfigMap": "the version v2, which Kubernetes " + apischema.KubernetesVersion() +
			" does not have (v1 has this kind)",
		"networking.k8s.io/v1beta1/Ingress":                  gone("networking.k8s.io/v1beta1", "networking.k8s.io/v1"),
		"policy/v1beta1/PodDisruptionBudget":                 gone("policy/v1beta1", "policy/v1"),
		"batch/v1beta1/CronJob":                              gone("batch/v1beta1", "batch/v1"),
		"extensions/v1beta1/Ingress":                         gone("extensions/v1beta1", "networking.k8s.io/v1"),
		"extensions/v1beta1/Deployment":                      gone("extensions/v1beta1", "apps/v1"),
		"autoscaling/v2beta2/HorizontalPodAutoscaler":        gone("autoscaling/v2beta2", "autoscaling/v2"),
		"policy/v1beta1/PodSecurityPolicy":                   "",
		"extensions/v1beta1/Unknown":                         "",
		"v1/List":                                            "",
		"v1/ConfigMapList":                                   "",
		"storagemigration.k8s.io/v1/StorageVersionMigration": "",
		"gateway.networking.k8s.io/v1/HTTPRoute":             "",
		"kustomize.toolkit.fluxcd.io/v2/Kustomization":       "",
	} {
		i := strings.LastIndex(kind, "/")
		got := check(t, fmt.Sprintf("{apiVersion: %s, kind: %s, metadata: {name: x}}", kind[:i], kind[i+1:]))
		if diff := cmp.Diff(want, strings.Join(got, "; "), elided.Texts); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
}

// TestCheckIsBounded expects some of many faults.
func TestCheckIsBounded(t *testing.T) {
	t.Parallel()
	text := deployment
	for range 1000 {
		text += strings.Repeat("x", 1+len(text)%97) + string(rune('a'+len(text)%26)) + strings.Repeat("y", len(text)%13) + "q: 1\n"
	}
	lines := strings.Split(text, "\n")
	slices.Sort(lines[strings.Count(deployment, "\n"):])
	got := check(t, strings.Join(slices.Compact(lines), "\n"))
	if len(got) != 20 {
		t.Errorf("%d faults are told, want 20", len(got))
	}
}

// TestCheckTellsNoValues puts a secret in the place of every value.
func TestCheckTellsNoValues(t *testing.T) {
	t.Parallel()
	const secret = "hunter2 hunter2"
	for _, text := range []string{
		deployment,
		"{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {a: YQ==}}",
		"{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: web}, spec: {interval: 1m, prune: true, sourceRef: " +
			"{kind: a, name: b}}}",
	} {
		var document yaml.Node
		if err := yaml.Unmarshal([]byte(text), &document); err != nil {
			t.Fatal(err)
		}
		var spoil func(n *yaml.Node, isValue bool)
		spoil = func(n *yaml.Node, isValue bool) {
			if isValue && n.Kind == yaml.ScalarNode {
				n.Value, n.Tag, n.Style = secret, "!!str", yaml.DoubleQuotedStyle
			}
			for i, child := range n.Content {
				isIdentity := n.Kind == yaml.MappingNode && i%2 == 1 && (n.Content[i-1].Value == "apiVersion" || n.Content[i-1].Value == "kind" &&
					n == document.Content[0])
				spoil(child, !isIdentity && (n.Kind != yaml.MappingNode || i%2 == 1))
			}
		}
		spoil(&document, false)
		spoilt, err := yaml.Marshal(&document)
		if err != nil {
			t.Fatal(err)
		}
		faults := check(t, string(spoilt))
		if len(faults) == 0 {
			t.Errorf("nothing is found in\n%s", spoilt)
		}
		for _, f := range faults {
			if strings.Contains(f, "hunter2") {
				t.Errorf("a fault tells a value: %s", f)
			}
		}
	}
}

// An alias can put a List into itself. Such a file may be in a branch, so nothing may follow it for ever.
func TestListInItself(t *testing.T) {
	t.Parallel()
	var document yaml.Node
	text := "&list {kind: List, items: [{kind: Secret}, *list, {kind: List, items: [*list, {kind: Service}]}]}"
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, object := range apischema.Objects(&document) {
		kinds = append(kinds, yamlnode.Text(object, "kind"))
	}
	if !slices.Equal(kinds, []string{"Secret", "Service"}) {
		t.Errorf("objects %q", kinds)
	}
}
