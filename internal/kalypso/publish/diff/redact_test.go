// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package diff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/elided"
)

func TestRedact(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"nothing to hide": {"kind: ConfigMap\ndata: {a: b}  # Secret\n", "kind: ConfigMap\ndata: {a: b}  # Secret\n"},
		"a reference":     {"valuesFrom:\n    - kind: Secret\n      name: x # kept\n", "valuesFrom:\n    - kind: Secret\n      name: x # kept\n"},
		"data": {
			"apiVersion: v1\nkind: Secret # hunter2\nmetadata:\n    name: db\n# hunter2\ndata:\n    user: cm9vdA==\n    password: hunter2\n",
			"apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  user: (redacted c63d…)\n  password: (redacted f52f…)\n",
		},
		"only the documents of Secrets": {
			"kind:   ConfigMap\n---\nkind: Secret\nstringData: {a: hunter2}\n---\n# kept\nkind:   Other\n",
			"kind:   ConfigMap\n---\nkind: Secret\nstringData: {a: (redacted f52f…)}\n---\n# kept\nkind:   Other\n",
		},
		"block":     {"kind: Secret\nstringData:\n  a: |\n    hunter2\n    more\n", "kind: Secret\nstringData:\n  a: (redacted d3b8…)\n"},
		"structure": {"kind: Secret\ndata:\n  a: [hunter2]\n", "kind: Secret\ndata:\n  a: (redacted 0480…)\n"},
		"JSON": {`{"kind": "Secret", "stringData": {"a": "hunter2"}}`, "{\"kind\": \"Secret\", \"stringData\": {\"a\": (redacted " +
			"f52f…)}}\n"},
		"escapes": {`{"k\u0069nd": "S\u0065cret", "stringData": {"a": "hunter2"}}`, "{\"kind\": \"Secret\", \"stringData\": {\"a\": " +
			"(redacted f52f…)}}\n"},
		"list": {"kind: List\nitems:\n  - kind: Secret\n    data: {a: hunter2}\n", "kind: List\nitems:\n  - kind: Secret\n    data: " +
			"{a: (redacted f52f…)}\n"},
		"list of secrets": {"kind: SecretList\nitems:\n  - data: {a: hunter2}\n",
			"kind: SecretList\nitems:\n  - data: {a: (redacted f52f…)}\n"},
		"alias": {"x: &x hunter2\nkind: Secret\ndata: {a: *x}\n", "x: &x (redacted f52f…)\nkind: Secret\ndata: {a: *x}\n"},
		"merge": {"x: &x {a: hunter2}\nkind: Secret\ndata:\n  <<: *x\n", "x: &x {a: (redacted f52f…)}\nkind: Secret\ndata:\n  <<: " +
			"*x\n"},
		"merged kind": {"x: &x {kind: Secret}\ny: {<<: *x, data: {a: hunter2}}\n", "x: &x {kind: Secret}\ny: {<<: *x, data: {a: (redacted " +
			"f52f…)}}\n"},
		"two kinds": {"kind: Secret\nkind: ConfigMap\ndata: {a: hunter2}\n", "kind: Secret\nkind: ConfigMap\ndata: {a: (redacted " +
			"f52f…)}\n"},
		"a manifest in a text": {
			"kind: ConfigMap\ndata:\n  secret.yaml: |\n    kind: Secret\n    data: {a: hunter2}\n",
			"kind: ConfigMap\ndata:\n  secret.yaml: (redacted 2851…)\n",
		},
		"a list of Secrets in a text": {
			"kind: ConfigMap\ndata:\n  a: |\n    kind: SecretList\n    items: [{data: {a: hunter2}}]\n",
			"kind: ConfigMap\ndata:\n  a: (redacted f1c2…)\n",
		},
		"a tagged kind in a text": {
			"kind: ConfigMap\ndata:\n  a: |\n    kind: !!str Secret\n    data: {a: hunter2}\n",
			"kind: ConfigMap\ndata:\n  a: (redacted 1f64…)\n",
		},
		"a key that begins like a marker": {"kind: Secret\n---x: y\nstringData: {p: hunter2}\n", "kind: Secret\n'---x': y\nstringData: {p: " +
			"(redacted f52f…)}\n"},
		"no YAML, and a list of Secrets": {"kind: SecretList\nitems: [{data: {a: hunter2}}]\nx: [\n", "(redacted ed1d…): …\n"},
		"the last applied configuration": {
			"kind: Secret\nmetadata:\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: '{hunter2}'\n",
			"kind: Secret\nmetadata:\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: (redacted ed62…)\n",
		},
		"no YAML":                {"kind: Secret\n data: {a: hunter2}\n", "(redacted 7706…): …\n"},
		"no YAML further down":   {"kind: Secret\ndata: {a: hunter2}\n---\n: ]\n", "(redacted 739d…): …\n"},
		"no YAML, but no Secret": {"#!/bin/sh\necho \"\\$Secret: {\n", "#!/bin/sh\necho \"\\$Secret: {\n"},
		"a script with a Secret": {"kubectl apply -f - <<EOF\n{\"kind\": \"Secret\", \"data\": {\"a\": \"hunter2\"}\nEOF: {\n",
			"(redacted 9bbb…): …\n"},
		"circle": {"kind: Secret\ndata: &x\n  <<: *x\n  a: hunter2\n", "kind: Secret\ndata: &x\n  <<: *x\n  a: (redacted " +
			"f52f…)\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := string(redact([]byte(test.text)))
			if !elided.Matches(test.want, got) {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
			if again := string(redact([]byte(got))); strings.Contains(again, "hunter2") {
				t.Errorf("redacted twice it shows the value:\n%s", again)
			}
		})
	}
}

