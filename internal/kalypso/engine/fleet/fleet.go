// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package fleet is the engine's input: the objects of one environment, indexed
// and checked against each other (docs/guides/objects.md, and docs/guides/semantics.md,
// section 1).
package fleet

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Fleet is the objects of one environment. Every list is sorted by name, so the order of
// the documents has no effect on the results.
type Fleet struct {
	Environment string
	// Environments are all that the objects name. They distinguish this environment from
	// the others.
	Environments []string
	ClusterTypes []*manifest.ClusterType
	Targets      []*Target
	// Elsewhere has the deployment targets of other environments: their full names, and the environments.
	Elsewhere  map[string][]string
	Policies   []*manifest.SchedulingPolicy
	ConfigMaps []*manifest.ConfigMap
	// Unmarked are ConfigMaps among the manifests that are not platform configuration.
	Unmarked      []*manifest.ConfigMap
	ConfigSchemas []*manifest.ConfigSchema
	GitOpsRepos   []*manifest.GitOpsRepo
	// Templates by name.
	Templates map[string]*manifest.Template
	// Registrations and BaseRepos say where other parts of the fleet are kept.
	Registrations []*manifest.WorkloadRegistration
	BaseRepos     []*manifest.BaseRepo
	Workloads     []*manifest.Workload
	// DeploymentTargets are the objects of that kind, of every environment. Kalypso's
	// operator has made most of them from the workloads.
	DeploymentTargets []*manifest.DeploymentTargetObject
	// Placements decide among cluster types, from the data of the other three.
	Placements         []*manifest.Placement
	ManagedClusters    []*manifest.ManagedCluster
	PlacementDecisions []*manifest.PlacementDecision
	AddOnScores        []*manifest.AddOnPlacementScore
	// Notes are about files and sources of other teams that cannot be read, and about their workloads that take the name of another one.
	Notes []*manifest.Note
	// Staying are deployment targets that no policy places, and whose packages stay.
	Staying []string
	// PromotedCommit is the commit of the BaseRepo "main"; empty when not known.
	PromotedCommit string
	// Origins are the files that objects say they were read from; nil without base repositories.
	Origins []string

	objects []manifest.Object
	// earlier returns the owners of the last apply. unread are the workspaces of broken files, and lost the names of broken workloads.
	earlier      func() Owners
	unread, lost map[string]bool
}

// Target is a deployment target of this environment with all that it inherits
// from its workload.
type Target struct {
	// FullName is <workload>-<target>, unique in the fleet.
	FullName string
	// Name is the target's own name within its workload.
	Name      string
	Workload  string
	Workspace string
	// Labels are the target's, overwritten by the workload's, by workload and by workspace.
	Labels map[string]string
	// Manifests says where the target's manifests are; usually repo, branch and path.
	Manifests map[string]string
	// ConfigSchemas are JSON Schema texts: the target's, then the workload's.
	ConfigSchemas []string
	// Owner is the object that says so, as kind/name, and Source is the target's position in
	// the input.
	Owner  string
	Source manifest.Origin
}

// New builds the fleet of one environment. Errors (a problem.List): two objects of the same kind and name, two deployment targets
// of the same full name. Workloads of teams that take the name of another one become notes.
func New(objects []manifest.Object, environment string) (*Fleet, error) {
	return NewAfter(objects, environment, func() Owners { return nil })
}

// NewAfter builds the fleet with the owners of the last apply, which say whose a name is. It asks for them only if names or files
// of teams are broken.
func NewAfter(objects []manifest.Object, environment string, earlier func() Owners) (*Fleet, error) {
	var problems problem.List
	objects = sorted(objects)
	f := &Fleet{
		Environment: environment, earlier: earlier, unread: map[string]bool{}, lost: map[string]bool{},
		Registrations: manifest.Of[*manifest.WorkloadRegistration](objects),
		Notes:         manifest.Of[*manifest.Note](objects),
	}
	for _, n := range f.Notes {
		f.unread[n.Workspace] = true
	}
	objects = distinct(&problems, f.settle(objects))
	f.fill(objects)
	f.labelClusterTypes(&problems)
	f.Targets = f.targets(&problems)
	return f, problems.Err()
}

