// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/history"
)

// deploymentsState has the computed values of kalypso_deployments as plain Go values.
// Values of the framework are too slow: the framework visits each value several times,
// which took several seconds with three environments of 2,000 packages. Encoded in
// MessagePack, a deploymentsState is equal to Terraform's own value.
type deploymentsState struct {
	Environments  map[string]environmentState `msgpack:"environments"`
	Packages      map[string]packageState     `msgpack:"packages"`
	Discrepancies []discrepancyState          `msgpack:"discrepancies"`
	History       []changeState               `msgpack:"history"`
	Compare       [][]string                  `msgpack:"compare"`
}

type (
	environmentState struct {
		Repo            string   `msgpack:"repo" tfsdk:"repo"`
		Branch          string   `msgpack:"branch" tfsdk:"branch"`
		Path            *string  `msgpack:"path" tfsdk:"path"`
		Head            *string  `msgpack:"head" tfsdk:"head"`
		Time            *string  `msgpack:"time" tfsdk:"time"`
		PromotedCommits []string `msgpack:"promoted_commits" tfsdk:"promoted_commits"`
		Health          *string  `msgpack:"health" tfsdk:"health"`
		HealthReason    *string  `msgpack:"health_reason" tfsdk:"health_reason"`
		Packages        *int     `msgpack:"packages" tfsdk:"packages"`
		Unreadable      []string `msgpack:"unreadable" tfsdk:"unreadable"`
	}
	packageState struct {
		Environment      string            `msgpack:"environment"`
		ClusterType      string            `msgpack:"cluster_type"`
		DeploymentTarget string            `msgpack:"deployment_target"`
		ID               string            `msgpack:"id"`
		Workload         *string           `msgpack:"workload"`
		Workspace        *string           `msgpack:"workspace"`
		Namespace        *string           `msgpack:"namespace"`
		Sources          []sourceState     `msgpack:"sources"`
		Values           map[string]string `msgpack:"values"`
		Version          *string           `msgpack:"version"`
		Build            *string           `msgpack:"build"`
		Commit           *string           `msgpack:"commit"`
		Changed          *changedState     `msgpack:"changed"`
		Health           *string           `msgpack:"health"`
		HealthReason     *string           `msgpack:"health_reason"`
		Unreadable       []string          `msgpack:"unreadable"`
	}
	sourceState struct {
		Kind   string  `msgpack:"kind"`
		Repo   *string `msgpack:"repo"`
		Ref    *string `msgpack:"ref"`
		Path   *string `msgpack:"path"`
		Commit *string `msgpack:"commit"`
	}
	// changedState is a commit without its changes.
	changedState struct {
		Commit          string   `msgpack:"commit"`
		Author          string   `msgpack:"author"`
		Subject         string   `msgpack:"subject"`
		Time            string   `msgpack:"time"`
		PromotedCommits []string `msgpack:"promoted_commits"`
		Run             *string  `msgpack:"run"`
	}
	changeState struct {
		Environment string `msgpack:"environment"`
		changedState
		Added   []string `msgpack:"added"`
		Changed []string `msgpack:"changed"`
		Removed []string `msgpack:"removed"`
	}
	discrepancyState struct {
		Kind        string  `msgpack:"kind"`
		Workload    string  `msgpack:"workload"`
		ClusterType *string `msgpack:"cluster_type"`
		Key         *string `msgpack:"key"`
		Left        string  `msgpack:"left"`
		Right       string  `msgpack:"right"`
		LeftValue   *string `msgpack:"left_value"`
		RightValue  *string `msgpack:"right_value"`
		Text        string  `msgpack:"text"`
	}
)

// deploymentsOf returns the computed values of a fleet.
func deploymentsOf(t deployedFleet) deploymentsState {
	f := t.Fleet
	m := deploymentsState{Environments: map[string]environmentState{}, Packages: map[string]packageState{}, History: []changeState{},
		Discrepancies: []discrepancyState{}, Compare: f.Rules.Chains}
	at := map[string]history.Deployed{}
	for _, place := range t.Places {
		at[place.Name] = place
	}
	for _, e := range f.Environments {
		m.Environments[e.Name] = environmentOf(e, at[e.Name])
		for _, p := range e.Packages {
			m.Packages[e.Name+"/"+p.Key()] = packageOf(e.Name, p)
		}
		for _, c := range e.History {
			m.History = append(m.History, changeState{Environment: e.Name, changedState: changedOf(c), Added: list(c.Added),
				Changed: list(c.Changed), Removed: list(c.Removed)})
		}
	}
	for _, d := range f.Discrepancies {
		m.Discrepancies = append(m.Discrepancies, discrepancyState{
			Kind: string(d.Kind), Workload: visible(d.Workload), ClusterType: optional(d.ClusterType), Key: optional(d.Key),
			Left: d.Left, Right: d.Right, LeftValue: optional(visible(d.LeftValue)), RightValue: optional(visible(d.RightValue)),
			Text: visible(d.Text),
		})
	}
	return m
}

func environmentOf(e deployments.Environment, at history.Deployed) environmentState {
	state := environmentState{
		Repo: at.Branch.Repo, Branch: at.Branch.Name, Path: optional(at.Path), Head: optional(e.Head), PromotedCommits: list(e.PromotedCommits),
		Health: optional(string(e.Health.State)), HealthReason: optional(visible(e.Health.Reason)), Unreadable: list(e.Unreadable),
	}
	if e.Head != "" {
		state.Time = optional(timeOf(e.Time))
	}
	if e.Missing() == "" {
		n := len(e.Packages)
		state.Packages = &n
	}
	return state
}

func packageOf(environment string, p deployments.Package) packageState {
	state := packageState{
		Environment: environment, ClusterType: p.ClusterType, DeploymentTarget: p.DeploymentTarget, ID: p.ID,
		Workload: optional(visible(p.Workload)), Workspace: optional(visible(p.Workspace)), Namespace: optional(visible(p.Namespace)),
		Sources: make([]sourceState, len(p.Sources)), Values: p.Values,
		Version: optional(visible(p.Version)), Build: optional(visible(p.Build)), Commit: optional(visible(p.Commit)),
		Health: optional(string(p.Health.State)), HealthReason: optional(visible(p.Health.Reason)), Unreadable: list(p.Unreadable),
	}
	for i, s := range p.Sources {
		state.Sources[i] = sourceState{Kind: s.Kind, Repo: optional(visible(s.Repo)), Ref: optional(visible(s.Ref)),
			Path: optional(visible(s.Path)), Commit: optional(s.Commit)}
	}
	if c := p.Changed; c.Commit != "" {
		changed := changedOf(c)
		state.Changed = &changed
	}
	return state
}

func changedOf(c deployments.Change) changedState {
	return changedState{Commit: c.Commit, Author: visible(c.Author), Subject: visible(c.Subject), Time: timeOf(c.Time),
		PromotedCommits: list(c.PromotedCommits), Run: optional(c.Run)}
}

func timeOf(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// list returns texts as a list that is never null, with invisible characters spelled out.
func list(texts []string) []string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = visible(text)
	}
	return all
}
