// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"context"
	"fmt"
	"maps"
	"os"
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
	".meta/notes/other":       "x",
	".hidden/file":            "h",
	"other/file":              "o",
	"drone-notes":             "sorts between drone and drone/",
	"a.txt":                   "a",
}

// single is a file far from the folders that the tests write.
const single = ".meta/notes/version"

func TestApplyFolders(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"", "a/b/"} {
		t.Run("below "+prefix, func(t *testing.T) {
			t.Parallel()
			each := eachTransport
			if prefix == "" {
				each = eachLimit
			}
			each(t, func(t *testing.T, r origin) {
				r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
				c, dev := r.client(t), r.branch("dev")

				first := apply(t, c, dev, "create", edits{
					prefix + "drone": folder(drone(t, "one")),
					prefix + "large": folder(dir(t, map[string]string{"README.md": ""})),
					single:           file("abc"),
				})
				want := maps.Clone(foreign)
				want[prefix+"drone/README.md"] = "# drone\n"
				want[prefix+"drone/hello/reconciler.yaml"] = "one"
				want[prefix+"drone/hello/namespace.yaml"] = "kind: Namespace\n"
				want[prefix+"large/README.md"] = ""
				want[single] = "abc"
				if diff := cmp.Diff(want, r.repo.Files(t, "dev")); diff != "" {
					t.Errorf("after create (-want +got):\n%s", diff)
				}
				if first.Commit.IsZero() || first.Head != first.Commit || r.repo.Head(t, "dev") != first.Head.String() {
					t.Errorf("result %+v, head %s", first, r.repo.Head(t, "dev"))
				}
				if got, want := r.repo.Tree(t, "dev", prefix+"drone"), drone(t, "one").ID.String(); got != want {
					t.Errorf("git says that the folder is %s, we say %s", got, want)
				}

				again := apply(t, c, dev, "again", edits{prefix + "drone": folder(drone(t, "one")), single: file("abc")})
				if !again.Commit.IsZero() || again.Head != first.Head {
					t.Errorf("nothing to do, but result %+v", again)
				}

				apply(t, c, dev, "update", edits{
					prefix + "drone": folder(drone(t, "two")),
					prefix + "large": gone(tree.ModeDir), prefix + "gone": gone(tree.ModeDir),
				})
				want[prefix+"drone/hello/reconciler.yaml"] = "two"
				delete(want, prefix+"large/README.md")
				if diff := cmp.Diff(want, r.repo.Files(t, "dev")); diff != "" {
					t.Errorf("after update (-want +got):\n%s", diff)
				}

				apply(t, c, dev, "destroy", edits{prefix + "drone": gone(tree.ModeDir), single: gone(tree.ModeFile)})
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

// blob returns the id of a file.
func blob(content string) tree.ID { return tree.File("", []byte(content)).ID }

// A file that changes is sent with the trees above it and the files beside it, and nothing else.
func TestApplySendsWhatIsNew(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	r.repo.CommitFiles(t, "dev", bytesOf(foreign), "foreign")
	var sent atomic.Value
	c, err := git.NewClient(git.Options{Trust: ofThisMachine, Credentials: []git.Credential{r.credential},
		Logger: func(_ context.Context, _ string, fields map[string]any) {
			if n, ok := fields["objects"]; ok {
				sent.Store(n)
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	apply(t, c, r.branch("dev"), "create", edits{"drone": folder(drone(t, "one")), "large": folder(drone(t, "l"))})
	apply(t, c, r.branch("dev"), "update", edits{"drone": folder(drone(t, "two")), "large": folder(drone(t, "l"))})
	if want := 6; sent.Load() != want { // commit, root, two folders, two files
		t.Errorf("%v objects were sent, want %d", sent.Load(), want)
	}
}

func TestApplyMakesBranches(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	c := r.client(t)
	create := edits{"drone": folder(drone(t, "one"))}
	removal := edits{"drone": gone(tree.ModeDir), single: gone(tree.ModeFile)}

	if result := apply(t, c, r.branch("dev"), "remove", removal); result != (git.Written{}) {
		t.Errorf("removing from an empty repository gave %+v", result)
	}
	apply(t, c, r.branch("dev"), "create", create) // in an empty repository
	apply(t, c, r.branch("orphan"), "create", create)
	if diff := cmp.Diff([]string{"create"}, r.repo.Log(t, "orphan")); diff != "" {
		t.Errorf("orphan branch (-want +got):\n%s", diff)
	}

	r.repo.CommitFiles(t, "dev", map[string][]byte{"other": []byte("o")}, "foreign")
	from := func(start string, e edits) git.Work {
		j := job("create", e)
		j.StartFrom = start
		return j
	}
	if _, err := c.Apply(t.Context(), r.branch("release/1"), from("dev", edits{"drone": folder(drone(t, "two"))})); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"create", "foreign", "create"}, r.repo.Log(t, "release/1")); diff != "" {
		t.Errorf("branch from dev (-want +got):\n%s", diff)
	}
	if r.repo.Files(t, "release/1")["other"] != "o" {
		t.Error("the new branch has lost a file of the branch it starts from")
	}

	result, err := c.Apply(t.Context(), r.branch("same"), from("dev", create))
	if head := r.repo.Head(t, "dev"); err != nil || !result.Commit.IsZero() || result.Head.String() != head || r.repo.Head(t, "same") != head {
		t.Errorf("a branch whose start is right already: %+v, %v, want head %s and no commit", result, err, head)
	}

	_, err = c.Apply(t.Context(), r.branch("new"), from("missing", create))
	wantKind(t, err, remote.KindStartNotFound, `no branch "missing" to start`)

	r.repo.DeleteBranch(t, "dev")
	apply(t, c, r.branch("dev"), "create", create)
	r.repo.Fsck(t)
}

func TestApplyLeavesAnEmptyRoot(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	c, dev := r.client(t), r.branch("dev")
	apply(t, c, dev, "create", edits{"a/b/drone": folder(drone(t, "one")), single: file("abc")})
	apply(t, c, dev, "destroy", edits{"a/b/drone": gone(tree.ModeDir), single: gone(tree.ModeFile)})
	if root := r.repo.Tree(t, "dev", ""); root != tree.FromEntries(nil).ID.String() {
		t.Errorf("the root is %s and holds %v", root, r.repo.Paths(t, "dev"))
	}
	apply(t, c, dev, "create", edits{"a/b/drone": folder(drone(t, "one"))})
	r.repo.Fsck(t)
}

// Git keeps no empty folders at any path.
func TestApplyWritesNoEmptyFolder(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	c, dev := r.client(t), r.branch("dev")
	empty := tree.FromEntries(nil)
	apply(t, c, dev, "create", edits{"a/b": folder(drone(t, "one")), "a/new": folder(empty), "file": file("f")})
	apply(t, c, dev, "empty", edits{"a/b": folder(empty), "file": folder(empty)})
	if diff := cmp.Diff(map[string]string{"file": "f"}, r.repo.Files(t, "dev")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if root := r.repo.Tree(t, "dev", ""); root != dir(t, map[string]string{"file": "f"}).ID.String() {
		t.Errorf("the root is %s, so it holds an empty folder", root)
	}
	again := apply(t, c, dev, "again", edits{"a/b": folder(empty)})
	if !again.Commit.IsZero() {
		t.Errorf("nothing to do, but result %+v", again)
	}
	r.repo.Fsck(t)
}

func TestApplyFollowsNothing(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	r.repo.CommitFiles(t, "dev", map[string][]byte{"file": []byte("f"), "a/b": []byte("f"), single + "/x": []byte("f")}, "files")
	r.repo.CommitSymlink(t, "dev", "link", "/etc")
	c, dev := r.client(t), r.branch("dev")
	for path, test := range map[string]struct {
		edit  git.Edit
		words []string
	}{
		"link":        {folder(drone(t, "one")), []string{"link", "symbolic link"}},
		"file":        {folder(drone(t, "one")), []string{"file", "has to be a folder"}},
		"link/x/here": {folder(drone(t, "one")), []string{"link", "symbolic link"}},
		"a/b/c/here":  {folder(drone(t, "one")), []string{"a/b"}},
		single:        {file("abc"), []string{single, "has to be a file"}},
	} {
		_, err := c.Apply(t.Context(), dev, job("write", edits{path: test.edit}))
		wantKind(t, err, remote.KindOccupied, test.words...)
	}
	state, err := c.Read(t.Context(), dev, git.Query{Paths: map[string]tree.Entry{"link/x": {Mode: tree.ModeDir}}})
	if err != nil || len(state.Found) != 0 {
		t.Errorf("reading below a link: %+v, %v", state, err)
	}
}

// The change cannot add a name that some file systems take for a name beside it. It can
// keep such a pair that exists, and it can replace one name of the pair with the other.
func TestApplyTellsNamesApart(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	r.repo.CommitFiles(t, "dev", map[string][]byte{"Drone/x": []byte("f"), "a/Readme.md": []byte("f"), "both/x": []byte("f"),
		"Both/x": []byte("f")}, "files")
	c, dev := r.client(t), r.branch("dev")
	for name, test := range map[string]struct {
		edits edits
		words []string
	}{
		"folder":     {edits{"drone": folder(drone(t, "one"))}, []string{"Drone exists in", "drone cannot", "Rename or remove"}},
		"above":      {edits{"drone/a/b": folder(drone(t, "one"))}, []string{"Drone exists in", "drone cannot"}},
		"file":       {edits{"a/README.md": file("f")}, []string{"a/Readme.md exists in", "a/README.md cannot"}},
		"each other": {edits{"new/A": file("f"), "new/a": file("f")}, []string{"new/A", "new/a"}},
	} {
		before := r.repo.Head(t, "dev")
		_, err := c.Apply(t.Context(), dev, job(name, test.edits))
		wantKind(t, err, remote.KindOccupied, test.words...)
		if r.repo.Head(t, "dev") != before {
			t.Errorf("%s: something was written", name)
		}
	}
	apply(t, c, dev, "rename", edits{"Drone": gone(tree.ModeDir), "drone": folder(drone(t, "one")), "both": folder(drone(t, "one"))})
	if files := r.repo.Files(t, "dev"); files["drone/README.md"] == "" || files["Drone/x"] != "" || files["both/README.md"] == "" ||
		files["Both/x"] == "" {
		t.Errorf("the branch holds %v", files)
	}
}

func TestApplyToReplacedRepository(t *testing.T) {
	t.Parallel()
	r := fileRemote(t)
	c, dev := r.client(t), r.branch("dev")
	old := apply(t, c, dev, "create", edits{"drone": folder(drone(t, "one"))})
	if err := os.RemoveAll(r.disk.Path()); err != nil {
		t.Fatal(err)
	}
	fresh := gittest.NewBare(t)
	fresh.CommitFiles(t, "dev", bytesOf(foreign), "another history")
	if err := os.Rename(fresh.Path(), r.disk.Path()); err != nil {
		t.Fatal(err)
	}
	state, err := c.Read(t.Context(), dev, git.Query{Paths: map[string]tree.Entry{"drone": tree.Subdir("", drone(t, "one"))}})
	if err != nil || state.Head == old.Head || len(state.Found) != 0 {
		t.Fatalf("state %+v, error %v", state, err)
	}
	apply(t, c, dev, "again", edits{"drone": folder(drone(t, "one"))})
	if diff := cmp.Diff([]string{"again", "another history"}, r.repo.Log(t, "dev")); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
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
		for n := range 2 {
			wait.Go(func() {
				if err := write(t.Context(), c, r.branch(fmt.Sprint("b", n)), "drone", drone(t, "one")); err != nil {
					t.Errorf("%s: %v", r.url, err)
				}
			})
		}
	}
	wait.Wait()
}
