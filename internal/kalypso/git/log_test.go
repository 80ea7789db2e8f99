// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// history fills a branch with six commits along first parents, three of which merge a
// side branch that has none of those files.
func history(t testing.TB, repo gittest.Repository) {
	t.Helper()
	for i := range 6 {
		files := map[string][]byte{
			"records/one": fmt.Appendf(nil, "one %d", i), "deep/er/file": fmt.Appendf(nil, "deep %d", i/2),
			"large/package/file": fmt.Appendf(nil, "x%d", i),
		}
		if i == 2 {
			files["records/two"] = []byte("two")
		}
		commit := gittest.Revision{Branch: "dev", Files: files, Author: "Ann", Message: fmt.Sprintf("  \n commit %d\n\nbody", i),
			Time: time.Unix(int64(1_800_000_000+i), 0)}
		if i%2 == 1 {
			commit.Merged = []string{repo.Commit(t,
				gittest.Revision{Branch: "side", Message: "side", Files: map[string][]byte{"side": []byte(fmt.Sprint(i))}})}
		}
		repo.Commit(t, commit)
	}
}

// openLog is the history of dev, with so many levels of its trees.
func openLog(t testing.TB, r origin, levels int) *git.Log {
	t.Helper()
	l, err := r.client(t).Snapshots().Log(t.Context(), r.branch("dev"), levels)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// newest are the newest commits of a history, so many of them.
func newest(t testing.TB, l *git.Log, most int) []git.Commit {
	t.Helper()
	commits, err := l.Commits(t.Context(), most)
	if err != nil {
		t.Fatal(err)
	}
	return commits
}

// subjects are the subjects of commits.
func subjects(commits []git.Commit) []string {
	all := []string{}
	for _, c := range commits {
		all = append(all, c.Subject())
	}
	return all
}

// content is what files hold: "one=text two=text".
func content(files []tree.Entry) string {
	var all []string
	for _, e := range files {
		all = append(all, e.Name+"="+string(e.Content))
	}
	return strings.Join(all, " ")
}

func all(string) bool { return true }

// filesIn returns the files that a folder has in each commit, with their content.
func filesIn(t *testing.T, l *git.Log, commits []git.Commit, folder string, most int, wanted func(string) bool) ([][]tree.Entry, error) {
	t.Helper()
	dirs, err := l.Folders(t.Context(), commits, []string{folder})
	if err != nil {
		return nil, err
	}
	contents, err := l.Contents(t.Context(), dirs[folder], most, wanted)
	files := make([][]tree.Entry, len(commits))
	for i, dir := range dirs[folder] {
		for _, e := range dir.Entries {
			if git.IsFile(e) && wanted(e.Name) {
				e.Content = contents[e.ID]
				files[i] = append(files[i], e)
			}
		}
	}
	return files, err
}

// For every kind of server, a history read in pieces equals a history read in one step.
func TestLog(t *testing.T) {
	t.Parallel()
	whole := gittest.NewBare(t)
	history(t, whole)
	eachServer(t, func(t *testing.T, r origin) {
		r.disk.CopyFrom(t, whole)
		for _, reads := range [][]int{{1, 3, 9}, {6}} {
			l := openLog(t, r, 1)
			for _, most := range reads {
				expectLog(t, r, l, most)
			}
		}
	})
}

// expectLog reads a part of the history, and its files.
func expectLog(t *testing.T, r origin, l *git.Log, most int) {
	t.Helper()
	n := min(most, 6)
	commits := newest(t, l, most)
	want := []string{"commit 5", "commit 4", "commit 3", "commit 2", "commit 1", "commit 0"}
	if diff := cmp.Diff(want[:n], subjects(commits)); diff != "" {
		t.Fatalf("%d commits (-want +got):\n%s", most, diff)
	}
	head := commits[0]
	if head.ID.String() != r.repo.Head(t, "dev") || head.Author != (git.Signature{Name: "Ann", Email: "author@example.com"}) ||
		head.Time.Unix() != 1_800_000_005 || len(head.Parents) != 2 || head.Parents[1].String() != r.repo.Head(t, "side") {
		t.Errorf("the head is %+v", head)
	}
	records, err := filesIn(t, l, commits, "records", 1<<20, all)
	if err != nil {
		t.Fatal(err)
	}
	deep, err := filesIn(t, l, commits, "deep/er", 1<<20, all)
	if err != nil {
		t.Fatal(err)
	}
	// "one 3" is larger than that, "two" is not. What was fetched for another question is
	// held to the same.
	small, err := filesIn(t, l, commits, "records", 4, all)
	if err != nil {
		t.Fatal(err)
	}
	if got := content(small[0]); got != "one= two=two" {
		t.Errorf("small files are %q", got)
	}
	large, err := l.At(t.Context(), commits, "large/package")
	if err != nil {
		t.Fatal(err)
	}
	if len(records) != n || len(deep) != n || len(large) != n {
		t.Fatalf("%d, %d and %d of %d commits", len(records), len(deep), len(large), n)
	}
	for i := range n {
		at := 5 - i
		wantRecords := fmt.Sprintf("one=one %d", at)
		if at >= 2 {
			wantRecords += " two=two"
		}
		if got := content(records[i]); got != wantRecords {
			t.Errorf("records of commit %d: %s, want %s", at, got, wantRecords)
		}
		if got, want := content(deep[i]), fmt.Sprintf("file=deep %d", at/2); got != want {
			t.Errorf("files of commit %d: %s, want %s", at, got, want)
		}
		if want := dir(t, map[string]string{"file": fmt.Sprint("x", at)}); large[i].ID != want.ID {
			t.Errorf("large/package of commit %d is %s, want %s", at, large[i].ID, want.ID)
		}
	}
}

// What is not there is nothing, and no error.
func TestLogOfNothing(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	run := r.client(t).Snapshots()
	missing, err := run.Log(t.Context(), r.branch("missing"), 1)
	if err != nil {
		t.Fatal(err)
	}
	r.repo.CommitFiles(t, "dev", map[string][]byte{"file": []byte("x"), "folder/file": []byte("x")}, "only")
	for range 2 { // of a run that sees one state
		commits, err := missing.Commits(t.Context(), 5)
		if files, filesErr := filesIn(t, missing, commits, "folder", 1<<20, all); err != nil || filesErr != nil ||
			len(commits)+len(files) > 0 {
			t.Errorf("%v %v, %v %v", commits, err, files, filesErr)
		}
	}
	l := openLog(t, r, 0)
	commits := newest(t, l, 5)
	for _, folder := range []string{"none", "file", "folder/none", "file/none", "folder/file"} {
		if files, err := filesIn(t, l, commits, folder, 1<<20, all); err != nil || len(files) != 1 || len(files[0]) > 0 {
			t.Errorf("%s: %v, %v", folder, files, err)
		}
	}
	if files, err := filesIn(t, l, commits, "folder", 1<<20, func(name string) bool { return name == "other" }); err != nil ||
		len(files[0]) > 0 {
		t.Errorf("a file that is not wanted: %v, %v", files, err)
	}
}

func TestLogErrors(t *testing.T) {
	t.Parallel()
	run := newClient(t).Snapshots()
	for _, branch := range []git.Branch{{Repo: "x", Name: "dev"}, {Repo: "https://example.com/x", Name: "a..b"},
		{Repo: "https://example.com/x"}} {
		if _, err := run.Log(t.Context(), branch, 0); err == nil {
			t.Errorf("%s: no error", branch)
		}
	}
	l, err := run.Log(t.Context(), git.Branch{Repo: gitmem.New(t).URL() + "/none", Name: "dev"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.Commits(t.Context(), 1)
	wantKind(t, err, remote.KindNotFound, "none")
}

// A clone that has not all of the history has what it has.
func TestLogOfAShallowClone(t *testing.T) {
	t.Parallel()
	whole := gitmem.New(t)
	history(t, whole)
	for name, allowed := range limits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := fileRemote(t)
			r.repo.Limit(t, allowed.filters, allowed.anyObject)
			r.disk.Git(t, "fetch", "--quiet", "--depth=3", whole.URL(), "dev:dev")
			l := openLog(t, r, 0)
			for _, most := range []int{2, 3, 9} {
				commits, err := l.Commits(t.Context(), most)
				if diff := cmp.Diff([]string{"commit 5", "commit 4", "commit 3"}[:min(most, 3)], subjects(commits)); diff != "" || err != nil {
					t.Errorf("error %v (-want +got):\n%s", err, diff)
				}
			}
		})
	}
}

