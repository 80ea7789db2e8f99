// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package apischema_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/apischema"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/elided"
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

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}, annotations: {note: "12"}, creationTimestamp: null}
spec:
  replicas: 3
  strategy: {rollingUpdate: {maxSurge: 25%, maxUnavailable: 1}}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: registry.example/web:1
          resources: {limits: {cpu: 1, memory: 1.5Gi}, requests: {cpu: 100m}}
          ports: [{containerPort: 80}]
          env: [{name: A, value: "1"}, {name: B, valueFrom: {secretKeyRef: {name: s, key: k}}}]
          livenessProbe: {httpGet: {path: /, port: http}}
          securityContext: {readOnlyRootFilesystem: true}
status: {anything: at all}
`

func TestCheckKubernetes(t *testing.T) {
	t.Parallel()
	replace := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(deployment) }
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"right":           {deployment, nil},
		"unknown field":   {replace("replicas", "replcas"), []string{"the unknown field spec.replcas (the nearest is replicas)"}},
		"unknown and far": {replace("replicas", "size"), []string{"the unknown field spec.size"}},
		"unknown in metadata": {replace("{name: web, labels", "{name: web, label: {}, labels"),
			[]string{"the unknown field metadata.label (the nearest is labels)"}},
		"unknown beside spec": {deployment + "data: {}\n", []string{"the unknown field data"}},
		"deep": {replace("containerPort: 80", "containerPort: 80, port: 1"),
			[]string{"the unknown field spec.template.spec.containers[0].ports[0].port"}},
		"text for a number": {replace("replicas: 3", "replicas: '3'"), []string{"text at spec.replicas, instead of an integer"}},
		"number for a text": {replace(`value: "1"`, "value: 1"), []string{"an integer at spec.template.spec.containers[0].env[0].value, " +
			"instead of text"}},
		"boolean for a text": {replace(`note: "12"`, "note: true"),
			[]string{"true or false at metadata.annotations.note, instead of text"}},
		"half a port": {replace("containerPort: 80", "containerPort: 80.5"),
			[]string{"a number at spec.template.spec.containers[0].ports[0].containerPort, instead of an integer"}},
		"a whole port": {replace("containerPort: 80", "containerPort: 80.0"), nil},
		"a mapping for a list": {replace("ports: [{containerPort: 80}]", "ports: {containerPort: 80}"),
			[]string{"a mapping at spec.template.spec.containers[0].ports, instead of a list"}},
		"a list for a mapping": {replace("selector: {matchLabels: {app: web}}", "selector: []"),
			[]string{"a list at spec.selector, instead of a mapping"}},
		"an empty one allowed": {"{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: net}, spec: {ingress: " +
			"[null]}}", nil},
		"no number, which is 0": {replace("livenessProbe", "lifecycle: {preStop: {sleep: {}}}\n          livenessProbe"), nil},
		"no number that may be 0": {"{apiVersion: v1, kind: PersistentVolume, metadata: {name: p}, spec: {iscsi: {targetPortal: " +
			"a, iqn: b}}}", nil},
		"no number in a volume": {"{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a}], volumes: " +
			"[{name: v, iscsi: {targetPortal: a, iqn: b}}]}}", nil},
		"no revision":                         {"{apiVersion: apps/v1, kind: ControllerRevision, metadata: {name: c}}", nil},
		"nothing, of which nothing is missed": {"{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: c}}", nil},
		"nothing, of which something is missed": {"{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: r}}",
			[]string{"no roleRef, which is required"}},
		"no structure that may be empty": {"{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {selector: {}}}",
			[]string{"no spec.template, which is required"}},
		"missing": {replace("  selector: {matchLabels: {app: web}}\n", ""),
			[]string{"no spec.selector, which is required"}},
		"missing, since null": {replace("selector: {matchLabels: {app: web}}", "selector:"),
			[]string{"no spec.selector, which is required"}},
		"missing in a list": {replace("- name: web\n          image", "- image"),
			[]string{"no spec.template.spec.containers[0].name, which is required"}},
		"a port's name": {replace("containerPort: 80", "containerPort: 80, name: metrics-and-health"),
			[]string{"text at spec.template.spec.containers[0].ports[0].name, instead of …)"}},
		"a port's name that fits": {replace("containerPort: 80", "containerPort: 80, name: metrics-and-all"), nil},
		"a selector of other pods": {replace("matchLabels: {app: web}", "matchExpressions: [{key: app, operator: NotIn, values: [web]}]"),
			[]string{"…spec.template.metadata.labels…"}},
		"a selector that Flux fills in": {replace("matchLabels: {app: web}", "matchLabels: {app: '${app}'}"), nil},
		"a quantity": {replace("1.5Gi", "512Mb"),
			[]string{"text at spec.template.spec.containers[0].resources.limits.memory, instead of a quantity (as 500m or 1.5Gi)"}},
		"a label's value": {replace("labels: {app: web}, a", "labels: {app: 'web app'}, a"),
			[]string{"text at metadata.labels.app, instead of …)"}},
		"a label too long": {replace("labels: {app: web}, a", "labels: {app: "+strings.Repeat("w", 64)+"}, a"),
			[]string{"more than 63 characters at metadata.labels.app, …"}},
		"a label long enough": {replace("labels: {app: web}, a", "labels: {app: "+strings.Repeat("w", 63)+"}, a"), nil},
		"an empty label":      {replace("labels: {app: web}, a", "labels: {app: ''}, a"), nil},
		"a port by either":    {replace("port: http", "port: 8080"), nil},
		"a port by neither": {replace("port: http", "port: true"),
			[]string{"true or false at spec.template.spec.containers[0].livenessProbe.httpGet.port, instead of an integer or text"}},
		"yes": {replace("readOnlyRootFilesystem: true", "readOnlyRootFilesystem: yes"),
			[]string{"text at spec.template.spec.containers[0].securityContext.readOnlyRootFilesystem, instead of true or false, as Flux reads it"}},
		"what Flux fills in": {replace("replicas: 3", "replicas: ${replicas}", "app: web}, a", "app: '${app:=a b}'}, a"), nil},
		"two at once": {replace("replicas: 3", "replicas: x", "image:", "img:"),
			[]string{"text at spec.replicas, instead of an integer", "the unknown field spec.template.spec.containers[0].img (the nearest " +
				"is image)"}},
		"no mapping": {"apiVersion: v1\nkind: ConfigMap\nmetadata: text\n",
			[]string{"text at metadata, instead of a mapping"}},
		"data in base64": {"{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {a: YQ==}}", nil},
		"data in plain text": {"{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {a: 'not this'}}",
			[]string{"text at data.a, instead of text in base64"}},
		"encrypted by SOPS": {"{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {a: 'ENC[x]'}, sops: {version: 3}}",
			nil},
		"a key with dots": {"{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {app.yaml: {a: b}}}",
			[]string{"a mapping at data[app.yaml], instead of text"}},
		"a date": {"{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {on: 2001-12-14}}", nil},
		"a merged field": {"{apiVersion: v1, kind: ConfigMap, <<: {metadata: {name: c}, dta: {}}}",
			[]string{"the unknown field dta (the nearest is data)"}},
		"a field merged over": {"{apiVersion: v1, kind: ConfigMap, data: {a: b}, <<: [{data: 1}, {metadata: {name: c}}, " +
			"{metadata: 1}]}", nil},
		"an alias": {"{apiVersion: v1, kind: ConfigMap, metadata: &m {name: c}, data: *m, immutable: *m}",
			[]string{"a mapping at immutable, instead of true or false"}},
		"a schema in itself": {"{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: c}, " +
			"spec: {group: g, names: {kind: K, plural: ks}, scope: Cluster, versions: [{name: v1, served: true, storage: true, schema: " +
			"{openAPIV3Schema: {not: {not: {typ: a}}}}}]}}", []string{"the unknown field spec.versions[0].schema.openAPIV3Schema.not.not.typ (the " +
			"nearest is type)"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, check(t, test.text), elided.Texts); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
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

// TestCheckVendors has objects that Flux and Argo CD accept, and objects that they would
// refuse.
func TestCheckVendors(t *testing.T) {
	t.Parallel()
	const (
		kustomization = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: web}\nspec: {interval: 1m, prune: " +
			"true, sourceRef: {kind: GitRepository, name: web}, postBuild: {substitute: {A: b}}}\n"
		application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec: {project: default, source: {repoURL: " +
			"https://git.example/web, helm: {valuesObject: {any: {thing: [1]}}}}, destination: {namespace: web}}\n"
	)
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"Flux":    {kustomization, nil},
		"Argo CD": {application, nil},
		"misspelled": {strings.Replace(kustomization, "interval", "intervall", 1),
			[]string{"no spec.interval, which is required", "the unknown field spec.intervall (the nearest is interval)"}},
		"a wrong value": {strings.Replace(kustomization, "1m", "soon", 1),
			[]string{`text at spec.interval, instead of text that matches ^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`}},
		"a wrong choice": {strings.Replace(kustomization, "GitRepository", "GitRepositry", 1),
			[]string{"text at spec.sourceRef.kind, instead of one of Bucket, ExternalArtifact, GitRepository, OCIRepository (the nearest is " +
				"GitRepository)"}},
		"a name too short": {strings.Replace(kustomization, "prune: true", "targetNamespace: ''", 1),
			[]string{"no spec.prune, which is required", "text at spec.targetNamespace, instead of what its schema allows (minLength: got 0, " +
				"want 1)"}},
		"a misspelled truth": {strings.Replace(kustomization, "prune: true", "prune: maybe", 1),
			[]string{"text at spec.prune, instead of true or false"}},
		"metadata of its own": {strings.Replace(kustomization, "{name: web}", "{name: web, finalizer: []}", 1),
			[]string{"the unknown field metadata.finalizer (the nearest is finalizers)"}},
		"a misspelled kind": {strings.Replace(kustomization, "kind: Kustomization", "kind: Kustomisation", 1),
			[]string{"the kind Kustomisation, which kustomize.toolkit.fluxcd.io/v1 does not have (the nearest is Kustomization)"}},
		"a removed version": {strings.Replace(kustomization, "io/v1", "io/v1beta2", 1),
			[]string{"the version kustomize.toolkit.fluxcd.io/v1beta2, … (kustomize.toolkit.fluxcd.io/v1 has this kind)"}},
		"a removed version without a schema": {"apiVersion: helm.toolkit.fluxcd.io/v2beta2\nkind: HelmRelease\nmetadata: {name: a}\n",
			[]string{"the version helm.toolkit.fluxcd.io/v2beta2, … (helm.toolkit.fluxcd.io/v2 has this kind)"}},
		"a kind without a schema":    {"apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {name: a}\nspec: {x: 1}\n", nil},
		"a newer version":            {strings.Replace(kustomization, "io/v1", "io/v2", 1), nil},
		"another kind of this group": {"apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: a}\nspec: {anything: 1}\n", nil},
		"missing":                    {strings.Replace(application, "project: default, ", "", 1), []string{"no spec.project, which is required"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, check(t, test.text), elided.Texts); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
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
