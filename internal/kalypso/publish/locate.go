// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// given names the parts of the location that are set; the others come from the fleet.
func (s *Settings) given() string {
	var parts []string
	for _, part := range []struct {
		name string
		text Text
	}{{givenRepo, s.Repo}, {"branch", s.Branch}, {"path", s.Path}} {
		if part.text.Given {
			parts = append(parts, part.name)
		}
	}
	return strings.Join(parts, ",")
}

// locationKnown reports whether no part of the location is known only later.
func (s *Settings) locationKnown() bool {
	return !s.Repo.Unknown && !s.Branch.Unknown && !s.Path.Unknown
}

// locate is that of the settings, and refuses a repository of this machine that a
// GitOpsRepo alone names.
func (p *Publisher) locate(ctx context.Context, job Job, f *fleet.Fleet) (git.Location, []Message) {
	loc, wrong := job.locate(f)
	if len(wrong) > 0 || job.Repo.Given || p.git == nil {
		return loc, wrong
	}
	if err := p.git.CheckRepo(ctx, loc.Repo); remote.Is(err, remote.KindBarred) {
		named, _ := gitOpsRepo(f)
		wrong = append(wrong, Message{Setting: "repo", Summary: localRepo.Title, Detail: fmt.Sprintf("%s (%s): %s", named.ID(), named.Source, problem.Sentence(err))})
	}
	return loc, wrong
}

// locate returns where the settings want the fleet. Parts that are not known yet
// are empty. Errors say what to set.
func (s *Settings) locate(f *fleet.Fleet) (git.Location, []Message) {
	loc := git.Location{Repo: s.Repo.Value, Branch: s.Branch.Value, Path: s.Path.Value}
	if !s.Repo.Given || !s.Branch.Given || !s.Path.Given {
		repo, problem := gitOpsRepo(f)
		if repo == nil && (!s.Repo.Given || !s.Branch.Given) {
			return loc, []Message{{Summary: noRepository.Title, Detail: problem}}
		}
		if repo != nil {
			for _, part := range []struct {
				setting Text
				value   string
				to      *string
			}{{s.Repo, repo.Repo, &loc.Repo}, {s.Branch, repo.Branch, &loc.Branch}, {s.Path, repo.Path, &loc.Path}} {
				if !part.setting.Given {
					*part.to = part.value
				}
			}
		}
	}
	if loc.Path == "" && !s.Path.Unknown {
		loc.Path = "."
	}
	var wrong []Message
	if !s.Repo.Unknown {
		if err := remote.Check(loc.Repo); err != nil {
			wrong = append(wrong, Message{Summary: invalidURL.Title, Detail: problem.Sentence(err)})
		}
	}
	if err := tree.CheckPath(loc.Path); err != nil && !s.Path.Unknown {
		wrong = append(wrong, Message{Summary: invalidPath.Title, Detail: problem.Sentence(err) + " Set path, or spec.path of the GitOpsRepo."})
	}
	if !s.Branch.Unknown {
		if err := git.CheckBranch(loc.Branch); err != nil {
			wrong = append(wrong, Message{Summary: invalidBranch.Title, Detail: problem.Sentence(err) + " Set branch, or spec.branch of the GitOpsRepo."})
		}
	}
	return loc, wrong
}

// gitOpsRepo returns the GitOpsRepo of the fleet's environment: the one that has
// the environment's name, else the only one, unless it has the name of another
// environment; else it says why there is none.
func gitOpsRepo(f *fleet.Fleet) (*manifest.GitOpsRepo, string) {
	var names []string
	for _, repo := range f.GitOpsRepos {
		if repo.Name == f.Environment {
			return repo, ""
		}
		names = append(names, repo.Name)
	}
	switch {
	case len(names) == 0:
		return nil, "Set repo and branch, or add a GitOpsRepo object to the manifests: without them nothing says where to write."
	case len(names) > 1:
		return nil, fmt.Sprintf("The manifests hold several GitOpsRepo objects (%s) and none of them has the name of environment %q. Set repo, branch and path, or pass only the GitOpsRepo of this environment.",
			strings.Join(names, ", "), f.Environment)
	case slices.Contains(f.Environments, names[0]):
		return nil, fmt.Sprintf("The manifests hold one GitOpsRepo object, and its name is that of another environment, %q, so it is not used for environment %q. Pass the GitOpsRepo of this environment, or set repo, branch and path.",
			names[0], f.Environment)
	}
	return f.GitOpsRepos[0], ""
}
