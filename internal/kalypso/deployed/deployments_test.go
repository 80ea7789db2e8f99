// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployed_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/inventory"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/recordtest"
)

// readme is what Kalypso writes into the folder of a cluster type.
const readme = "This folder contains deployment targets scheduled on the cluster type"

// packageFiles are the files of a package below a folder, with a namespace and a source that
// name the workload, and a value.
func packageFiles(folder, workload, value string) map[string][]byte {
	return map[string][]byte{
		folder + "/namespace.yaml": []byte("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ns\n  labels: {workload: " + workload +
			", workspace: team}\n"),
		folder + "/reconciler.yaml": []byte("apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: a}\nspec: " +
			"{url: 'https://git.invalid/" + workload + "', ref: {branch: main}}\n"),
		folder + "/platform-config.yaml": []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: platform-config}\ndata: {VALUE: " +
			"\"" + value + "\"}\n"),
	}
}

// with returns all files of several maps.
func with(all ...map[string][]byte) map[string][]byte {
	files := map[string][]byte{}
	for _, each := range all {
		maps.Copy(files, each)
	}
	return files
}

// without deletes the files of a package.
func without(folder string) map[string][]byte {
	files := packageFiles(folder, "", "")
	for name := range files {
		files[name] = nil
	}
	return files
}

func placed(repo recordtest.Located) deployed.Place {
	return deployed.Place{Name: "dev", Branch: git.Branch{Repo: repo.URL(), Name: "dev"}, Most: deployed.DefaultDeployments}
}

