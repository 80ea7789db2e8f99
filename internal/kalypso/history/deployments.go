// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package history

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// DefaultDeployments is the default number of commits in a history.
const DefaultDeployments = 50

// Deployed is the place of an environment.
type Deployed struct {
	// Name is the name of the environment.
	Name   string
	Branch git.Branch
	// Path is the folder with the cluster types' folders; empty for the root.
	Path string
	// Most is how many commits the history has.
	Most int
}

// Deployments reads the branches of environments, with commits of any author. It reads content
// that several environments share only once.
type Deployments struct {
	reader Reader
	// folders are the folders of cluster types, and packages the content of their packages, by
	// id; nil for a folder that is not a package.
	folders  map[tree.ID]folder
	packages map[tree.ID]*deployments.Package
	// readmes says which README.md files mark the folder of a cluster type.
	readmes map[tree.ID]bool
}

// Deployments returns a reader of environments.
func (r Reader) Deployments() *Deployments {
	return &Deployments{reader: r, folders: map[tree.ID]folder{}, packages: map[tree.ID]*deployments.Package{},
		readmes: map[tree.ID]bool{}}
}

// Environment returns an environment's packages and history from its branch, with health if
// the repository's forge is known. A branch or a folder that does not exist is not an error:
// the result lists it as unreadable. Errors: those of reading a branch, and too many packages.
// Cost for parts that were not read before: one fetch each for
//   - the commits with the trees that lead to packages (two if environments share the branch),
//   - the sources of packages (as Branch.Commits),
//   - the README.md of folders that no record names,
//   - the trees of packages, and their files.
func (d *Deployments) Environment(ctx context.Context, at Deployed) (deployments.Environment, error) {
	e := deployments.Environment{Name: at.Name, Repo: at.Branch.Repo, Branch: at.Branch.Name, Path: at.Path}
	levels := len(tree.SplitPath(at.Path))
	branch, err := d.reader.branch(ctx, at.Branch, levels+2)
	if err != nil {
		return e, err
	}
	b := branchReader{Deployments: d, log: branch.log, at: at, depth: levels, compared: map[tree.ID]deployments.Folder{}}
	all, commits, err := b.commits(ctx, branch)
	if err != nil {
		return e, err
	}
	if len(all) == 0 {
		e.Missing, e.Unreadable = deployments.NoBranch, []string{fmt.Sprintf("%s does not exist.", at.Branch)}
		return e, nil
	}
	head := all[0]
	e.Head, e.Time, e.Releases = head.ID.String(), deployments.Stamp(head.Time), at.releases(head)
	found, err := b.states(ctx, append([]GitOpsCommit{head}, commits...))
	if err != nil {
		return e, err
	}
	if e.Packages, err = b.read(ctx, found[0]); err != nil {
		return e, err
	}
	e.Missing, e.Unreadable = b.missing, b.unreadable
	states := make([]deployments.Snapshot, len(commits))
	for i, c := range commits {
		states[i] = deployments.Snapshot{Change: at.change(c), Folders: b.ids(found[i+1])}
	}
	changes, cut := deployments.History(states, len(all[len(all)-1].Parents) == 0)
	e.History = changes[:min(len(changes), at.Most)]
	if cut && len(changes) < at.Most {
		e.Unreadable = append(e.Unreadable, fmt.Sprintf("The history ends after %d of %d commits, because earlier commits have too many "+
			"packages. Set a smaller history.", len(e.History), min(len(commits), at.Most)))
	}
	deployments.Date(e.Packages, e.History)
	d.reader.health(ctx, at.Branch.Repo, &e, slices.Sorted(maps.Keys(found[0])))
	return e, nil
}

// change describes a commit by its message and metadata.
func (at Deployed) change(c GitOpsCommit) deployments.Change {
	return deployments.Change{
		Commit: c.ID.String(), Author: wording.Line(c.Author.Name), Subject: wording.Line(c.Subject()), Time: deployments.Stamp(c.Time),
		Releases: at.releases(c), Run: message.RunOf(c.Message),
	}
}

// releases returns the commits of the control plane that a commit has at the path, sorted and
// without repetition.
func (at Deployed) releases(c GitOpsCommit) []string {
	var all []string
	for _, r := range c.Records {
		if r.Release.Commit != "" && at.isOf(r) {
			all = append(all, CommitID(r.Release.Commit))
		}
	}
	if c.Tracked != "" {
		all = append(all, c.Tracked)
	}
	return wording.Sorted(all)
}

// records reports whether a record of a commit names a folder at the path as the folder of a
// cluster type.
func (at Deployed) records(c GitOpsCommit, name string) bool {
	for _, r := range c.Records {
		if slices.Contains(r.Keys(ownership.Owned), name) && at.isOf(r) {
			return true
		}
	}
	return false
}

// isOf reports whether a record belongs to the path.
func (at Deployed) isOf(r ownership.Record) bool {
	return slices.Equal(tree.SplitPath(r.Path), tree.SplitPath(at.Path))
}
