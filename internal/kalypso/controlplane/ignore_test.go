// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane_test

import (
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
)

// What Flux leaves out is left out: by default, and by .sourceignore files in
// the folder, above it and below it.
func TestIgnores(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		path   string
		files  map[string]string // .sourceignore files
		others []string
		want   []string
	}{
		"defaults": {
			".", nil,
			[]string{".github/a.yaml", "x/.github/a.yaml", ".circleci/a.yml", ".travis.yml", ".gitlab-ci.yml", "appveyor.yml", "x/.drone.yml",
				"cloudbuild.yaml", "x/.sops.yaml", ".goreleaser.yml", ".flux.yaml", "codeship-steps.yml", "a.yaml", ".hidden/a.yaml"},
			[]string{".hidden/a.yaml", "a.yaml"},
		},
		"pattern": {".", map[string]string{".sourceignore": "# Comment\r\n\r\nworkloads/\r\n*.dev.yaml\n"},
			[]string{"workloads/a.yaml", "x/workloads/a.yaml", "a.dev.yaml", "a.yaml"}, []string{"a.yaml"}},
		"everything but": {".", map[string]string{".sourceignore": "/*\n!/deploy\n"},
			[]string{"a.yaml", "x/a.yaml", "deploy/a.yaml", "deploy/x/b.yaml"}, []string{"deploy/a.yaml", "deploy/x/b.yaml"}},
		"default included": {".", map[string]string{".sourceignore": "!.github/\n"}, []string{".github/a.yaml"}, []string{".github/a.yaml"}},
		"in a folder": {".", map[string]string{"x/.sourceignore": "/a.yaml\n"}, []string{"a.yaml", "x/a.yaml", "x/y/a.yaml"},
			[]string{"a.yaml", "x/y/a.yaml"}},
		"above the path": {"x/y", map[string]string{".sourceignore": "*.dev.yaml\n/a.yaml\n", "x/.sourceignore": "/y/b.yaml\n"},
			[]string{"x/y/a.dev.yaml", "x/y/a.yaml", "x/y/b.yaml"}, []string{"x/y/a.yaml"}},
		"the deeper wins": {".", map[string]string{".sourceignore": "*.yaml\n", "x/.sourceignore": "!a.yaml\n"},
			[]string{"a.yaml", "x/a.yaml", "x/b.yaml"}, []string{"x/a.yaml"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := gitmem.New(t)
			files := map[string]string{"never.txt": ""}
			maps.Copy(files, test.files)
			for _, file := range test.others {
				files[file] = clusterType("c")
			}
			commitAll(t, repo, "dev", files)
			request := at(repo.URL())
			request.Path = test.path
			var got []string
			for _, text := range load(t, request).Manifests {
				first, _, _ := strings.Cut(text, "\n")
				_, file, _ := strings.Cut(strings.TrimSuffix(first, ", line 1"), "#dev:")
				got = append(got, file)
			}
			slices.Sort(got)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("read (-want +got):\n%s", diff)
			}
		})
	}
}

// A kustomization that is ignored does not matter.
func TestKustomization(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"kustomization.yaml", "x/kustomization.yml", "x/y/Kustomization"} {
		repo := gitmem.New(t)
		commitAll(t, repo, "dev", map[string]string{name: "resources: [a.yaml]\n", "a.yaml": clusterType("a")})
		loadWant(t, at(repo.URL()), repo.URL()+"#dev:"+name+", commit", "kustomize build", ".sourceignore")
		commitAll(t, repo, "dev", map[string]string{".sourceignore": path.Base(name)})
		if result := load(t, at(repo.URL())); len(result.Manifests) != 1 {
			t.Errorf("%q", result.Manifests)
		}
	}
}

// A folder that Flux does not see is broken, and is not read as an empty folder.
func TestExcludedFolder(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	commitAll(t, repo, "dev", map[string]string{
		".sourceignore": "workloads/\n", "workloads/app/w.yaml": workload("app"),
		"a.yaml": registration("app", repo.URL(), "dev", "workloads/app", "team"),
	})
	text := notes(load(t, at(repo.URL())))[repo.URL()+"#dev:workloads/app"]
	for _, want := range []string{"WorkloadRegistration/app", "every YAML file in it is excluded", ".sourceignore"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
}