// All callers share one history of a branch, which is fetched once.
func TestLogFetchesOnce(t *testing.T) {
	t.Parallel()
	var lists, fetches atomic.Int32
	r := httpRemote(t, func(_ http.ResponseWriter, request *http.Request, _ gittest.Repository) bool {
		if strings.HasSuffix(request.URL.Path, "/git-upload-pack") {
			fetches.Add(1)
		} else {
			lists.Add(1)
		}
		return false
	})
	history(t, r.repo)
	run := r.client(t).Snapshots()
	var readers sync.WaitGroup
	for range 10 {
		readers.Go(func() {
			l, err := run.Log(t.Context(), r.branch("dev"), 1)
			if err != nil {
				t.Error(err)
				return
			}
			commits, err := l.Commits(t.Context(), 6)
			if err != nil {
				t.Error(err)
				return
			}
			files, err := filesIn(t, l, commits, "records", 1<<20, all)
			if err != nil || len(files) != 6 || content(files[0]) != "one=one 5 two=two" {
				t.Errorf("%v, %v", files, err)
			}
		})
	}
	readers.Wait()
	if lists.Load() != 1 || fetches.Load() != 3 { // commits with root trees, folders, files
		t.Errorf("listed %d times, fetched %d times; want 1 and 3", lists.Load(), fetches.Load())
	}
}

