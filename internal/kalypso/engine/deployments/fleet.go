// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package deployments reports what runs where. It reads the content of GitOps branches,
// whichever tool wrote it: what a package is, how environments differ, what a commit has
// changed, and what was reported. It is pure: files and reports in, a Fleet out. A fact
// that it cannot know is empty, and never guessed.
package deployments

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Fleet is the content of the branches of some environments.
type Fleet struct {
	// Time is the time of reading; the zero time if it is unknown.
	Time time.Time
	// Environments are in the order that Rules give, and their packages in that of their
	// names, by cluster type and deployment target.
	Environments []Environment
	// Discrepancies are those that Compare finds between them. If the list is not
	// complete, both environments say so as unreadable.
	Discrepancies []Discrepancy
	// Rules are those by which they were compared.
	Rules Rules
}

// NewFleet returns the fleet of some environments, which may come in any order.
func NewFleet(environments []Environment, rules Rules) Fleet {
	f := Fleet{Environments: environments, Rules: rules}
	f.Sort()
	for _, c := range Compare(f.Environments, rules) {
		f.Discrepancies = append(f.Discrepancies, c.Discrepancies...)
		if c.More > 0 {
			f.unlisted(c.Left, c.Right, c.More)
			f.unlisted(c.Right, c.Left, c.More)
		}
	}
	return f
}

// Sort brings the environments and their packages into their order, and leaves the lists
// that they came in as they are.
func (f *Fleet) Sort() {
	f.Environments = slices.Clone(f.Environments)
	slices.SortStableFunc(f.Environments, func(a, b Environment) int { return f.Rules.Compare(a.Name, b.Name) })
	for i := range f.Environments {
		packages := slices.Clone(f.Environments[i].Packages)
		slices.SortStableFunc(packages, func(a, b Package) int {
			return cmp.Or(strings.Compare(a.ClusterType, b.ClusterType), strings.Compare(a.DeploymentTarget, b.DeploymentTarget))
		})
		f.Environments[i].Packages = packages
	}
}

// unlisted says that an environment has more discrepancies with another one than are
// listed.
func (f *Fleet) unlisted(of, with string, more int) {
	for i := range f.Environments {
		if e := &f.Environments[i]; e.Name == of {
			e.Unreadable = append(slices.Clip(e.Unreadable), fmt.Sprintf(
				"Discrepancies with %s: %d more than are listed, which are %d of all environments at the most. Read two branches alone, or parts of "+
					"them by path; packages have all values.", with, more, maxDiscrepancies))
		}
	}
}

// Environment is the content at the head of an environment's branch.
type Environment struct {
	Name string
	// Head is the id of the commit, with its time; empty if there is no branch.
	Head string
	Time time.Time
	// NoFolder says that the head does not have the folder of the environment.
	NoFolder bool
	// PromotedCommits is the commit of the control plane that the environment is at. It is
	// empty if the branch does not say. It has several commits, sorted, if the instances
	// are at different ones.
	PromotedCommits []string
	// Health is the result of the reports on the head.
	Health   Health
	Packages []Package
	// History are the commits of the branch, newest first, along first parents.
	History []Change
	// Unreadable says which parts of the branch could not be read, and why.
	Unreadable []string
}

// Missing is the missing part of the environment's place: its branch, or its folder. It is
// empty if both exist, and they exist whenever there are packages. If a part is missing,
// the content of the environment is unknown.
func (e Environment) Missing() string {
	switch {
	case len(e.Packages) > 0:
		return ""
	case e.Head == "":
		return "branch"
	case e.NoFolder:
		return "folder"
	}
	return ""
}

