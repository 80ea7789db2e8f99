// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/zclconf/go-cty/cty/gocty"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/history"
)

// deploymentsModel is the data source as Terraform holds it.
type deploymentsModel struct {
	ID            types.String                `tfsdk:"id"`
	Branches      types.Dynamic               `tfsdk:"branches"`
	FollowSources types.Bool                  `tfsdk:"follow_sources"`
	Environments  map[string]environmentState `tfsdk:"environments"`
	Packages      map[string]packageState     `tfsdk:"packages"`
	Discrepancies []discrepancyState          `tfsdk:"discrepancies"`
	History       []changeState               `tfsdk:"history"`
	Timeouts      timeouts.Value              `tfsdk:"timeouts"`
}

// branchSettings are what people write of a branch.
type branchSettings struct {
	Repo    string  `cty:"repo"`
	Branch  string  `cty:"branch"`
	Path    *string `cty:"path"`
	History *int    `cty:"history"`
}

type (
	environmentState struct {
		Repo            string   `tfsdk:"repo"`
		Branch          string   `tfsdk:"branch"`
		Path            *string  `tfsdk:"path"`
		Head            *string  `tfsdk:"head"`
		Time            *string  `tfsdk:"time"`
		PromotedCommits []string `tfsdk:"promoted_commits"`
		Health          *string  `tfsdk:"health"`
		HealthReason    *string  `tfsdk:"health_reason"`
		Packages        int      `tfsdk:"packages"`
		Unreadable      []string `tfsdk:"unreadable"`
	}
	packageState struct {
		Environment      string            `tfsdk:"environment"`
		ClusterType      string            `tfsdk:"cluster_type"`
		DeploymentTarget string            `tfsdk:"deployment_target"`
		ID               string            `tfsdk:"id"`
		Workload         *string           `tfsdk:"workload"`
		Workspace        *string           `tfsdk:"workspace"`
		Namespace        *string           `tfsdk:"namespace"`
		Sources          []sourceState     `tfsdk:"sources"`
		Values           map[string]string `tfsdk:"values"`
		Version          *string           `tfsdk:"version"`
		Build            *string           `tfsdk:"build"`
		Commit           *string           `tfsdk:"commit"`
		Changed          *changedState     `tfsdk:"changed"`
		Health           *string           `tfsdk:"health"`
		HealthReason     *string           `tfsdk:"health_reason"`
		Unreadable       []string          `tfsdk:"unreadable"`
	}
	sourceState struct {
		Kind   string  `tfsdk:"kind"`
		Repo   *string `tfsdk:"repo"`
		Ref    *string `tfsdk:"ref"`
		Path   *string `tfsdk:"path"`
		Commit *string `tfsdk:"commit"`
	}
	// changedState is a commit without what it changed.
	changedState struct {
		Commit          string   `tfsdk:"commit"`
		Author          string   `tfsdk:"author"`
		Subject         string   `tfsdk:"subject"`
		Time            string   `tfsdk:"time"`
		PromotedCommits []string `tfsdk:"promoted_commits"`
		Run             *string  `tfsdk:"run"`
	}
	changeState struct {
		Environment     string   `tfsdk:"environment"`
		Commit          string   `tfsdk:"commit"`
		Author          string   `tfsdk:"author"`
		Subject         string   `tfsdk:"subject"`
		Time            string   `tfsdk:"time"`
		PromotedCommits []string `tfsdk:"promoted_commits"`
		Run             *string  `tfsdk:"run"`
		Added           []string `tfsdk:"added"`
		Changed         []string `tfsdk:"changed"`
		Removed         []string `tfsdk:"removed"`
	}
	discrepancyState struct {
		Kind        string  `tfsdk:"kind"`
		Workload    string  `tfsdk:"workload"`
		ClusterType *string `tfsdk:"cluster_type"`
		Key         *string `tfsdk:"key"`
		Left        string  `tfsdk:"left"`
		Right       string  `tfsdk:"right"`
		LeftValue   *string `tfsdk:"left_value"`
		RightValue  *string `tfsdk:"right_value"`
		Text        string  `tfsdk:"text"`
	}
)

