// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// foreign is what other people have in the branch.
var foreign = map[string]string{
	"README.md":               "ours",
	".github/workflows/a.yml": "on: push",
	".github/tracking/other":  "x",
	".hidden/file":            "h",
	"other/file":              "o",
	"drone-notes":             "sorts between drone and drone/",
	"a.txt":                   "a",
}

func TestApplyFolders(t *testing.T) {
	t.Parallel()
	for _, path := range []string{".", "a/b"} {
		t.Run("path "+path, func(t *testing.T) {
			t.Parallel()
			eachTransport(t, func(t *testing.T, r origin) {
				prefix := ""
				if path != "." {
					prefix = path + "/"
				}
				r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
				c, loc := r.client(t), r.at("dev", path)

				first := apply(t, c, loc, change{
					Folders:  map[string]*tree.Dir{"drone": drone(t, "one"), "large": dir(t, map[string]string{"README.md": ""})},
					Tracking: &tracking{Content: []byte("abc")}, Message: "create",
					Expected: map[string]tree.ID{"drone": {}, "large": {}},
				})
				want := maps.Clone(foreign)
				want[prefix+"drone/README.md"] = "# drone\n"
				want[prefix+"drone/hello/reconciler.yaml"] = "one"
				want[prefix+"drone/hello/namespace.yaml"] = "kind: Namespace\n"
				want[prefix+"large/README.md"] = ""
				want[".github/tracking/Promoted_Commit_Id"] = "abc"
				if diff := cmp.Diff(want, r.repo.Files(t, "dev")); diff != "" {
					t.Errorf("after create (-want +got):\n%s", diff)
				}
				if first.Commit.IsZero() || first.Head != first.Commit || r.repo.Head(t, "dev") != first.Head.String() {
					t.Errorf("result %+v, head %s", first, r.repo.Head(t, "dev"))
				}
				if got, want := r.repo.Tree(t, "dev", prefix+"drone"), drone(t, "one").ID.String(); got != want {
					t.Errorf("git says that the folder is %s, we say %s", got, want)
				}

				again := apply(t, c, loc, change{Folders: map[string]*tree.Dir{"drone": drone(t, "one")}, Tracking: &tracking{Content: []byte("abc")}, Message: "again"})
				if !again.Commit.IsZero() || again.Head != first.Head {
					t.Errorf("nothing to do, but result %+v", again)
				}

				apply(t, c, loc, change{
					Folders: map[string]*tree.Dir{"drone": drone(t, "two")}, Remove: []string{"large", "gone"}, Message: "update",
					Expected: map[string]tree.ID{"drone": drone(t, "one").ID},
				})
				want[prefix+"drone/hello/reconciler.yaml"] = "two"
				delete(want, prefix+"large/README.md")
				if diff := cmp.Diff(want, r.repo.Files(t, "dev")); diff != "" {
					t.Errorf("after update (-want +got):\n%s", diff)
				}

				apply(t, c, loc, change{Remove: []string{"drone"}, Tracking: &tracking{Expected: tree.File("", []byte("abc")).ID}, Message: "destroy"})
				if diff := cmp.Diff(foreign, r.repo.Files(t, "dev")); diff != "" {
					t.Errorf("after destroy (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff([]string{"destroy", "update", "create", "foreign"}, r.repo.Log(t, "dev")); diff != "" {
					t.Errorf("log (-want +got):\n%s", diff)
				}
				r.repo.Fsck(t)
			})
		})
	}
}

// A file that changes is sent with the trees above it, and nothing else.
func TestApplySendsWhatIsNew(t *testing.T) {
	t.Parallel()
	r := httpRemote(t, nil)
	r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
	var sent atomic.Value
	c, err := git.NewClient(git.Options{Credentials: []git.Credential{r.credential}, Logger: func(_ context.Context, _ string, fields map[string]any) {
		if n, ok := fields["objects"]; ok {
			sent.Store(n)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	apply(t, c, r.at("dev", "."), change{Folders: map[string]*tree.Dir{"drone": drone(t, "one"), "large": drone(t, "l")}, Message: "create"})
	apply(t, c, r.at("dev", "."), change{Folders: map[string]*tree.Dir{"drone": drone(t, "two"), "large": drone(t, "l")}, Message: "update"})
	if want := 5; sent.Load() != want { // commit, root, cluster type, package, file
		t.Errorf("%v objects were sent, want %d", sent.Load(), want)
	}
}

func TestApplyMakesBranches(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, r origin) {
		c := r.client(t)
		create := change{Folders: map[string]*tree.Dir{"drone": drone(t, "one")}, Message: "create"}

		if result := apply(t, c, r.at("dev", "."), change{Remove: []string{"drone"}, Tracking: &tracking{Expected: tree.File("", []byte("abc")).ID}}); result != (git.Result{}) {
			t.Errorf("removing from an empty repository gave %+v", result)
		}
		apply(t, c, r.at("dev", "."), create) // in an empty repository
		apply(t, c, r.at("orphan", "."), create)
		if diff := cmp.Diff([]string{"create"}, r.repo.Log(t, "orphan")); diff != "" {
			t.Errorf("orphan branch (-want +got):\n%s", diff)
		}

		r.repo.CommitFiles(t, "dev", map[string][]byte{"other": []byte("o")}, "foreign")
		from := create
		from.StartFrom = "dev"
		from.Folders = map[string]*tree.Dir{"drone": drone(t, "two")}
		apply(t, c, r.at("release/1", "."), from)
		if diff := cmp.Diff([]string{"create", "foreign", "create"}, r.repo.Log(t, "release/1")); diff != "" {
			t.Errorf("branch from dev (-want +got):\n%s", diff)
		}
		if r.repo.Files(t, "release/1")["other"] != "o" {
			t.Error("the new branch has lost a file of the branch it starts from")
		}

		same := create
		same.StartFrom = "dev"
		result := apply(t, c, r.at("same", "."), same)
		if head := r.repo.Head(t, "dev"); !result.Commit.IsZero() || result.Head.String() != head || r.repo.Head(t, "same") != head {
			t.Errorf("a branch whose start is right already: %+v, want head %s and no commit", result, head)
		}

		same.StartFrom = "missing"
		_, err := applying(t.Context(), c, r.at("new", "."), same)
		wantKind(t, err, remote.KindBranchNotFound, `"missing"`, "create_branch_from")

		r.repo.DeleteBranch(t, "dev")
		apply(t, c, r.at("dev", "."), create)
		r.repo.Fsck(t)
	})
}

func TestApplyLeavesAnEmptyRoot(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, r origin) {
		c, loc := r.client(t), r.at("dev", "a/b")
		apply(t, c, loc, change{Folders: map[string]*tree.Dir{"drone": drone(t, "one")}, Tracking: &tracking{Content: []byte("abc")}, Message: "create"})
		apply(t, c, loc, change{Remove: []string{"drone"}, Tracking: &tracking{Expected: tree.File("", []byte("abc")).ID}, Message: "destroy"})
		if tree := r.repo.Git(t, "ls-tree", "dev"); tree != "" {
			t.Errorf("the root still holds %s", tree)
		}
		apply(t, c, loc, change{Folders: map[string]*tree.Dir{"drone": drone(t, "one")}, Message: "create"})
		r.repo.Fsck(t)
	})
}

func TestApplyRefusesToOverwrite(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, r origin) {
		c, loc := r.client(t), r.at("dev", "deep")
		create := change{
			Folders:  map[string]*tree.Dir{"drone": drone(t, "one"), "large": drone(t, "l")},
			Expected: map[string]tree.ID{"drone": {}, "large": {}}, Message: "create",
		}
		head := apply(t, c, loc, create).Head
		if again := apply(t, c, loc, create); !again.Commit.IsZero() || again.Head != head {
			t.Errorf("identical content was not taken over: %+v", again)
		}
		create.Folders = map[string]*tree.Dir{"drone": drone(t, "other"), "large": drone(t, "l")}
		_, err := applying(t.Context(), c, loc, create)
		var exists *git.ExistsError
		if !errors.As(err, &exists) || !cmp.Equal(exists.Paths, []string{"deep/drone"}) {
			t.Fatalf("got %v, want an ExistsError for deep/drone", err)
		}
		if !strings.Contains(err.Error(), loc.String()) {
			t.Errorf("the error does not say where: %v", err)
		}
		if r.repo.Head(t, "dev") != head.String() {
			t.Error("something was written")
		}

		create.StartFrom = "dev"
		_, err = applying(t.Context(), c, r.at("new", "deep"), create)
		if !errors.As(err, &exists) || exists.StartFrom != "dev" {
			t.Errorf("got %v, want an ExistsError that names the start branch", err)
		}
	})
}

