// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/promotion"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
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

// deploys has an environment carry commits, as our own resources do: "c1", or
// "a=c1 b=c2" for several, which have paths and cluster types of these names. Then it
// returns the GitOps commit.
func (c *chain) deploys(branch, carried, when string) string {
	c.t.Helper()
	files := map[string][]byte{}
	for i, word := range strings.Fields(carried) {
		instance, name, several := strings.Cut(word, "=")
		if !several {
			instance, name = "all", word
		}
		record := ownership.Record{Environment: branch, Branch: branch, Path: instance, Provider: "test",
			Release: promotion.Release{Commit: c.id(name)}, Folders: map[string]ownership.Line{instance: ownership.Owned}}
		files[fmt.Sprintf("%s/%016x", ownership.RecordsFolder, i)] = record.Content()
	}
	return c.writes(branch, when, files)
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

// red has a cluster of a GitOps commit fail.
func (c *chain) red(commit, when string) { c.reports(commit, "kustomization/apps", "failure", when) }

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

// authenticated is a block forge of the provider.
func (c *chain) authenticated() string {
	return fmt.Sprintf("forge {\n  url_prefix = %q\n  type = \"github\"\n  base_url = %[1]q\n  token = %q\n}\n", c.server.Address(),
		c.server.AddToken("kalypso", false))
}

// provider is the provider block that reaches the chain.
func (c *chain) provider() string {
	return fmt.Sprintf("provider \"kalypso\" {\n%s}\n", c.authenticated())
}

// promotionHCL returns a data source. Semicolons separate its attributes.
func promotionHCL(name, attributes string) string {
	return fmt.Sprintf("data \"kalypso_promotion\" %q {\n  %s\n}\n", name, strings.ReplaceAll(attributes, "; ", "\n  "))
}

// promoting is the result of a promotion: "promote c2: c3 failed, c2 verified", or without
// the candidates "promote c2". It uses the names of commits.
type promoting struct {
	*chain
	attributes, want string
	// reason has words of the promotion's reason.
	reason string
}

// expectPromotions reads many promotions at the same time.
func expectPromotions(t *testing.T, all map[string]promoting) {
	t.Helper()
	var config strings.Builder
	var forges strings.Builder
	var checks []statecheck.StateCheck
	seen := map[*chain]bool{}
	for i, name := range slices.Sorted(maps.Keys(all)) {
		p := all[name]
		if !seen[p.chain] {
			seen[p.chain] = true
			forges.WriteString(p.authenticated())
		}
		label := fmt.Sprint("p", i)
		config.WriteString(promotionHCL(label, p.attributes))
		checks = append(checks, expectPromoted{p, name, "data.kalypso_promotion." + label})
	}
	expectDirectly(t, fmt.Sprintf("provider \"kalypso\" {\n%s}\n", forges.String())+config.String(), checks...)
}

// expectPromoted checks the result of one promotion.
type expectPromoted struct {
	promoting
	name, address string
}

// CheckState is as of statecheck.StateCheck.
func (e expectPromoted) CheckState(_ context.Context, req statecheck.CheckStateRequest, resp *statecheck.CheckStateResponse) {
	for _, r := range req.State.Values.RootModule.Resources {
		if r.Address != e.address {
			continue
		}
		reason, _ := r.AttributeValues["reason"].(string)
		if got := e.told(r.AttributeValues); got != e.want && !strings.HasPrefix(got, e.want+":") || !strings.Contains(reason, e.reason) {
			resp.Error = fmt.Errorf("%s:\n got %s\nwant %s\nreason: %s\nwhich has to say: %s", e.name, got, e.want, reason, e.reason)
		}
		return
	}
	resp.Error = fmt.Errorf("%s is not in the state", e.address)
}

// told is a short form of a promotion.
func (c *chain) told(values map[string]any) string {
	name := func(id any) string {
		for name, known := range c.ids {
			if known == id {
				return name
			}
		}
		if id == nil {
			return "-"
		}
		return fmt.Sprint(id)
	}
	commit := func(release any) any {
		parts, _ := release.(map[string]any)
		return parts["commit"]
	}
	text := fmt.Sprintf("%s %s", values["decision"], name(commit(values["release"])))
	var states []string
	candidates, _ := values["candidates"].([]any)
	for _, each := range candidates {
		candidate, _ := each.(map[string]any)
		states = append(states, fmt.Sprintf("%s %s", name(commit(candidate["release"])), candidate["state"]))
	}
	if len(states) > 0 {
		text += ": " + strings.Join(states, ", ")
	}
	return text
}