// places returns where environments stand, in the order of their names. One that is not
// known as a whole is left out.
func (m *deploymentsModel) places(ctx context.Context) ([]history.Deployed, diag.Diagnostics) {
	at := path.Root("branches")
	value, diags := deploymentBranches.value(ctx, at, m.Branches)
	if diags.HasError() || value.IsNull() || !value.IsKnown() {
		return nil, diags
	}
	var places []history.Deployed
	branches := value.AsValueMap()
	for _, name := range slices.Sorted(maps.Keys(branches)) {
		if name == "" || strings.Contains(name, "/") {
			diags.AddAttributeError(at.AtMapKey(name), "Invalid name of an environment", fmt.Sprintf("%q names an environment, and stands in front of the keys of its packages. Write a name without slashes.", name))
		}
		var b branchSettings
		if !branches[name].IsWhollyKnown() {
			continue
		}
		if err := gocty.FromCtyValue(branches[name], &b); err != nil {
			diags.AddAttributeError(at.AtMapKey(name), "Wrong type of value", err.Error())
			continue
		}
		places = append(places, history.Deployed{
			Name: name, Branch: git.Branch{Repo: b.Repo, Name: b.Branch}, Path: text(b.Path), Most: orElse(b.History, history.DefaultDeployments),
		})
	}
	return places, diags
}

// take fills the computed attributes.
func (m *deploymentsModel) take(f deployments.Fleet, places []history.Deployed) {
	m.Environments, m.Packages = map[string]environmentState{}, map[string]packageState{}
	m.History, m.Discrepancies = []changeState{}, []discrepancyState{}
	var names []string
	for i, e := range f.Environments { // they have the order of the places
		names = append(names, e.Name)
		m.Environments[e.Name] = environmentOf(e, places[i])
		for _, p := range e.Packages {
			m.Packages[e.Name+"/"+p.Key()] = packageOf(e.Name, p)
		}
		for _, c := range e.History {
			m.History = append(m.History, changeOf(e.Name, c))
		}
	}
	for _, d := range f.Discrepancies {
		m.Discrepancies = append(m.Discrepancies, discrepancyState{
			Kind: string(d.Kind), Workload: d.Workload, ClusterType: optional(d.ClusterType), Key: optional(d.Key),
			Left: d.Left, Right: d.Right, LeftValue: optional(d.LeftValue), RightValue: optional(d.RightValue), Text: visible(d.Text),
		})
	}
	m.ID = types.StringValue(strings.Join(names, ","))
}

func environmentOf(e deployments.Environment, at history.Deployed) environmentState {
	state := environmentState{
		Repo: at.Branch.Repo, Branch: at.Branch.Name, Path: optional(at.Path), Head: optional(e.Head), PromotedCommits: list(e.PromotedCommits),
		Health: optional(string(e.Health.State)), HealthReason: optional(visible(e.Health.Reason)), Packages: len(e.Packages), Unreadable: list(e.Unreadable),
	}
	if e.Head != "" {
		state.Time = optional(timeOf(e.Time))
	}
	return state
}

func packageOf(environment string, p deployments.Package) packageState {
	state := packageState{
		Environment: environment, ClusterType: p.ClusterType, DeploymentTarget: p.DeploymentTarget, ID: p.ID,
		Workload: optional(p.Workload), Workspace: optional(p.Workspace), Namespace: optional(p.Namespace),
		Sources: make([]sourceState, len(p.Sources)), Values: p.Values,
		Version: optional(p.Version), Build: optional(p.Build), Commit: optional(p.Commit),
		Health: optional(string(p.Health.State)), HealthReason: optional(visible(p.Health.Reason)), Unreadable: list(p.Unreadable),
	}
	for i, s := range p.Sources {
		state.Sources[i] = sourceState{Kind: s.Kind, Repo: optional(s.Repo), Ref: optional(s.Ref), Path: optional(s.Path), Commit: optional(s.Commit)}
	}
	if c := p.Changed; c.Commit != "" {
		state.Changed = &changedState{
			Commit: c.Commit, Author: visible(c.Author), Subject: visible(c.Subject), Time: timeOf(c.Time), PromotedCommits: list(c.PromotedCommits), Run: optional(c.Run),
		}
	}
	return state
}

func changeOf(environment string, c deployments.Change) changeState {
	return changeState{
		Environment: environment, Commit: c.Commit, Author: visible(c.Author), Subject: visible(c.Subject), Time: timeOf(c.Time),
		PromotedCommits: list(c.PromotedCommits), Run: optional(c.Run), Added: list(c.Added), Changed: list(c.Changed), Removed: list(c.Removed),
	}
}

func timeOf(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// list returns texts as a list that is not null, each as a person may see it.
func list(texts []string) []string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = visible(text)
	}
	return all
}
