// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package hosts has hosts take what the library of templates renders for them: Ansible,
// kustomize, and a device with a shell and git.
package hosts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// examples is the folder of the examples.
const examples = "../../examples"

// render returns the files of examples/reconcilers, by their paths, with texts replaced by
// others in all manifests.
func render(t *testing.T, oldnew ...string) map[string][]byte {
	t.Helper()
	in, replacer := engine.Input{Environment: "prod"}, strings.NewReplacer(oldnew...)
	for _, pattern := range []string{"reconcilers/fleet/*.yaml", "templates/*/template.yaml", "templates/*/schema.yaml"} {
		files, err := filepath.Glob(filepath.Join(examples, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %q", pattern, err, files)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			in.Manifests = append(in.Manifests, manifest.Text{Name: file, Text: replacer.Replace(string(text))})
		}
	}
	result, err := engine.Compute(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for path, content := range result.Files() {
		all[path] = content
	}
	return all
}

// write writes the files of a package into a folder.
func write(t *testing.T, all map[string][]byte, folder, pack string) {
	t.Helper()
	count := 0
	for path, content := range all {
		name, found := strings.CutPrefix(path, pack+"/")
		if !found {
			continue
		}
		count++
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if count == 0 {
		t.Fatalf("there is no package %s", pack)
	}
}