func TestApplyFindsConflicts(t *testing.T) {
	t.Parallel()
	for _, byID := range []string{"true", "false"} {
		t.Run("objects by id "+byID, func(t *testing.T) {
			t.Parallel()
			eachTransport(t, func(t *testing.T, r origin) {
				r.repo.SetConfig(t, "uploadpack.allowAnySHA1InWant", byID)
				c, loc := r.client(t), r.at("dev", ".")
				apply(t, c, loc, change{Folders: map[string]*tree.Dir{"drone": drone(t, "one"), "large": drone(t, "l")}, Message: "create"})
				r.repo.CommitFiles(t, "dev", map[string][]byte{"drone/stray/file": []byte("x"), "drone/README.md": []byte("edited"), "large": nil}, "edit")
				before := r.repo.Head(t, "dev")

				_, err := applying(t.Context(), c, loc, change{
					Folders:  map[string]*tree.Dir{"drone": drone(t, "one"), "large": drone(t, "m")},
					Expected: map[string]tree.ID{"drone": drone(t, "one").ID, "large": drone(t, "l").ID},
				})
				var conflict *git.ConflictError
				if !errors.As(err, &conflict) {
					t.Fatalf("got %v, want a ConflictError", err)
				}
				if diff := cmp.Diff([]string{"drone", "large"}, conflict.Paths); diff != "" {
					t.Errorf("paths (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff([]string{"drone/README.md", "drone/stray", "large/README.md", "large/hello"}, conflict.Entries); diff != "" {
					t.Errorf("entries (-want +got):\n%s", diff)
				}
				if r.repo.Head(t, "dev") != before {
					t.Error("something was written")
				}
			})
		})
	}
}

func TestApplyGuardsTheTrackingFile(t *testing.T) {
	t.Parallel()
	blob := func(text string) tree.ID { return tree.File("", []byte(text)).ID }
	theirs := map[string][]byte{".github/tracking/Promoted_Commit_Id": []byte("theirs")}
	eachTransport(t, func(t *testing.T, r origin) {
		c, loc := r.client(t), r.at("dev", "deep")
		head := r.repo.CommitFiles(t, "dev", theirs, "theirs")
		folders := map[string]*tree.Dir{"drone": drone(t, "one")}
		for name, file := range map[string]tracking{
			"exists":      {Content: []byte("ours")},
			"changed":     {Content: []byte("ours"), Expected: blob("before")},
			"not removed": {Expected: blob("before")},
		} {
			_, err := applying(t.Context(), c, loc, change{Folders: folders, Tracking: &file})
			var exists *git.ExistsError
			var conflict *git.ConflictError
			refused := errors.As(err, &exists) && slices.Equal(exists.Paths, []string{trackingFile})
			if !file.Expected.IsZero() {
				refused = errors.As(err, &conflict) && slices.Equal(conflict.Paths, []string{trackingFile})
			}
			if !refused || !strings.Contains(err.Error(), "Promoted_Commit_Id") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if now := r.repo.Head(t, "dev"); now != head {
			t.Errorf("something was written: %s", now)
		}

		apply(t, c, loc, change{Folders: folders, Tracking: &tracking{Content: []byte("theirs")}, Message: "the same"})
		apply(t, c, loc, change{Tracking: &tracking{Content: []byte("ours"), Expected: blob("theirs")}, Message: "as expected"})
		apply(t, c, loc, change{Tracking: &tracking{Expected: blob("ours")}, Message: "removed"})
		apply(t, c, loc, change{Tracking: &tracking{Expected: blob("ours")}, Message: "gone already"})
		if diff := cmp.Diff([]string{"removed", "as expected", "the same", "theirs"}, r.repo.Log(t, "dev")); diff != "" {
			t.Errorf("log (-want +got):\n%s", diff)
		}
	})
}

func TestApplyFollowsNothing(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, r origin) {
		r.repo.CommitFiles(t, "dev", map[string][]byte{"file": []byte("f"), "a/b": []byte("f")}, "files")
		r.repo.CommitSymlink(t, "dev", "link", "/etc")
		r.repo.CommitFiles(t, "odd", map[string][]byte{".github/tracking/Promoted_Commit_Id/x": []byte("f")}, "odd")
		c := r.client(t)
		folders := func(name string) change {
			return change{Folders: map[string]*tree.Dir{name: drone(t, "one")}}
		}
		for _, test := range []struct {
			loc    place
			change change
			words  []string
		}{
			{r.at("dev", "."), folders("link"), []string{"link", "symbolic link"}},
			{r.at("dev", "."), folders("file"), []string{"file", "has to be a folder"}},
			{r.at("dev", "link/x"), folders("drone"), []string{"link", "symbolic link"}},
			{r.at("dev", "a/b/c"), folders("drone"), []string{"a/b"}},
			{r.at("odd", "."), change{Tracking: &tracking{Content: []byte("abc")}}, []string{"Promoted_Commit_Id", "has to be a file"}},
		} {
			_, err := applying(t.Context(), c, test.loc, test.change)
			wantKind(t, err, remote.KindOccupied, test.words...)
		}
		state, err := r.at("dev", "link").read(t, c, look{All: true})
		if err != nil || len(state.Found) != 0 {
			t.Errorf("reading below a link: %+v, %v", state, err)
		}
	})
}

