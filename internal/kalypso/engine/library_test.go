// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/inventory"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/crd"
)

// wholeLibrary are the templates and schemas of the library.
var wholeLibrary = []string{"examples/templates/*/template.yaml", "examples/templates/*/schema.yaml"}

// fleetIn is the fleet of these files, in the environment prod.
func fleetIn(t *testing.T, patterns ...string) engine.Input {
	t.Helper()
	in := engine.Input{Environment: "prod"}
	for _, pattern := range patterns {
		for _, file := range matching(t, pattern) {
			in.Manifests = append(in.Manifests, manifest.Text{Name: file, Text: read(t, file)})
		}
	}
	return in
}

// with is a fleet and further manifests.
func with(in engine.Input, texts ...string) engine.Input {
	in.Manifests = slices.Clone(in.Manifests)
	for _, text := range texts {
		in.Manifests = append(in.Manifests, manifest.Text{Name: "added", Text: text})
	}
	return in
}

// TestLibrary renders all templates of the library, and checks each file strictly.
func TestLibrary(t *testing.T) {
	t.Parallel()
	result, err := engine.Compute(t.Context(), fleetIn(t, append(wholeLibrary, "examples/reconcilers/fleet/*.yaml")...))
	if err != nil {
		t.Fatal(err)
	}
	const account = "ServiceAccount RoleBinding "
	want := map[string]string{
		"cloud/shop-checkout":      account + "GitRepository Kustomization",
		"shared/reports-live":      account + "HelmRepository HelmRelease",
		"sovereign/ledger-live":    account + "OCIRepository Kustomization",
		"datacenter/shop-checkout": "Application",
		"store/shop-checkout":      account + "GitRepo",
		"lab/shop-checkout":        "Kustomization",
		"machine/printing-spooler": "", // a playbook
		"kiosk/shop-signage":       "", // files for a shell
	}
	got := map[string]string{}
	for file, text := range files(result) {
		if strings.HasPrefix(text, "\n") || strings.Contains(text, "\n\n\n") {
			t.Errorf("%s begins or is filled with empty lines:\n%s", file, text)
		}
		var kinds []string
		if strings.HasSuffix(file, ".yaml") && !strings.HasPrefix(file, "machine/") {
			kinds = kindsOf(t, file, text)
			delivers(t, file, text)
		}
		if name := path.Base(file); strings.HasPrefix(name, "reconciler.") {
			got[path.Dir(file)] = strings.Join(kinds, " ")
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("the reconcilers are %q, want %q", got, want)
	}
	// The attributes that examples/reconcilers/main.tf ignores.
	found(t, result, "OBJECT_INCOMPLETE:Template/ansible", "OBJECT_INCOMPLETE:Template/ansible-inventory")
}

// The library writes the version of what has one, and kalypso_deployments reads it.
func TestLibraryVersions(t *testing.T) {
	t.Parallel()
	result, err := engine.Compute(t.Context(), fleetIn(t, append(wholeLibrary, "examples/reconcilers/fleet/*.yaml")...))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for file, text := range files(result) {
		if path.Base(file) == "namespace.yaml" {
			got[path.Dir(file)] = inventory.Read(map[string][]byte{"namespace.yaml": []byte(text)}).Version
		}
	}
	for folder, want := range map[string]string{"shared/reports-live": "2.4.1", "sovereign/ledger-live": "1.8.0", "cloud/shop-checkout": ""} {
		if version, there := got[folder]; version != want || !there {
			t.Errorf("%s has the version %q, want %q", folder, version, want)
		}
	}
}

// found expects the findings of a fleet.
func found(t *testing.T, result *engine.Result, want ...string) {
	t.Helper()
	var got []string
	for _, f := range foundIn(t, result) {
		got = append(got, f.Code+":"+f.Subject)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the findings are %q, want %q", got, want)
	}
}

// kindsOf are the kinds of a file's objects, each checked.
func kindsOf(t *testing.T, file, text string) (kinds []string) {
	t.Helper()
	for document := range strings.SplitSeq(text, "\n---\n") {
		var object unstructured.Unstructured
		if err := yaml.UnmarshalStrict([]byte(document), &object.Object); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if err := crd.Check(document); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		kinds = append(kinds, object.GetKind())
	}
	return kinds
}

// TestLibrary_described finds each folder in the README of all, with one of its own.
func TestLibrary_described(t *testing.T) {
	t.Parallel()
	all := read(t, root+"examples/templates/README.md")
	for _, file := range matching(t, "examples/templates/*/template.yaml") {
		folder := path.Dir(file)
		name := path.Base(folder)
		if !strings.Contains(all, "| ["+name+"]("+name+") |") {
			t.Errorf("examples/templates/README.md does not list %s", name)
		}
		own := read(t, folder+"/README.md")
		for _, part := range []string{"- **The host needs**", "- **Reads**", "- **To use it**"} {
			if !strings.Contains(own, part) {
				t.Errorf("%s/README.md has no %s", name, part)
			}
		}
	}
}

// TestLibrary_connect checks the objects that connect a cluster with Rancher Fleet.
func TestLibrary_connect(t *testing.T) {
	t.Parallel()
	for _, file := range matching(t, "examples/templates/*/connect.yaml") {
		kindsOf(t, file, read(t, file))
	}
}

// TestLibrary_root has a workload take all of its repository.
func TestLibrary_root(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{".", "./"} {
		fleet := fleetIn(t, append(wholeLibrary, "examples/reconcilers/fleet/*.yaml")...)
		for i, m := range fleet.Manifests {
			fleet.Manifests[i].Text = strings.Replace(m.Text, "path: ./checkout\n", "path: "+folder+"\n", 1)
		}
		result, err := engine.Compute(t.Context(), fleet)
		if err != nil {
			t.Fatal(err)
		}
		all := files(result)
		if text := all["store/shop-checkout/reconciler.yaml"]; strings.Contains(text, "paths:") {
			t.Errorf("Rancher Fleet takes a folder:\n%s", text)
		}
		const url = `- "https://github.com/contoso/shop-manifests?ref=prod"`
		if text := all["lab/shop-checkout/reconciler.yaml"]; !strings.Contains(text, url) {
			t.Errorf("kustomize takes something else:\n%s", text)
		}
	}
}

// TestLibrary_mistakes shows that a wrong setting fails in the plan, and who gets the
// message.
func TestLibrary_mistakes(t *testing.T) {
	t.Parallel()
	fleet := fleetIn(t, append(wholeLibrary, "examples/reconcilers/fleet/*.yaml")...)
	for name, test := range map[string]struct{ setting, want string }{
		"no such Pod Security Standard": {"namespace: '{podSecurity: strict}'", "podSecurity"},
		"no quantity":                   {"namespace: '{quota: {pods: many}}'", "pods"},
		"half a pod":                    {"namespace: '{quota: {pods: 1.5}}'", "namespace.quota.pods"},
		"no such resource":              {"namespace: '{quota: {request.cpu: 8}}'", "'request.cpu' not allowed"},
		"a default above the most": {"namespace: '{limits: {default: {memory: 1Gi}, max: {memory: 1000M}}}'", "the memory of default, 1Gi, " +
			"is more than that of max, 1000M"},
		"no annotation":              {"namespace: '{serviceAccount: {annotations: {a/b/c: d}}}'", "'a/b/c' not allowed"},
		"no such field":              {"namespace: '{quotas: {}}'", "quotas"},
		"no such role":               {"namespace: '{team: {group: a, role: cluster-admin}}'", "role"},
		"a team without a group":     {"namespace: '{team: {group: \"\"}}'", "group"},
		"no network":                 {"namespace: '{egressTo: [{cidr: everywhere}]}'", "cidr"},
		"a network of too many bits": {"namespace: '{egressTo: [{cidr: 10.1.0.0/99}]}'", "cidr"},
		"a network that is a host": {"namespace: '{egressTo: [{cidr: 10.1.2.0/16}]}'", "the network 10.1.2.0/16 has bits set beyond its " +
			"length of 16"},
		"a network with two gaps":       {"namespace: '{egressTo: [{cidr: \"fd00::1::/64\"}]}'", "cidr"},
		"neither namespace nor network": {"namespace: '{ingressFrom: [{ports: [80]}]}'", "missing property 'namespace'"},
		"both namespace and network":    {"namespace: '{ingressFrom: [{namespace: a, cidr: 10.0.0.0/8}]}'", "'namespace' not allowed"},
		"no ports, which would be all":  {"namespace: '{ingressFrom: [{namespace: a, ports: []}]}'", "minItems"},
		"two stores":                    {"namespace: '{secretStore: {fake: {}, gitlab: {}}}'", "secretStore"},
		"no such setting of reconciler": {"reconciler: '{role: cluster-admin}'", "role"},
		"no such structure":             {"namespaces: '{podSecurity: baseline}'", "'namespaces' not allowed"},
		"no values of a chart":          {"helm: '7'", "The value helm"},
		"a package nobody may have":     {"ansible: '{packages: 7}'", "packages"},
		"a directory":                   {"ansible: '{unitDirectory: etc}'", "unitDirectory"},
		"a quote in an environment":     {`GREETING: "it's"`, "GREETING must be a text of one line without single quotes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := engine.Compute(t.Context(), with(fleet, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: wrong, labels: {platform-config: "+
				"'true'}}\ndata: {"+test.setting+"}\n"))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("want an error about %q, got: %v", test.want, err)
			}
		})
	}
}

