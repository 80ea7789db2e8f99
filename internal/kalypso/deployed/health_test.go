// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployed_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/inventory"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/decision"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/recordtest"
)

// Without a forge, health is empty. A mistake in the forge's configuration is reported.
func TestDeploymentsHealthMistakes(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	fill(t, repo)
	server := githubtest.Start(t, repo)
	login := server.AddToken("git", false)
	for name, test := range map[string]struct {
		config forge.Config
		want   string
	}{
		"no forge": {forge.Config{Token: "t"}, ""},
		"no token": {forge.Config{Kind: forge.GitHub}, ""},
		"a token and an App": {forge.Config{Kind: forge.GitHub, Token: "t", App: &forge.App{ID: 1, PrivateKey: "k"}},
			"has a token and a GitHub App. Remove one of the two."},
		"not an address": {forge.Config{Kind: forge.GitHub, Token: "t", BaseURL: "my forge"},
			"base_url is not a web address. Write https://host."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := reader(t, git.Credential{URLPrefix: server.Address(), Username: forge.TokenUser, Password: login})
			r.Forges = forge.NewClient(forge.Options{Forges: []forge.Config{test.config}})
			at := placed(repo)
			at.Branch.Repo = server.URL()
			e := deployment(t, r, at)
			if got := strings.Join(e.Unreadable, " "); e.State != "" || (got == "") != (test.want == "") ||
				!strings.HasSuffix(got, test.want) || got != "" && !strings.HasPrefix(got, "Health: ") {
				t.Errorf("health %+v, unreadable %q", e.Health, got)
			}
		})
	}
}

// A commit is asked about once, however many packages it gave their content, and only if
// the head has no report.
func TestDeploymentsHealthRequests(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	files := map[string][]byte{"large/README.md": []byte(readme)}
	for i := range 5 {
		files = with(files, packageFiles(fmt.Sprintf("large/web%d", i), "shop", "1"))
	}
	first := repo.CommitFiles(t, "dev", files, "c1")
	head := repo.CommitFiles(t, "dev", map[string][]byte{"README.md": []byte("# Read me")}, "c2")
	server := githubtest.Start(t, repo)
	token := server.AddToken("git", false)
	asked := func() (aboutFirst, aboutHead int) {
		t.Helper()
		before := len(server.Requests())
		r := reader(t, git.Credential{URLPrefix: server.Address(), Username: forge.TokenUser, Password: token})
		r.Forges = forge.NewClient(forge.Options{Forges: []forge.Config{{Kind: forge.GitHub, Token: token}}})
		at := placed(repo)
		at.Branch.Repo = server.URL()
		if e := deployment(t, r, at); len(e.Packages) != 5 || len(e.Unreadable) > 0 {
			t.Fatalf("got %+v", e)
		}
		for _, request := range server.Requests()[before:] {
			if strings.Contains(request, "/commits/"+first) {
				aboutFirst++
			}
			if strings.Contains(request, "/commits/"+head) {
				aboutHead++
			}
		}
		return aboutFirst, aboutHead
	}
	if aboutFirst, aboutHead := asked(); aboutFirst == 0 || aboutFirst != aboutHead {
		t.Errorf("%d requests about a commit, and %d about the head", aboutFirst, aboutHead)
	}
	server.AddStatuses(githubtest.Status{Commit: head, Context: "kalypso/a", State: "success", Creator: "flux", Time: recordtest.Start})
	if aboutFirst, aboutHead := asked(); aboutFirst != 0 || aboutHead == 0 {
		t.Errorf("%d requests about a commit, and %d about the head that has a report", aboutFirst, aboutHead)
	}
}

// Given reports count without a forge, on earlier commits of the release too. A silent cluster is
// listed.
func TestDeploymentsReports(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	files := with(map[string][]byte{"large/README.md": []byte(readme)}, packageFiles("large/web", "shop", "1"))
	first := repo.CommitFiles(t, "dev", files, "c1")
	head := repo.CommitFiles(t, "dev", map[string][]byte{"README.md": []byte("# Read me")}, "c2")
	at := placed(repo)
	at.Expected = []string{"kalypso/dev/large/a", "kalypso/dev/large/b", "kalypso/dev/large/c"}
	report := func(context string, state decision.State, minute int) decision.Report {
		return decision.Report{Context: context, State: state, Time: recordtest.Start.Add(time.Duration(minute) * time.Minute)}
	}
	at.Reports = map[string][]decision.Report{
		head:  {report(at.Expected[0], decision.Success, 1), report(at.Expected[0], decision.Failure, 2)},
		first: {report(at.Expected[0], decision.Success, 3), report(at.Expected[1], decision.Success, 3)},
	}
	e := deployment(t, reader(t), at)
	var got []string
	for _, c := range e.Clusters {
		got = append(got, c.Name+"="+string(c.State))
	}
	if want := "a=failure b=success c="; strings.Join(got, " ") != want || e.State != inventory.Unhealthy ||
		e.Packages[0].State != inventory.Unhealthy || len(e.Unreadable) > 0 {
		t.Errorf("clusters %q, want %s; %+v", got, want, e)
	}
}
