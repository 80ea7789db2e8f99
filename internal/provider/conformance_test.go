// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"go.yaml.in/yaml/v3"
)

// conformanceDir holds fleets with the output that Kalypso's scheduler gives
// for them. It lies beside the project, not in it.
const conformanceDir = "../../../shared/conformance"

// TestAccConformance applies every fleet and compares a clone of the branch
// with what Kalypso writes.
func TestAccConformance(t *testing.T) {
	t.Parallel()
	cases, err := filepath.Glob(filepath.Join(conformanceDir, "*", "case.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Skipf("no conformance fleets at %s: they are kept beside the project", conformanceDir)
	}
	for _, file := range cases {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			var expected struct {
				Environment string
				Assignments map[string]struct{ Workload, Policy string }
			}
			readJSON(t, file, &expected)
			r := transports["file"](t)
			assignments := map[string]knownvalue.Check{}
			for key, a := range expected.Assignments {
				assignments[key] = knownvalue.ObjectPartial(map[string]knownvalue.Check{
					"workload": knownvalue.StringExact(a.Workload),
					"policies": knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact(a.Policy)}),
				})
			}
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: protoV6ProviderFactories,
				Steps: []resource.TestStep{{
					Config: conformanceHCL(t, r, filepath.Join(dir, "in"), expected.Environment),
					ConfigStateChecks: []statecheck.StateCheck{
						statecheck.ExpectKnownValue("data.kalypso_assignments.this", tfjsonpath.New("assignments"), knownvalue.MapExact(assignments)),
					},
					Check: func(*terraform.State) error {
						return compareTrees(readTree(t, filepath.Join(dir, "out")), r.repo.Files(t, "result"))
					},
				}},
			})
		})
	}
}

// conformanceHCL passes every YAML file of the folder as a manifest.
func conformanceHCL(t *testing.T, r gitServer, dir, environment string) string {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`
%s
locals {
  fleet = [for f in fileset(%q, "**/*.yaml") : file("%s/${f}")]
}

data "kalypso_assignments" "this" {
  environment = %q
  manifests   = local.fleet
}

resource "kalypso_gitops_commit" "this" {
  environment = %q
  manifests   = local.fleet
  repo        = %q
  branch      = "result"
  path        = "."
}
`, r.provider, absolute, absolute, environment, environment, r.url)
}

// compareTrees holds a tree against Kalypso's: the same paths; YAML files parse
// to the same documents; others are the same text but for white space at the
// end; README.md only has to exist; the promoted commit is the same bytes.
func compareTrees(want, got map[string]string) error {
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
		return fmt.Errorf("paths (-Kalypso +ours):\n%s", diff)
	}
	var differences []error
	for path, text := range want {
		diff := ""
		switch {
		case filepath.Base(path) == "README.md":
		case filepath.Base(path) == "Promoted_Commit_Id":
			diff = cmp.Diff(text, got[path])
		case filepath.Ext(path) == ".yaml":
			diff = cmp.Diff(documents(text), documents(got[path]))
		default:
			diff = cmp.Diff(strings.TrimSpace(text), strings.TrimSpace(got[path]))
		}
		if diff != "" {
			differences = append(differences, fmt.Errorf("%s (-Kalypso +ours):\n%s", path, diff))
		}
	}
	return errors.Join(differences...)
}

// documents parses a YAML stream, empty documents aside.
func documents(text string) (all []any) {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for {
		var document any
		switch err := decoder.Decode(&document); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			return append(all, fmt.Sprintf("invalid YAML: %v", err))
		case document != nil:
			all = append(all, document)
		}
	}
}

// readTree gives the files below a folder by their slash-separated paths.
func readTree(t *testing.T, root string) map[string]string {
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		files[filepath.ToSlash(relative)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func readJSON(t *testing.T, file string, into any) {
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}