// deployment is what an environment has.
func deployment(t testing.TB, r deployed.Reader, at deployed.Place) inventory.Environment {
	t.Helper()
	e, err := r.Deployments().Environment(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// packagesOf are the packages of an environment: "large/web=shop VALUE since c1".
func packagesOf(e inventory.Environment) []string {
	var all []string
	for _, p := range e.Packages {
		since := ""
		if p.Changed != nil {
			since = p.Changed.Subject
		}
		all = append(all, fmt.Sprintf("%s=%s %s since %s", p.Key(), p.Workload, p.Values["VALUE"], since))
	}
	return all
}

// historyOf is the history of an environment: "c1 [promoted] +a ~b -c".
func historyOf(e inventory.Environment) []string {
	var all []string
	for _, c := range e.History {
		text := c.Subject + " "
		for _, commit := range c.Releases {
			text += commit[:2] + " "
		}
		all = append(all, fmt.Sprintf("%s+%s ~%s -%s", text, strings.Join(c.Added, ","), strings.Join(c.Changed, ","),
			strings.Join(c.Removed, ",")))
	}
	return all
}

// fill makes a branch dev in five commits: as Kalypso writes it, with a folder that does
// not belong to a cluster type.
func fill(t testing.TB, repo *gitmem.Repo) {
	t.Helper()
	for i, files := range []map[string][]byte{
		with(packageFiles("large/web", "shop", "1"), map[string][]byte{"large/README.md": []byte(readme), "docs/README.md": []byte("# Docs"),
			"docs/images/reconciler.yaml": []byte("x"), "other/web/namespace.yaml": []byte("x")}, recordtest.Tracking("c1")),
		with(packageFiles("small/web", "shop", "1"), packageFiles("small/db", "db", "1"),
			map[string][]byte{"small/README.md": []byte(readme)}, recordtest.Tracking("c1")),
		with(packageFiles("large/web", "shop", "2"), recordtest.Tracking("c2"), map[string][]byte{"docs/images/reconciler.yaml": []byte("y")}),
		without("small/web"),
		recordtest.Tracking("c3"),
	} {
		delete(files, "large/web/x.yaml")
		repo.Commit(t, gittest.Revision{Branch: "dev", Files: files, Message: fmt.Sprint("c", i+1), Author: "Ann",
			Time: recordtest.Start.Add(time.Duration(i) * time.Hour)})
	}
}

func TestDeployments(t *testing.T) {
	t.Parallel()
	for server, allowed := range map[string]struct{ filters, anyObject bool }{
		"all": {true, true}, "no wants": {true, false}, "no filters": {false, false},
	} {
		t.Run(server, func(t *testing.T) {
			t.Parallel()
			repo := gitmem.New(t)
			repo.Limit(t, allowed.filters, allowed.anyObject)
			fill(t, repo)
			e := deployment(t, reader(t), placed(repo))
			if e.Head != repo.Head(t, "dev") || e.Time != inventory.Stamp(recordtest.Start.Add(4*time.Hour)) ||
				!slices.Equal(e.Releases, []string{recordtest.ID("c3")}) || e.State != "" || len(e.Unreadable) > 0 {
				t.Errorf("got %+v", e)
			}
			if diff := cmp.Diff([]string{"large/web=shop 2 since c3", "small/db=db 1 since c2"}, packagesOf(e)); diff != "" {
				t.Errorf("packages (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{"c5 c3 + ~ -", "c4 c2 + ~ -small/web", "c3 c2 + ~large/web -", "c2 c1 +small/db,small/web ~ -",
				"c1 c1 +large/web ~ -"}, historyOf(e)); diff != "" {
				t.Errorf("history (-want +got):\n%s", diff)
			}
			p := e.Packages[0]
			if p.ID != repo.Tree(t, "dev", "large/web") || p.Workspace != "team" || p.Namespace != "ns" || p.Changed.Author != "Ann" ||
				p.Changed.Time != inventory.Stamp(recordtest.Start.Add(2*time.Hour)) {
				t.Errorf("got %+v", p)
			}
			if diff := cmp.Diff(inventory.List[inventory.Source]{{Kind: "GitRepository", Repo: "https://git.invalid/shop", Ref: "main"}},
				p.Sources); diff != "" {
				t.Errorf("sources (-want +got):\n%s", diff)
			}
		})
	}
}

// The history has the requested number of commits. Older content has no date.
func TestDeploymentsWithLittleHistory(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	fill(t, repo)
	for most, want := range map[int][2][]string{
		0: {{"large/web=shop 2 since ", "small/db=db 1 since "}, nil},
		3: {{"large/web=shop 2 since c3", "small/db=db 1 since "}, {"c5 c3 + ~ -", "c4 c2 + ~ -small/web", "c3 c2 + ~large/web -"}},
		4: {{"large/web=shop 2 since c3", "small/db=db 1 since c2"}, {"c5 c3 + ~ -", "c4 c2 + ~ -small/web", "c3 c2 + ~large/web -",
			"c2 c1 +small/db,small/web ~ -"}},
	} {
		at := placed(repo)
		at.Most = most
		e := deployment(t, reader(t), at)
		if diff := cmp.Diff(want, [2][]string{packagesOf(e), historyOf(e)}); diff != "" {
			t.Errorf("%d (-want +got):\n%s", most, diff)
		}
	}
}

// Records show the packages of our own resources, even without a README.md, and in a branch
// that environments share by their folders.
func TestDeploymentsOfRecords(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	at := func(path string, types ...string) func(r *record.Record) {
		return func(r *record.Record) { r.Path, r.Folders = path, recordtest.Owning(types...) }
	}
	repo.Commit(t, gittest.Revision{Branch: "dev", Message: "dev: +3 packages\n\nWritten by Terraform.\n\nKalypso-Environment: " +
		"dev\nKalypso-Run: https://ci.example/runs/7\n", Files: with(
		packageFiles("envs/eu/large/web", "shop", "eu"), packageFiles("envs/us/large/web", "shop", "us"),
		packageFiles("envs/us/canary/web", "shop", "us"), packageFiles("envs/us/foreign/web", "shop", "us"),
		map[string][]byte{
			recordtest.At(recordtest.One):          recordtest.Text(recordtest.ID("c1"), at("envs/eu", "large", "foreign")),
			recordtest.At(recordtest.Two):          recordtest.Text(recordtest.ID("c3"), at("envs/us", "large")),
			recordtest.At(strings.Repeat("3", 16)): recordtest.Text(recordtest.ID("c2"), at("./envs/us", "canary")),
		},
	)})
	for path, want := range map[string][]string{
		"envs/eu":  {"large/web=shop eu since dev: +3 packages", "c1"},
		"envs/us/": {"canary/web=shop us since dev: +3 packages", "large/web=shop us since dev: +3 packages", "c2", "c3"},
		"envs":     nil,
		"":         nil,
	} {
		place := placed(repo)
		place.Path = path
		e := deployment(t, reader(t), place)
		got := packagesOf(e)
		for _, commit := range e.Releases {
			got = append(got, commit[:2])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
		if e.History[0].Run != "https://ci.example/runs/7" {
			t.Errorf("run %q", e.History[0].Run)
		}
	}
}

// A missing branch or folder is reported, and has no packages.
func TestDeploymentsOfNothing(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	if e := deployment(t, reader(t), placed(repo)); e.Head != "" || e.Missing != inventory.NoBranch ||
		!slices.Equal(e.Unreadable, []string{repo.URL() + "#dev does not exist."}) {
		t.Errorf("got %+v", e)
	}
	fill(t, repo)
	at := placed(repo)
	at.Path = "envs/dev"
	if e := deployment(t, reader(t), at); e.Head == "" || e.Missing != inventory.NoFolder || len(e.Packages) > 0 || len(e.History) != 3 ||
		!slices.Equal(e.Unreadable, []string{"The newest commit of " + repo.URL() + `#dev has no folder "envs/dev".`}) {
		t.Errorf("got %+v", e)
	}
	at.Branch.Repo += "-gone"
	if _, err := reader(t).Deployments().Environment(t.Context(), at); err == nil || !strings.Contains(err.Error(), "-gone does not exist") {
		t.Errorf("error %v", err)
	}
}

// Strangers write what they like.
func TestDeploymentsOfStrangers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files      map[string][]byte
		packages   []string
		unreadable string
	}{
		"no YAML": {map[string][]byte{"large/web/reconciler.yaml": []byte("{{ oops"),
			"large/web/namespace.yaml": []byte("\x00\xff")}, []string{"large/web= since first"},
			"namespace.yaml: not valid YAML reconciler.yaml: not valid YAML (line 1)"},
		"too large": {map[string][]byte{"large/web/reconciler.yaml": []byte(strings.Repeat("#", 2<<20)),
			"large/web/large.bin": []byte(strings.Repeat("#", 2<<20))}, []string{"large/web= since first"}, "reconciler.yaml: larger than 1 MiB"},
		"aliases": {map[string][]byte{"large/web/reconciler.yaml": []byte("a: &a [x,x,x,x,x,x,x,x,x]\nb: " +
			"&b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\nkind: List\nitems: " +
			"[*d,*d,*d,*d,*d,*d,*d]\n")}, []string{"large/web= since first"}, ""},
		"a folder in it":  {map[string][]byte{"large/web/deep/reconciler.yaml": []byte("a: b")}, nil, ""},
		"a hidden folder": {map[string][]byte{".large/README.md": []byte(readme), ".large/web/namespace.yaml": []byte("a: b")}, nil, ""},
		"a file":          {map[string][]byte{"large/web": []byte("a: b")}, nil, ""},
		"names of anything": {map[string][]byte{"a b/README.md": []byte(readme), "a b/<script>/namespace.yaml": []byte("a: b"),
			"a b/\xff/namespace.yaml": []byte("a: b")}, []string{"a b/<script>= since first"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := gitmem.New(t)
			files := with(map[string][]byte{"large/README.md": []byte(readme)}, test.files)
			files["large/README.md"] = []byte(readme)
			repo.Commit(t, gittest.Revision{Branch: "dev", Message: "first", Files: files})
			e := deployment(t, reader(t), placed(repo))
			got := packagesOf(e)
			for i := range got {
				got[i] = strings.ReplaceAll(got[i], "  since", " since")
			}
			if diff := cmp.Diff(test.packages, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var unreadable []string
			for _, p := range e.Packages {
				unreadable = append(unreadable, p.Unreadable...)
			}
			if got := strings.Join(unreadable, " "); got != test.unreadable && test.unreadable != "" {
				t.Errorf("unreadable: %s", got)
			}
		})
	}
}

// Health comes from reports on the newest commits with the present release. A forge that refuses is reported.
func TestDeploymentsHealth(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	fill(t, repo)
	server := githubtest.Start(t, repo)
	commits := repo.Commits(t, "dev")
	slices.Reverse(commits) // c5 first
	token, login := server.AddToken("kalypso", false), server.AddToken("git", false)
	read := func(token string) inventory.Environment {
		t.Helper()
		r := reader(t, git.Credential{URLPrefix: server.Address(), Username: forge.TokenUser, Password: login})
		r.Forges = forge.NewClient(forge.Options{Forges: []forge.Config{{URLPrefix: server.Address(), Kind: forge.GitHub,
			BaseURL: server.Address(), Token: token}}})
		at := placed(repo)
		at.Branch.Repo = server.URL()
		return deployment(t, r, at)
	}
	said := func(e inventory.Environment) string {
		text := fmt.Sprintf("%s %s", e.State, e.Reason)
		for _, p := range e.Packages {
			text += fmt.Sprintf(" | %s %s", p.State, p.Reason)
		}
		return text
	}
	status := func(commit, context, state string) {
		server.AddStatuses(githubtest.Status{Commit: commit, Context: context, State: state, Description: "says " + state, Creator: "flux",
			Time: recordtest.Start})
	}
	expect := func(e inventory.Environment, want string) {
		t.Helper()
		if got := said(e); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	expect(read(token), "  |   |  ")
	status(commits[2], "kalypso/a", "failure") // of an earlier release
	expect(read(token), "  |   |  ")
	status(commits[0], "kalypso/dev/large/l1", "success")
	expect(read(token), "success  | success  |  ")
	// What names a cluster type is about its packages alone, and the silent one is asked about before.
	repo.CommitFiles(t, "dev", map[string][]byte{"docs/README.md": []byte("# More")}, "c6")
	head := repo.Head(t, "dev")
	status(head, "kalypso/dev/small/s1", "pending")
	expect(read(token), "pending kalypso/dev/small/s1: says pending | success  | pending kalypso/dev/small/s1: says pending")
	status(head, "kalypso/dev/large/l1", "failure")
	expect(read(token), "failure kalypso/dev/large/l1: says failure | failure kalypso/dev/large/l1: says failure | pending "+
		"kalypso/dev/small/s1: says pending")
	expect(read(""), "  |   |  ") // without a token nobody is asked
	server.Fail(githubtest.Fault{Request: "GET /repos/octo/gitops/commits/", Times: 100, Status: http.StatusForbidden})
	e := read(token)
	expect(e, "  |   |  ")
	if len(e.Unreadable) != 1 || !strings.HasPrefix(e.Unreadable[0], "Health: cannot read the statuses of commit "+head) {
		t.Errorf("unreadable %q", e.Unreadable)
	}
}

// Shared content of environments is fetched once.
func TestDeploymentsFetchOnce(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	fill(t, repo)
	repo.Branch(t, "stage", "dev")
	repo.Commit(t, gittest.Revision{Branch: "stage", Files: map[string][]byte{engine.PromotedCommitFile: []byte(recordtest.ID("c9"))}})
	server := gittest.ServeHTTP(t, repo)
	d := reader(t).Deployments()
	var requests []int64
	for _, name := range []string{"dev", "stage"} {
		before := server.Requests()
		e, err := d.Environment(t.Context(), deployed.Place{Name: name, Branch: git.Branch{Repo: server.URL(), Name: name}, Most: 50})
		if err != nil || len(e.Packages) != 2 {
			t.Fatalf("%+v, error %v", e, err)
		}
		requests = append(requests, server.Requests()-before)
	}
	// References, commits with trees, the folder .github/tracking and its files, README.md, packages,
	// their files; then commits, folder and files.
	if want := []int64{7, 3}; !slices.Equal(requests, want) {
		t.Errorf("%d requests, want %d", requests, want)
	}
}

// After a merge whose first parent is another line of commits, the history has the commits of both lines, and each package the commit that
// changed it. Commits of another environment do not count.
func TestDeploymentsOfMerges(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	files := func(release, value string) map[string][]byte {
		return with(packageFiles("large/web", "shop", value),
			map[string][]byte{recordtest.At(recordtest.One): recordtest.Text(recordtest.ID(release), nil)})
	}
	minute := 0
	commit := func(branch, message string, files map[string][]byte, merged ...string) string {
		minute++
		return repo.Commit(t, gittest.Revision{Branch: branch, Message: message, Files: files, Merged: merged,
			Time: recordtest.Start.Add(time.Duration(minute) * time.Minute)})
	}
	first := commit("dev", "one", files("c1", "1"))
	commit("dev", "two", files("c2", "2"))
	main := commit("dev", "three", files("c3", "3"))
	repo.Branch(t, "people", first)
	commit("people", "a note", map[string][]byte{"docs/note.md": []byte("note")})
	repo.Branch(t, "dev", commit("people", "merge dev", files("c3", "3"), main))
	stage := func(r *record.Record) { r.Environment, r.Branch = "stage", "stage" }
	other := commit("stage", "stage", with(packageFiles("large/api", "api", "1"),
		map[string][]byte{recordtest.At(recordtest.Two): recordtest.Text("", stage)}))
	commit("dev", "merge stage", packageFiles("large/api", "api", "1"), other)
	e := deployment(t, reader(t), placed(repo))
	want := [2][]string{{"large/api=api 1 since merge stage", "large/web=shop 3 since three"}, {
		"merge stage c3 +large/api ~ -", "merge dev c3 + ~ -", "a note c1 + ~ -", "three c3 + ~large/web -",
		"two c2 + ~large/web -", "one c1 +large/web ~ -"}}
	if diff := cmp.Diff(want, [2][]string{packagesOf(e), historyOf(e)}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
