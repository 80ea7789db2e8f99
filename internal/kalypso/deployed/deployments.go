// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package deployed reads what runs where: the packages that the branches of environments have now,
// what has changed them, their health, and the present state of their sources.
package deployed

import (
	"context"
	"fmt"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/inventory"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/decision"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Reader reads the branches of environments for one run. It never writes.
type Reader struct {
	record.Reader
	Forges *forge.Client
}

// DefaultDeployments is the default number of commits in a history.
const DefaultDeployments = 50

// Place is where an environment is, and what to read of it.
type Place struct {
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
	packages map[tree.ID]*inventory.Package
	// readmes says which README.md files mark the folder of a cluster type.
	readmes map[tree.ID]bool
}

// Deployments returns a reader of environments.
func (r Reader) Deployments() *Deployments {
	return &Deployments{reader: r, folders: map[tree.ID]folder{}, packages: map[tree.ID]*inventory.Package{},
		readmes: map[tree.ID]bool{}}
}

// Fleet reads environments, one after another, and compares them. It returns the errors by the names of environments, which the fleet then
// does not have.
func (r Reader) Fleet(ctx context.Context, places []Place, rules inventory.Rules) (inventory.Fleet, map[string]error) {
	urls := make([]string, len(places))
	for i, at := range places {
		urls[i] = at.Branch.Repo
	}
	ctx = remote.Trusting(ctx, urls...)
	reader, errs := r.Deployments(), map[string]error{}
	var environments []inventory.Environment
	for _, at := range places {
		e, err := reader.Environment(ctx, at)
		if err != nil {
			errs[at.Name] = err
			continue
		}
		environments = append(environments, e)
	}
	return inventory.NewFleet(environments, rules), errs
}

// Environment returns an environment's packages and history from its branch, with health if
// there are reports. A branch or a folder that does not exist is not an error: the result lists it
// as unreadable. Errors: those of record.BranchHistory.Commits.
// Cost for parts that were not read before: one fetch each for
//   - the commits with the trees that lead to packages (two if environments share the branch),
//   - the records,
//   - the README.md of folders that no record names,
//   - the trees of packages, and their files.
func (d *Deployments) Environment(ctx context.Context, at Place) (inventory.Environment, error) {
	e := inventory.Environment{Name: at.Name, Repo: at.Branch.Repo, Branch: at.Branch.Name, Path: at.Path}
	levels := len(tree.SplitPath(at.Path))
	branch, err := d.reader.Branch(ctx, at.Branch, levels+2)
	if err != nil {
		return e, err
	}
	b := branchReader{Deployments: d, log: branch.Log, at: at, depth: levels, compared: map[tree.ID]inventory.Folder{}}
	commits, err := b.commits(ctx, branch)
	if err != nil {
		return e, err
	}
	if len(commits) == 0 {
		e.Missing, e.Unreadable = inventory.NoBranch, []string{fmt.Sprintf("%s does not exist.", at.Branch)}
		return e, nil
	}
	head := commits[len(commits)-1]
	e.Head, e.Time, e.Releases = head.ID.String(), inventory.Stamp(head.Time), head.releases()
	found, err := b.states(ctx, commits)
	if err != nil {
		return e, err
	}
	if e.Packages, err = b.read(ctx, found[len(found)-1]); err != nil {
		return e, err
	}
	e.Missing, e.Unreadable = b.missing, b.unreadable
	for i, c := range slices.Backward(commits) {
		if c.counts && len(e.History) < at.Most {
			change := c.change()
			var before []inventory.Folders
			for _, q := range c.ParentsAt {
				before = append(before, b.ids(found[q]))
			}
			change.Added, change.Changed, change.Removed = inventory.Changed(b.ids(found[i]), before...)
			e.History = append(e.History, change)
		}
	}
	inventory.Date(e.Packages, e.History)
	d.reader.health(ctx, at, &e, commits)
	return e, nil
}

type commit struct {
	record.GitOpsCommit
	// records are those of the environment.
	records []record.Record
	// counts says that the history has the commit.
	counts bool
}

// change describes a commit by its message and metadata.
func (c commit) change() inventory.Change {
	return inventory.Change{
		Commit: c.ID.String(), Author: wording.Line(c.Author.Name), Subject: wording.Line(c.Subject()), Time: inventory.Stamp(c.Time),
		Releases: c.releases(), Run: record.RunOf(c.Message),
	}
}

// releases returns the commits of the control plane that the environment is at, sorted and
// without repetition.
func (c commit) releases() []string {
	var all []string
	for _, r := range c.records {
		if r.Release.Commit != "" {
			all = append(all, r.Release.Commit)
		}
	}
	if c.Tracked != "" {
		all = append(all, c.Tracked)
	}
	return wording.Sorted(all)
}

// lists reports whether a record names a folder at the path as the folder of a cluster type.
func (c commit) lists(name string, at Place) bool {
	return slices.ContainsFunc(c.records, func(r record.Record) bool {
		return r.Folders[name] == record.Owned && slices.Equal(tree.SplitPath(r.Path), tree.SplitPath(at.Path))
	})
}

// MaxShared is how many commits are read for each commit of the result if environments share a
// branch.
const MaxShared = 8

// commits returns the newest commits of a branch, parents first. If environments share the branch by
// path and the history has fewer commits than wanted, it reads more.
func (b *branchReader) commits(ctx context.Context, branch *record.BranchHistory) (all []commit, err error) {
	for _, depth := range []int{b.at.Most + 1, (b.at.Most + 1) * MaxShared} {
		history, err := branch.Commits(ctx, depth)
		if err != nil || len(history) == 0 {
			return nil, err
		}
		if all, err = b.own(ctx, history); err != nil {
			return nil, err
		}
		counted, isWhole := 0, true
		for _, c := range all {
			if isWhole = isWhole && c.IsWhole(); c.counts {
				counted++
			}
		}
		if b.depth == 0 || counted >= b.at.Most || isWhole {
			break
		}
	}
	return all, nil
}

// own finds the environment's records, and the commits of its history: those whose parents were read, except those of other
// environments. If environments share the branch by path, a commit counts that differs from its first parent in the path or in the
// records.
func (b *branchReader) own(ctx context.Context, history []record.GitOpsCommit) ([]commit, error) {
	found, err := b.log.At(ctx, record.Plain(history), b.at.Path)
	if err != nil {
		return nil, err
	}
	past := record.Place{Branch: b.at.Branch, Path: &b.at.Path}.Follow(history)
	all, said := make([]commit, len(history)), make([]string, len(history))
	for i, c := range history {
		all[i] = commit{GitOpsCommit: c, records: c.Live(past[i])}
		said[i] = found[b.at.Path][i].ID.String() + c.Tracked
		for _, r := range all[i].records {
			said[i] += string(r.Content())
		}
	}
	isOwned := len(all[len(all)-1].records) > 0
	for i, c := range all {
		isThere, before := len(c.records) > 0, ""
		for _, q := range slices.Backward(c.ParentsAt) {
			isThere, before = isThere || len(all[q].records) > 0, said[q]
		}
		isOther := isOwned && !isThere && len(c.Records) > 0
		all[i].counts = c.IsWhole() && !isOther && (b.depth == 0 || said[i] != before)
	}
	return all, nil
}
