// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

func TestApplyRefusesToOverwrite(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	c, dev := r.client(t), r.branch("dev")
	create := edits{"deep/drone": over(none, folder(drone(t, "one"))), "deep/large": over(none, folder(drone(t, "l")))}
	head := apply(t, c, dev, "create", create).Head
	if again := apply(t, c, dev, "create", create); !again.Commit.IsZero() || again.Head != head {
		t.Errorf("identical content was not taken over: %+v", again)
	}
	create["deep/drone"] = over(none, folder(drone(t, "other")))
	_, err := c.Apply(t.Context(), dev, job("create", create))
	var exists *git.ExistsError
	if !errors.As(err, &exists) || !cmp.Equal(exists.Paths, []string{"deep/drone"}) {
		t.Fatalf("got %v, want an ExistsError for deep/drone", err)
	}
	if !strings.Contains(err.Error(), dev.String()) {
		t.Errorf("the error does not say where: %v", err)
	}
	if r.repo.Head(t, "dev") != head.String() {
		t.Error("something was written")
	}

	from := job("create", create)
	from.StartFrom = "dev"
	_, err = c.Apply(t.Context(), r.branch("new"), from)
	if !errors.As(err, &exists) || exists.StartFrom != "dev" {
		t.Errorf("got %v, want an ExistsError that names the start branch", err)
	}
}

func TestApplyFindsConflicts(t *testing.T) {
	t.Parallel()
	eachLimit(t, func(t *testing.T, r origin) {
		c, dev := r.client(t), r.branch("dev")
		apply(t, c, dev, "create", edits{"drone": folder(drone(t, "one")), "large": folder(drone(t, "l"))})
		r.repo.CommitFiles(t, "dev", map[string][]byte{"drone/stray/file": []byte("x"), "drone/README.md": []byte("edited"), "large": nil},
			"edit")
		before := r.repo.Head(t, "dev")

		_, err := c.Apply(t.Context(), dev, job("update", edits{
			"drone": over(drone(t, "one").ID, folder(drone(t, "one"))), "large": over(drone(t, "l").ID, folder(drone(t, "m"))),
		}))
		var conflict *git.ConflictError
		if !errors.As(err, &conflict) {
			t.Fatalf("got %v, want a ConflictError", err)
		}
		if diff := cmp.Diff([]string{"drone", "large"}, conflict.Paths); diff != "" {
			t.Errorf("paths (-want +got):\n%s", diff)
		}
		var found []string
		for _, e := range conflict.Found["drone"] {
			found = append(found, e.Name)
		}
		if diff := cmp.Diff([]string{"README.md", "hello", "stray"}, found); diff != "" || len(conflict.Found) != 1 {
			t.Errorf("found %v (-want +got):\n%s", conflict.Found, diff)
		}
		if r.repo.Head(t, "dev") != before {
			t.Error("something was written")
		}
	})
}

// All folders that somebody else has changed are read with one fetch.
func TestConflictsAreFetchedAtOnce(t *testing.T) {
	t.Parallel()
	var fetches atomic.Int32
	r := httpRemote(t, func(_ http.ResponseWriter, request *http.Request, _ gittest.Repository) bool {
		if strings.HasSuffix(request.URL.Path, "/git-upload-pack") {
			fetches.Add(1)
		}
		return false
	})
	c, dev := r.client(t), r.branch("dev")
	create, update, theirs := edits{}, edits{}, map[string][]byte{}
	for i := range 30 {
		path := fmt.Sprint("deep/folder", i)
		create[path] = folder(drone(t, path))
		update[path] = over(drone(t, path).ID, create[path])
		if i < 10 { // if most change, their trees are fetched in the first place
			update[path] = over(drone(t, path).ID, folder(drone(t, "new")))
			theirs[path+"/README.md"] = []byte("edited")
		}
	}
	apply(t, c, dev, "create", create)
	r.repo.CommitFiles(t, "dev", theirs, "edit")
	fetches.Store(0)
	_, err := c.Apply(t.Context(), dev, job("update", update))
	var conflict *git.ConflictError
	if !errors.As(err, &conflict) || len(conflict.Found) != len(theirs) {
		t.Fatalf("%+v, error %v", conflict, err)
	}
	if n := fetches.Load(); n > 2 { // the way there, and the folders
		t.Errorf("%d fetches", n)
	}
}

