// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// servers are settings of servers that send different things.
var servers = map[string]map[string]string{
	"objects by id": {},
	"filters only":  {"uploadpack.allowAnySHA1InWant": "false"},
	"tips and reachable commits by id": {
		"uploadpack.allowAnySHA1InWant": "false", "uploadpack.allowTipSHA1InWant": "true", "uploadpack.allowReachableSHA1InWant": "true",
	},
	"shallow filters":               {"uploadpackfilter.tree.maxDepth": "0"},
	"filters of blobs only":         {"uploadpackfilter.tree.allow": "false"},
	"filters announced but refused": {"uploadpackfilter.allow": "false"},
	"ids only":                      {"uploadpack.allowFilter": "false"},
	"no filters":                    {"uploadpack.allowFilter": "false", "uploadpack.allowAnySHA1InWant": "false"},
}

// places are the transports to try with each server; file if a server is not listed.
var places = map[string][]string{
	"objects by id": {"file", "http", "https", "ssh", "memory"}, "shallow filters": {"http", "ssh"}, "no filters": {"file", "http", "ssh"},
}

// behaviors are the same for all transports and servers.
var behaviors = map[string]func(t *testing.T, r origin){
	"reading":     readsFiles,
	"differences": findsDifferences,
	"histories":   readsHistories,
	"folders":     readsFolders,
	"snapshots":   opensSnapshots,
	"writing":     writes,
}

// names do not depend on what a server sends, so they are tried with each transport.
var names = map[string]func(t *testing.T, r origin){"errors": refusesRevisions, "tags": tellsTagsFromBranches}

// All transports and servers do the same. Each repository of real git has the content of one that was made before.
func TestEverywhere(t *testing.T) {
	t.Parallel()
	whole := gittest.NewBare(t)
	fill(t, whole)
	for server, settings := range servers {
		allowed := places[server]
		if allowed == nil {
			allowed = []string{"file"}
		}
		for _, transport := range allowed {
			t.Run(server+", "+transport, func(t *testing.T) {
				t.Parallel()
				var r origin
				if transport == "memory" {
					r = memoryRemote(t)
					fill(t, r.repo)
				} else {
					r = transports[transport](t)
					r.disk.CopyFrom(t, whole)
					for key, value := range settings {
						r.disk.SetConfig(t, key, value)
					}
				}
				tests := maps.Clone(behaviors)
				if len(settings) == 0 {
					maps.Copy(tests, names)
				}
				for name, test := range tests {
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						test(t, r)
					})
				}
			})
		}
	}
}

// quiet is how many commits that change nothing follow the first one: more than find looks at in its first fetch.
const quiet = 24

// fill makes the branch dev: a first commit, many that change nothing, and "commit 0" to "commit 5", of which every second
// merges a commit of the branch side.
func fill(t testing.TB, repo gittest.Repository) {
	t.Helper()
	repo.CommitFiles(t, "dev", bytesOf(map[string]string{
		"top.yaml": "top", "a/b/x.yaml": "x", "a/b/c/y.yaml": "y", "a/same/x.yaml": "x", "records/none": "", single: "abc",
	}), "first")
	repo.CommitNothing(t, "dev", quiet)
	for i := range 6 {
		files := map[string]string{"records/one": fmt.Sprint("one ", i), "deep/er/file": fmt.Sprint("deep ", i/2),
			"large/package/file": fmt.Sprint("x", i)}
		if i == 2 {
			files["records/two"] = "two"
		}
		commit := gittest.Revision{Branch: "dev", Files: bytesOf(files), Author: "Ann", Message: fmt.Sprintf("  \n commit %d\n\nbody", i),
			Time: time.Unix(int64(1_800_000_000+i), 0)}
		if i%2 == 1 {
			side := gittest.Revision{Branch: "side", Message: "side", Files: bytesOf(map[string]string{"side": fmt.Sprint(i)})}
			commit.Merged = []string{repo.Commit(t, side)}
		}
		repo.Commit(t, commit)
	}
}