// TestLibrary_namespaces shows the effect of settings on the defaults of a namespace: a
// setting stays, and a default gives way to it.
func TestLibrary_namespaces(t *testing.T) {
	t.Parallel()
	fleet := fleetIn(t, append(wholeLibrary, "examples/reconcilers/fleet/*.yaml")...)
	for setting, want := range map[string]string{
		"{}":                                       "request 64Mi, default 256Mi, max 2Gi",
		"{limits: {default: {memory: 4Gi}}}":       "request 64Mi, default 4Gi, max 4Gi",
		"{limits: {default: {memory: 128Mi}}}":     "request 64Mi, default 128Mi, max 2Gi",
		"{limits: {defaultRequest: {memory: 3G}}}": "request 3G, default 3G, max 3G",
		"{limits: {max: {memory: 33554432}}}":      "request 33554432, default 33554432, max 33554432",
		"{quota: {pods: 0, requests.cpu: 0.5}}":    "pods 0, CPUs 0.5, volumes 5",
		"{quota: {persistentvolumeclaims: 0}}":     "pods 30, CPUs 2, volumes 0",
	} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			result, err := engine.Compute(t.Context(), with(fleet, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: set, labels: "+
				"{platform-config: 'true'}}\ndata: {namespace: '"+setting+"'}\n"))
			if err != nil {
				t.Fatal(err)
			}
			text := files(result)["cloud/shop-checkout/namespace.yaml"]
			if got := bounds(t, text); !strings.Contains(got, want) {
				t.Errorf("the bounds are %s, want %s in them", got, want)
			}
		})
	}
}