// Package is the folder of a deployment target on a cluster type.
type Package struct {
	ClusterType, DeploymentTarget string
	// ID is the Git id of its folder: packages with the same id hold the same.
	ID string
	// Workload, Workspace and Namespace are those of the labels of its namespace; empty
	// if it has none.
	Workload, Workspace, Namespace string
	// Sources are the sources that its reconciler fetches; none if no object of a known
	// kind fetches any.
	Sources []Source
	// Values are the configuration in its ConfigMap of platform values; nil if there is
	// none.
	Values map[string]string
	// Version, Build and Commit, of the source code, are those of a DeploymentDescriptor
	// beside the manifests; without one, Version is that of a label of its namespace.
	Version, Build, Commit string
	// Changed is the commit of the history that gave it its content. It is the zero Change
	// if that commit is older than the history that was read.
	Changed Change
	// Health is the result of the reports on the head about its cluster type. If there are
	// none, it is the result of those on Changed.
	Health Health
	// Unreadable says which of its files could not be read, and why. Partial names the
	// parts that may therefore be incomplete.
	Unreadable []string
	Partial    Partial
}

// Partial says which parts of a package may have more than could be read.
type Partial struct{ Workload, Sources, Values bool }

// Name is the workload or, if no label names it, the deployment target.
func (p Package) Name() string { return cmp.Or(p.Workload, p.DeploymentTarget) }

// Key is the package's place in its environment.
func (p Package) Key() string { return p.ClusterType + "/" + p.DeploymentTarget }

// textSize is the size of a text in the output, besides its bytes.
const textSize = 64

// Size is about how many bytes a package takes in the output.
func (p Package) Size() int {
	size := sizeOf(p.ClusterType, p.DeploymentTarget, p.ID, p.Workload, p.Workspace, p.Namespace, p.Version, p.Build, p.Commit) +
		sizeOf(p.Unreadable...)
	for _, s := range p.Sources {
		size += sizeOf(s.Kind, s.Repo, s.Ref, s.Path, s.Commit)
	}
	for key, value := range p.Values {
		size += textSize + len(key) + len(value)
	}
	return size
}

func sizeOf(texts ...string) int {
	size := textSize * len(texts)
	for _, text := range texts {
		size += len(text)
	}
	return size
}

// Source is a place that a reconciler fetches from.
type Source struct {
	// Kind is the kind of the object that names it. With Flux it is GitRepository,
	// OCIRepository, HelmRepository, Bucket, HelmRelease, or a Kustomization whose source
	// is defined elsewhere. With Argo CD it is Application.
	Kind string
	// Repo is a URL; Ref a branch, a tag, a version or a commit; Path a folder, or a chart.
	Repo, Ref, Path string
	// Chart says that Path is the name of a chart, and Ref its version.
	Chart bool
	// Tag says that Ref is a tag or a range of versions, which a branch of that name is not.
	Tag bool
	// Commit is the whole id of the commit that Ref points to now, if the caller asked for
	// it.
	Commit string
}

// Health is the result of the reports on a commit.
type Health struct {
	// State is empty if nothing was reported, or nobody asked.
	State HealthState
	// Reason names what has failed or is under way, with its words.
	Reason string
}

// HealthState is the gravest of the latest reports of all contexts.
type HealthState string

// The states of health.
const (
	Healthy     HealthState = "success"
	Unhealthy   HealthState = "failure"
	Progressing HealthState = "pending"
)

// Change is a commit of an environment's branch.
type Change struct {
	Commit, Author, Subject string
	Time                    time.Time
	PromotedCommits         []string
	// Added, Changed and Removed are packages, as cluster type/deployment target.
	Added, Changed, Removed []string
	// Run is the address of the run that wrote it, by its trailer.
	Run string
}

// Discrepancy is one difference between two environments in a workload.
type Discrepancy struct {
	Kind DiscrepancyKind
	// Workload is its name. If no label names the workload, it is the name of the
	// deployment target (Package.Name).
	Workload string
	// ClusterType is the cluster type on which a value differs; empty for the other kinds.
	ClusterType string
	// Key is that of a value; empty for the other kinds.
	Key string
	// Left and Right are the values of two environments, as one line; empty if there is no
	// value.
	Left, Right           string
	LeftValue, RightValue string
	// Text is the whole as one line: "shop: version 1.4 in dev, 1.3 in prod".
	Text string
}