func TestApplyGuardsFiles(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	c, dev := r.client(t), r.branch("dev")
	head := r.repo.CommitFiles(t, "dev", map[string][]byte{single: []byte("theirs")}, "theirs")
	for name, e := range map[string]git.Edit{
		"exists":      over(none, file("ours")),
		"changed":     over(blob("before"), file("ours")),
		"not removed": over(blob("before"), gone(tree.ModeFile)),
	} {
		_, err := c.Apply(t.Context(), dev, job("write", edits{"drone": folder(drone(t, "one")), single: e}))
		var exists *git.ExistsError
		var conflict *git.ConflictError
		refused := errors.As(err, &exists) && slices.Equal(exists.Paths, []string{single})
		if !e.Expected.IsZero() {
			refused = errors.As(err, &conflict) && slices.Equal(conflict.Paths, []string{single})
		}
		if !refused || !strings.Contains(err.Error(), single) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if now := r.repo.Head(t, "dev"); now != head {
		t.Errorf("something was written: %s", now)
	}

	apply(t, c, dev, "the same", edits{"drone": folder(drone(t, "one")), single: over(none, file("theirs"))})
	apply(t, c, dev, "as expected", edits{single: over(blob("theirs"), file("ours"))})
	apply(t, c, dev, "removed", edits{single: over(blob("ours"), gone(tree.ModeFile))})
	apply(t, c, dev, "gone already", edits{single: over(blob("ours"), gone(tree.ModeFile))})
	if diff := cmp.Diff([]string{"removed", "as expected", "the same", "theirs"}, r.repo.Log(t, "dev")); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// Another id is as good as the expected one, where it is given; nothing else is.
func TestApplyExpectsOneOfTwo(t *testing.T) {
	t.Parallel()
	also := func(e git.Edit, id tree.ID) git.Edit {
		e.Also = id
		return e
	}
	for name, test := range map[string]struct {
		there    string // empty for nothing
		edit     git.Edit
		exists   bool
		conflict bool
	}{
		"the other one":                       {"other", also(over(none, file("ours")), blob("other")), false, false},
		"nothing":                             {"", also(over(none, file("ours")), blob("other")), false, false},
		"what is wanted":                      {"ours", also(over(none, file("ours")), blob("other")), false, false},
		"foreign":                             {"theirs", also(over(none, file("ours")), blob("other")), true, false},
		"the other one, and one was expected": {"other", also(over(blob("before"), file("ours")), blob("other")), false, false},
		"the expected one":                    {"before", also(over(blob("before"), file("ours")), blob("other")), false, false},
		"foreign, and a file was expected":    {"theirs", also(over(blob("before"), file("ours")), blob("other")), false, true},
		"nothing is not another file":         {"", also(over(blob("before"), file("ours")), none), false, true},
		"removed":                             {"other", also(over(blob("before"), gone(tree.ModeFile)), blob("other")), false, false},
		"a foreign file is not removed":       {"theirs", also(over(blob("before"), gone(tree.ModeFile)), blob("other")), false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := memoryRemote(t)
			files := map[string][]byte{"README.md": []byte("x")}
			if test.there != "" {
				files[single] = []byte(test.there)
			}
			r.repo.CommitFiles(t, "dev", files, "before")
			_, err := r.client(t).Apply(t.Context(), r.branch("dev"), job("write", edits{single: test.edit}))
			var exists *git.ExistsError
			var conflict *git.ConflictError
			if errors.As(err, &exists) != test.exists || errors.As(err, &conflict) != test.conflict ||
				(err != nil) != (test.exists || test.conflict) {
				t.Fatalf("error %v", err)
			}
			want := test.there
			if err == nil {
				want = "ours"
				if !test.edit.Writes() {
					want = ""
				}
			}
			if got := r.repo.Files(t, "dev")[single]; got != want {
				t.Errorf("%s holds %q, want %q", single, got, want)
			}
		})
	}
	t.Run("a folder", func(t *testing.T) {
		t.Parallel()
		r := memoryRemote(t)
		c, dev := r.client(t), r.branch("dev")
		apply(t, c, dev, "before", edits{"drone": folder(drone(t, "other"))})
		apply(t, c, dev, "write", edits{"drone": also(over(drone(t, "before").ID, folder(drone(t, "ours"))), drone(t, "other").ID)})
		if got, want := r.repo.Tree(t, "dev", "drone"), drone(t, "ours").ID.String(); got != want {
			t.Errorf("the folder is %s, want %s", got, want)
		}
	})
}

// A conflict lists the present content of folders. It lists nothing for files and for
// entries of another kind.
func TestConflictTellsWhatIsThere(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	c, dev := r.client(t), r.branch("dev")
	written := edits{"a/drone": folder(drone(t, "one")), "gone": folder(drone(t, "one")), "kind": folder(drone(t, "one")),
		"kept": folder(drone(t, "one")), single: file("ours")}
	apply(t, c, dev, "create", written)
	r.repo.CommitFiles(t, "dev", map[string][]byte{
		"a/drone/hello/more": []byte("x"), "gone/README.md": nil, "gone/hello/reconciler.yaml": nil, "gone/hello/namespace.yaml": nil,
		"kind/README.md": nil, "kind/hello/reconciler.yaml": nil, "kind/hello/namespace.yaml": nil, single: []byte("theirs"),
	}, "edit")
	r.repo.CommitFiles(t, "dev", map[string][]byte{"kind": []byte("a file")}, "edit")
	removal := edits{}
	for path, e := range written {
		id := e.Want.ID
		removal[path] = over(id, gone(e.Want.Mode))
	}
	removal["gone"] = over(drone(t, "one").ID, folder(drone(t, "two"))) // what is gone already may go
	removal["kind"] = over(drone(t, "one").ID, folder(drone(t, "two")))
	_, err := c.Apply(t.Context(), dev, job("remove", removal))
	var conflict *git.ConflictError
	if !errors.As(err, &conflict) || !slices.Equal(conflict.Paths, []string{single, "a/drone", "gone", "kind"}) {
		t.Fatalf("error %v", err)
	}
	if len(conflict.Found) != 1 || len(conflict.Found["a/drone"]) != 2 || conflict.Found["a/drone"][1].ID.String() != r.repo.Tree(t, "dev",
		"a/drone/hello") {
		t.Errorf("found %v", conflict.Found)
	}
}
