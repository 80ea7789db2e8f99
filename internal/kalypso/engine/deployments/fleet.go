// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package deployments reports what runs where. It reads the content of GitOps branches that
// any tool wrote: the packages, the differences between environments, the changes of a
// commit, and reports. It is pure: files and reports in, a Fleet out. An unknown fact is
// empty, and never guessed.
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
	// Environments are in the order of Rules. Their packages are sorted by cluster type and
	// deployment target.
	Environments []Environment
	// Discrepancies are the differences that Compare finds. If the list is not complete, both
	// environments report this in Unreadable.
	Discrepancies []Discrepancy
	// Rules are the rules of the comparison.
	Rules Rules
}

// NewFleet returns the fleet of some environments, which may come in any order. It sorts the
// environments and their packages, in new lists.
func NewFleet(environments []Environment, rules Rules) Fleet {
	f := Fleet{Environments: slices.Clone(environments), Rules: rules}
	slices.SortStableFunc(f.Environments, func(a, b Environment) int { return rules.Compare(a.Name, b.Name) })
	for i := range f.Environments {
		packages := slices.Clone(f.Environments[i].Packages)
		slices.SortStableFunc(packages, func(a, b Package) int {
			return cmp.Or(strings.Compare(a.ClusterType, b.ClusterType), strings.Compare(a.DeploymentTarget, b.DeploymentTarget))
		})
		f.Environments[i].Packages = packages
	}
	for _, c := range Compare(f.Environments, rules) {
		f.Discrepancies = append(f.Discrepancies, c.Discrepancies...)
		if c.More > 0 {
			f.unlisted(c.Left, c.Right, c.More)
			f.unlisted(c.Right, c.Left, c.More)
		}
	}
	return f
}

// unlisted reports in an environment that the list lacks discrepancies with another
// environment.
func (f *Fleet) unlisted(of, with string, more int) {
	for i := range f.Environments {
		if e := &f.Environments[i]; e.Name == of {
			e.Unreadable = append(slices.Clip(e.Unreadable), fmt.Sprintf(
				"Discrepancies with %s: %d more are not listed, because the list has at most %d of all environments. To see more, read only two "+
					"branches, or parts of them by path. packages contains all values.", with, more, maxDiscrepancies))
		}
	}
}

// Environment is the content at the head of an environment's branch.
type Environment struct {
	Name string
	// Head is the id of the commit, with its time; empty if the branch does not exist.
	Head string
	Time time.Time
	// NoFolder reports that the head does not have the folder of the environment.
	NoFolder bool
	// PromotedCommits is the commit of the control plane that the environment has reached. It
	// is empty if the branch does not name a commit. It has several commits, sorted, if
	// instances differ.
	PromotedCommits []string
	// Health is the result of the reports on the head.
	Health   Health
	Packages []Package
	// History are the commits of the branch, newest first, along first parents.
	History []Change
	// Unreadable says which parts of the branch could not be read, with the reason.
	Unreadable []string
}

// Missing returns the missing part of the environment's place: its branch, or its folder. It
// returns "" if both exist. If packages exist, both exist. If a part is missing, the content
// of the environment is unknown.
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
	// ID is the Git id of the folder. Packages with the same id have the same content.
	ID string
	// Workload, Workspace and Namespace come from the package's Namespace and its labels;
	// empty without them.
	Workload, Workspace, Namespace string
	// Sources are the sources that the reconciler fetches; empty if no object of a known kind
	// fetches a source.
	Sources []Source
	// Values are the configuration in the ConfigMap of platform values; nil without a
	// ConfigMap.
	Values map[string]string
	// Version, Build and Commit (of the source code) come from a DeploymentDescriptor beside
	// the manifests. Without a descriptor, Version comes from a label of the Namespace.
	Version, Build, Commit string
	// Changed is the commit of the history that gave the package its content; the zero Change
	// if this commit is older than the history.
	Changed Change
	// Health is the result of the reports on the head about the cluster type. Without such
	// reports, it is the result of the reports on Changed.
	Health Health
	// Unreadable says which files could not be read, with the reason. Partial names the parts
	// that may therefore be incomplete.
	Unreadable []string
	Partial    Partial
}

// Partial says which parts of a package may be incomplete.
type Partial struct{ Workload, Sources, Values bool }

// Name returns the workload or, without a label that names the workload, the deployment
// target.
func (p Package) Name() string { return cmp.Or(p.Workload, p.DeploymentTarget) }

// Key is the package's place in its environment.
func (p Package) Key() string { return p.ClusterType + "/" + p.DeploymentTarget }

// textSize is the size of a text in the output, without its bytes.
const textSize = 64

// Size returns about how many bytes a package takes in the output.
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
	// Kind is the kind of the object that names the source. With Flux it is GitRepository,
	// OCIRepository, HelmRepository, Bucket, HelmRelease, or a Kustomization whose source
	// is defined elsewhere. With Argo CD it is Application.
	Kind string
	// Repo is a URL; Ref a branch, a tag, a version or a commit; Path a folder, or a chart.
	Repo, Ref, Path string
	// Chart reports that Path is the name of a chart, and Ref its version.
	Chart bool
	// Tag reports that Ref is a tag or a range of versions, not a branch.
	Tag bool
	// Commit is the full id of the commit that Ref points to now, if the caller asked for the
	// commit.
	Commit string
}

// Health is the result of the reports on a commit.
type Health struct {
	// State is empty if reports are missing, or were not requested.
	State HealthState
	// Reason names the failed or unfinished contexts, with their texts. A context is the name
	// of a report.
	Reason string
}

// HealthState is the worst of the latest reports of all contexts.
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
	// Run is the address of the run that wrote the commit, from its trailer.
	Run string
}

// Discrepancy is one difference between two environments in a workload.
type Discrepancy struct {
	Kind DiscrepancyKind
	// Workload is the name of the workload. Without a label that names the workload, it is
	// the name of the deployment target (Package.Name).
	Workload string
	// ClusterType is the cluster type on which a value differs; empty for the other kinds.
	ClusterType string
	// Key is the key of a value; empty for the other kinds.
	Key string
	// Left and Right are the values of two environments, as one line; empty for a missing
	// value.
	Left, Right           string
	LeftValue, RightValue string
	// Text is the whole discrepancy as one line: "shop: version 1.4 in dev, 1.3 in prod".
	Text string
}
