// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package inventory

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Health is the result of some reports.
type Health struct {
	// State is empty if reports are missing, or were not requested.
	State HealthState `json:"health"`
	// Reason names the failed or unfinished contexts, with their texts. A context is the name
	// of a report.
	Reason string `json:"health_reason"`
}

// HealthState is the worst of the latest reports of all contexts.
type HealthState string

// The states of health.
const (
	Healthy     HealthState = "success"
	Unhealthy   HealthState = "failure"
	Progressing HealthState = "pending"
)

// Cluster is a cluster of an environment, or another context that is expected to report.
type Cluster struct {
	// Name is the name of the cluster. If the context names no cluster, it is the whole context,
	// and ClusterType is empty.
	Name        string `json:"name"`
	ClusterType string `json:"cluster_type"`
	// Health is the latest report. It is empty if the cluster is silent.
	Health
}

// Status is the latest report of a context.
type Status struct {
	Context, Description string
	State                HealthState
}

// Silence is the description of an expected report that is missing.
const Silence = "has not reported"

// Report sets the clusters of an environment, and the health of the environment and of its
// packages, from the latest report of each context. expected are the contexts that all have to
// report: while others report, a silent one is in progress. Without any report, health is
// unknown.
func (e *Environment) Report(expected []string, reports []Status) {
	e.Clusters = nil
	about := map[string][]Status{} // by cluster type
	all := slices.Clone(reports)
	for _, context := range expected {
		if !slices.ContainsFunc(reports, func(r Status) bool { return r.Context == context }) {
			all = append(all, Status{context, Silence, Progressing})
		}
	}
	for i, r := range all {
		c := r.cluster(e.Name)
		about[c.ClusterType] = append(about[c.ClusterType], r)
		if i < len(reports) {
			c.Health = HealthOf([]Status{r})
		}
		if c.ClusterType != "" || slices.Contains(expected, r.Context) {
			e.Clusters = append(e.Clusters, c)
		}
	}
	slices.SortFunc(e.Clusters, func(a, b Cluster) int {
		return cmp.Or(strings.Compare(a.ClusterType, b.ClusterType), strings.Compare(a.Name, b.Name))
	})
	if len(reports) == 0 {
		return
	}
	e.Health = HealthOf(all)
	of := map[string]Health{}
	for i := range e.Packages {
		name := e.Packages[i].ClusterType
		if _, known := of[name]; !known {
			of[name] = HealthOf(slices.Concat(about[name], about[""]))
		}
		e.Packages[i].Health = of[name]
	}
}

// IsSilent reports whether a cluster, or the cluster type of a package, has not reported.
func (e *Environment) IsSilent() bool {
	return slices.ContainsFunc(e.Clusters, func(c Cluster) bool { return c.State == "" }) ||
		slices.ContainsFunc(e.Packages, func(p Package) bool { return p.State == "" })
}

// cluster returns the cluster of an environment that the report is about. If clusters are
// connected as docs/guides/connect-clusters.md describes, contexts are
// kalypso/<environment>/<cluster type>/<cluster>. All other contexts may be about every cluster
// type.
func (r Status) cluster(environment string) Cluster {
	context := wording.Line(r.Context)
	parts := strings.Split(context, "/")
	if len(parts) != 4 || parts[0] != "kalypso" || parts[1] != environment || parts[2] == "" || parts[3] == "" {
		return Cluster{Name: context}
	}
	return Cluster{Name: parts[3], ClusterType: parts[2]}
}

// state returns the state as which the report counts. An unknown state is in progress, and
// never a success.
func (r Status) state() HealthState {
	if r.State == Healthy || r.State == Unhealthy {
		return r.State
	}
	return Progressing
}

// maxWords limits the visible part of a report's text, because every package repeats the
// text.
const maxWords = 200

// HealthOf returns the health that reports show together: the worst state, and the contexts
// with this state, with their texts. Without reports, the health is unknown.
func HealthOf(reports []Status) Health {
	for _, state := range []HealthState{Unhealthy, Progressing} {
		var told []string
		for _, r := range reports {
			if r.state() != state {
				continue
			}
			text := wording.Shorten(wording.Line(r.Context), maxWords)
			if said := wording.Line(r.Description); said != "" {
				text += ": " + wording.Shorten(credential.Redact(said), maxWords)
			}
			told = append(told, text)
		}
		if len(told) > 0 {
			return Health{State: state, Reason: wording.First(wording.Sorted(told), wording.MaxListed)}
		}
	}
	if len(reports) == 0 {
		return Health{}
	}
	return Health{State: Healthy}
}
