// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

func isKnown(at git.Location) bool { return at.Repo != "" && at.Branch != "" && at.Path != "" }

// locate finds the place. It refuses a repository of this machine that only a GitOpsRepo names.
func (p *Publisher) locate(ctx context.Context, job Job, result *engine.Result) (at git.Location, m message.Messages) {
	at, m.Errors = job.locate(result.Fleet)
	if m.Failed() {
		found, err := result.Findings(ctx, nil)
		_, empty := refuseEmpty(job, found) // a misspelled environment has no GitOpsRepo either
		m.Errors = slices.Concat(m.Errors, empty, message.Problems(err))
		return at, m
	}
	if !job.Repo.Given && p.Git != nil {
		if err := p.Git.CheckRepo(ctx, at.Repo); remote.Is(err, remote.KindBarred) {
			named := result.Fleet.GitOpsRepo()
			m.Errors = append(m.Errors, message.Message{Setting: "repo", Summary: "A GitOpsRepo names a local repository",
				Detail: fmt.Sprintf("%s (%s): %s", named.ID(), named.Source, problem.Sentence(err))})
		}
	}
	m.Add(checkPart(job, clusterTypesOf(result)))
	return at, m
}

// checkPart reports mistakes in cluster_types. A name that the resource had before may have left
// the fleet; its folder is then removed. A new name that the fleet does not have is misspelled.
func checkPart(job Job, known []string) (m message.Messages) {
	if !job.Fleet.IsPart() {
		return m
	}
	var gone []string
	for _, name := range wording.Sorted(job.Fleet.ClusterTypes) {
		if slices.Contains(known, name) {
			continue
		}
		if job.Was != nil && slices.Contains(job.Was.Fleet.ClusterTypes, name) {
			gone = append(gone, name)
			continue
		}
		m.Errors = append(m.Errors, message.Message{Setting: "cluster_types", Summary: "Unknown cluster type", Detail: strings.TrimSpace(
			fmt.Sprintf("cluster_types names %q, and the fleet has no such cluster type. %s", name, wording.DidYouMean(name, known)))})
	}
	if len(gone) > 0 {
		m.Warn("Cluster types have left the fleet", fmt.Sprintf("cluster_types has names that are not in the fleet any more: %s. Remove them "+
			"from the list after this apply.", message.List("cluster type", gone)))
	}
	return m
}

// locate returns the location that the settings want for the fleet. Unknown parts are empty.
// Errors name the attribute to set.
func (s *Settings) locate(f *fleet.Fleet) (git.Location, []message.Message) {
	loc := git.Location{Repo: s.Repo.Value, Branch: s.Branch.Value, Path: s.Path.Value}
	var wrong []message.Message
	switch repo := f.GitOpsRepo(); {
	case repo == nil && (!s.Repo.Given || !s.Branch.Given):
		return loc, []message.Message{{Summary: "No repository to write", Detail: noGitOpsRepo(f)}}
	case repo != nil:
		if !s.Repo.Given {
			loc.Repo = repo.Repo
		}
		if !s.Branch.Given {
			loc.Branch = repo.Branch
		}
	}
	if !s.Path.Given && loc.Repo != "" && loc.Branch != "" {
		wrong = append(wrong, undecided(gitOpsRepoAt(f, loc))...)
	}
	if loc.Path == "" && !s.Path.Unknown {
		loc.Path = "."
	}
	if !s.Repo.Unknown {
		if err := remote.Check(loc.Repo); err != nil {
			wrong = append(wrong, message.Message{Summary: "Invalid repository URL", Detail: problem.Sentence(err)})
		}
	}
	if err := tree.CheckPath(loc.Path); err != nil && !s.Path.Unknown {
		wrong = append(wrong, message.Message{Summary: "Invalid path", Detail: problem.Sentence(err) + " Set path."})
	}
	if reserved := reservedAt(record.PlainPath(loc.Path)); reserved != "" {
		wrong = append(wrong, message.Message{Setting: "path", Summary: "Invalid path", Detail: fmt.Sprintf("path is %s, and the "+
			"provider writes the folder %s itself. Choose another path.", loc.Path, reserved)})
	}
	if !s.Branch.Unknown {
		if err := git.CheckBranch(loc.Branch); err != nil {
			wrong = append(wrong, message.Message{Summary: "Invalid branch", Detail: problem.Sentence(err) +
				" Set branch, or spec.branch of the GitOpsRepo."})
		}
	}
	return loc, wrong
}

// givenPlace returns a place with the parts that the configuration sets and knows.
func (s *Settings) givenPlace(at git.Location) git.Location {
	for _, part := range []struct {
		text Text
		to   *string
	}{{s.Repo, &at.Repo}, {s.Branch, &at.Branch}, {s.Path, &at.Path}} {
		if part.text.Given && !part.text.Unknown {
			*part.to = part.text.Value
		}
	}
	return at
}

// gitOpsRepoAt returns the GitOpsRepo of the fleet that names the repository and the branch.
// It prefers the environment's GitOpsRepo. It returns nil if no GitOpsRepo names them.
func gitOpsRepoAt(f *fleet.Fleet, loc git.Location) *manifest.GitOpsRepo {
	for _, repo := range append([]*manifest.GitOpsRepo{f.GitOpsRepo()}, f.GitOpsRepos...) {
		if repo != nil && remote.Key(repo.Repo) == remote.Key(loc.Repo) && repo.Branch == loc.Branch {
			return repo
		}
	}
	return nil
}

// undecided refuses a GitOpsRepo with another path than the root, because Kalypso ignores this
// path.
func undecided(repo *manifest.GitOpsRepo) []message.Message {
	if repo == nil || len(tree.SplitPath(repo.Path)) == 0 {
		return nil
	}
	choices := "path = \".\" writes at the root, as Kalypso does"
	if tree.CheckPath(repo.Path) == nil {
		choices += fmt.Sprintf(", and path = %q writes below that folder", repo.Path)
	}
	return []message.Message{{Setting: "path", Summary: "The path is not decided", Detail: fmt.Sprintf(
		"%s (%s) names the path %q. Kalypso ignores this path and writes at the root of the repository. Set path to the path that you want: %s.",
		repo.ID(), repo.Source, repo.Path, choices)}}
}

// noGitOpsRepo explains why the fleet has no GitOpsRepo for its environment.
func noGitOpsRepo(f *fleet.Fleet) string {
	var names []string
	for _, repo := range f.GitOpsRepos {
		names = append(names, repo.Name)
	}
	switch len(names) {
	case 0:
		return "Set repo and branch, or add a GitOpsRepo object to the manifests: the repository to write is not known."
	case 1:
		return fmt.Sprintf("The manifests have one GitOpsRepo object, and its name is another environment, %q, so this object is not used for "+
			"environment %q. Pass the GitOpsRepo of this environment, or set repo and branch.",
			names[0], f.Environment)
	}
	return fmt.Sprintf("The manifests have several GitOpsRepo objects (%s), and none of them has the name of environment %q. Set repo and "+
		"branch, or pass only the GitOpsRepo of this environment.",
		strings.Join(names, ", "), f.Environment)
}
