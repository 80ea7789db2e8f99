// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// differing writes differences as path to mode and content.
func differing(state *git.Answer) map[string]string {
	all := map[string]string{}
	for _, d := range state.Differences {
		all[d.Path] = fmt.Sprintf("%s %s", d.Found.Mode, d.Found.Content)
	}
	return all
}

func TestReadDifferences(t *testing.T) {
	t.Parallel()
	eachLimit(t, func(t *testing.T, r origin) {
		c, dev := r.client(t), r.branch("dev")
		written := map[string]tree.Entry{
			"deep/er/drone": tree.Subdir("", drone(t, "one")), "deep/er/large": tree.Subdir("", drone(t, "l")),
			"deep/er/gone": tree.Subdir("", drone(t, "g")),
		}
		query := git.Query{Paths: map[string]tree.Entry{single: {Mode: tree.ModeFile}}, Folder: "deep/er",
			Compare: func(state *git.Answer) map[string]tree.Entry {
				all := maps.Clone(written)
				for path := range state.Found {
					all[path] = written[path] // what else was found is compared with nothing
				}
				return all
			}}
		create := edits{}
		for path, e := range written {
			query.Paths[path], create[path] = e, folder(e.Dir)
		}
		apply(t, c, dev, "create", create)

		r.repo.CommitFiles(t, "dev", map[string][]byte{"elsewhere": []byte("x")}, "elsewhere")
		if state, err := c.Read(t.Context(), dev, query); err != nil || state.Differences != nil {
			t.Fatalf("differences %v, error %v", differing(state), err)
		}

		r.repo.CommitFiles(t, "dev", map[string][]byte{
			"deep/er/drone/README.md":            []byte("edited"),
			"deep/er/drone/hello/namespace.yaml": nil,
			"deep/er/drone/hello/stray/file":     []byte("stray"),
			"deep/er/large/hello":                []byte("a file where a folder was"),
			"deep/er/large/README.md":            nil,
			"deep/er/large/README.md/file":       []byte("a folder where a file was"),
			"deep/er/gone/README.md":             nil,
			"deep/er/gone/hello/reconciler.yaml": nil,
			"deep/er/gone/hello/namespace.yaml":  nil,
			"deep/er/other/README.md":            []byte("foreign"),
			single:                               []byte("new"),
		}, "drift")
		r.repo.CommitSymlink(t, "dev", "deep/er/drone/link", "/etc/passwd")
		state, err := c.Read(t.Context(), dev, query)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{
			"deep/er/drone/README.md":             "100644 edited",
			"deep/er/drone/hello/namespace.yaml":  " ",
			"deep/er/drone/hello/stray/file":      "100644 stray",
			"deep/er/drone/link":                  "120000 ",
			"deep/er/large/hello":                 "100644 a file where a folder was",
			"deep/er/large/hello/namespace.yaml":  " ",
			"deep/er/large/hello/reconciler.yaml": " ",
			"deep/er/large/README.md":             " ",
			"deep/er/large/README.md/file":        "100644 a folder where a file was",
			single:                                "100644 new",
		}
		if diff := cmp.Diff(want, differing(state)); diff != "" {
			t.Errorf("differences (-want +got):\n%s", diff)
		}

		query.Others = visible
		if state, err = c.Read(t.Context(), dev, query); err != nil || differing(state)["deep/er/other/README.md"] != "100644 foreign" {
			t.Errorf("the foreign folder is not among %v, error %v", differing(state), err)
		}
	})
}

// Of too many differences, only some are reported. The report always has a file that the query
// names, if the file differs.
func TestReadTooManyDifferences(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	files := map[string][]byte{"zzz": []byte("asked for")}
	for i := range 5001 {
		files[fmt.Sprintf("drone/%d/%d", i%100, i)] = []byte("x")
	}
	r.repo.CommitFiles(t, "dev", files, "many")
	state, err := r.client(t).Read(t.Context(), r.branch("dev"), git.Query{
		Paths:  map[string]tree.Entry{"zzz": {Mode: tree.ModeFile}},
		Others: visible, Compare: func(*git.Answer) map[string]tree.Entry { return map[string]tree.Entry{"drone": {}, "zzz": {}} },
	})
	if err != nil || len(state.Found) != 2 {
		t.Fatalf("%+v, error %v", state, err)
	}
	told := differing(state)
	if len(told) < 4500 || len(told) > 5001 || told["zzz"] != "100644 asked for" ||
		told["drone/0/0"] != "100644 x" {
		t.Errorf("%d files, the one that was asked for: %q", len(told), told["zzz"])
	}
}

// If no comparison is wanted, or no path has changed, nothing is compared.
func TestReadComparesWhereItIsAsked(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	c, dev := r.client(t), r.branch("dev")
	apply(t, c, dev, "create", edits{"drone": folder(drone(t, "one"))})
	asked := 0
	query := git.Query{Paths: map[string]tree.Entry{"drone": tree.Subdir("", drone(t, "one"))},
		Compare: func(state *git.Answer) map[string]tree.Entry {
			asked++
			if state.Found["drone"] == nil || len(state.Found["drone"].Entries) == 0 {
				t.Errorf("found %+v", state.Found)
			}
			return nil
		}}
	for edited, want := range map[string]int{"": 0, "edited": 1} {
		asked = 0
		if edited != "" {
			r.repo.CommitFiles(t, "dev", map[string][]byte{"drone/README.md": []byte(edited)}, "edit")
		}
		state, err := c.Read(t.Context(), dev, query)
		if err != nil || state.Differences != nil || asked != want {
			t.Errorf("%q: asked %d times, %+v, error %v", edited, asked, state.Differences, err)
		}
		apply(t, c, dev, "again", edits{"drone": folder(drone(t, "one"))})
	}
	query.Compare = func(*git.Answer) map[string]tree.Entry { return map[string]tree.Entry{} }
	r.repo.CommitFiles(t, "dev", map[string][]byte{"drone/README.md": []byte("edited")}, "edit")
	if state, err := c.Read(t.Context(), dev, query); err != nil || len(state.Differences) > 0 {
		t.Errorf("%+v, error %v", state, err)
	}
}