// Folders and files of all commits can be read by their ids with one fetch.
func TestLogByID(t *testing.T) {
	t.Parallel()
	test := func(t *testing.T, r origin) {
		history(t, r.repo)
		l := openLog(t, r, 2)
		commits := newest(t, l, 3)
		found, err := l.At(t.Context(), commits, "large/package")
		if err != nil {
			t.Fatal(err)
		}
		var ids []tree.ID
		for _, e := range found {
			ids = append(ids, e.ID, e.ID)
		}
		byID, err := l.Dirs(t.Context(), ids)
		if err != nil || len(byID) != 3 {
			t.Fatalf("%d folders, error %v", len(byID), err)
		}
		var files []tree.ID
		var dirs []*tree.Dir
		for _, id := range ids {
			files, dirs = append(files, byID[id].Entries[0].ID), append(dirs, byID[id])
		}
		blobs, err := l.Blobs(t.Context(), files)
		if err != nil || string(blobs[files[0]]) != "x5" || string(blobs[files[5]]) != "x3" || len(blobs) != 3 {
			t.Errorf("%q, error %v", blobs, err)
		}
		again, err := l.Contents(t.Context(), dirs, 2, all)
		if diff := cmp.Diff(blobs, again); diff != "" || err != nil {
			t.Errorf("error %v (-by id +in folders):\n%s", err, diff)
		}
		if few, err := l.Contents(t.Context(), dirs, 1, all); err != nil || len(few) > 0 {
			t.Errorf("%d files that are too large, error %v", len(few), err)
		}
		if _, err := l.Blobs(t.Context(), []tree.ID{{1}}); err == nil {
			t.Error("no error for a file that is not there")
		}
		if _, err := l.Dirs(t.Context(), files); err == nil {
			t.Error("no error for folders that are files")
		}
	}
	eachLimit(t, test)
	onServer(t, "shallow filters", "http", test)
}

// The path of the root is empty.
func TestLogAtRoot(t *testing.T) {
	t.Parallel()
	eachLimit(t, func(t *testing.T, r origin) {
		history(t, r.repo)
		l := openLog(t, r, 0)
		found, err := l.At(t.Context(), newest(t, l, 2), "")
		if err != nil || len(found) != 2 {
			t.Fatalf("%v, error %v", found, err)
		}
		roots, err := l.Dirs(t.Context(), []tree.ID{found[0].ID, found[1].ID})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range found {
			if _, there := roots[e.ID].Find("large"); !there || !e.Mode.IsDir() {
				t.Errorf("the root is %v", e)
			}
		}
	})
}

// A branch that is replaced between two reads goes on as it was, if the server still
// has that, and is an error that passes if not.
func TestLogOfAReplacedBranch(t *testing.T) {
	t.Parallel()
	for _, kept := range []bool{true, false} {
		t.Run(fmt.Sprint("kept ", kept), func(t *testing.T) {
			t.Parallel()
			eachLimit(t, func(t *testing.T, r origin) {
				history(t, r.repo)
				l := openLog(t, r, 0)
				if _, err := l.Commits(t.Context(), 2); err != nil {
					t.Fatal(err)
				}
				r.repo.DeleteBranch(t, "dev")
				r.repo.DeleteBranch(t, "side")
				r.repo.CommitFiles(t, "dev", map[string][]byte{"f": []byte("x")}, "elsewhere")
				if !kept {
					r.repo.Prune(t)
				}
				commits, err := l.Commits(t.Context(), 6)
				if kept && err == nil && len(commits) == 6 && commits[5].Subject() == "commit 0" {
					return
				}
				wantKind(t, err, remote.KindServer, remote.Redact(r.url))
			})
		})
	}
}