// readsFiles reads files and folders, once without and once with knowing what they were.
func readsFiles(t *testing.T, r origin) {
	id := func(at string) string { return r.repo.Tree(t, "dev", at) }
	found := func(answer *git.Answer) map[string]string {
		all := map[string]string{}
		for at, there := range answer.Found {
			all[at] = there.ID.String()
			for _, e := range there.Entries {
				all[at+"/"+e.Name] = e.ID.String() + " " + string(e.Content)
			}
		}
		return all
	}
	query := git.Query{
		Paths: map[string]tree.Entry{
			single: {Mode: tree.ModeFile}, "a/b": {Mode: tree.ModeDir}, "records": {Mode: tree.ModeDir},
			"a/missing": {Mode: tree.ModeDir}, "top.yaml/below": {Mode: tree.ModeFile}, "a": {Mode: tree.ModeFile},
		},
		Content: func(file string) bool { return path.Base(file) != "one" },
	}
	answer, err := r.client(t).Read(t.Context(), r.branch("dev"), query)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		single: id(single), "a/b": id("a/b"), "a/b/x.yaml": id("a/b/x.yaml") + " x", "a/b/c": id("a/b/c") + " ",
		"records": id("records"), "records/one": id("records/one") + " ", "records/two": id("records/two") + " two",
		"records/none": id("records/none") + " ",
	}
	if diff := cmp.Diff(want, found(answer)); diff != "" || answer.Head.String() != r.repo.Head(t, "dev") {
		t.Errorf("%s is at %s (-want +got):\n%s", r.branch("dev"), answer.Head, diff)
	}
	query.Paths["a/b"] = tree.Entry{Mode: tree.ModeDir, ID: answer.ID("a/b")}
	if answer, err = r.client(t).Read(t.Context(), r.branch("dev"), query); err != nil {
		t.Fatal(err)
	}
	delete(want, "a/b/x.yaml")
	delete(want, "a/b/c")
	if diff := cmp.Diff(want, found(answer)); diff != "" {
		t.Errorf("with a known folder (-want +got):\n%s", diff)
	}
	answer, err = r.client(t).Read(t.Context(), r.branch("none"), query)
	if err != nil || !answer.Head.IsZero() || len(answer.Found) > 0 {
		t.Errorf("a missing branch has %+v, error %v", answer, err)
	}
}

// differing writes differences as path to mode and content.
func differing(answer *git.Answer) map[string]string {
	all := map[string]string{}
	for _, d := range answer.Differences {
		all[d.Path] = fmt.Sprintf("%s %s", d.Found.Mode, d.Found.Content)
	}
	return all
}

// findsDifferences compares the branch with expected content.
func findsDifferences(t *testing.T, r origin) {
	expected := map[string]tree.Entry{
		single: tree.File("", []byte("other")), "top.yaml": tree.File("", []byte("top")), "none": tree.File("", []byte("none")),
		"a": tree.Subdir("", dir(t, map[string]string{
			"b/x.yaml": "y", "b/c": "a file here", "same/x.yaml": "x", "b/gone/file": "", "same/x.yaml.d/file": "",
		})),
		"deep":  {Mode: tree.ModeDir},
		"large": tree.Subdir("", dir(t, map[string]string{"package/file": "x5"})),
	}
	query := git.Query{Paths: map[string]tree.Entry{}, Compare: expected}
	for at, e := range expected {
		query.Paths[at] = tree.Entry{Mode: e.Mode, ID: e.ID}
	}
	answer, err := r.client(t).Read(t.Context(), r.branch("dev"), query)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		single: "100644 abc", "a/b/x.yaml": "100644 x", "a/b/c": " ", "a/b/c/y.yaml": "100644 y", "a/b/gone/file": " ",
		"a/same/x.yaml.d/file": " ", "deep/er/file": "100644 deep 2",
	}
	if diff := cmp.Diff(want, differing(answer)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	query.Unless = answer.Head
	if answer, err = r.client(t).Read(t.Context(), r.branch("dev"), query); err != nil || answer.Head != query.Unless || answer.Found != nil {
		t.Errorf("unless the head is the known one: %+v, error %v", answer, err)
	}
}

