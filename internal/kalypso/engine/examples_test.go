// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/crd"
)

// root is the folder of the project.
const root = "../../../"

// TestExamples_rendered renders every fleet and every template that readers are shown, and
// checks what Flux and Argo CD would get of it.
func TestExamples_rendered(t *testing.T) {
	t.Parallel()
	fleets := map[string]engine.Input{}
	for name, folders := range map[string][]string{
		"kalypso-yaml": {"examples/kalypso-yaml/fleet/*/*.yaml"}, "policy-tests": {"examples/policy-tests/fleet/*.yaml"},
		"promotion": {"examples/promotion/*/*/*/*.yaml"}, "starter": {"starter/fleet/common/*/*.yaml", "starter/fleet/environments/dev/*.yaml"},
	} {
		in := engine.Input{Environment: "dev"}
		for _, folder := range folders {
			for _, file := range matching(t, folder) {
				in.Manifests = append(in.Manifests, manifest.Text{Name: file, Text: read(t, file)})
			}
		}
		fleets[name] = in
	}
	templates := shownTemplates(t)
	for name, text := range templates {
		fleets[name] = fleetOf(t, text)
	}
	for name, in := range fleets {
		result, err := engine.Compute(t.Context(), in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, f := range refused(t, result) {
			t.Errorf("%s: %s", name, f)
		}
		checked := 0
		for file, text := range files(result) {
			checked += delivers(t, name+": "+file, text)
		}
		if checked == 0 && reconciled(in) {
			t.Errorf("%s: nothing for Flux or Argo CD was found", name)
		}
	}
}

// shownTemplates returns the templates that are in files of their own and in the
// documentation of resources.
func shownTemplates(t *testing.T) map[string]string {
	t.Helper()
	templates := map[string]string{}
	for _, pattern := range []string{"examples/*/templates/*.tmpl", "examples/*/*/templates/*.tmpl"} {
		for _, file := range matching(t, pattern) {
			templates[file] = read(t, file)
		}
	}
	heredoc := regexp.MustCompile(`(?ms)<<-EOT\n(.*?)^ *EOT$`)
	for _, file := range matching(t, "examples/resources/*/*.tf") {
		for i, block := range heredoc.FindAllStringSubmatch(read(t, file), -1) {
			if strings.Contains(block[1], "kind:") {
				templates[fmt.Sprint(file, " ", i)] = dedented(block[1])
			}
		}
	}
	return templates
}

// A line break in a path once added a ClusterRoleBinding by the quick start's own template.
// It is refused, and the template does not write it either.
func TestExamples_noClusterAdmin(t *testing.T) {
	t.Parallel()
	const path = `"./a\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: rogue}\nroleRef: {kind: ClusterRole, name: cluster-admin}\n---\nspec:\n  path: ./a"`
	judged := 0
	for name, text := range shownTemplates(t) {
		if !strings.HasSuffix(name, "quickstart/templates/flux.yaml.tmpl") {
			continue
		}
		judged++
		for _, test := range []struct {
			template string
			writes   bool
		}{{text, false}, {strings.ReplaceAll(text, " | quote", ""), true}} {
			fleet := fleetOf(t, test.template)
			fleet.Manifests[0].Text = strings.Replace(fleet.Manifests[0].Text, "path: ./live}", "path: "+path+"}", 1)
			result, err := engine.Compute(t.Context(), fleet)
			if err != nil {
				t.Fatal(err)
			}
			if writes := strings.Contains(files(result)["edge/shop-live/reconciler.yaml"], "\nkind: ClusterRoleBinding\n"); writes != test.writes {
				t.Errorf("it is written: %v, want %v", writes, test.writes)
			}
			if !slices.ContainsFunc(foundIn(t, result), func(f findings.Finding) bool { return f.Code == findings.TextBreaksOut }) {
				t.Errorf("nothing refuses it: %v", foundIn(t, result))
			}
		}
	}
	if judged != 1 {
		t.Errorf("%d templates of the quick start were judged", judged)
	}
}

// refused returns what a cluster would refuse of what was rendered.
func refused(t *testing.T, result *engine.Result) []string {
	var all []string
	for _, f := range foundIn(t, result) {
		if f.Code == findings.ObjectInvalid || f.Code == findings.NameTooLong || f.Code == findings.ManifestDoubtful {
			all = append(all, f.Subject+": "+f.Message)
		}
	}
	return all
}

// TestExamples_strict checks the objects that connect clusters by the schemas by which
// rendered ones are checked.
func TestExamples_strict(t *testing.T) {
	t.Parallel()
	for _, file := range matching(t, "examples/bootstrap/*.yaml") {
		result, err := engine.Compute(t.Context(), fleetOf(t, strings.NewReplacer("{{", "", "}}", "").Replace(read(t, file))))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, f := range refused(t, result) {
			t.Errorf("%s: %s", file, f)
		}
	}
}

// reconciled reports whether a fleet has templates for Flux or Argo CD.
func reconciled(in engine.Input) bool {
	return slices.ContainsFunc(in.Manifests, func(m manifest.Text) bool {
		return strings.Contains(m.Text, ".toolkit.fluxcd.io") || strings.Contains(m.Text, "argoproj.io")
	})
}

// TestExamples_bootstrap checks what connects clusters.
func TestExamples_bootstrap(t *testing.T) {
	t.Parallel()
	all := matching(t, "examples/bootstrap/*.yaml")
	if len(all) != 2 {
		t.Fatalf("the files are %q", all)
	}
	for _, file := range all {
		for _, document := range strings.Split(read(t, file), "\n---\n") {
			if err := crd.Check(document); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
}

// TestExamples_argocd checks what its schema lets pass: Argo CD uninstalls what leaves, an
// emptied folder included, deletes nothing with the outer Application, and binds packages;
// triggers send templates that there are, by a revision and once for each.
func TestExamples_argocd(t *testing.T) {
	t.Parallel()
	objects := map[string]unstructured.Unstructured{}
	for _, document := range strings.Split(read(t, root+"examples/bootstrap/argocd.yaml"), "\n---\n") {
		var object unstructured.Unstructured
		if err := yaml.Unmarshal([]byte(document), &object.Object); err != nil {
			t.Fatal(err)
		}
		objects[object.GetKind()+" "+object.GetName()] = object
	}
	outer, project := objects["Application small"], objects["AppProject workloads"]
	sync, _, _ := unstructured.NestedMap(outer.Object, "spec", "syncPolicy", "automated")
	recurse, _, _ := unstructured.NestedBool(outer.Object, "spec", "source", "directory", "recurse")
	if want := map[string]any{"prune": true, "allowEmpty": true, "selfHeal": true}; !maps.Equal(sync, want) || !recurse ||
		len(outer.GetFinalizers()) > 0 {
		t.Errorf("the outer Application is %v", outer.Object)
	}
	allowed, found, _ := unstructured.NestedSlice(project.Object, "spec", "clusterResourceWhitelist")
	destinations, _, _ := unstructured.NestedSlice(project.Object, "spec", "destinations")
	if !found || len(allowed) > 0 || fmt.Sprint(destinations) != "[map[namespace:dev-small-* server:https://kubernetes.default.svc]]" {
		t.Errorf("the project is %v", project.Object)
	}
	health, _, _ := unstructured.NestedStringMap(objects["ConfigMap argocd-cm"].Object, "data")
	if health["resource.customizations.health.argoproj.io_Application"] == "" {
		t.Errorf("Applications have no health: %v", health)
	}
	data, _, _ := unstructured.NestedStringMap(objects["ConfigMap argocd-notifications-cm"].Object, "data")
	var triggers []struct {
		When, OncePer string
		Send          []string
	}
	if err := yaml.UnmarshalStrict([]byte(data["trigger.gitops-status"]), &triggers); err != nil {
		t.Fatal(err)
	}
	if _, ok := outer.GetAnnotations()["notifications.argoproj.io/subscribe.gitops-status.github"]; !ok {
		t.Error("nobody is told")
	}
	var states []string
	for _, trigger := range triggers {
		if !strings.HasPrefix(trigger.OncePer, "app.status.sync.revision + app.status.") || len(trigger.Send) != 1 {
			t.Errorf("the trigger is %+v", trigger)
			continue
		}
		var sent struct {
			Github struct{ Status struct{ State string } }
		}
		if err := yaml.Unmarshal([]byte(data["template."+trigger.Send[0]]), &sent); err != nil {
			t.Error(err)
		}
		states = append(states, sent.Github.Status.State)
	}
	if want := []string{"success", "pending", "failure", "failure"}; !slices.Equal(states, want) {
		t.Errorf("the states are %q, want %q", states, want)
	}
}

// delivers checks what a file of a package has for Flux and Argo CD, and returns how many
// objects that are. Objects of one name would meet in flux-system where a cluster is of two
// types, Flux makes a label of a Kustomization's name, and one that does not wait is green
// where nothing works. One that depends on what reads its folder, which waits for it, would
// never be ready.
func delivers(t *testing.T, name, text string) (count int) {
	t.Helper()
	if filepath.Ext(name) != ".yaml" {
		return 0
	}
	var accounts []string
	for _, document := range strings.Split(text, "\n---\n") {
		var object unstructured.Unstructured
		if err := yaml.Unmarshal([]byte(document), &object.Object); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if object.GetKind() == "ServiceAccount" {
			accounts = append(accounts, object.GetNamespace()+"/"+object.GetName())
		}
		if err := crd.Check(document); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !crd.Delivers(object.GetAPIVersion()) {
			continue
		}
		count++
		if object.GetNamespace() == "flux-system" {
			t.Errorf("%s: %s %s is in flux-system", name, object.GetKind(), object.GetName())
		}
		if reason := unbound(object, accounts); reason != "" {
			t.Errorf("%s: %s %s %s", name, object.GetKind(), object.GetName(), reason)
		}
		waits, _, _ := unstructured.NestedBool(object.Object, "spec", "wait")
		_, depends, _ := unstructured.NestedFieldNoCopy(object.Object, "spec", "dependsOn")
		if object.GetKind() == "Kustomization" && (!waits || depends || len(object.GetName()) > 63) {
			t.Errorf("%s: Kustomization %s has a long name, does not wait, or depends on something", name, object.GetName())
		}
	}
	return count
}

// unbound says what lets a workload reach beyond the namespace of its package, or stay
// when the namespace goes; it is empty if nothing does. The accounts come before the
// objects that use them.
func unbound(object unstructured.Unstructured, accounts []string) string {
	text := func(field string) string {
		value, _, _ := unstructured.NestedString(object.Object, "spec", field)
		return value
	}
	prunes, _, _ := unstructured.NestedBool(object.Object, "spec", "prune")
	switch kind := object.GetKind(); {
	case (kind == "Kustomization" || kind == "HelmRelease") && !slices.Contains(accounts,
		object.GetNamespace()+"/"+text("serviceAccountName")):
		return "names no account that the package has"
	case kind == "HelmRelease" && text("targetNamespace") != "":
		return "deploys into another namespace"
	case kind == "GitRepo" && !slices.ContainsFunc(accounts, func(a string) bool { return path.Base(a) == text("serviceAccount") }):
		return "names no account that the package has"
	case kind == "GitRepo" && text("targetNamespace") != object.GetName():
		return "does not deploy into its namespace"
	case kind == "Kustomization" && text("targetNamespace") != object.GetNamespace():
		return "does not deploy into its namespace"
	case kind == "Kustomization" && !prunes:
		return "does not prune"
	case kind == "Application" && text("project") == "default":
		return "is in the project that allows everything"
	case kind == "Application" && len(object.GetFinalizers()) == 0:
		return "leaves what it has deployed"
	}
	return ""
}

// fleetOf is a fleet of one package, of which a template is the reconciler.
func fleetOf(t *testing.T, text string) engine.Input {
	t.Helper()
	source, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	fleet := `
kind: Template
metadata: {name: shown}
spec: {type: reconciler, manifests: [` + string(source) + `]}
---
kind: Template
metadata: {name: namespace}
spec: {type: namespace, manifests: ["{apiVersion: v1, kind: Namespace, metadata: {name: '{{ .Namespace }}'}}"]}
---
kind: ClusterType
metadata: {name: edge}
spec: {reconciler: shown, namespaceService: namespace}
---
kind: Workload
metadata: {name: shop, labels: {workspace: shop-team}}
spec: {deploymentTargets: [{name: live, environment: dev, manifests: {repo: https://git.example/shop, branch: main, path: ./live}}]}
---
kind: SchedulingPolicy
metadata: {name: everywhere}
spec: {deploymentTargetSelector: {labelSelector: {}}, clusterTypeSelector: {labelSelector: {}}}
---
kind: ConfigMap
metadata: {name: all, labels: {platform-config: "true"}}
data: {SECRET_STORE: vault, KEY_VAULT: contoso, TENANT_ID: "1"}
`
	fleet = strings.ReplaceAll(fleet, "\nkind: ", "\napiVersion: scheduler.kalypso.io/v1alpha1\nkind: ")
	fleet = strings.Replace(fleet, "scheduler.kalypso.io/v1alpha1\nkind: ConfigMap", "v1\nkind: ConfigMap", 1)
	return engine.Input{Environment: "dev", Manifests: []manifest.Text{{Name: "fleet", Text: fleet}}}
}

// dedented removes the indent of the first line from all.
func dedented(text string) string {
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	return strings.ReplaceAll("\n"+text, "\n"+indent, "\n")[1:]
}

func matching(t *testing.T, pattern string) []string {
	t.Helper()
	all, err := filepath.Glob(root + pattern)
	if err != nil || len(all) == 0 {
		t.Fatalf("%s: %v, %q", pattern, err, all)
	}
	return all
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestMigrateHasTheSamplesTemplates holds that examples/migrate migrates the templates of
// Kalypso's own sample, to the byte.
func TestMigrateHasTheSamplesTemplates(t *testing.T) {
	t.Parallel()
	const sample, example = root + "testdata/conformance/kalypso-sample/in/main/templates/scheduler_v1alpha1_template_", root +
		"examples/migrate/kalypso/control-plane-main/templates/"
	for _, name := range []string{"arc-flux", "argocd", "configmap", "namespace"} {
		if read(t, sample+name+".yaml") != read(t, example+name+".yaml") {
			t.Errorf("the example's template %s is not the sample's", name)
		}
	}
}
