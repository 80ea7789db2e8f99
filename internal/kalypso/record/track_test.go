// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package record_test

import (
	stdcmp "cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/recordtest"
)

type files = map[string][]byte

// one and two are the paths of records.
var one, two = recordtest.At(recordtest.One), recordtest.At(recordtest.Two)

var id, tracking, text, carrying = recordtest.ID, recordtest.Tracking, recordtest.Text, recordtest.Carrying

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
		return files{one: text(id("c1"), func(r *record.Record) {
			r.Release.Sources = map[string]string{"web#main": recordtest.ID(commit)}
		})}
	}
	config := files{"large/web/x.yaml": []byte("config")}
	for name, test := range map[string]struct {
		commits []files
		want    []string
		note    string
	}{
		"ours":                      {[]files{carrying("c1"), carrying("c2"), config}, []string{"c1 x1", "c2 x2"}, ""},
		"back and forth":            {[]files{carrying("c1"), carrying("c2"), carrying("c1")}, []string{"c1 x1", "c2 x1", "c1 x1"}, ""},
		"sources":                   {[]files{sourced("a1"), sourced("a2")}, []string{"c1 web#main@a1 x1", "c1 web#main@a2 x1"}, ""},
		"Kalypso's own":             {[]files{tracking("c1"), tracking("c2"), config}, []string{"c1 x1", "c2 x2"}, ""},
		"Kalypso's, then ours":      {[]files{tracking("c1"), carrying("c2")}, []string{"c1 x1", "c2 x1"}, ""},
		"another environment's":     {[]files{carrying("c1"), {two: text(id("c2"), prod)}}, []string{"c1 x2"}, ""},
		"an id in capital letters":  {[]files{{one: text(strings.ToUpper(id("c1")), nil)}}, []string{"c1 x1"}, ""},
		"the name of a release":     {[]files{{one: text("V1", nil)}}, []string{"V1 x1"}, ""},
		"an unreadable record once": {[]files{{one: []byte("<<<<")}, carrying("c1")}, []string{"c1 x1"}, ""},
		"records that differ make no step": {[]files{carrying("c1"), {two: text(id("c2"), nil)}, carrying("c2")},
			[]string{"c1 x1", "c2 x1"}, ""},
		"a copy from another branch": {[]files{carrying("c1"), {two: text(id("c2"),
			func(r *record.Record) { r.Branch = "main" })}}, []string{"c1 x2"}, ""},
		"released folders do not count": {[]files{carrying("c1"), {two: text(id("c2"),
			func(r *record.Record) { r.Folders = map[string]record.Line{"large": record.Released} })}}, []string{"c1 x2"}, ""},
		"destroyed": {[]files{carrying("c1"), {one: nil}}, []string{"c1 x1", "- x1"},
			`Environment "dev" left REPO#dev with commit`},
		"destroyed and written again": {[]files{carrying("c1"), {one: nil}, carrying("c2")},
			[]string{"c1 x1", "- x1", "c2 x1"}, ""},
		"no release": {[]files{{one: text("", nil)}}, nil,
			`No record on REPO#dev names one release of dev, as before its first apply. If it was applied`},
		"only another environment's": {[]files{{two: text(id("c2"), prod), engine.PromotedCommitFile: []byte(id("c2"))}},
			nil, `No record on REPO#dev names one release of dev, as before its first apply.`},
		"nothing": {[]files{{"README.md": []byte("# dev")}}, nil, "REPO#dev has no record of an environment, and no .github/tracking"},
		"no id":   {[]files{{engine.PromotedCommitFile: []byte("one\ntwo")}}, nil, "REPO#dev has no record"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := build(t, test.commits...)
			track, err := recordtest.Reader(t).Track(t.Context(), recordtest.Place(repo))
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
	repo := build(t, carrying("c1"), files{"large/web/x.yaml": []byte("config")})
	track, err := recordtest.Reader(t).Track(t.Context(), recordtest.Place(repo))
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
			Files: files{recordtest.At(strings.Repeat(fmt.Sprint(i+1), 16)): text(recordtest.ID(fmt.Sprint("c", i+1)), change)}})
	}
	at := func(s string) *string { return &s }
	for name, test := range map[string]struct {
		change func(p *record.Place)
		want   string
		note   string
	}{
		"all of it differs":   {func(*record.Place) {}, "c1 x1", ""},
		"a path":              {func(p *record.Place) { p.Path = at("./eu/") }, "c1 x4", ""},
		"a cluster type":      {func(p *record.Place) { p.ClusterTypes = []string{"none", "canary"} }, "c2 x3", ""},
		"both":                {func(p *record.Place) { p.Path, p.ClusterTypes = at("us"), []string{"small"} }, "c3 x2", ""},
		"another environment": {func(p *record.Place) { p.Environment = "prod" }, "c4 x1", ""},
		"no such path": {func(p *record.Place) { p.Path = at(".") }, "",
			"names one release of dev,"},
		"no such cluster types": {func(p *record.Place) { p.Path, p.ClusterTypes = at("eu"), []string{"a", "b"} }, "",
			"names one release of dev (eu, a and 1 more),"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := recordtest.Place(repo)
			test.change(&p)
			track, err := recordtest.Reader(t).Track(t.Context(), p)
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

// All parents count, in whatever order, and clusters have seen the line of first parents. What a line of commits does that a merge did not
// take over does not end it, and the release of the merge is the present one.
func TestTrackOfMerges(t *testing.T) {
	t.Parallel()
	gone := files{one: nil}
	for name, test := range map[string]struct {
		ours, theirs files // on top of c1
		merged       string
		want         []string
		turned       []string // with the parents in the other order
	}{
		"a request": {nil, carrying("c2"), "c2",
			[]string{"c1 x2", "c2 x1"}, []string{"c1 x1", "c2 x2"}},
		"a pull": {carrying("c2"), nil, "c2",
			[]string{"c1 x1", "c2 x2"}, []string{"c1 x2", "c2 x1"}},
		"a merge that goes back": {carrying("c2"), nil, "c1",
			[]string{"c1 x1", "c2 x1", "c1 x1"}, []string{"c1 x2", "c2 x0", "c1 x1"}},
		"two at a time": {carrying("c2"), carrying("c3"), "c2",
			[]string{"c1 x1", "c2 x1", "c3 x0", "c2 x1"}, []string{"c1 x1", "c2 x0", "c3 x1", "c2 x1"}},
		"an end without effect": {carrying("c2"), gone, "c2",
			[]string{"c1 x1", "c2 x2"}, []string{"c1 x1", "c2 x1"}},
		"the same in both": {carrying("c2"), carrying("c2"), "c2",
			[]string{"c1 x1", "c2 x2", "c2 x0"}, []string{"c1 x1", "c2 x1", "c2 x1"}},
		"a merge with a third one": {carrying("c2"), carrying("c3"), "c4",
			[]string{"c1 x1", "c2 x1", "c3 x0", "c4 x1"}, []string{"c1 x1", "c2 x0", "c3 x1", "c4 x1"}},
	} {
		for order, want := range map[string][]string{"": test.want, ", turned": test.turned} {
			t.Run(name+order, func(t *testing.T) {
				t.Parallel()
				repo := build(t, carrying("c1"))
				commit := func(branch string, files files, hour int, merged ...string) string {
					return repo.Commit(t, gittest.Revision{Branch: branch, Files: files, Time: recordtest.Start.Add(time.Duration(hour) * time.Hour),
						Message: branch, Merged: merged})
				}
				repo.Branch(t, "ours", "dev")
				repo.Branch(t, "theirs", "dev")
				first, second := commit("ours", test.ours, 1), commit("theirs", test.theirs, 2)
				if order != "" {
					first, second = second, first
				}
				repo.Branch(t, "dev", first)
				commit("dev", recordtest.Carrying(test.merged), 3, second)
				track, err := recordtest.Reader(t).Track(t.Context(), recordtest.Place(repo))
				if got := steps(track); err != nil || !cmp.Equal(got, want) {
					t.Errorf("got %q, want %q, error %v", got, want, err)
				}
			})
		}
	}
}

// What an environment had does not depend on how its place is spelled today.
func TestTrackOfRenames(t *testing.T) {
	t.Parallel()
	// "1 dev@dev v1 a=released": the record of an instance, with its environment and branch, release and lines.
	at := func(text string) (path string, r record.Record) {
		words := strings.Fields(text)
		environment, branch, _ := strings.Cut(words[1], "@")
		branch, path, _ = strings.Cut(branch, ":")
		r = record.Record{Environment: environment, Branch: branch, Path: stdcmp.Or(path, "."), Provider: "1", Folders: recordtest.Owning(),
			Release: record.Release{Commit: words[2], Sources: map[string]string{"web#main": words[2]}}}
		for _, line := range words[3:] {
			name, _, isReleased := strings.Cut(line, "=")
			if r.Folders[name] = record.Owned; isReleased {
				r.Folders[name] = record.Released
			}
		}
		return recordtest.At(recordtest.Instance(words[0])), r
	}
	for _, test := range []struct {
		name, commits string // changes of records; "1" alone removes one
		types, path   string
		want          string
	}{
		{"a branch from that of another environment", "1 prod@prod v1 a; 1 prod@prod v2 a", "", "", ""},
		{"and its first release", "1 prod@prod v1 a; 1 prod@prod v2 a; 2 dev@dev v1 a, 1 prod@prod v2 a", "", "", "v1"},
		{"a renamed branch", "1 dev@old v1 a; 1 dev@old v2 a; 1 dev@old v1 a", "", "", "v1 v2 v1"},
		{"a renamed branch with another resource", "1 dev@old v1 a; 1 dev@old v2 a; 2 dev@dev v1 a", "", "", "v1 v2 v1"},
		{"a branch that is renamed twice", "1 dev@a v1 a; 2 dev@b v1 a; 2 dev@b v2 a; 2 dev@b v1 a; 3 dev@dev v1 a", "", "", "v1 v2 v1"},
		{"a branch that is renamed twice, not yet written", "1 dev@b v1 a; 2 dev@a v1 a; 2 dev@a v2 a; 2 dev@a v1 a", "", "", "v1 v2 v1"},
		{"a renamed environment", "1 old@dev v1 a; 1 old@dev v2 a; 1 dev@dev v1 a", "", "", "v1 v2 v1"},
		{"a renamed environment with another resource", "1 old@dev v1 a; 1 old@dev v2 a; 1 old@dev v1 a=released; 2 dev@dev v1 a, 1",
			"", "", "v1 v2 v1"},
		{"an environment beside another one", "1 old@dev v1 a; 1 old@dev v2 a; 2 dev@dev v1 b", "", "", "v1"},
		{"both, one after the other", "1 old@old v1 a; 1 old@old v2 a; 1 old@dev v1 a; 1 dev@dev v1 a", "", "", "v1 v2 v1"},
		{"a replaced resource", "1 dev@dev v1 a; 1 dev@dev v2 a; 2 dev@dev v1 a, 1", "", "", "v1 v2 v1"},
		{"a replacement that failed half-way", "1 dev@dev v1 a; 1 dev@dev v2 a; 1 dev@dev v1 a=released", "", "", "v1 v2 v1"},
		{"a replacement in two commits", "1 dev@dev v1 a; 1 dev@dev v2 a; 1 dev@dev v1 a=released; 2 dev@dev v1 a, 1", "", "", "v1 v2 v1"},
		{"a record without an owner beside one", "1 dev@dev v1 a b; 1 dev@dev v1 b=released, 2 dev@dev v2 a; 2 dev@dev v3 a",
			"", "", "v1 v2 v3"},
		{"a renamed cluster type of a wave", "1 dev@dev v1 a, 2 dev@dev v3 c; 1 dev@dev v2 a; 1 dev@dev v1 b", "b", "", "v1 v2 v1"},
		{"a wave of its own for a cluster type", "1 dev@dev v1 a b; 1 dev@dev v2 a b; 1 dev@dev v2 a, 2 dev@dev v1 b", "b", "", "v1 v2 v1"},
		{"a wave that comes later", "1 dev@dev v1 a; 1 dev@dev v2 a; 2 dev@dev v1 b", "b", "", "v1"},
		{"waves on a renamed branch", "1 dev@old v1 a, 2 dev@old v1 b; 1 dev@old v2 a; 3 dev@dev v2 a; 4 dev@dev v1 b", "b", "", "v1"},
		{"waves on a renamed branch, not all written", "1 dev@old v1 a, 2 dev@old v1 b; 1 dev@old v2 a; 3 dev@dev v2 a", "b", "", "v1"},
		{"a renamed folder", "1 dev@dev:eu v1 a; 1 dev@dev:eu v2 a; 1 dev@dev:eu v1 a=released; 2 dev@dev:x v1 a", "", "x", "v1 v2 v1"},
		{"a folder beside another one", "1 dev@dev:eu v1 a; 1 dev@dev:eu v2 a; 2 dev@dev:x v1 a", "", "x", "v1"},
		{"an end", "1 dev@dev v1 a; 1 dev@dev v2 a; 1; 2 dev@dev v1 a", "", "", "v1 v2 - v1"},
		{"an end beside a copy of the old name", "1 dev@old v1 a; 2 dev@dev v1 a; 2 dev@dev v2 a; 2", "", "", "v1 v2 -"},
		{"another one with the same instance", "1 old@old v1 a; 1 old@old v2 a; 1 dev@dev v1 a", "", "", "v1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var commits []files
			for change := range strings.SplitSeq(test.commits, ";") {
				files := files{}
				for text := range strings.SplitSeq(change, ",") {
					if text = strings.TrimSpace(text); len(text) == 1 {
						files[recordtest.At(recordtest.Instance(text))] = nil
						continue
					}
					path, r := at(text)
					files[path] = r.Content()
				}
				commits = append(commits, files)
			}
			p := recordtest.Place(build(t, commits...))
			if p.ClusterTypes = strings.Fields(test.types); test.path != "" {
				p.Path = &test.path
			}
			track, err := recordtest.Reader(t).Track(t.Context(), p)
			if got := strings.Join(shown(track), " "); err != nil || got != test.want {
				t.Errorf("got %q, want %q, error %v, %s", got, test.want, err, track.Note)
			}
			for _, s := range track.Steps {
				if s.Release.Commit != s.Release.Sources["web#main"] {
					t.Errorf("the step %+v has lost its sources", s)
				}
			}
		})
	}
}

// A repository that is shallow is an error, also if that is far back.
func TestTrackOfShallowRepository(t *testing.T) {
	t.Parallel()
	whole := gitmem.New(t)
	whole.CommitFiles(t, "dev", carrying("c1"), "c1")
	whole.CommitNothing(t, "dev", 250)
	for depth, isError := range map[int]bool{1: true, 20: true, 250: true, 251: false} {
		t.Run(fmt.Sprint(depth), func(t *testing.T) {
			t.Parallel()
			repo := gittest.NewBare(t)
			repo.Git(t, "fetch", "--quiet", fmt.Sprint("--depth=", depth), whole.URL(), "dev:dev")
			track, err := recordtest.Reader(t).Track(t.Context(), recordtest.Place(gittest.ServeHTTP(t, repo)))
			if want := "Fetch all of it: git fetch --unshallow, in GitHub Actions fetch-depth: 0"; isError != (err != nil) || isError &&
				!strings.Contains(err.Error(), want) {
				t.Errorf("steps %q, error %v", steps(track), err)
			}
		})
	}
}

func TestTrackMistakes(t *testing.T) {
	t.Parallel()
	repo := build(t, carrying("c1"))
	p := recordtest.Place(repo)
	p.Branch.Name = "dve"
	track, err := recordtest.Reader(t).Track(t.Context(), p)
	if want := repo.URL() + "#dve does not exist. Did you mean \"dev\"?"; err != nil || !strings.HasPrefix(track.Note, want) {
		t.Errorf("note %q, want %q; error %v", track.Note, want, err)
	}
	p.Branch.Name = "a..b"
	if _, err := recordtest.Reader(t).Track(t.Context(), p); err == nil {
		t.Error("no error for a name that no branch can have")
	}
	broken := build(t, files{one: []byte("<<<<")})
	_, err = recordtest.Reader(t).Track(t.Context(), recordtest.Place(broken))
	if want := "the record " + one + ` in branch "dev" cannot be read`; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

// Commits, the trees that lead to records, and the records come in few fetches.
func TestTrackFetchesLittle(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	server := gittest.ServeHTTP(t, repo)
	for i := range 30 {
		files := recordtest.Carrying(fmt.Sprintf("%02d", i))
		for number := range 10 {
			files[fmt.Sprintf("large/app-%d/x.yaml", number)] = []byte(strings.Repeat(fmt.Sprint(i), 100))
		}
		repo.Commit(t, gittest.Revision{Branch: "dev", Files: files})
	}
	p := recordtest.Place(server)
	all := recordtest.Reader(t)
	for range 2 { // what was read once is there
		if track, err := all.Track(t.Context(), p); err != nil || len(track.Steps) != 30 {
			t.Errorf("%d steps, error %v", len(track.Steps), err)
		}
	}
	if server.Requests() != 3 || server.Sent() > 30_000 {
		t.Errorf("%d requests, %d bytes", server.Requests(), server.Sent())
	}
}