// fill sets the lists of objects, which are sorted and distinct.
func (f *Fleet) fill(objects []manifest.Object) {
	workloads := manifest.Of[*manifest.Workload](objects)
	targets := manifest.Of[*manifest.DeploymentTargetObject](objects)
	f.objects = objects
	f.Environments = environments(manifest.Of[*manifest.Environment](objects), workloads, targets)
	f.ClusterTypes = manifest.Of[*manifest.ClusterType](objects)
	f.Elsewhere = elsewhere(workloads, targets, f.Environment)
	f.Policies = manifest.Of[*manifest.SchedulingPolicy](objects)
	f.ConfigMaps = manifest.Of[*manifest.ConfigMap](objects)
	f.ConfigSchemas = manifest.Of[*manifest.ConfigSchema](objects)
	f.GitOpsRepos = manifest.Of[*manifest.GitOpsRepo](objects)
	f.Registrations = manifest.Of[*manifest.WorkloadRegistration](objects)
	f.BaseRepos = manifest.Of[*manifest.BaseRepo](objects)
	f.Workloads = workloads
	f.DeploymentTargets = targets
	f.Placements = manifest.Of[*manifest.Placement](objects)
	f.ManagedClusters = manifest.Of[*manifest.ManagedCluster](objects)
	f.PlacementDecisions = manifest.Of[*manifest.PlacementDecision](objects)
	f.AddOnScores = manifest.Of[*manifest.AddOnPlacementScore](objects)
	f.Templates = map[string]*manifest.Template{}
	for _, t := range manifest.Of[*manifest.Template](objects) {
		f.Templates[t.Name] = t
	}
	for _, b := range f.BaseRepos {
		if b.Name == manifest.MainBaseRepo {
			f.PromotedCommit = b.Commit
		}
	}
	if len(f.BaseRepos) > 0 {
		f.Origins = origins(objects)
	}
}

// environments returns the names of environments that have an object or a deployment target.
func environments(objects []*manifest.Environment, workloads []*manifest.Workload, targets []*manifest.DeploymentTargetObject) []string {
	var names []string
	for _, e := range objects {
		names = append(names, e.Name)
	}
	for _, w := range workloads {
		for i := range w.DeploymentTargets {
			if d := &w.DeploymentTargets[i]; d.Environment != "" {
				names = append(names, d.Environment)
			}
		}
	}
	for _, t := range targets {
		names = append(names, t.Environment)
	}
	return wording.Sorted(names)
}

// sorted returns the objects sorted by kind, namespace and name.
func sorted(objects []manifest.Object) []manifest.Object {
	sorted := slices.Clone(objects)
	slices.SortStableFunc(sorted, func(a, b manifest.Object) int {
		ma, mb := a.Metadata(), b.Metadata()
		return cmp.Or(
			strings.Compare(ma.ID(), mb.ID()),
			strings.Compare(ma.Source.Name, mb.Source.Name),
			cmp.Compare(ma.Source.Line, mb.Source.Line),
		)
	})
	return sorted
}

// distinct returns the sorted objects without those that repeat a name. Each of these is a problem that names both places.
func distinct(problems *problem.List, sorted []manifest.Object) []manifest.Object {
	unique := sorted[:0]
	var last manifest.Meta
	for _, object := range sorted {
		m := object.Metadata()
		if m.ID() == last.ID() && m.Kind != manifest.KindNote {
			problems.Add(duplicate(last, m))
			continue
		}
		unique, last = append(unique, object), m
	}
	return unique
}

