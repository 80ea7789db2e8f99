// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package record_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/recordtest"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

type files = map[string][]byte

// build makes the commits of the branch dev, one each hour.
func build(t testing.TB, commits ...files) *gitmem.Repo {
	t.Helper()
	repo := gitmem.New(t)
	for i, files := range commits {
		repo.Commit(t, gittest.Revision{Branch: "dev", Files: files, Message: fmt.Sprint("step ", i), Author: "Ann",
			Time: recordtest.Start.Add(time.Duration(i) * time.Hour)})
	}
	return repo
}

// steps are the steps of a track, the oldest first, each with the number of its GitOps commits:
// "c1 x2".
func steps(track record.Track) []string {
	var all []string
	for _, s := range track.Steps {
		all = append(all, fmt.Sprintf("%s x%d", recordtest.Shown(s.Release), len(s.Commits)))
	}
	return all
}

func TestTrack(t *testing.T) {
	t.Parallel()
	prod := func(r *record.Record) { r.Environment = "prod" }
	sourced := func(commit string) files {
		return files{recordtest.At(recordtest.One): recordtest.Text(t, recordtest.ID("c1"), func(r *record.Record) {
			r.Release.Sources = map[string]string{"web#main": recordtest.ID(commit)}
		})}
	}
	config := files{"large/web/x.yaml": []byte("config")}
	for name, test := range map[string]struct {
		commits []files
		want    []string
		note    string
	}{
		"ours":                      {[]files{recordtest.Carrying(t, "c1"), recordtest.Carrying(t, "c2"), config}, []string{"c1 x1", "c2 x2"}, ""},
		"back and forth":            {[]files{recordtest.Carrying(t, "c1"), recordtest.Carrying(t, "c2"), recordtest.Carrying(t, "c1")}, []string{"c1 x1", "c2 x1", "c1 x1"}, ""},
		"sources":                   {[]files{sourced("a1"), sourced("a2")}, []string{"c1 web#main@a1 x1", "c1 web#main@a2 x1"}, ""},
		"Kalypso's own":             {[]files{recordtest.Tracking("c1"), recordtest.Tracking("c2"), config}, []string{"c1 x1", "c2 x2"}, ""},
		"Kalypso's, then ours":      {[]files{recordtest.Tracking("c1"), recordtest.Carrying(t, "c2")}, []string{"c2 x1"}, ""},
		"another environment's":     {[]files{recordtest.Carrying(t, "c1"), {recordtest.At(recordtest.Two): recordtest.Text(t, recordtest.ID("c2"), prod)}}, []string{"c1 x2"}, ""},
		"an id in capital letters":  {[]files{{recordtest.At(recordtest.One): recordtest.Text(t, strings.ToUpper(recordtest.ID("c1")), nil)}}, []string{"c1 x1"}, ""},
		"the name of a release":     {[]files{{recordtest.At(recordtest.One): recordtest.Text(t, "V1", nil)}}, []string{"V1 x1"}, ""},
		"an unreadable record once": {[]files{{recordtest.At(recordtest.One): []byte("<<<<")}, recordtest.Carrying(t, "c1")}, []string{"c1 x1"}, ""},
		"records that differ make no step": {[]files{recordtest.Carrying(t, "c1"), {recordtest.At(recordtest.Two): recordtest.Text(t, recordtest.ID("c2"), nil)}, recordtest.Carrying(t, "c2")},
			[]string{"c1 x1", "c2 x1"}, ""},
		"a copy from another branch": {[]files{recordtest.Carrying(t, "c1"), {recordtest.At(recordtest.Two): recordtest.Text(t, recordtest.ID("c2"),
			func(r *record.Record) { r.Branch = "main" })}}, []string{"c1 x2"}, ""},
		"released folders do not count": {[]files{recordtest.Carrying(t, "c1"), {recordtest.At(recordtest.Two): recordtest.Text(t, recordtest.ID("c2"),
			func(r *record.Record) { r.Folders = map[string]record.Line{"large": record.Released} })}}, []string{"c1 x2"}, ""},
		"destroyed": {[]files{recordtest.Carrying(t, "c1"), {recordtest.At(recordtest.One): nil}}, []string{"c1 x1", "- x1"},
			`Environment "dev" left REPO#dev with commit`},
		"destroyed and written again": {[]files{recordtest.Carrying(t, "c1"), {recordtest.At(recordtest.One): nil}, recordtest.Carrying(t, "c2")},
			[]string{"c1 x1", "- x1", "c2 x1"}, ""},
		"no release": {[]files{{recordtest.At(recordtest.One): recordtest.Text(t, "", nil)}}, nil,
			`No record of environment "dev" on REPO#dev names a release, or they differ: environment "dev"`},
		"only another environment's": {[]files{{recordtest.At(recordtest.Two): recordtest.Text(t, recordtest.ID("c2"), prod), engine.PromotedCommitFile: []byte(recordtest.ID("c2"))}},
			nil, `No record on REPO#dev is of environment "dev" and owns a folder. The records are of: environment "prod"`},
		"nothing": {[]files{{"README.md": []byte("# dev")}}, nil, "REPO#dev has no record of an environment, and no .github/tracking"},
		"no id":   {[]files{{engine.PromotedCommitFile: []byte("one\ntwo")}}, nil, "REPO#dev has no record"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := build(t, test.commits...)
			track, err := recordtest.Reader(t).Track(t.Context(), recordtest.Place(repo), record.Release{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, steps(track)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			note := strings.ReplaceAll(test.note, "REPO", repo.URL())
			if !strings.HasPrefix(track.Note, note) || (note == "") != (track.Note == "") {
				t.Errorf("note %q, want %q", track.Note, note)
			}
		})
	}
}

// A step knows its GitOps commits.
func TestTrackCommits(t *testing.T) {
	t.Parallel()
	repo := build(t, recordtest.Carrying(t, "c1"), files{"large/web/x.yaml": []byte("config")})
	track, err := recordtest.Reader(t).Track(t.Context(), recordtest.Place(repo), record.Release{})
	if err != nil {
		t.Fatal(err)
	}
	got := track.Steps[0].Commits[1]
	got.Time = got.Time.UTC()
	if want := (record.Commit{ID: repo.Head(t, "dev"), Author: "Ann", Subject: "step 1", Time: recordtest.Start.Add(time.Hour)}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// Of a branch that many share, an environment has its own part.
func TestTrackOfSharedBranch(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	for i, change := range []func(r *record.Record){
		func(r *record.Record) { r.Path = "eu" },
		func(r *record.Record) { r.Path, r.Folders = "us", recordtest.Owning("canary") },
		func(r *record.Record) { r.Path, r.Folders = "us", recordtest.Owning("large", "small") },
		func(r *record.Record) { r.Environment, r.Path = "prod", "eu" },
	} {
		repo.Commit(t, gittest.Revision{Branch: "dev",
			Files: files{recordtest.At(strings.Repeat(fmt.Sprint(i+1), 16)): recordtest.Text(t, recordtest.ID(fmt.Sprint("c", i+1)), change)}})
	}
	text := func(s string) *string { return &s }
	for name, test := range map[string]struct {
		change func(p *record.Place)
		want   string
		note   string
	}{
		"all of it differs":   {func(*record.Place) {}, "c1 x1", ""},
		"a path":              {func(p *record.Place) { p.Path = text("./eu/") }, "c1 x4", ""},
		"a cluster type":      {func(p *record.Place) { p.ClusterTypes = []string{"none", "canary"} }, "c2 x3", ""},
		"both":                {func(p *record.Place) { p.Path, p.ClusterTypes = text("us"), []string{"small"} }, "c3 x2", ""},
		"another environment": {func(p *record.Place) { p.Environment = "prod" }, "c4 x1", ""},
		"no such path": {func(p *record.Place) { p.Path = text(".") }, "",
			`environment "dev", path "." and owns a folder. The records are`},
		"no such cluster types": {func(p *record.Place) { p.Path, p.ClusterTypes = text("eu"), []string{"a", "b"} }, "",
			`environment "dev", path "eu" with a cluster type of a, b and owns a folder`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := recordtest.Place(repo)
			test.change(&p)
			track, err := recordtest.Reader(t).Track(t.Context(), p, record.Release{})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(steps(track), ", "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if !strings.Contains(track.Note, test.note) || (test.note == "") != (track.Note == "") {
				t.Errorf("note %q, want %q", track.Note, test.note)
			}
		})
	}
}

// Merges are commits of the branch, and what they bring is not.
func TestTrackOfMerges(t *testing.T) {
	t.Parallel()
	repo := build(t, recordtest.Carrying(t, "c1"))
	repo.Branch(t, "request", repo.Head(t, "dev"))
	repo.Commit(t, gittest.Revision{Branch: "request", Files: recordtest.Carrying(t, "c9")})
	proposed := repo.Commit(t, gittest.Revision{Branch: "request", Files: recordtest.Carrying(t, "c2")})
	repo.Commit(t, gittest.Revision{Branch: "dev", Files: recordtest.Carrying(t, "c2"), Merged: []string{proposed}, Message: "Merge pull request #1"})
	track, err := recordtest.Reader(t).Track(t.Context(), recordtest.Place(repo), record.Release{})
	if got := steps(track); err != nil || !cmp.Equal(got, []string{"c1 x1", "c2 x1"}) {
		t.Errorf("got %q, error %v", got, err)
	}
}

// 200 commits are enough, unless the release of the environment is further back.
func TestTrackGoesBack(t *testing.T) {
	t.Parallel()
	repo := build(t, recordtest.Carrying(t, "a1"), recordtest.Carrying(t, "a2"))
	repo.CommitNothing(t, "dev", 100)
	repo.CommitFiles(t, "dev", recordtest.Carrying(t, "a3"), "a3")
	repo.CommitNothing(t, "dev", 120)
	for name, test := range map[string]struct {
		back, want string
	}{
		"the present release and its beginning": {"", "a2 x79, a3 x121"},
		"a release that is near":                {"a3", "a2 x79, a3 x121"},
		"a release that is further back":        {"a1", "a1 x1, a2 x101, a3 x121"},
		"a release that never was there":        {"b1", "a1 x1, a2 x101, a3 x121"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var back record.Release
			if test.back != "" {
				back.Commit = recordtest.ID(test.back)
			}
			track, err := recordtest.Reader(t).Track(t.Context(), recordtest.Place(repo), back)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(steps(track), ", "); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestTrackMistakes(t *testing.T) {
	t.Parallel()
	repo := build(t, recordtest.Carrying(t, "c1"))
	p := recordtest.Place(repo)
	p.Branch.Name = "dve"
	track, err := recordtest.Reader(t).Track(t.Context(), p, record.Release{})
	if want := repo.URL() + "#dve does not exist. Did you mean \"dev\"?"; err != nil || !strings.HasPrefix(track.Note, want) {
		t.Errorf("note %q, want %q; error %v", track.Note, want, err)
	}
	p.Branch.Name = "a..b"
	if _, err := recordtest.Reader(t).Track(t.Context(), p, record.Release{}); err == nil {
		t.Error("no error for a name that no branch can have")
	}
	broken := build(t, files{recordtest.At(recordtest.One): []byte("<<<<")})
	_, err = recordtest.Reader(t).Track(t.Context(), recordtest.Place(broken), record.Release{})
	if want := "the record " + recordtest.At(recordtest.One) + ` in branch "dev" cannot be read`; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

// Commits, the trees that lead to records, and the records come in few fetches.
func TestTrackFetchesLittle(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	server := gittest.ServeHTTP(t, repo)
	for i := range 30 {
		files := recordtest.Carrying(t, fmt.Sprintf("%02d", i))
		for number := range 10 {
			files[fmt.Sprintf("large/app-%d/x.yaml", number)] = []byte(strings.Repeat(fmt.Sprint(i), 100))
		}
		repo.Commit(t, gittest.Revision{Branch: "dev", Files: files})
	}
	p := recordtest.Place(server)
	all := recordtest.Reader(t)
	for range 2 { // what was read once is there
		if track, err := all.Track(t.Context(), p, record.Release{}); err != nil || len(track.Steps) != 30 {
			t.Errorf("%d steps, error %v", len(track.Steps), err)
		}
	}
	if server.Requests() != 4 || server.Sent() > 30_000 {
		t.Errorf("%d requests, %d bytes", server.Requests(), server.Sent())
	}
}

// A resource that is replaced (released, then owned again, in two commits) does not end its environment.
func TestTrackOfAReplacement(t *testing.T) {
	t.Parallel()
	released := files{recordtest.At(recordtest.One): recordtest.Text(t, recordtest.ID("a1"), func(r *record.Record) {
		r.Folders = map[string]record.Line{"large": record.Released}
	})}
	repo := build(t, recordtest.Carrying(t, "a1"), recordtest.Carrying(t, "b1"), recordtest.Carrying(t, "a1"), released, recordtest.Carrying(t, "a1"))
	track, err := recordtest.Reader(t).Track(t.Context(), recordtest.Place(repo), record.Release{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a1 x1", "b1 x1", "a1 x2"}, steps(track)); diff != "" {
		t.Error(diff)
	}
}
