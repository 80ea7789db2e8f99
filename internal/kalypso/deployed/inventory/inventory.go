// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package inventory reports what runs where. It reads the content of GitOps branches that
// any tool wrote: the packages, the differences between environments, the changes of a
// commit, and the clusters that report. It is pure: files and reports in, a Fleet out. An
// unknown fact is empty, and never guessed.
package inventory

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Fleet is the content of the branches of some environments. Its JSON is the attribute json
// of kalypso_deployments, and the data of the page.
type Fleet struct {
	// Time is the time to show on the page, if a user has added it to the JSON.
	Time string `json:"time,omitempty"`
	// Environments are in the order of Rules. Their packages are sorted by cluster type and
	// deployment target.
	Environments List[Environment] `json:"environments"`
	// Comparisons are the pairs of environments that Rules compare, with their differences.
	Comparisons List[Comparison] `json:"comparisons"`
}

// List is a list that is never null in JSON.
type List[T any] []T

// MarshalJSON implements json.Marshaler.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]T(l))
}

// NewFleet returns the fleet of some environments, which may come in any order. It sorts the
// environments and their packages, in new lists. Texts about unreadable parts lose their
// invisible characters.
func NewFleet(environments []Environment, rules Rules) Fleet {
	f := Fleet{Environments: slices.Clone(environments)}
	slices.SortStableFunc(f.Environments, func(a, b Environment) int { return rules.Compare(a.Name, b.Name) })
	for i := range f.Environments {
		e := &f.Environments[i]
		e.Unreadable, e.Packages = lines(e.Unreadable), slices.Clone(e.Packages)
		slices.SortStableFunc(e.Packages, func(a, b Package) int {
			return cmp.Or(strings.Compare(a.ClusterType, b.ClusterType), strings.Compare(a.DeploymentTarget, b.DeploymentTarget))
		})
		for j := range e.Packages {
			e.Packages[j].Unreadable = lines(e.Packages[j].Unreadable)
		}
	}
	f.Comparisons = Compare(f.Environments, rules)
	return f
}

// lines returns texts as lines without invisible characters.
func lines(texts []string) []string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = wording.Line(text)
	}
	return all
}

// JSON returns the fleet as one line of JSON. The same fleet always has the same JSON.
func (f Fleet) JSON() string {
	text, err := json.Marshal(f)
	if err != nil {
		panic(err) // every text, list and map of texts has a JSON
	}
	return string(text)
}

// Parse is the inverse of Fleet.JSON. It leaves out fields that it does not know. Errors: the
// text is not JSON, or not the JSON of a fleet.
func Parse(text string) (f Fleet, err error) {
	err = json.Unmarshal([]byte(text), &f)
	var misplaced *json.UnmarshalTypeError
	switch {
	case errors.As(err, &misplaced):
		err = fmt.Errorf("a value of the type %s is in the wrong place, at byte %d", misplaced.Value, misplaced.Offset)
	case err == nil && f.Environments == nil:
		err = errors.New("it has no list of environments")
	}
	if err != nil {
		return f, fmt.Errorf("the text is not the JSON of a kalypso_deployments: %w", err)
	}
	return f, nil
}

// Stamp returns a time as a Fleet has it.
func Stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Environment is the content at the head of an environment's branch.
type Environment struct {
	Name string `json:"name"`
	// Repo, Branch and Path are the place of the environment; Path is empty for the root.
	Repo   string `json:"repo"`
	Branch string `json:"branch"`
	Path   string `json:"path"`
	// Head is the id of the commit, with its time; empty if the branch does not exist.
	Head string `json:"head"`
	Time string `json:"time"`
	// Missing is the missing part of the place: its branch, or its folder. It is empty if both
	// exist. If a part is missing, the content of the environment is unknown.
	Missing string `json:"missing"`
	// Releases are the commits of the control plane that the environment has reached, sorted.
	// There are several if instances differ, and none if the branch does not name a commit.
	Releases List[string] `json:"releases"`
	// Health is the result of the reports on the commits with the present release.
	Health
	// Clusters are those that report or that should, the silent ones included.
	Clusters List[Cluster] `json:"clusters"`
	// Unreadable says which parts of the branch could not be read, with the reason.
	Unreadable List[string]  `json:"unreadable"`
	Packages   List[Package] `json:"packages"`
	// History are the commits of the branch, newest first.
	History List[Change] `json:"history"`
}

// The missing parts of an environment's place.
const (
	NoBranch = "branch"
	NoFolder = "folder"
)

// Package is the folder of a deployment target on a cluster type.
type Package struct {
	ClusterType      string `json:"cluster_type"`
	DeploymentTarget string `json:"deployment_target"`
	// ID is the Git id of the folder. Packages with the same id have the same content.
	ID string `json:"id"`
	// Workload, Workspace and Namespace come from the package's Namespace and its labels;
	// empty without them.
	Workload  string `json:"workload"`
	Workspace string `json:"workspace"`
	Namespace string `json:"namespace"`
	// Version, Build and Commit (of the source code) come from a DeploymentDescriptor beside
	// the manifests. Without a descriptor, Version comes from a label of the Namespace.
	Version string `json:"version"`
	Build   string `json:"build"`
	Commit  string `json:"commit"`
	// Changed is the commit of the history that gave the package its content; nil if this
	// commit is older than the history.
	Changed *LastChange `json:"changed"`
	// Health is the result of the reports about the cluster type, and about all cluster types.
	Health
	// Sources are the sources that the reconciler fetches; empty if they are not known.
	Sources List[Source] `json:"sources"`
	// Values are the configuration in the ConfigMap of platform values; nil if they are not
	// known.
	Values map[string]string `json:"values"`
	// Unreadable says which files could not be read, with the reason.
	Unreadable List[string] `json:"unreadable"`
}

// Name returns the workload or, without a label that names the workload, the deployment
// target.
func (p Package) Name() string { return cmp.Or(p.Workload, p.DeploymentTarget) }

// Key is the package's place in its environment.
func (p Package) Key() string { return p.ClusterType + "/" + p.DeploymentTarget }

// Source is a place that a reconciler fetches from.
type Source struct {
	// Kind is the kind of the object that names the source. With Flux it is GitRepository,
	// OCIRepository, HelmRepository, Bucket, HelmRelease, or a Kustomization whose source
	// is defined elsewhere. With Argo CD it is Application.
	Kind string `json:"kind"`
	// Repo is a URL; Ref a branch, a tag, a version or a commit; Path a folder, or a chart.
	Repo string `json:"repo"`
	Ref  string `json:"ref"`
	Path string `json:"path"`
}

// LastChange is the commit that last changed a package.
type LastChange struct {
	Commit  string `json:"commit"`
	Author  string `json:"author"`
	Subject string `json:"subject"`
	Time    string `json:"time"`
}

// Change is a commit of an environment's branch.
type Change struct {
	Commit   string       `json:"commit"`
	Author   string       `json:"author"`
	Subject  string       `json:"subject"`
	Time     string       `json:"time"`
	Releases List[string] `json:"releases"`
	// Run is the address of the run that wrote the commit, from its trailer.
	Run string `json:"run"`
	// Added, Changed and Removed are packages, as cluster type/deployment target.
	Added   List[string] `json:"added"`
	Changed List[string] `json:"changed"`
	Removed List[string] `json:"removed"`
}