// bounds are those of a namespace: of containers' memory, and some of its quota.
func bounds(t *testing.T, text string) string {
	t.Helper()
	var all struct {
		Spec struct {
			Hard   map[string]string
			Limits []struct{ DefaultRequest, Default, Max map[string]string }
		}
	}
	for document := range strings.SplitSeq(text, "\n---\n") {
		if !strings.Contains(document, "kind: ResourceQuota") && !strings.Contains(document, "kind: LimitRange") {
			continue
		}
		if err := yaml.Unmarshal([]byte(document), &all); err != nil {
			t.Fatal(err)
		}
	}
	hard, limits := all.Spec.Hard, all.Spec.Limits[0]
	return fmt.Sprintf("pods %s, CPUs %s, volumes %s; request %s, default %s, max %s", hard["pods"], hard["requests.cpu"],
		hard["persistentvolumeclaims"], limits.DefaultRequest["memory"], limits.Default["memory"], limits.Max["memory"])
}

// TestLibrary_workloads shows what a workload has to say about itself, and what it may not
// say: others would run what it writes into its manifests.
func TestLibrary_workloads(t *testing.T) {
	t.Parallel()
	fleet := fleetIn(t, append(wholeLibrary, "examples/reconcilers/fleet/*.yaml")...)
	for name, test := range map[string]struct{ source, manifests, want string }{
		"no path":         {"git", "{repo: https://git.example/a, branch: main}", "do not say its path"},
		"no branch":       {"git", "{repo: https://git.example/a, path: ./}", "do not say its branch"},
		"no chart":        {"chart", "{repo: https://git.example/a, version: '1'}", "do not say its chart"},
		"no version":      {"artifact", "{repo: oci://git.example/a, path: ./}", "do not say its digest, semver or tag"},
		"no program":      {"debian", "{packages: python3}", "have to say its exec"},
		"no repository":   {"files", "{branch: main, path: ./}", "do not say its repo"},
		"another package": {"debian", "{packages: openssh-server, exec: /bin/true}", `the Debian package "openssh-server", which is not among`},
		"another user":    {"debian", `{packages: "", exec: "/bin/true\nUser=root"}`, "the path of a program and its arguments"},
		"full privileges": {"debian", "{packages: '', exec: +/bin/true}", "the path of a program and its arguments"},
		"another line": {"files", `{repo: "https://git.example/a'\nLD_PRELOAD='b", branch: main, path: ./}`, "has characters that it cannot " +
			"have"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := engine.Compute(t.Context(), with(fleet, `
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Workload
metadata: {name: rogue, labels: {workspace: rogues}}
spec: {deploymentTargets: [{name: live, environment: prod, labels: {source: `+test.source+`}, manifests: `+test.manifests+`}]}
`))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("want an error about %q, got: %v", test.want, err)
			}
			if err != nil && strings.Contains(err.Error(), "no value") {
				t.Errorf("the error names what follows from it: %v", err)
			}
		})
	}
}

