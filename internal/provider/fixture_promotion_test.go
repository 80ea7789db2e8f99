// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// chain is a repository with a control plane in its branch main, and environments in
// branches of their names, on a GitHub. Times are so long ago.
type chain struct {
	t      testing.TB
	repo   gittest.Repository
	server *githubtest.Server
	// url is where the repository is read: the server's, unless a test says otherwise.
	url string
	// ids are commits of main by their names.
	ids map[string]string
}

func newChain(t testing.TB) *chain {
	t.Helper()
	repo := gitmem.New(t)
	server := githubtest.Start(t, repo)
	return &chain{t: t, repo: repo, server: server, url: server.URL(), ids: map[string]string{}}
}

// chainOf is a chain whose main has these commits, and something else.
func chainOf(t testing.TB, names []string, build func(c *chain)) *chain {
	t.Helper()
	c := newChain(t)
	c.commits(names...)
	build(c)
	return c
}

// ago is so long ago.
func ago(text string) time.Time {
	d, err := time.ParseDuration(text)
	if err != nil {
		panic(err)
	}
	return time.Now().Add(-d)
}

// commits makes commits of main that are called so.
func (c *chain) commits(names ...string) {
	c.t.Helper()
	for _, name := range names {
		c.commit(name, gittest.Revision{Files: map[string][]byte{"fleet.yaml": []byte(name)}})
	}
}

// commit makes a commit of main that is called so.
func (c *chain) commit(name string, r gittest.Revision) {
	c.t.Helper()
	r.Branch, r.Message, r.Author, r.Time = "main", "Change "+name+"\n\nbody", "Ann", ago("100h")
	c.ids[name] = c.repo.Commit(c.t, r)
}

// id returns the id of a commit of main by its name. An unknown name comes back unchanged.
func (c *chain) id(name string) string {
	if id, ok := c.ids[name]; ok {
		return id
	}
	return name
}

// deploys has an environment carry a commit, as our own resources do, and returns the GitOps commit.
func (c *chain) deploys(branch, name, when string) string {
	c.t.Helper()
	r := record.Record{Environment: branch, Branch: branch, Path: "all", Provider: "test",
		Release: record.Release{Commit: c.id(name)}, Folders: map[string]record.Line{"all": record.Owned}}
	return c.writes(branch, when, map[string][]byte{record.Path(strings.Repeat("0", 16)): r.Content()})
}

// tracks has an environment carry a commit as Kalypso does.
func (c *chain) tracks(branch, name, when string) string {
	c.t.Helper()
	return c.writes(branch, when, map[string][]byte{engine.PromotedCommitFile: []byte(c.id(name) + "\n"),
		"large/app/reconciler.yaml": []byte(name)})
}

// writes changes files of an environment.
func (c *chain) writes(branch, when string, files map[string][]byte) string {
	c.t.Helper()
	return c.repo.Commit(c.t, gittest.Revision{Branch: branch, Files: files, Message: "deploy", Time: ago(when)})
}

// reports has Flux's bot say of a commit: "success" of "kustomization/apps".
func (c *chain) reports(commit, context, state, when string) {
	c.server.AddStatuses(githubtest.Status{Commit: commit, Context: context, State: state, Description: "says " + state, Creator: "flux-bot",
		Time: ago(when)})
}

// green has all clusters of a GitOps commit succeed.
func (c *chain) green(commit, when string) { c.reports(commit, "kustomization/apps", "success", when) }

// place writes the body of a block about a branch of the chain, with more attributes, which
// semicolons part.
func (c *chain) place(branch string, more ...string) string {
	lines := append([]string{fmt.Sprintf("{; repo = %q; branch = %q", c.url, branch)}, more...)
	return strings.ReplaceAll(strings.Join(lines, "; ")+"; }", "; ", "\n    ")
}

// after writes an environment of the chain where a commit must have worked before.
func (c *chain) after(name string, more ...string) string {
	return "  after " + c.place(name, append([]string{fmt.Sprintf("environment = %q", name)}, more...)...) + "\n"
}

// fluxCheck is the check that the chain's environments have.
const fluxCheck = `check { context = "kustomization/*" }`

// source is the chain's control plane.
func (c *chain) source() string { return "source " + c.place("main") }

// to is a promotion to an environment: from main, or after others.
func (c *chain) to(target string, after ...string) string {
	if len(after) == 0 {
		return c.from(target, "  "+c.source()+"\n")
	}
	var blocks strings.Builder
	for _, name := range after {
		blocks.WriteString(c.after(name, fluxCheck))
	}
	return c.from(target, blocks.String())
}

// from is a promotion to an environment from a block source, or from blocks after.
func (c *chain) from(target, blocks string) string {
	return fmt.Sprintf("environment = %q\n  target %s\n%s", target, c.place(target), blocks)
}

// provider is the provider block that reaches the chain.
func (c *chain) provider() string {
	return fmt.Sprintf("provider \"kalypso\" {\nforge {\n  url_prefix = %q\n  type = \"github\"\n  base_url = %[1]q\n  token = %q\n}\n}\n",
		c.server.Address(), c.server.AddToken("kalypso", false))
}

// promotionHCL returns a data source. Semicolons separate its attributes.
func promotionHCL(name, attributes string) string {
	return fmt.Sprintf("data \"kalypso_promotion\" %q {\n  %s\n}\n", name, strings.ReplaceAll(attributes, "; ", "\n  "))
}

// promoting is the result of a promotion of a chain: "promote c2: c3 failed, c2 verified", or without the
// candidates "promote c2". It uses the names of commits. reason has words of the promotion's reason.
type promoting struct{ attributes, want, reason string }

// expectPromotions reads many promotions at the same time.
func (c *chain) expectPromotions(t *testing.T, all map[string]promoting) {
	t.Helper()
	config := c.provider()
	var checks []statecheck.StateCheck
	for i, name := range slices.Sorted(maps.Keys(all)) {
		label := fmt.Sprint("p", i)
		t.Logf("%s is %s", label, name)
		config += promotionHCL(label, all[name].attributes)
		checks = append(checks, c.promotionOf(label, all[name].want, all[name].reason)...)
	}
	expectDirectly(t, config, checks...)
}

// promotionOf checks the result of a promotion.
func (c *chain) promotionOf(name, want, reason string) []statecheck.StateCheck {
	at := func(value knownvalue.Check, path tfjsonpath.Path) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.kalypso_promotion."+name, path, value)
	}
	result, candidates, _ := strings.Cut(want, ": ")
	decision, commit, _ := strings.Cut(result, " ")
	carried := knownvalue.Check(knownvalue.StringExact(c.id(commit)))
	if commit == "-" {
		carried = knownvalue.Null()
	}
	all := []statecheck.StateCheck{
		at(knownvalue.StringExact(decision), tfjsonpath.New("decision")), at(carried, tfjsonpath.New("release").AtMapKey("commit")),
		at(knownvalue.StringRegexp(regexp.MustCompile(regexp.QuoteMeta(reason))), tfjsonpath.New("reason")),
	}
	for i, candidate := range strings.Split(candidates, ", ") {
		if commit, state, found := strings.Cut(candidate, " "); found {
			path := tfjsonpath.New("candidates").AtSliceIndex(i)
			all = append(all, at(knownvalue.StringExact(state), path.AtMapKey("state")),
				at(knownvalue.StringExact(c.id(commit)), path.AtMapKey("release").AtMapKey("commit")))
		}
	}
	return all
}
