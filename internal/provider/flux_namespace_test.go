// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/flux"
)

// TestAccFlux_namespaces has an API server say of each object of the library's namespaces
// whether it would take it, and of pods what the namespaces make of them.
func TestAccFlux_namespaces(t *testing.T) {
	t.Parallel()
	acceptance(t)
	c := flux.NewCluster(t)
	for _, file := range []string{
		filepath.Join(os.Getenv("KALYPSO_EXTERNAL_SECRETS"), "external-secrets.io_secretstores.yaml"),
		"../testkit/crd/testdata/secretproviderclasses.yaml",
	} {
		c.Apply(t, readFile(t, file))
	}
	objects, stores := 0, ""
	for path, text := range libraryFiles(t) {
		if filepath.Base(path) != "namespace.yaml" || strings.HasPrefix(path, "machine/") {
			continue
		}
		documents := strings.Split(text, "\n---\n")
		for _, document := range documents {
			objects++
			taken(t, c, path, document)
			c.Apply(t, document) // what comes next is in the namespace
			if strings.Contains(document, "kind: Secret") {
				stores += document
			}
		}
	}
	if objects < 40 || !strings.Contains(stores, "SecretStore") || !strings.Contains(stores, "SecretProviderClass") {
		t.Errorf("the namespaces have %d objects, among them %s", objects, stores)
	}

	const cloud = "cloud/shop-checkout/namespace.yaml"
	for document := range strings.SplitSeq(libraryFiles(t, wide)[cloud], "\n---\n") {
		taken(t, c, "with other settings", document)
	}

	const pod = "{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: prod-cloud-shop-checkout}, spec: {serviceAccountName: " +
		"workload, containers: [{name: web, image: web, securityContext: {allowPrivilegeEscalation: false, runAsNonRoot: true, " +
		"capabilities: {drop: [ALL]}, seccompProfile: {type: RuntimeDefault}}}]}}"
	taken(t, c, "a pod that asks for nothing", pod)
	for reason, refused := range map[string]string{
		"violates PodSecurity":         strings.Replace(pod, "runAsNonRoot: true", "runAsNonRoot: false", 1),
		"maximum memory usage":         strings.Replace(pod, "image: web,", "image: web, resources: {limits: {memory: 3Gi}},", 1),
		`.picture: field not declared`: strings.Replace(pod, "image: web,", "picture: web,", 1),
		`.providers: field not declared`: "{apiVersion: external-secrets.io/v1, kind: SecretStore, metadata: {name: a, namespace: " +
			"prod-cloud-shop-checkout}, spec: {providers: {}}}",
		"spec.provider: Required value": "{apiVersion: external-secrets.io/v1, kind: SecretStore, metadata: {name: a, namespace: " +
			"prod-cloud-shop-checkout}, spec: {}}",
		"must be a valid CIDR": "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: a, namespace: " +
			"prod-cloud-shop-checkout}, spec: {podSelector: {}, egress: [{to: [{ipBlock: {cidr: 10.0.0.0}}]}]}}",
		"quantities must match the": "{apiVersion: v1, kind: ResourceQuota, metadata: {name: a, namespace: prod-cloud-shop-checkout}, " +
			"spec: {hard: {pods: many}}}",
	} {
		eventually(t, func() error { // what bounds pods takes a moment to be known
			err := c.DryRun(t, refused)
			if err == nil {
				return fmt.Errorf("it is taken, want it refused with %q", reason)
			}
			if !strings.Contains(err.Error(), reason) {
				return fmt.Errorf("want it refused with %q: %w", reason, err)
			}
			return nil
		})
	}
}

// taken expects that a cluster would take an object.
func taken(t *testing.T, c *flux.Cluster, name, document string) {
	t.Helper()
	if err := c.DryRun(t, document); err != nil {
		t.Errorf("%s: %v\n%s", name, err, document)
	}
}

// wide are settings of namespaces that differ from the defaults as far as they may.
//
//go:embed testdata/wide.yaml
var wide string

// libraryFiles are the files of examples/reconcilers with further manifests, by their paths.
func libraryFiles(t *testing.T, further ...string) map[string]string {
	t.Helper()
	in := engine.Input{Environment: "prod"}
	for _, pattern := range []string{"reconcilers/fleet/*.yaml", "templates/*/template.yaml", "templates/*/schema.yaml"} {
		files, err := filepath.Glob(filepath.Join("../../examples", pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %q", pattern, err, files)
		}
		for _, file := range files {
			in.Manifests = append(in.Manifests, manifest.Text{Name: file, Text: readFile(t, file)})
		}
	}
	for _, text := range further {
		in.Manifests = append(in.Manifests, manifest.Text{Name: "further", Text: text})
	}
	result, err := engine.Compute(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for path, content := range result.Files() {
		all[path] = string(content)
	}
	return all
}