// TestLibrary_ansible has virtual machines without the values that the playbook needs,
// each one error.
func TestLibrary_ansible(t *testing.T) {
	t.Parallel()
	for name, replaced := range map[string][2]string{
		"no configuration": {"cluster-type: machine}", "cluster-type: other}"},
		"no hosts":         {"hosts:\n      printing-1.contoso.com: {}\n      printing-2.contoso.com: {}\n", "hosts: {}\n"},
		"no packages":      {"packages: [ca-certificates, chrony, curl, python3]", "cacheValidTime: 7"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fleet := fleetIn(t, append(wholeLibrary, "examples/reconcilers/fleet/*.yaml")...)
			for i, m := range fleet.Manifests {
				fleet.Manifests[i].Text = strings.Replace(m.Text, replaced[0], replaced[1], 1)
			}
			_, err := engine.Compute(t.Context(), fleet)
			if err == nil || !strings.Contains(err.Error(), "has to say ansible.hosts") || strings.Contains(err.Error(), "dig fails") {
				t.Errorf("want an error about ansible.hosts, got: %v", err)
			}
		})
	}
}

// TestLibrary_injection shows that no text of a workload becomes a line, a document or an
// action of a template of its own.
func TestLibrary_injection(t *testing.T) {
	t.Parallel()
	fleet := fleetIn(t, append(wholeLibrary, "examples/reconcilers/fleet/*.yaml")...)
	refusals := []string{"has characters that it cannot have", "the path of a program and its arguments",
		"which is not among ansible.packages", "holds two opening braces"}
	said := map[string]string{} // what each target says, by its name
	var rogues strings.Builder
	rogues.WriteString(`
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Workload
metadata: {name: rogue, labels: {workspace: rogues}}
spec:
  deploymentTargets:
`)
	for source, manifests := range map[string]map[string]string{
		"git":      {"repo": "https://git.example/a", "branch": "main", "path": "./"},
		"chart":    {"repo": "https://git.example/a", "chart": "a", "version": "1.0.0"},
		"artifact": {"repo": "oci://git.example/a", "path": "./", "tag": "v1"},
		"debian":   {"packages": "", "exec": "/bin/true"},
		"files":    {"repo": "https://git.example/a", "branch": "main", "path": "./"},
	} {
		for key, right := range manifests {
			for _, wrong := range []string{
				"\"\n---\nkind: ClusterRoleBinding\na: \"", "'\nB='", "\rUser=root", "{{ printf \"%c\" 10 }}", "\u2028a", "\\", "\" # ", "${{ env }}",
			} {
				injected := maps.Clone(manifests)
				injected[key] = right + wrong
				text, err := json.Marshal(injected)
				if err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("live-%d-of-all", len(said))
				said[name] = fmt.Sprintf("source %s, %s %q", source, key, injected[key])
				fmt.Fprintf(&rogues, "  - {name: %s, environment: prod, labels: {source: %s}, manifests: %s}\n", name, source, text)
			}
		}
	}
	result, err := engine.Compute(t.Context(), with(fleet, rogues.String()))
	if err == nil || result == nil {
		t.Fatalf("the result is %v, the error %v", result, err)
	}
	refused := map[string]bool{}
	for _, f := range result.Failures {
		for _, p := range f.Problems {
			if slices.ContainsFunc(refusals, func(refusal string) bool { return strings.Contains(p.Text(), refusal) }) {
				refused[f.Assignment.Target.Name] = true
			}
		}
	}
	for name, what := range said {
		if !refused[name] {
			t.Errorf("%s is not refused", what)
		}
	}
}

