// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/composition"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/placement"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

func templateOf(name string, manifests ...string) *manifest.Template {
	return &manifest.Template{
		Meta:      manifest.Meta{Kind: manifest.KindTemplate, Name: name, Source: manifest.Origin{Name: "manifests[0]", Line: 7}},
		Manifests: manifests,
	}
}

// sample is an assignment of a fleet with the templates rec, ns and cfg. Templates that are
// not given are empty.
func sample(templates ...*manifest.Template) (*fleet.Fleet, *placement.Assignment) {
	f := &fleet.Fleet{Environment: "dev", Templates: map[string]*manifest.Template{
		"rec": templateOf("rec"), "ns": templateOf("ns"), "cfg": templateOf("cfg"),
	}}
	for _, t := range templates {
		f.Templates[t.Name] = t
	}
	f.ClusterTypes = []*manifest.ClusterType{{
		Meta:       manifest.Meta{Kind: manifest.KindClusterType, Name: "large", Labels: map[string]string{"region": "west"}},
		Reconciler: "rec", NamespaceService: "ns", ConfigType: "cfg",
	}}
	return f, &placement.Assignment{
		ClusterType: f.ClusterTypes[0],
		Target: &fleet.Target{
			FullName: "shop-live", Name: "live", Workload: "shop", Workspace: "team",
			Labels:    map[string]string{"use-case": "vote", "workload": "shop"},
			Manifests: map[string]string{"repo": "https://example.com/shop", "branch": "main", "path": "./live"},
		},
		Namespace: "dev-large-shop-live",
	}
}

func config(values map[string]any) *composition.Config { return &composition.Config{Values: values} }

// renderFiles renders the sample with the templates: path to content.
func renderFiles(t testing.TB, values map[string]any, templates ...*manifest.Template) (map[string]string, error) {
	t.Helper()
	f, a := sample(templates...)
	r, err := New(f)
	if err != nil {
		return nil, err
	}
	files, err := r.Render(t.Context(), a, config(values))
	return contents(files), err
}

func contents(files []tree.Entry) map[string]string {
	result := map[string]string{}
	for _, file := range files {
		result[file.Name] = string(file.Content)
	}
	return result
}

// renderOne renders a reconciler of one manifest.
func renderOne(t testing.TB, source string, values map[string]any) (string, error) {
	t.Helper()
	return renderWithin(t.Context(), source, values)
}

// renderWithin renders a reconciler of one manifest within the time of the context.
func renderWithin(ctx context.Context, source string, values map[string]any) (string, error) {
	f, a := sample(templateOf("rec", source))
	r, err := New(f)
	if err != nil {
		return "", err
	}
	files, err := r.Render(ctx, a, config(values))
	return contents(files)["reconciler.yaml"], err
}

func expect(t testing.TB, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// expectError wants all parts in the message.
func expectError(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in %q", part, err)
		}
	}
}

var values = map[string]any{
	"text":  "hello",
	"list":  []any{"a", 1, map[string]any{"name": "x"}},
	"map":   map[string]any{"b": 2, "a": map[string]any{"deep": true}},
	"mixed": map[any]any{1: "one", "two": []any{2}},
	"empty": "",
	"quote": ` "'x'" `,
}

func TestHashesAsKalypso(t *testing.T) {
	t.Parallel()
	data := map[string]any{
		"REDIS": "azure-vote-back", "TITLE": "Voting Application from the Cloud", "VOTE1VALUE": "Picard", "VOTE2VALUE": "Kirk",
	}
	got, err := renderOne(t, `{{ hash .ConfigData }} {{ hash (dict "tags" .ConfigData) | len }}`, data)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, strings.Fields(got)[0], "3170723027559689098")
	data["tags"] = []any{"tag1", "tag2"}
	got, err = renderOne(t, `{{ hash .ConfigData }}`, data)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, got, "12338385584552323132")
}

func TestFiles(t *testing.T) {
	t.Parallel()
	sh := templateOf("cfg", "export A=1\n", "export B=2\n")
	sh.ContentType = "sh"
	shReconciler := templateOf("rec", "run")
	shReconciler.ContentType = "sh"
	cases := map[string]struct {
		templates []*manifest.Template
		want      map[string]string
	}{
		"nothing at all": {nil, map[string]string{"reconciler.yaml": "", "namespace.yaml": ""}},
		"all three": {
			[]*manifest.Template{templateOf("rec", "r"), templateOf("ns", "n"), templateOf("cfg", "c")},
			map[string]string{"reconciler.yaml": "r", "namespace.yaml": "n", "platform-config.yaml": "c"},
		},
		"joined manifests": {
			[]*manifest.Template{templateOf("rec", "a: 1\n", "b: 2", "c: 3  \n\n", "d: 4")},
			map[string]string{"reconciler.yaml": "a: 1\n---\nb: 2\n---\nc: 3  \n\n---\nd: 4", "namespace.yaml": ""},
		},
		"dropped manifests": {
			[]*manifest.Template{templateOf("rec", "{{ if false }}x{{ end }}", " \n\t", "a", "\n"), templateOf("cfg", "{{/* nothing */}}\n")},
			map[string]string{"reconciler.yaml": "a", "namespace.yaml": ""},
		},
		"shell": {
			[]*manifest.Template{sh, shReconciler},
			map[string]string{"reconciler.sh": "run", "namespace.yaml": "", "platform-config.sh": "export A=1\n---\nexport B=2\n"},
		},
		"white space stays": {
			[]*manifest.Template{templateOf("ns", "---\n    ")},
			map[string]string{"reconciler.yaml": "", "namespace.yaml": "---\n    "},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := renderFiles(t, values, c.templates...)
			if err != nil {
				t.Fatal(err)
			}
			expect(t, got, c.want)
		})
	}
}

