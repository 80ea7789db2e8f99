// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package diff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/golden"
)

// Each document of testdata/secrets.yaml, with its secrets hidden, is in testdata/redacted.yaml. -update writes the latter.
func TestRedact(t *testing.T) {
	t.Parallel()
	golden.Documents(t, "testdata/secrets.yaml", "testdata/redacted.yaml", func(text string) string {
		got := string(redact([]byte(text)))
		if twice := string(redact([]byte(got))); strings.Contains(got+twice, "hunter2") {
			t.Errorf("redacted twice it shows the value:\n%s", twice)
		}
		return strings.TrimSuffix(got, "\n") + "\n"
	})
}

// Credentials outside of Secrets are hidden by the rules of findings, and keep the file's
// layout.
func TestRedactCredentials(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"kind: ConfigMap\ndata:\n    # kept\n    DB_PASSWORD: hunter2\n    REGION:   north\n": "kind: ConfigMap\ndata:\n    # kept\n    " +
			"DB_PASSWORD: (redacted f52f…)\n    REGION:   north\n",
		"#!/bin/sh\nDB_PASSWORD=hunter2\n: {\n": "#!/bin/sh\nDB_PASSWORD=(redacted f52f…)\n: {\n",
		"kind: Secret\ndata: {a: hunter2}\n---\nkind: Job\nspec: {password: hunter2}\n": "(redacted " +
			"2851…)\n---\nkind: Job\nspec: {password: (redacted f52f…)}\n",
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
