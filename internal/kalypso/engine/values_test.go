// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
)

// TestValuesArrive expects each value of a platform ConfigMap to come out as it went in, or to have
// a finding: written in YAML or by HCL's yamlencode, through the built-in ConfigMap and a template.
func TestValuesArrive(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text      string
		isChanged bool
	}{
		"app.ini":         {"[server]\nport = 80\n; comment\n[other]\na = b\n", false},
		"app.toml":        {"[[servers]]\nname = \"a\"\n\n[servers.limits]\ncpu = 1\n", false},
		"two.yaml":        {"a: 1\n---\nb: 2\n", false},
		"README.md":       {"---\ntitle: Shop\n---\n\n# Shop\n\n- one\n", false},
		"indented":        {"   first\nsecond\n", false},
		"dashboard.json":  {"{\n  \"panels\": [1, 2],\n  \"title\": \"Shop\"\n}\n", true},
		"app.properties":  {"a.b=1\n# comment\nc = d\n", false},
		"settings.yaml":   {"# for the shop\na: 1 # one\n", true},
		"ON":              {"on: yes", true},
		"BUILD":           {"tag: 1.10", true},
		"ACCOUNT":         {"id: 123456789012345678901", true},
		"TWICE":           {"a: 1\na: 2\n", true},
		"MODE":            {"0644", false},
		"VERSION":         {"1.10", false},
		"EMPTY":           {"", false},
		"TRAILING":        {"text with a trailing line\n\n", false},
		"quoted.json":     {"{\"a\": 1}", true},
		"alertmanager":    {"route: {{ .Labels.x }}", false},
		"SINGLE":          {"it's", false},
		"MULTILINE_START": {"\n  two\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := test.text
			if name == "alertmanager" {
				text = strings.NewReplacer("{{ ", `{{ raw "{{ `, " }}", ` }}" }}`).Replace(text)
			}
			for _, written := range []string{inYAML(t, name, text), inHCL(t, name, text)} {
				for template, configType := range map[string]string{"built in": "", "of a template": "configType: cfg"} {
					got, isFound := arrived(t, name, written, configType)
					if isFound != test.isChanged {
						t.Errorf("%s: a finding: %t, want %t", template, isFound, test.isChanged)
					}
					if want := test.text; got != want && !test.isChanged && (name != "alertmanager" || configType != "") {
						t.Errorf("%s: %q became %q", template, want, got)
					}
				}
			}
		})
	}
}

// inYAML writes a ConfigMap as people do, with a block for a text of several lines.
func inYAML(t *testing.T, key, text string) string {
	t.Helper()
	written, err := yamlv3.Marshal(map[string]any{"data": map[string]string{key: text}})
	if err != nil {
		t.Fatal(err)
	}
	return "kind: ConfigMap\nmetadata: {name: values, labels: {platform-config: 'true'}}\n" + string(written)
}

// inHCL writes a ConfigMap as yamlencode does, with all texts in double quotes.
func inHCL(t *testing.T, key, text string) string {
	t.Helper()
	quoted, err := json.Marshal(map[string]string{key: text})
	if err != nil {
		t.Fatal(err)
	}
	return `{"kind": "ConfigMap", "metadata": {"name": "values", "labels": {"platform-config": "true"}}, "data": ` + string(quoted) + "}"
}

// arrived returns the value in the ConfigMap of a package, and whether a finding is about it.
func arrived(t *testing.T, key, configMap, configType string) (value string, isFound bool) {
	t.Helper()
	result, err := engine.Compute(t.Context(), input([]string{configMap, fmt.Sprintf(`
apiVersion: scheduler.kalypso.io/v1alpha1
kind: ClusterType
metadata: {name: cloud}
spec: {reconciler: rec, namespaceService: rec, %s}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Template
metadata: {name: rec}
spec: {type: reconciler, manifests: ["a: b"]}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Template
metadata: {name: cfg}
spec:
  type: config
  manifests:
    - |
      kind: ConfigMap
      data:
      {{ stringify .ConfigData | indent 2 }}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: Workload
metadata: {name: shop, labels: {workspace: team}}
spec: {deploymentTargets: [{name: live, labels: {a: b}, manifests: {}}]}
---
apiVersion: scheduler.kalypso.io/v1alpha1
kind: SchedulingPolicy
metadata: {name: all}
spec: {deploymentTargetSelector: {labelSelector: {}}, clusterTypeSelector: {labelSelector: {}}}
`, configType)}))
	if err != nil {
		t.Fatal(err)
	}
	var object struct{ Data map[string]string }
	for _, e := range result.Folders["cloud"].Entries {
		if e.Dir == nil {
			continue
		}
		for _, file := range e.Dir.Entries {
			if file.Name == "platform-config.yaml" {
				if err := yaml.Unmarshal(file.Content, &object); err != nil {
					t.Fatalf("%v in\n%s", err, file.Content)
				}
			}
		}
	}
	findings, err := result.Findings(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		isFound = isFound || f.Code == "CONFIG_REWRITTEN"
	}
	return object.Data[key], isFound
}