func TestApplyToReplacedRepository(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, r origin) {
		c, loc := r.client(t), r.at("dev", ".")
		old := apply(t, c, loc, change{Folders: map[string]*tree.Dir{"drone": drone(t, "one")}, Message: "create"})
		if err := os.RemoveAll(r.repo.Path()); err != nil {
			t.Fatal(err)
		}
		fresh := gittest.NewBare(t)
		fresh.CommitFiles(t, "dev", bytesOf(foreign), "another history")
		if err := os.Rename(fresh.Path(), r.repo.Path()); err != nil {
			t.Fatal(err)
		}
		state, err := loc.read(t, c, look{Names: []string{"drone"}, Known: map[string]tree.ID{"drone": drone(t, "one").ID}})
		if err != nil || state.Head == old.Head || len(state.Found) != 0 {
			t.Fatalf("state %+v, error %v", state, err)
		}
		apply(t, c, loc, change{Folders: map[string]*tree.Dir{"drone": drone(t, "one")}, Expected: map[string]tree.ID{"drone": {}}, Message: "again"})
		if diff := cmp.Diff([]string{"again", "another history"}, r.repo.Log(t, "dev")); diff != "" {
			t.Errorf("log (-want +got):\n%s", diff)
		}
	})
}

// One client serves many repositories, each with the credential for it.
func TestClientIsSafeForParallelUse(t *testing.T) {
	t.Parallel()
	var all []origin
	var credentials []git.Credential
	for _, open := range transports {
		r := open(t)
		all = append(all, r)
		if r.credential.URLPrefix != "" {
			credentials = append(credentials, r.credential)
		}
	}
	c := newClient(t, credentials...)
	var wait sync.WaitGroup
	for _, r := range all {
		for n := range 3 {
			wait.Go(func() {
				_, err := applying(t.Context(), c, r.at(fmt.Sprint("b", n), "."), change{Folders: map[string]*tree.Dir{"drone": drone(t, "one")}, Message: "create"})
				if err != nil {
					t.Errorf("%s: %v", r.url, err)
				}
			})
		}
	}
	wait.Wait()
}
