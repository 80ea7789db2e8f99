// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package deployed reads what runs where: the packages that the branches of environments have now,
// what has changed them, their health, and the present state of their sources.
package deployed

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/decision"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
)

// Reader reads the branches of environments for one run. It never writes.
type Reader struct {
	record.Reader
	Forges *forge.Client
}

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
	// Expected are the contexts of the clusters that have to report.
	Expected []string
	// Reports are given reports by commit, beside those of the forge.
	Reports map[string][]decision.Report
}

// Deployments reads the branches of environments, with commits of any author. It reads content
// that several environments share only once.
type Deployments struct {
	reader Reader
	// folders are the folders of cluster types, and packages the content of their packages, by
	// id; nil for a folder that is not a package.
	folders  map[tree.ID]folder
	packages map[tree.ID]*fleet.Package
	// readmes says which README.md files mark the folder of a cluster type.
	readmes map[tree.ID]bool
}

// Deployments returns a reader of environments.
func (r Reader) Deployments() *Deployments {
	return &Deployments{reader: r, folders: map[tree.ID]folder{}, packages: map[tree.ID]*fleet.Package{},
		readmes: map[tree.ID]bool{}}
}

// Environment returns an environment's packages and history from its branch, with health if
// there are reports. A branch or a folder that does not exist is not an error: the result lists it
// as unreadable, also packages that are too many. Errors: those of reading a branch.
// Cost for parts that were not read before: one fetch each for
//   - the commits with the trees that lead to packages (two if environments share the branch),
//   - the sources of packages (as Branch.Commits),
//   - the README.md of folders that no record names,
//   - the trees of packages, and their files.
func (d *Deployments) Environment(ctx context.Context, at Deployed) (fleet.Environment, error) {
	e := fleet.Environment{Name: at.Name, Repo: at.Branch.Repo, Branch: at.Branch.Name, Path: at.Path}
	levels := len(tree.SplitPath(at.Path))
	branch, err := d.reader.Branch(ctx, at.Branch, levels+2)
	if err != nil {
		return e, err
	}
	b := branchReader{Deployments: d, log: branch.Log, at: at, depth: levels, compared: map[tree.ID]fleet.Folder{}}
	all, commits, err := b.commits(ctx, branch)
	if err != nil {
		return e, err
	}
	if len(all) == 0 {
		e.Missing, e.Unreadable = fleet.NoBranch, []string{fmt.Sprintf("%s does not exist.", at.Branch)}
		return e, nil
	}
	head := all[0]
	e.Head, e.Time, e.Releases = head.ID.String(), fleet.Stamp(head.Time), at.releases(head)
	found, err := b.states(ctx, append([]record.GitOpsCommit{head}, commits...))
	if err != nil {
		return e, err
	}
	if e.Packages, err = b.read(ctx, found[0]); err != nil {
		return e, err
	}
	e.Missing, e.Unreadable, e.LeftOut = b.missing, b.unreadable, b.leftOut
	states := make([]fleet.Snapshot, len(commits))
	for i, c := range commits {
		states[i] = fleet.Snapshot{Change: at.change(c), Folders: b.ids(found[i+1])}
	}
	changes := fleet.History(states, len(all[len(all)-1].Parents) == 0)
	e.History = changes[:min(len(changes), at.Most)]
	fleet.Date(e.Packages, e.History)
	d.reader.health(ctx, at, &e, all)
	return e, nil
}

// change describes a commit by its message and metadata.
func (at Deployed) change(c record.GitOpsCommit) fleet.Change {
	return fleet.Change{
		Commit: c.ID.String(), Author: wording.Line(c.Author.Name), Subject: wording.Line(c.Subject()), Time: fleet.Stamp(c.Time),
		Releases: at.releases(c), Run: message.RunOf(c.Message),
	}
}

// releases returns the commits of the control plane that a commit has at the path, sorted and
// without repetition.
func (at Deployed) releases(c record.GitOpsCommit) []string {
	var all []string
	for _, r := range c.Records {
		if r.Release.Commit != "" && at.isOf(r) {
			all = append(all, record.CommitID(r.Release.Commit))
		}
	}
	if c.Tracked != "" {
		all = append(all, c.Tracked)
	}
	return wording.Sorted(all)
}

// records reports whether a record of a commit names a folder at the path as the folder of a
// cluster type.
func (at Deployed) records(c record.GitOpsCommit, name string) bool {
	for _, r := range c.Records {
		if slices.Contains(r.Keys(record.Owned), name) && at.isOf(r) {
			return true
		}
	}
	return false
}

// isOf reports whether a record belongs to the path.
func (at Deployed) isOf(r record.Record) bool {
	return slices.Equal(tree.SplitPath(r.Path), tree.SplitPath(at.Path))
}

// MaxShared is how many commits are read for each commit of the result if environments share a
// branch.
const MaxShared = 8

// commits returns the newest commits of a branch, and those of the environment. If
// environments share a branch by path, own leaves out the commits of other environments, and
// commits reads more. own has the commits of the result, and one more for comparison, which
// may belong to another environment; fewer if the branch has fewer.
func (b *branchReader) commits(ctx context.Context, branch *record.BranchHistory) (all, own []record.GitOpsCommit, err error) {
	most := b.at.Most + 1
	if all, err = branch.Commits(ctx, most); err != nil || b.depth == 0 {
		return all, all, err
	}
	if own, err = b.own(ctx, all); err != nil || len(own) == most || len(all) < most {
		return all, own, err
	}
	if all, err = branch.Commits(ctx, most*MaxShared); err != nil {
		return nil, nil, err
	}
	own, err = b.own(ctx, all)
	return all, own[:min(len(own), most)], err
}

// own returns the commits that have changed the environment's path or its records. For the
// oldest commit this is known only if it is the first of the branch; otherwise it stays, for
// comparison.
func (b *branchReader) own(ctx context.Context, all []record.GitOpsCommit) ([]record.GitOpsCommit, error) {
	found, err := b.log.At(ctx, record.Plain(all), b.at.Path)
	if err != nil {
		return nil, err
	}
	var own []record.GitOpsCommit
	for i, c := range all {
		var before tree.Entry
		said := ""
		switch {
		case i+1 < len(all):
			before, said = found[i+1], b.at.said(all[i+1])
		case len(c.Parents) > 0:
			return append(own, c), nil
		}
		if before.ID != found[i].ID || said != b.at.said(c) {
			own = append(own, c)
		}
	}
	return own, nil
}

// said returns a text that identifies a commit's statements about the path: the ids of the
// records, and the tracking file.
func (at Deployed) said(c record.GitOpsCommit) string {
	said := []string{c.Tracked}
	for _, r := range c.Records {
		if at.isOf(r) {
			said = append(said, string(r.Content()))
		}
	}
	slices.Sort(said)
	return strings.Join(said, " ")
}
