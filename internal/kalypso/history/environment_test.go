// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package history_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/history"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// Each step is a commit of the branch dev; what is carried after all of them, newest first.
func TestCarried(t *testing.T) {
	t.Parallel()
	type files = map[string][]byte
	prod := func(r *ownership.Record) { r.Environment = "prod" }
	for name, test := range map[string]struct {
		steps []files
		want  []string
	}{
		"ours": {[]files{carrying(t, "c1"), carrying(t, "c2")}, []string{"1=c2", "1=c1"}},
		"what changes on its own carries the same": {[]files{carrying(t, "c1"), {"large/web/x.yaml": []byte("config")}},
			[]string{"1=c1", "1=c1"}},
		"with sources": {[]files{{recordAt(one): record(t, id("c1"), func(r *ownership.Record) {
			r.Sources = map[string]string{"web#main": id("a1"), "api#main": id("b2")}
		})}, carrying(t, "c1")}, []string{"1=c1", "1=c1 api#main@b2 web#main@a1"}},
		"Kalypso's own":             {[]files{tracking("c1"), tracking("c2")}, []string{"=c2", "=c1"}},
		"Kalypso's, then ours":      {[]files{tracking("c1"), carrying(t, "c1"), carrying(t, "c2")}, []string{"1=c2", "1=c1", "=c1"}},
		"ours, then Kalypso's":      {[]files{carrying(t, "c1"), {recordAt(one): nil}, tracking("c2")}, []string{"=c2", "", "1=c1"}},
		"both, by one who has both": {[]files{tracking("c1"), carrying(t, "c2")}, []string{"1=c2", "=c1"}},
		"nothing":                   {[]files{{"README.md": []byte("# dev")}}, []string{""}},
		"several instances":         {[]files{carrying(t, "c1"), {recordAt(two): record(t, id("c0"), nil)}}, []string{"1=c1 2=c0", "1=c1"}},
		"another environment's":     {[]files{carrying(t, "c1"), {recordAt(two): record(t, id("c2"), prod)}}, []string{"1=c1", "1=c1"}},
		"only another environment's": {[]files{{recordAt(two): record(t, id("c2"), prod), engine.PromotedCommitFile: []byte(id("c2"))}},
			[]string{""}},
		"one that says nothing leaves it to the " +
			"file": {[]files{{recordAt(one): record(t, "", nil), engine.PromotedCommitFile: []byte(id("c2"))}}, []string{"=c2"}},
		"a copy from another branch": {[]files{{recordAt(one): record(t, id("c1"),
			func(r *ownership.Record) { r.Branch = "main" })}}, []string{""}},
		"one that has released its folders": {[]files{{recordAt(one): record(t, id("c1"),
			func(r *ownership.Record) { r.Folders = map[string]ownership.Line{"large": ownership.Released} })}}, []string{""}},
		"an invalid record": {[]files{{recordAt(one): []byte("<<<<"),
			recordAt("README.md"): record(t, id("c1"), nil)}}, []string{"?"}},
		"records where a file has to be": {[]files{{ownership.RecordsFolder: []byte("file"), ".github": []byte("file")}},
			[]string{""}},
		"an id in capital letters": {[]files{{engine.PromotedCommitFile: []byte(strings.ToUpper(id("c1")))}}, []string{"=c1"}},
		"any id": {[]files{{recordAt(one): record(t, "V1", nil)},
			{engine.PromotedCommitFile: []byte("V2\n"), recordAt(one): nil}}, []string{"=V2", "1=V1"}},
		"a file without an id": {[]files{{engine.PromotedCommitFile: []byte("one\ntwo")},
			{engine.PromotedCommitFile: []byte(strings.Repeat("x", 300))}, {engine.PromotedCommitFile: []byte("\n")}}, []string{"?", "?", "?"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := gitmem.New(t)
			for i, files := range test.steps {
				repo.Commit(t, gittest.Revision{Branch: "dev", Files: files, Time: start.Add(time.Duration(i) * time.Hour)})
			}
			e := environment(t, reader(t), place(repo), true)
			if diff := cmp.Diff(test.want, carried(t, e)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			head, _, err := environment(t, reader(t), place(repo), false).History(0)
			if want := start.Add(time.Duration(len(test.steps)-1) * time.Hour); err != nil || head.ID != repo.Head(t, "dev") ||
				!head.Time.Equal(want) {
				t.Errorf("the head is %+v, error %v; want %s of %s", head, err, repo.Head(t, "dev"), want)
			}
		})
	}
}

// Two spellings of one branch are one source.
func TestSourceKey(t *testing.T) {
	t.Parallel()
	const name = "https://git.example/team/web#main"
	for other, want := range map[string]bool{
		"https://GIT.example:443/team/web/#main": true,
		"https://git.example/team/Web#main":      false,
		"https://git.example/team/web#Main":      false,
		"https://git.example/team/web#main#2":    false,
		"web#main":                               false,
	} {
		if got := history.SourceKey(name) == history.SourceKey(other); got != want {
			t.Errorf("%s and %s are the same: %v, want %v", name, other, got, want)
		}
	}
}

// Of a branch that many share, an environment has its own part.
func TestShared(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	for i, change := range []func(r *ownership.Record){
		func(r *ownership.Record) { r.Path = "eu" },
		func(r *ownership.Record) { r.Path, r.Folders = "us", owning("canary") },
		func(r *ownership.Record) { r.Path, r.Folders = "us", owning("large", "small") },
		func(r *ownership.Record) { r.Environment, r.Path = "prod", "eu" },
	} {
		repo.Commit(t, gittest.Revision{Branch: "dev",
			Files: map[string][]byte{recordAt(strings.Repeat(fmt.Sprint(i+1), 16)): record(t, id(fmt.Sprint("c", i+1)), change)}})
	}
	text := func(s string) *string { return &s }
	for name, test := range map[string]struct {
		change     func(p *history.Place)
		want       string
		overlooked string
	}{
		"all of it":           {func(*history.Place) {}, "1=c1 2=c2 3=c3", ""},
		"a path":              {func(p *history.Place) { p.Path = text("./us/") }, "2=c2 3=c3", ""},
		"a cluster type":      {func(p *history.Place) { p.ClusterTypes = []string{"none", "canary"} }, "2=c2", ""},
		"both":                {func(p *history.Place) { p.Path, p.ClusterTypes = text("us"), []string{"small"} }, "3=c3", ""},
		"another environment": {func(p *history.Place) { p.Environment = "prod" }, "4=c4", ""},
		"no such environment": {func(p *history.Place) { p.Environment = "stage" }, "", `No record on REPO#dev is for environment ` +
			`"stage". Records are for: environment "dev", path "eu" (.kalypso/1111111111111111), environment "dev", ` +
			`path "us" (.kalypso/2222222222222222), environment "dev", path "us" (.kalypso/3333333333333333) and 1 more.`},
		"no such path": {func(p *history.Place) { p.Path = text(".") }, "", `No record on REPO#dev is for environment ` +
			`"dev", path ".". Records are for`},
		"no such cluster types": {func(p *history.Place) { p.Path, p.ClusterTypes = text("eu"), []string{"a", "b"} }, "",
			`No record on REPO#dev is for environment "dev", path "eu" with a cluster type of a, b. Records are for`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := place(repo)
			test.change(&p)
			e := environment(t, reader(t), p, true)
			if got := carried(t, e); got[0] != test.want {
				t.Errorf("got %q, want %q", got[0], test.want)
			}
			want := strings.ReplaceAll(test.overlooked, "REPO", repo.URL())
			if got := e.Overlooked(); (got == "") != (want == "") || !strings.HasPrefix(got, want) {
				t.Errorf("overlooked %q, want %q", got, want)
			}
		})
	}
}