// TestPlatformServices shows that services of the platform are on all cluster types, with
// rights that workloads do not get by calling themselves so.
func TestPlatformServices(t *testing.T) {
	t.Parallel()
	fleet := fleetIn(t, "examples/platform-services/control-plane/*.yaml", "examples/templates/flux-kustomization/*.yaml",
		"examples/templates/argocd-application/*.yaml", "examples/templates/namespace/*.yaml", "examples/templates/platform-config/*.yaml")
	for _, file := range matching(t, "examples/platform-services/workloads/*.yaml") {
		workspace := "platform"
		if path.Base(file) == "shop.yaml" {
			workspace = "retail" // as the registration says, which gives it to the workload
		}
		text := strings.Replace(read(t, file), "metadata:", "metadata:\n  labels: {tier: platform, workspace: "+workspace+"}", 1)
		fleet = with(fleet, text)
	}
	result, err := engine.Compute(t.Context(), fleet)
	if err != nil {
		t.Fatal(err)
	}
	found(t, result)
	var packages, administrators []string
	for file, text := range files(result) {
		if path.Base(file) != "reconciler.yaml" {
			continue
		}
		delivers(t, file, text)
		packages = append(packages, path.Dir(file))
		if strings.Contains(text, "cluster-admin") || strings.Contains(text, `project: "platform"`) {
			administrators = append(administrators, path.Dir(file))
		}
	}
	slices.Sort(packages)
	slices.Sort(administrators)
	services := []string{
		"cloud/ingress-controller", "cloud/metrics-agent", "datacenter/ingress-controller", "datacenter/metrics-agent",
		"store/ingress-controller", "store/metrics-agent",
	}
	if !slices.Equal(administrators, services) || !slices.Equal(packages, append(services, "store/shop-checkout")) {
		t.Errorf("the packages are %q, of which %q may do everything", packages, administrators)
	}
}