// openLog returns the history of dev, with so many levels of its trees.
func openLog(t testing.TB, r origin, levels int) *git.Log {
	t.Helper()
	l, err := r.client(t).Snapshots().Log(t.Context(), r.branch("dev"), levels)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// newest returns the newest commits of a history, at most so many.
func newest(t testing.TB, l *git.Log, most int) []git.Commit {
	t.Helper()
	commits, err := l.Commits(t.Context(), most)
	if err != nil {
		t.Fatal(err)
	}
	return commits
}

func all(string) bool { return true }

// readsHistories reads a history in pieces and in one step.
func readsHistories(t *testing.T, r origin) {
	for _, reads := range [][]int{{1, 3, 6}, {100}} {
		l := openLog(t, r, 1)
		for _, most := range reads {
			readsHistory(t, r, l, most)
		}
	}
	branches, err := openLog(t, r, 0).Branches(t.Context())
	if err != nil || !slices.Contains(branches, "dev") || !slices.Contains(branches, "side") {
		t.Errorf("branches %q, error %v", branches, err)
	}
}

func readsHistory(t *testing.T, r origin, l *git.Log, most int) {
	t.Helper()
	commits := newest(t, l, most)
	head := commits[0]
	if len(commits) != min(most, 6+quiet+1) || head.ID.String() != r.repo.Head(t, "dev") || len(head.Parents) != 2 ||
		head.Author != (git.Signature{Name: "Ann", Email: "author@example.com"}) || head.Time.Unix() != 1_800_000_005 ||
		head.Parents[1].String() != r.repo.Head(t, "side") {
		t.Errorf("%d commits, the head is %+v", len(commits), head)
	}
	commits = commits[:min(most, 6)]
	large, err := l.At(t.Context(), commits, "large/package")
	if err != nil {
		t.Fatal(err)
	}
	dirs, err := l.Folders(t.Context(), commits, []string{"records"})
	if err != nil {
		t.Fatal(err)
	}
	contents, err := l.Contents(t.Context(), dirs["records"], 4, func(name string) bool { return name != "none" })
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range commits {
		if at := 5 - i; c.Subject() != fmt.Sprint("commit ", at) ||
			large["large/package"][i].ID != dir(t, map[string]string{"file": fmt.Sprint("x", at)}).ID {
			t.Errorf("%q has %+v", c.Subject(), large["large/package"][i])
		}
		one, _ := dirs["records"][i].Find("one")
		two, isThere := dirs["records"][i].Find("two")
		if contents[one.ID] != nil || isThere != (i < 4) || isThere && string(contents[two.ID]) != "two" {
			t.Errorf("%q: small files are %q", c.Subject(), contents)
		}
	}
}

// readsFolders reads many folders of many commits, and files by their ids. Missing folders are empty.
func readsFolders(t *testing.T, r origin) {
	l := openLog(t, r, 0)
	commits := newest(t, l, 6)
	found, err := l.Folders(t.Context(), commits, []string{"deep/er", "large/package", "records", "", "no/where", "large/package/file"})
	if err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string][]int{
		"": {6, 6, 6, 6, 6, 6}, "records": {3, 3, 3, 3, 2, 2}, "deep/er": {1, 1, 1, 1, 1, 1}, "large/package": {1, 1, 1, 1, 1, 1},
		"no/where": {0, 0, 0, 0, 0, 0}, "large/package/file": {0, 0, 0, 0, 0, 0},
	} {
		var got []int
		for _, dir := range found[folder] {
			got = append(got, len(dir.Entries))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", folder, diff)
		}
	}
	root, err := l.At(t.Context(), commits[:1], "")
	if err != nil || root[""][0].ID.String() != r.repo.Tree(t, "dev", "") || !root[""][0].Mode.IsDir() {
		t.Errorf("the root is %v, error %v", root, err)
	}
	packages := found["large/package"]
	byID, err := l.Dirs(t.Context(), []tree.ID{packages[0].ID, packages[1].ID, packages[0].ID})
	if err != nil || len(byID) != 2 {
		t.Fatalf("%d folders, error %v", len(byID), err)
	}
	file := byID[packages[1].ID].Entries[0].ID
	blobs, err := l.Blobs(t.Context(), []tree.ID{file, file})
	if err != nil || len(blobs) != 1 || string(blobs[file]) != "x4" {
		t.Errorf("%q, error %v", blobs, err)
	}
	if _, err := l.Blobs(t.Context(), []tree.ID{{1}}); err == nil {
		t.Error("no error for a file that does not exist")
	}
	if _, err := openLog(t, r, 0).Dirs(t.Context(), []tree.ID{file}); err == nil {
		t.Error("no error for a folder that is a file")
	}
}