// A missing environment has no commits, and is reported.
func TestNothingThere(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	e := environment(t, reader(t), place(repo), true)
	if got := e.Overlooked(); got != "" {
		t.Errorf("before anything was read: %q", got)
	}
	if got := carried(t, e); len(got) > 0 {
		t.Errorf("got %q", got)
	}
	if got, want := e.Overlooked(), repo.URL()+"#dev does not exist."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	repo.CommitFiles(t, "dev", map[string][]byte{recordAt(one): record(t, "", nil)}, "no commit")
	e = environment(t, reader(t), place(repo), true)
	if got := carried(t, e); got[0] != "?" {
		t.Errorf("got %q", got)
	}
	if got, want := e.Overlooked(), `name no commit of a control plane: environment "dev" (.kalypso/1111111111111111).`; !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Merges are commits of the branch, and what they bring is not.
func TestMergedRequests(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	repo.Commit(t, gittest.Revision{Branch: "dev", Files: tracking("c1")})
	proposed := repo.Commit(t, gittest.Revision{Branch: "request", Files: tracking("c9")})
	repo.Commit(t, gittest.Revision{Branch: "dev", Files: tracking("c2"), Merged: []string{proposed}, Message: "Merge pull request #1"})
	if diff := cmp.Diff([]string{"=c2", "=c1"}, carried(t, environment(t, reader(t), place(repo), true))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Only so much is read, in one go or bit by bit.
func TestBounded(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	for i := range 25 {
		repo.Commit(t, gittest.Revision{Branch: "dev", Files: carrying(t, fmt.Sprintf("%02d", i))})
	}
	for _, eager := range []bool{true, false} {
		for most, want := range map[int]int{1: 1, 19: 19, 20: 20, 21: 21, 25: 25, 26: 25, 1000: 25} {
			p := place(repo)
			p.Most = most
			got := carried(t, environment(t, reader(t), p, eager))
			if len(got) != want || got[0] != "1=24" || got[want-1] != fmt.Sprintf("1=%02d", 25-want) {
				t.Errorf("at most %d, eager %v: %q", most, eager, got)
			}
		}
	}
}

// A commit with more records than anybody needs is passed over.
func TestTooManyRecords(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	many := map[string][]byte{}
	for i := range 1001 {
		many[recordAt(fmt.Sprintf("%016x", i))] = []byte("{}")
	}
	repo.CommitFiles(t, "dev", many, "many")
	for path := range many {
		many[path] = nil
	}
	repo.CommitFiles(t, "dev", many, "none")
	repo.Commit(t, gittest.Revision{Branch: "dev", Files: carrying(t, "c1")})
	if diff := cmp.Diff([]string{"1=c1", "", "?"}, carried(t, environment(t, reader(t), place(repo), true))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Commits, the trees that lead to records, and the records come in few fetches.
func TestFetchesLittle(t *testing.T) {
	t.Parallel()
	repo, r := gitmem.New(t), rand.New(rand.NewPCG(1, 2))
	server := gittest.ServeHTTP(t, repo)
	for i := range 30 {
		files := carrying(t, fmt.Sprintf("%02d", i))
		for number := range 10 {
			files[fmt.Sprintf("large/app-%d/x.yaml", number)] = []byte(noise(r))
		}
		files[".github/workflows/ci.yaml"] = []byte(noise(r))
		repo.Commit(t, gittest.Revision{Branch: "dev", Files: files})
	}
	p := place(repo)
	p.Branch.Repo = server.URL()
	all := reader(t)
	for range 2 { // what was read once is there
		if got := carried(t, environment(t, all, p, true)); len(got) != 30 || got[0] != "1=29" {
			t.Errorf("got %q", got)
		}
	}
	if server.Requests() != 4 || server.Sent() > 30_000 {
		t.Errorf("%d requests, %d bytes of 600 kB", server.Requests(), server.Sent())
	}
}

func TestEnvironmentErrors(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	wrong := place(repo)
	wrong.Branch.Name = "a..b"
	if _, err := reader(t).Environment(t.Context(), wrong, true); err == nil {
		t.Error("no error for a branch that cannot be")
	}
	gone := place(repo)
	gone.Branch.Repo += "-gone"
	_, _, err := environment(t, reader(t), gone, true).History(0)
	var e *remote.Error
	if !errors.As(err, &e) || e.Kind != remote.KindNotFound {
		t.Errorf("error %v", err)
	}
}

// Whatever leads to a repository, the same is read.
func TestTransports(t *testing.T) {
	t.Parallel()
	repo := gittest.NewBare(t)
	repo.Commit(t, gittest.Revision{Branch: "dev", Files: tracking("c1")})
	repo.Commit(t, gittest.Revision{Branch: "dev", Files: carrying(t, "c2")})
	http, ssh := gittest.ServeHTTP(t, repo, gittest.WithLogin("writer", "secret")), gittest.ServeSSH(t, repo)
	for name, test := range map[string]struct {
		url        string
		credential git.Credential
	}{
		"file": {url: repo.FileURL()},
		"http": {http.URL(), git.Credential{URLPrefix: http.URL(), Username: "writer", Password: "secret"}},
		"ssh": {ssh.URL(), git.Credential{URLPrefix: ssh.URL(), SSHPrivateKey: ssh.PrivateKey(t, ""),
			SSHKnownHosts: ssh.KnownHosts("ssh-ed25519")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := place(http)
			p.Branch.Repo = test.url
			if diff := cmp.Diff([]string{"1=c2", "=c1"}, carried(t, environment(t, reader(t, test.credential), p, true))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
