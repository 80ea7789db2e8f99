// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package apischema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation"
	sigsyaml "sigs.k8s.io/yaml"
)

// TestLabelValues expects a fault exactly if a server refuses what kubectl or Flux makes of a
// label's value. The answers are those of their YAML readers and of Kubernetes' validation.
func TestLabelValues(t *testing.T) {
	t.Parallel()
	refused := 0
	for _, value := range []string{
		"no", "yes", "on", "off", "y", "n", "Y", "N", "No", "ON", "null", "~", "Null", "true", "True", "2026-11-27", "2026-11-27T10:00:00Z",
		"1e3", "1", "-1", "0644", "0o644", "0x1F", "1_000", "1:30", "1.10", ".5", ".inf", ".nan", "=", "web", "nginx", "yes-man", "'no'", `"1"`,
		"'a b'", "a.b", "-x", "x-", "Shop_Live", "v1.2.3", "1.2.3", "é", "2026-11-27-x", "+1", "0b11", "''", "!!str no", strings.Repeat("x", 63),
	} {
		text := fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n  labels:\n    a: %s\n", value)
		want := isRefusedLabel(byKubectl(t, text)) || isRefusedLabel(byKustomize(t, text))
		if got := check(t, text); (len(got) > 0) != want {
			t.Errorf("%s: refused: %t, faults: %q", value, want, got)
		}
		if want {
			refused++
		}
	}
	if refused < 20 {
		t.Errorf("only %d values are refused", refused)
	}
}

// isRefusedLabel reports whether a server refuses the label a of an object, which is JSON.
func isRefusedLabel(object map[string]any) bool {
	metadata, _ := object["metadata"].(map[string]any)
	labels, _ := metadata["labels"].(map[string]any)
	value, isText := labels["a"].(string)
	return labels["a"] != nil && (!isText || len(validation.IsValidLabelValue(value)) > 0)
}

func byKubectl(t *testing.T, text string) (object map[string]any) {
	t.Helper()
	if err := sigsyaml.Unmarshal([]byte(text), &object); err != nil {
		return unreadable // JSON has no such number
	}
	return object
}

// unreadable is an object with a label that a server refuses.
var unreadable = map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": 1}}}

// byKustomize reads as kustomize does: YAML into maps, and these as JSON.
func byKustomize(t *testing.T, text string) (object map[string]any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	written, err := json.Marshal(object)
	if err != nil {
		return unreadable
	}
	object = nil
	if err := json.Unmarshal(written, &object); err != nil {
		t.Fatal(err)
	}
	return object
}

// TestNames expects a fault exactly if Kubernetes' validation refuses a name, a namespace or a key.
func TestNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"web", "Shop_Live", "-x", "x-", "a.b", "web-1", "1", "a..b", "UPPER", "a/b", "a:b", "é", "a_b",
		"Example.com/x", "example.com/X"} {
		for what, test := range map[string]struct {
			text string
			rule func(string) []string
		}{
			"a Namespace's name": {"{apiVersion: v1, kind: Namespace, metadata: {name: %q}}", validation.IsDNS1123Label},
			"a Service's name":   {"{apiVersion: v1, kind: Service, metadata: {name: %q}}", validation.IsDNS1035Label},
			"a ConfigMap's name": {"{apiVersion: v1, kind: ConfigMap, metadata: {name: %q}}", validation.IsDNS1123Subdomain},
			"another's name":     {"{apiVersion: example.com/v1, kind: Thing, metadata: {name: %q}}", validation.IsDNS1123Subdomain},
			"a namespace":        {"{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: %q}}", validation.IsDNS1123Label},
			"a label's key":      {"{apiVersion: v1, kind: ConfigMap, metadata: {name: web, labels: {%q: a}}}", validation.IsQualifiedName},
			"an annotation's key": {
				"{apiVersion: v1, kind: ConfigMap, metadata: {name: web, annotations: {%q: a}}}",
				func(key string) []string { return validation.IsQualifiedName(strings.ToLower(key)) },
			},
			"a key of data": {"{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {%q: a}}", validation.IsConfigMapKey},
		} {
			want := len(test.rule(name)) > 0
			if got := check(t, fmt.Sprintf(test.text, name)); (len(got) > 0) != want {
				t.Errorf("%s %q: refused: %t, faults: %q", what, name, want, got)
			}
		}
	}
	if got := check(t, "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: 'system:web'}}"); got != nil {
		t.Errorf("a ClusterRole: %q", got)
	}
	keys := check(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: web, labels: {Example.com/x: a, -y: b}}, data: {a/b: c}}")
	for i, at := range []string{"metadata.labels.-y", "metadata.labels[Example.com/x]", "data[a/b]"} {
		if len(keys) != 3 || !strings.HasPrefix(keys[i], "a key at "+at+" that clusters refuse") {
			t.Errorf("keys: %q, want one at %s", keys, at)
		}
	}
	large := fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {a: %q}}", strings.Repeat("x", 1<<20+1))
	if got := check(t, large); len(got) != 1 || !strings.Contains(got[0], "1048576 bytes") {
		t.Errorf("a large ConfigMap: %q", got)
	}
}