// Lines of a signature are not read as parents, and invalid UTF-8 is shown without harm.
func TestLogOfOddCommits(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	r := serve(t, repo)
	first := repo.CommitFiles(t, "dev", map[string][]byte{"f": []byte("x")}, "first")
	root := repo.Tree(t, "dev", "")
	for name, test := range map[string]struct {
		commit string
		want   git.Signature
		err    bool
	}{
		"signed": {commit: "parent " + first + "\nauthor Ann <a@b> 1 +0000\ncommitter C <c@d> 2 +0000\ngpgsig -----BEGIN\n parent " +
			strings.Repeat("1", 40) + "\n", want: git.Signature{Name: "Ann", Email: "a@b"}},
		"Latin 1": {commit: "author J\xf6rg <a@b> 1 +0000\ncommitter C <c@d> 2 +0000\nencoding ISO-8859-1\n",
			want: git.Signature{Name: "J?rg", Email: "a@b"}},
		"angles":          {commit: "author A <b> <c> 1 +0000\ncommitter C <c@d> 2 +0000\n", want: git.Signature{Name: "A <b>", Email: "c"}},
		"no angle":        {commit: "author A <a@b> 1 +0000\ncommitter C> 2 +0000\n", want: git.Signature{Name: "A", Email: "a@b"}},
		"no author":       {commit: "committer C <c@d> 2 +0000\n"},
		"no time":         {commit: "author A <a@b> 1 +0000\ncommitter C <c@d>\n", err: true},
		"no committer":    {commit: "author A <a@b> 1 +0000\n", err: true},
		"nothing but one": {commit: "", err: true},
	} {
		branch := strings.ReplaceAll(name, " ", "-")
		repo.Branch(t, branch, repo.AddObject(t, "commit", []byte("tree "+root+"\n"+test.commit+"\nsub\xe4ject\n")))
		l, err := r.client(t).Snapshots().Log(t.Context(), r.branch(branch), 0)
		if err != nil {
			t.Fatal(err)
		}
		commits, err := l.Commits(t.Context(), 9)
		if test.err != (err != nil) {
			t.Errorf("%s: error %v", name, err)
			continue
		}
		if err != nil {
			if !strings.Contains(err.Error(), "git fsck") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if c := commits[0]; c.Author != test.want || c.Time.Unix() != 2 || c.Subject() != "sub?ject" ||
			slices.ContainsFunc(c.Parents, func(id tree.ID) bool { return id.String() != first }) {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// What is too large is left out where the server can, and is not in the way of the rest.
func TestLog_large(t *testing.T) {
	t.Parallel()
	r := memoryRemote(t)
	for i := range 3 {
		r.repo.CommitFiles(t, "dev", map[string][]byte{"ids/id": fmt.Appendf(nil, "%d", i), "ids/large": noise(1<<20, byte(i))}, "more")
	}
	l := openLog(t, r, 1)
	commits := newest(t, l, 3)
	files, err := filesIn(t, l, commits, "ids", 1000, all)
	if err != nil || len(files) != 3 {
		t.Fatalf("%d files, error %v", len(files), err)
	}
	folders, err := l.Folders(t.Context(), commits, []string{"ids"})
	if err != nil {
		t.Fatal(err)
	}
	dirs := folders["ids"][:2]
	contents, err := l.Contents(t.Context(), dirs, 1000, all)
	if err != nil || len(contents) != 2 || string(contents[dirs[1].Entries[0].ID]) != "1" {
		t.Errorf("%d contents, error %v", len(contents), err)
	}
	for i, found := range files {
		if got, want := content(found), fmt.Sprintf("id=%d large=", 2-i); got != want {
			t.Errorf("commit %d has %.100q, want %q", i, got, want)
		}
	}
	if sent := r.server.Sent(); sent > 1<<16 {
		t.Errorf("%d bytes were sent for files of one byte", sent)
	}
}

// A branch that is replaced, and cleaned up, while its history is read.
func TestLog_replaced(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t testing.TB) origin{"http": transports["http"], "memory": memoryRemote} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := open(t)
			history(t, r.repo)
			l := openLog(t, r, 0)
			commits := newest(t, l, 2)
			r.repo.DeleteBranch(t, "side")
			r.repo.DeleteBranch(t, "dev")
			r.repo.CommitFiles(t, "dev", map[string][]byte{"another": []byte("history")}, "another")
			r.repo.Prune(t)
			_, err := filesIn(t, l, commits, "records", 1<<20, all)
			if err == nil || !strings.Contains(err.Error(), "somebody replaced the branch meanwhile. Plan again") {
				t.Errorf("error %v", err)
			}
		})
	}
}