func TestBuiltinConfigMap(t *testing.T) {
	t.Parallel()
	f, a := sample()
	a.ClusterType.ConfigType = ""
	r, err := New(f)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		values map[string]any
		want   string
	}{
		"values": {map[string]any{"n": "1", "text": "x", "list": []any{1, map[string]any{"a": []any{"b"}}}},
			"apiVersion: v1\ndata:\n  list: |-\n    - 1\n    - a:\n        - b\n  \"n\": \"1\"\n  text: x\nkind: ConfigMap\nmetadata:\n  name: " +
				"platform-config\n  namespace: dev-large-shop-live\n"},
		"none": {nil, "apiVersion: v1\ndata: {}\nkind: ConfigMap\nmetadata:\n  name: platform-config\n  namespace: dev-large-shop-live\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files, err := r.Render(t.Context(), a, config(c.values))
			if err != nil {
				t.Fatal(err)
			}
			expect(t, contents(files)["platform-config.yaml"], c.want)
		})
	}
}

// A namespace that clusters refuse breaks the packages whose templates write it.
func TestInvalidNamespaces(t *testing.T) {
	t.Parallel()
	for _, namespace := range []string{strings.Repeat("n", 64), "dev-cloud.eu-shop-live", "dev-cloud-Shop_Live", "-x"} {
		for source, isRefused := range map[string]bool{
			"name: {{ .Namespace }}":                    true,
			"name: {{ .Workload }}-{{ .Environment }}":  false,
			"name: {{ .Namespace | trunc 1 }}":          false,
			`name: {{ .Namespace | lower | trunc 63 }}`: namespace == "dev-cloud.eu-shop-live" || namespace == "-x",
		} {
			f, a := sample(templateOf("ns", source))
			r, err := New(f)
			if err != nil {
				t.Fatal(err)
			}
			a.Namespace = namespace
			_, err = r.Render(t.Context(), a, config(nil))
			if (err != nil) != isRefused {
				t.Errorf("%s as %s: %v", source, namespace, err)
			}
			if isRefused {
				expectError(t, err, "-<deployment target> in namespace.yaml")
			}
		}
	}
}

func TestMutationsStayInTheAssignment(t *testing.T) {
	t.Parallel()
	shared := config(map[string]any{"a": "1", "map": map[string]any{"x": "1"}, "list": []any{map[string]any{"name": "n"}}})
	f, a := sample(
		templateOf("rec", `{{ $_ := set .ConfigData "a" "changed" }}{{ $_ := set .ConfigData.map "x" "changed" }}{{ $_ := set (index .ConfigData.list 0) "name" "changed" }}`+
			`{{ $_ := set .ClusterTypeLabels "region" "changed" }}{{ toYaml .ConfigData }}`),
		templateOf("ns", `{{ toYaml .ConfigData }}`),
		templateOf("cfg", `{{ .ConfigData.a }}{{ "{{" }} merge .ConfigData.map (dict "y" 1) | toJson {{ "}}" }}`),
	)
	r, err := New(f)
	if err != nil {
		t.Fatal(err)
	}
	changed := "a: changed\nlist:\n    - name: changed\nmap:\n    x: changed"
	for range 3 {
		files, err := r.Render(t.Context(), a, shared)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, contents(files), map[string]string{
			"reconciler.yaml": changed, "namespace.yaml": changed, "platform-config.yaml": `changed{"x":"changed","y":1}`,
		})
	}
	expect(t, shared.Values, map[string]any{"a": "1", "map": map[string]any{"x": "1"}, "list": []any{map[string]any{"name": "n"}}})
	expect(t, r.clusterTypes[a.ClusterType], labels{"region": "west"})
}

// A template that two files use shows the changes that a manifest between them made.
func TestMutationsShowInTheAssignment(t *testing.T) {
	t.Parallel()
	f, a := sample(templateOf("rec", `{{ $_ := set .ConfigData "value" (print .ConfigData.value "x") }}`, `{{ toYaml .ConfigData }}`))
	a.ClusterType.NamespaceService, a.ClusterType.ConfigType = "rec", "rec"
	r, err := New(f)
	if err != nil {
		t.Fatal(err)
	}
	files, err := r.Render(t.Context(), a, config(map[string]any{"value": ""}))
	if err != nil {
		t.Fatal(err)
	}
	expect(t, contents(files), map[string]string{"reconciler.yaml": "value: x", "namespace.yaml": "value: xx",
		"platform-config.yaml": "value: xxx"})
}