func duplicate(first, second manifest.Meta) problem.Problem {
	namespaces := ""
	if a, b := first.Namespace, second.Namespace; a != b {
		namespaces = fmt.Sprintf(" Their metadata.namespace differs (%s and %s), but a fleet has one object of each kind and name in all "+
			"namespaces.", cmp.Or(a, "none"), cmp.Or(b, "none"))
	}
	return second.Problem("Duplicate object", "The manifests have the object twice: in %s and in %s.%s Remove one of them or rename it.",
		first.Source, second.Source, namespaces)
}

// ClusterType returns the cluster type of that name, and whether there is one.
func (f *Fleet) ClusterType(name string) (*manifest.ClusterType, bool) {
	return find(f.ClusterTypes, name)
}

// find returns the object of that name in a list that is sorted by name, and whether there is one.
func find[O manifest.Object](sorted []O, name string) (of O, found bool) {
	i, found := slices.BinarySearchFunc(sorted, name, compareName[O])
	if found {
		of = sorted[i]
	}
	return of, found
}

func compareName[O manifest.Object](o O, name string) int {
	return strings.Compare(o.Metadata().Name, name)
}

// Target returns the deployment target of that full name, and whether there is one.
func (f *Fleet) Target(fullName string) (*Target, bool) {
	i, found := slices.BinarySearchFunc(f.Targets, fullName,
		func(t *Target, name string) int { return strings.Compare(t.FullName, name) })
	if !found {
		return nil, false
	}
	return f.Targets[i], true
}

// Used returns the part of the fleet that has an effect when deployment targets are
// assigned to these cluster types. As in Kalypso, an unused object is not an error of its
// owner. It returns a problem.List with every reference of one of these cluster types to a
// template that does not exist.
func (f *Fleet) Used(clusterTypes []*manifest.ClusterType) (*Fleet, error) {
	var problems problem.List
	used := *f
	used.Templates = map[string]*manifest.Template{}
	for _, ct := range clusterTypes {
		references := []struct{ field, name string }{
			{"reconciler", ct.Reconciler},
			{"namespaceService", ct.NamespaceService},
			{"configType", ct.ConfigType},
		}
		for _, ref := range references {
			if ref.name == "" && ref.field == "configType" {
				continue
			}
			template, exists := f.Templates[ref.name]
			if exists {
				used.Templates[ref.name] = template
				continue
			}
			problems.Add(ct.Problem("Missing template", "%s refers to the template %q, which is not among the manifests. %s", ref.field, ref.name,
				f.existingTemplates()))
		}
	}
	return &used, problems.Err()
}

// existingTemplates is the sentence that lists the templates that could have been meant.
func (f *Fleet) existingTemplates() string {
	if len(f.Templates) == 0 {
		return "There are no templates at all: add a Template object."
	}
	return "Templates that exist: " + strings.Join(slices.Sorted(maps.Keys(f.Templates)), ", ") + "."
}

// labelClusterTypes adds the labels of managed clusters to those of the cluster types of
// the same names. The objects that were decoded stay as they are.
func (f *Fleet) labelClusterTypes(problems *problem.List) {
	for _, c := range f.ManagedClusters {
		i, found := slices.BinarySearchFunc(f.ClusterTypes, c.Name, compareName)
		if !found || len(c.Labels) == 0 {
			continue
		}
		labelled := *f.ClusterTypes[i]
		labelled.Labels = maps.Clone(c.Labels)
		for key, value := range f.ClusterTypes[i].Labels {
			if other, both := c.Labels[key]; both && other != value {
				problems.Add(c.Problem("Contradicting labels", "The label %s is %q here, but %q on the cluster type of the same name (%s), "+
					"which is the same cluster. Have them agree, or remove one.", key, other, value, labelled.Source))
			}
			labelled.Labels[key] = value
		}
		f.ClusterTypes[i] = &labelled
	}
}

// Metadata returns the metadata of all objects, sorted by kind and name.
func (f *Fleet) Metadata() []manifest.Meta {
	all := make([]manifest.Meta, len(f.objects))
	for i, o := range f.objects {
		all[i] = o.Metadata()
	}
	return all
}
