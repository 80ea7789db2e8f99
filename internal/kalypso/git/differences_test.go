// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// differing writes differences below a place as path to mode and content.
func (p place) differing(state *git.State) map[string]string {
	all := map[string]string{}
	if state.Differences == nil {
		return nil
	}
	for _, d := range state.Differences.Files {
		all[strings.TrimPrefix(d.Path, p.path+"/")] = fmt.Sprintf("%s %s", d.Found.Mode, d.Found.Content)
	}
	return all
}

func TestReadDifferences(t *testing.T) {
	t.Parallel()
	for _, byID := range []string{"true", "false"} {
		t.Run("objects by id "+byID, func(t *testing.T) {
			t.Parallel()
			eachTransport(t, func(t *testing.T, r origin) {
				r.repo.SetConfig(t, "uploadpack.allowAnySHA1InWant", byID)
				c, loc := r.client(t), r.at("dev", "deep/er")
				rendered := map[string]*tree.Dir{"drone": drone(t, "one"), "large": drone(t, "l"), "gone": drone(t, "g")}
				apply(t, c, loc, change{Folders: rendered, Message: "create"})
				request := look{Known: map[string]tree.ID{}, Rendered: rendered}
				for name, dir := range rendered {
					request.Known[name] = dir.ID
				}

				r.repo.CommitFiles(t, "dev", map[string][]byte{"elsewhere": []byte("x")}, "elsewhere")
				if state, err := loc.read(t, c, request); err != nil || state.Differences != nil {
					t.Fatalf("differences %v, error %v", loc.differing(state), err)
				}

				r.repo.CommitFiles(t, "dev", map[string][]byte{
					"deep/er/drone/README.md":             []byte("edited"),
					"deep/er/drone/hello/namespace.yaml":  nil,
					"deep/er/drone/hello/stray/file":      []byte("stray"),
					"deep/er/large/hello":                 []byte("a file where a folder was"),
					"deep/er/large/README.md":             nil,
					"deep/er/large/README.md/file":        []byte("a folder where a file was"),
					"deep/er/gone/README.md":              nil,
					"deep/er/gone/hello/reconciler.yaml":  nil,
					"deep/er/gone/hello/namespace.yaml":   nil,
					"deep/er/other/README.md":             []byte("foreign"),
					".github/tracking/Promoted_Commit_Id": []byte("promoted"),
				}, "drift")
				r.repo.CommitSymlink(t, "dev", "deep/er/drone/link", "/etc/passwd")
				state, err := loc.read(t, c, request)
				if err != nil {
					t.Fatal(err)
				}
				want := map[string]string{
					"drone/README.md":             "100644 edited",
					"drone/hello/namespace.yaml":  " ",
					"drone/hello/stray/file":      "100644 stray",
					"drone/link":                  "120000 ",
					"large/hello":                 "100644 a file where a folder was",
					"large/hello/namespace.yaml":  " ",
					"large/hello/reconciler.yaml": " ",
					"large/README.md":             " ",
					"large/README.md/file":        "100644 a folder where a file was",
					trackingFile:                  "100644 promoted",
				}
				if diff := cmp.Diff(want, loc.differing(state)); diff != "" || state.Differences.TooMany {
					t.Errorf("differences (-want +got):\n%s", diff)
				}

				request.All = true
				if state, err = loc.read(t, c, request); err != nil || loc.differing(state)["other/README.md"] != "100644 foreign" {
					t.Errorf("the foreign folder is not among %v, error %v", loc.differing(state), err)
				}
			})
		})
	}
}

func TestReadTooManyDifferences(t *testing.T) {
	t.Parallel()
	r := fileRemote(t)
	files := map[string][]byte{}
	for i := range 5001 {
		files[fmt.Sprintf("drone/%d/%d", i%100, i)] = []byte("x")
	}
	r.repo.CommitFiles(t, "dev", files, "many")
	state, err := r.at("dev", ".").read(t, r.client(t), look{All: true, Rendered: map[string]*tree.Dir{}})
	if err != nil || !state.Differences.TooMany || len(state.Differences.Files) > 0 || len(state.Found) != 1 {
		t.Errorf("%+v, %d folders, error %v", state.Differences, len(state.Found), err)
	}
}