// filesOf returns the content of all files below a folder of a snapshot.
func filesOf(t testing.TB, snapshot *git.Snapshot, folder string) (map[string]string, error) {
	t.Helper()
	ids := map[string]tree.ID{}
	err := snapshot.Walk(folder, func(path string, e tree.Entry) error {
		if e.Mode == tree.ModeFile {
			ids[path] = e.ID
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	contents, err := snapshot.Blobs(t.Context(), slices.Collect(maps.Values(ids)))
	files := map[string]string{}
	for path, id := range ids {
		files[path] = string(contents[id])
	}
	return files, err
}

// readAll opens a revision and returns the content of all files below a folder.
func readAll(t testing.TB, run *git.Snapshots, at git.Revision, folder string) (map[string]string, error) {
	t.Helper()
	snapshot, err := run.Open(t.Context(), at, folder)
	if err != nil {
		return nil, err
	}
	return filesOf(t, snapshot, folder)
}

// opensSnapshots reads a branch's head and a commit of its past.
func opensSnapshots(t *testing.T, r origin) {
	run, head := r.client(t).Snapshots(), r.repo.Head(t, "dev")
	commits := newest(t, openLog(t, r, 0), 100)
	old := commits[len(commits)-1].ID.String()
	for name, test := range map[string]struct {
		at     git.Revision
		folder string
		commit string
		files  map[string]string
	}{
		"head": {git.Revision{Branch: "dev"}, "records", head,
			map[string]string{"records/none": "", "records/one": "one 5", "records/two": "two"}},
		"head's id": {git.Revision{Commit: strings.ToUpper(head)}, "deep", head, map[string]string{"deep/er/file": "deep 2"}},
		"folder":    {git.Revision{Branch: "dev"}, "./a/b/c/", head, map[string]string{"a/b/c/y.yaml": "y"}},
		"pinned":    {git.Revision{Branch: "dev", Commit: old}, "a/b", old, map[string]string{"a/b/x.yaml": "x", "a/b/c/y.yaml": "y"}},
		"in branch": {git.Revision{Branch: "dev", Commit: old, InBranch: true}, "a/same", old, map[string]string{"a/same/x.yaml": "x"}},
		"no folder": {git.Revision{Branch: "dev"}, "a/missing", head, map[string]string{}},
		"everything": {git.Revision{Branch: "dev", Commit: old}, ".", old, map[string]string{
			"top.yaml": "top", "a/b/x.yaml": "x", "a/b/c/y.yaml": "y", "a/same/x.yaml": "x", "records/none": "", single: "abc",
		}},
	} {
		test.at.Repo = r.url
		snapshot, err := run.Open(t.Context(), test.at, test.folder)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		files, err := filesOf(t, snapshot, test.folder)
		if err != nil || snapshot.Commit().String() != test.commit {
			t.Errorf("%s: commit %s, want %s; %v", name, snapshot.Commit(), test.commit, err)
		}
		if diff := cmp.Diff(test.files, files); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if err := snapshot.Walk(".", func(string, tree.Entry) error { return fs.ErrClosed }); err == nil {
			t.Errorf("%s: the error of visit is lost", name)
		}
		for _, missing := range []string{"missing", "top.yaml/x"} {
			if e, ok, err := snapshot.Find(missing); err != nil || ok {
				t.Errorf("%s, %s: %v, %v", name, missing, e, err)
			}
		}
	}
}

// refusesRevisions asks for commits that do not exist.
func refusesRevisions(t *testing.T, r origin) {
	missing, side := strings.Repeat("12345678", 5), r.repo.Head(t, "side")
	first := newest(t, openLog(t, r, 0), 100)[30].ID.String()
	run := r.client(t).Snapshots()
	for name, test := range map[string]struct {
		at    git.Revision
		kind  remote.ErrorKind
		words []string
	}{
		"branch":                   {git.Revision{Branch: "missing"}, remote.KindBranchNotFound, []string{`no branch "missing"`}},
		"commit":                   {git.Revision{Branch: "dev", Commit: missing}, remote.KindCommitNotFound, []string{missing, `"dev"`}},
		"commit without a branch":  {git.Revision{Commit: missing}, remote.KindCommitNotFound, []string{missing, "name the branch"}},
		"commit of another branch": {git.Revision{Branch: "side", Commit: first, InBranch: true}, remote.KindCommitNotFound, []string{first}},
		"in no branch": {git.Revision{Branch: "missing", Commit: side, InBranch: true}, remote.KindBranchNotFound,
			[]string{"missing"}},
	} {
		test.at.Repo = r.url
		_, err := run.Open(t.Context(), test.at, ".")
		if test.words = append(test.words, remote.Redact(r.url)); err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		wantKind(t, err, test.kind, test.words...)
	}
	for name, at := range map[string]git.Revision{
		"neither": {Repo: r.url}, "no id": {Repo: r.url, Commit: "HEAD"}, "no branch name": {Repo: r.url, Branch: "a..b"},
		"no URL": {Repo: "x", Branch: "dev"},
	} {
		if _, err := run.Open(t.Context(), at, "."); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := run.Log(t.Context(), git.Branch{Repo: at.Repo, Name: at.Branch}, 0); err == nil {
			t.Errorf("%s: no error of a log", name)
		}
	}
	if _, err := run.Open(t.Context(), git.Revision{Repo: r.url, Branch: "dev"}, "../up"); err == nil {
		t.Error("a folder outside of the repository: no error")
	}
}

// tellsTagsFromBranches never takes a tag for the branch of its name, and a commit id names the commit, even if a branch and a tag
// have this id as their name.
func tellsTagsFromBranches(t *testing.T, r origin) {
	dev, side := r.repo.Head(t, "dev"), r.repo.Head(t, "side")
	if r.disk != nil { // a repository in memory has no tags
		for _, tag := range []string{"tagged", "heads/dev", dev} {
			r.disk.Tag(t, tag, side)
		}
	}
	r.repo.Branch(t, dev, side)
	c := r.client(t)
	for at, want := range map[git.Revision]string{
		{Branch: "dev"}: dev, {Branch: "dev", Commit: dev}: dev, {Branch: "tagged"}: "",
	} {
		at.Repo = r.url
		snapshot, err := c.Snapshots().Open(t.Context(), at, "a")
		if want == "" && !remote.Is(err, remote.KindBranchNotFound) || want != "" && (err != nil || snapshot.Commit().String() != want) {
			t.Errorf("%s: %v", at, err)
		}
	}
	answer, err := c.Read(t.Context(), r.branch("tagged"), git.Query{})
	if r.disk == nil && !answer.Head.IsZero() || r.disk != nil && !remote.Is(err, remote.KindBranchNotFound) {
		t.Errorf("the tag is read as a branch: %+v, error %v", answer, err)
	}
	if gone, err := c.DeleteBranch(t.Context(), r.branch("tagged"), commit(t, side)); err != nil || !gone {
		t.Errorf("the missing branch is not gone: error %v", err)
	}
	if r.disk != nil && r.disk.TagCommit(t, "tagged") != side {
		t.Error("the tag has moved")
	}
}

// commit returns the id of a commit.
func commit(t testing.TB, text string) tree.ID {
	t.Helper()
	id, err := tree.ParseID(text)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// writes makes a branch, writes to it, proposes a change and deletes the branch of the proposal.
func writes(t *testing.T, r origin) {
	c, branch := r.client(t), r.branch("written")
	begin := job("begin", edits{"deep/er/drone": folder(drone(t, "one")), "large": gone(tree.ModeDir), single: file("def")})
	begin.StartFrom = "dev"
	written, err := c.Apply(t.Context(), branch, begin)
	if err != nil {
		t.Fatal(err)
	}
	again := apply(t, c, branch, "again", edits{"deep/er/drone": folder(drone(t, "one"))})
	if !again.IsZero() || r.repo.Head(t, "written") != written.String() {
		t.Errorf("written %+v, and again %+v", written, again)
	}
	files := r.repo.Files(t, "written")
	if files["deep/er/drone/hello/reconciler.yaml"] != "one" || files["large/package/file"] != "" || files[single] != "def" ||
		files["top.yaml"] != "top" || files["deep/er/file"] != "deep 2" {
		t.Errorf("the branch has %q", files)
	}
	var proposed []git.Proposed
	for range 2 { // the second one finds the branch of the first
		p, err := c.Propose(t.Context(), branch, git.Proposal{Work: job("propose", edits{"top.yaml": file("new")}),
			Name: func(_ git.Change, base map[string]tree.ID) string {
				return "proposal-" + base["top.yaml"].Short()
			},
			IsKnown: func(string) (bool, error) { return false, nil }})
		if err != nil {
			t.Fatal(err)
		}
		proposed = append(proposed, p)
	}
	p := proposed[0]
	if p != proposed[1] || p.Branch != "proposal-"+blob("top").Short() || r.repo.Head(t, p.Branch) != p.Commit.String() ||
		r.repo.Files(t, p.Branch)["top.yaml"] != "new" {
		t.Errorf("proposed %+v", proposed)
	}
	for range 2 { // once it is gone, it stays gone
		if gone, err := c.DeleteBranch(t.Context(), r.branch(p.Branch), p.Commit); err != nil || !gone || r.repo.Head(t, p.Branch) != "" {
			t.Errorf("deleted: %t, error %v", gone, err)
		}
	}
	r.repo.Fsck(t)
}