// Credentials outside of Secrets are hidden by the rules of findings, and keep the file's
// layout.
func TestRedactCredentials(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"kind: ConfigMap\ndata:\n    # kept\n    DB_PASSWORD: hunter2\n    REGION:   north\n": "kind: ConfigMap\ndata:\n    # kept\n    " +
			"DB_PASSWORD: (redacted f52f…)\n    REGION:   north\n",
		"#!/bin/sh\nDB_PASSWORD=hunter2\n: {\n": "#!/bin/sh\nDB_PASSWORD=(redacted f52f…)\n: {\n",
		"kind: Secret\ndata: {a: hunter2}\n---\nkind: Job\nspec: {password: hunter2}\n": "kind: Secret\ndata: {a: (redacted " +
			"f52f…)}\n---\nkind: Job\nspec: {password: (redacted f52f…)}\n",
		"kind: Secret\ndata: {password: hunter2}\nother: {password: hunter2}\n": "kind: Secret\ndata: {password: (redacted " +
			"f52f…)}\nother: {password: (redacted f52f…)}\n",
	} {
		if got := string(redact([]byte(text))); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// FuzzDiff puts a credential between anything, and looks for its value in a diff.
func FuzzDiff(f *testing.F) {
	f.Add("kind: ConfigMap\ndata:\n  a: |\n    b", "---\nkind: List\n", uint8(0))
	f.Add("a: \"open", "'", uint8(1))
	f.Add("kind: Secret\nstringData: {a: b}", "", uint8(2))
	f.Add("x: &x [", "  more: *x\n", uint8(3))
	f.Fuzz(func(t *testing.T, before, after string, notation uint8) {
		const value = "hunter2-hunter2"
		notations := []string{"DB_PASSWORD: %s", "dbPassword: |\n    %s", "a: {b: c, token: %s}", "url: mysql://root:%s@db",
			"- name: TOKEN\n  value: %s"}
		secret := fmt.Sprintf(notations[int(notation)%len(notations)], value)
		old := file(before + "\n---\n" + after)
		now := file(before + "\n---\n" + secret + "\n" + after)
		if shown, _ := Unified([]FileChange{{Path: "f.yaml", Old: old, New: now}}, Limit{1000, 1 << 20}); strings.Contains(shown, value) {
			t.Errorf("the value shows:\n%s\nof\n%s", shown, now.Content)
		}
	})
}

func file(text string) *File {
	e := tree.File("", []byte(text))
	return &File{e.Mode, e.ID, e.Content}
}

// FuzzRedact puts a Secret between anything, and looks for its value.
func FuzzRedact(f *testing.F) {
	f.Add("kind: ConfigMap\ndata:\n  a: |\n    b", "---\nkind: List\n")
	f.Add("a: \"open", "")
	f.Add("%YAML 1.1", "...\n")
	f.Add("", "  more: 1\nkind: ConfigMap\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		const value = "hunter2-hunter2"
		text := before + "\n---\napiVersion: v1\nkind: Secret\nstringData:\n  user: root\n  password: " + value + "\n" + after
		if shown := string(redact([]byte(text))); strings.Contains(shown, value) {
			t.Errorf("the value shows:\n%s\nof\n%s", shown, text)
		}
	})
}
