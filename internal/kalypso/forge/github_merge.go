// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/go-github/v88/github"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// mutate runs an operation that only GitHub's GraphQL interface has.
func (g *gitHub) mutate(ctx context.Context, name string, input map[string]any) error {
	kind := strings.ToUpper(name[:1]) + name[1:] + "Input"
	text := fmt.Sprintf("mutation($input: %s!) { %s(input: $input) { clientMutationId } }", kind, name)
	return g.query(ctx, text, map[string]any{"input": input}, nil)
}

// viewer uses GraphQL, because REST does not return the user name of an App for its token.
func (g *gitHub) viewer(ctx context.Context) (string, error) {
	var me struct{ Viewer struct{ Login string } }
	err := g.query(ctx, "query { viewer { login } }", nil, &me)
	return me.Viewer.Login, err
}

func (g *gitHub) autoMerge(ctx context.Context, q Request, method Method, body string) error {
	input := map[string]any{"pullRequestId": q.id, "mergeMethod": strings.ToUpper(string(method)), "expectedHeadOid": q.HeadCommit}
	if body != "" {
		input["commitBody"] = body
	}
	err := g.mutate(ctx, "enablePullRequestAutoMerge", input)
	var said *answer
	if errors.As(err, &said) && said.says("clean status", "protected branch rules not configured") { // no rule is open, or no rule exists
		return g.merge(ctx, q, method, body)
	}
	return err
}

func (g *gitHub) keepOpen(ctx context.Context, q Request) error {
	if q.AutoMerge == "" {
		return nil
	}
	return g.mutate(ctx, "disablePullRequestAutoMerge", map[string]any{"pullRequestId": q.id})
}

func (g *gitHub) merge(ctx context.Context, q Request, method Method, body string) error {
	_, _, err := g.client.PullRequests.Merge(ctx, g.owner, g.name, q.Number, body, &github.PullRequestOptions{
		SHA: q.HeadCommit, MergeMethod: string(method),
	})
	return err
}

// query sends a GraphQL query, and decodes the answer into data, if data is not nil.
func (g *gitHub) query(ctx context.Context, text string, variables map[string]any, data any) error {
	request, err := g.client.NewRequest(ctx, http.MethodPost, g.graphql, map[string]any{"query": text, "variables": variables})
	if err != nil {
		return err
	}
	var result struct {
		Data   any
		Errors []struct{ Type, Message string }
	}
	result.Data = data
	response, err := g.client.Do(request, &result)
	if err != nil || len(result.Errors) == 0 {
		return err
	}
	said := &answer{request: "GraphQL", status: response.StatusCode, header: response.Header, kind: result.Errors[0].Type}
	for _, e := range result.Errors {
		said.message = remote.Words(said.message + "\n" + e.Message)
	}
	return said
}

// explain reads GitHub's message if the status does not show what to do.
func (g *gitHub) explain(a *answer) *remote.Error {
	switch {
	case a.says("auto merge is not allowed", "auto-merge is not allowed"):
		return remote.Errorf(remote.KindNoAutoMerge,
			`the repository does not allow automatic merging. Turn on "Allow auto-merge" in its settings`)
	case a.says("unstable status"):
		return remote.Errorf(remote.KindNoAutoMerge, "GitHub merges automatically only if a rule of the base branch requires "+
			"something, and the failed or pending checks are not required. Require these checks in the branch's protection")
	case a.says("merge commits are not allowed", "squash merges are not allowed", "rebase merges are not allowed", "merge method"):
		return methodRefused(a.message)
	case a.says("only be requested from collaborators", "could not resolve to a node", "could not resolve to a user",
		"could not resolve to a team"):
		return refused("a reviewer is unknown, or may not read the repository: %s. Correct the reviewers (a team by its slug, "+
			"without the organization), or give them access", a.message)
	case a.says("review cannot be requested from pull request author"):
		return refused("the owner of the token opened the request, and cannot review it. Remove that user from the reviewers, " +
			"or let a GitHub App open the requests")
	case a.says("draft pull requests are not supported"):
		return remote.Errorf(remote.KindNoDraft, "drafts are not available in this repository (its GitHub plan lacks drafts)")
	case a.says("no commits between"):
		return refused("the base branch already has all commits of the branch, so there is nothing to propose: %s", a.message)
	case a.says("accessible to the parent installation"):
		return refused("the installation of the GitHub App does not have a repository %s. If the repository has a new name, write its new "+
			"URL. Otherwise give the App access to the repository", g.name)
	case a.says("was archived", "is archived"):
		return archived()
	case a.status == http.StatusUnprocessableEntity && a.says("base invalid"):
		return noBase()
	case a.status == http.StatusUnprocessableEntity && a.says("head invalid"):
		return &remote.Error{Kind: remote.KindRefused, Passing: true, Message: "GitHub does not see the pushed branch, " +
			"or does not see it yet. Apply again"}
	}
	return cmp.Or(g.explainMerge(a), g.explainRights(a))
}

func (g *gitHub) explainMerge(a *answer) *remote.Error {
	switch {
	case a.says("base branch was modified"), a.says("unknown status", "head sha", "head branch was modified"):
		return &remote.Error{Kind: remote.KindRefused, Passing: true, Message: "a branch moved in the meantime: " + a.message}
	case a.status == http.StatusMethodNotAllowed:
		return refused("GitHub refuses the merge: %s. Look at the request for conflicts and for rules that are not met", a.message)
	case a.says("protected branch", "repository rule violations"):
		return refused("a rule of the base branch blocks the merge: %s. Meet the rule, or change the branch's protection", a.message)
	}
	return nil
}
