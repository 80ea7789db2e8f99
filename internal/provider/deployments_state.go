// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/vmihailenco/msgpack/v5"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/history"
)

// deploymentsState is what is computed of kalypso_deployments. As the framework looks at
// every value several times over, it takes the place of the id on the way through it, in
// MessagePack as Terraform has it, and server unpacks it, as it does the digests of
// packages: three environments of 2,000 packages took several seconds otherwise.
type deploymentsState struct {
	ID            string                      `msgpack:"id"`
	Environments  map[string]environmentState `msgpack:"environments"`
	Packages      map[string]packageState     `msgpack:"packages"`
	Discrepancies []discrepancyState          `msgpack:"discrepancies"`
	History       []changeState               `msgpack:"history"`
}

type (
	environmentState struct {
		Repo            string   `msgpack:"repo"`
		Branch          string   `msgpack:"branch"`
		Path            *string  `msgpack:"path"`
		Head            *string  `msgpack:"head"`
		Time            *string  `msgpack:"time"`
		PromotedCommits []string `msgpack:"promoted_commits"`
		Health          *string  `msgpack:"health"`
		HealthReason    *string  `msgpack:"health_reason"`
		Packages        *int     `msgpack:"packages"`
		Unreadable      []string `msgpack:"unreadable"`
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
	// changedState is a commit without what it changed.
	changedState struct {
		Commit          string   `msgpack:"commit"`
		Author          string   `msgpack:"author"`
		Subject         string   `msgpack:"subject"`
		Time            string   `msgpack:"time"`
		PromotedCommits []string `msgpack:"promoted_commits"`
		Run             *string  `msgpack:"run"`
	}
	changeState struct {
		Environment     string   `msgpack:"environment"`
		Commit          string   `msgpack:"commit"`
		Author          string   `msgpack:"author"`
		Subject         string   `msgpack:"subject"`
		Time            string   `msgpack:"time"`
		PromotedCommits []string `msgpack:"promoted_commits"`
		Run             *string  `msgpack:"run"`
		Added           []string `msgpack:"added"`
		Changed         []string `msgpack:"changed"`
		Removed         []string `msgpack:"removed"`
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

// packed returns the state as the id that it is brought past the framework in.
func (s deploymentsState) packed() (types.String, error) {
	text, err := msgpack.Marshal(s)
	return types.StringValue(string(text)), err
}

// unpackDeployments puts what the id holds into the place of the computed attributes. An
// object that is null, or has no id, stays as it is.
func unpackDeployments(object *tfprotov6.DynamicValue) (*tfprotov6.DynamicValue, error) {
	var computed map[string]msgpack.RawMessage
	_, err := withAttributes(object, func(name string, value []byte) ([]byte, error) {
		var text string
		if name != "id" || msgpack.Unmarshal(value, &text) != nil || text == "" {
			return value, nil
		}
		return value, msgpack.Unmarshal([]byte(text), &computed)
	})
	if err != nil {
		return nil, fmt.Errorf("what was computed: %w", err)
	}
	return withAttributes(object, func(name string, value []byte) ([]byte, error) {
		if known, ok := computed[name]; ok {
			return known, nil
		}
		return value, nil
	})
}

// deploymentsOf returns what is computed of a fleet.
func deploymentsOf(f deployments.Fleet, places []history.Deployed) deploymentsState {
	m := deploymentsState{Environments: map[string]environmentState{}, Packages: map[string]packageState{}, History: []changeState{}, Discrepancies: []discrepancyState{}}
	at := map[string]history.Deployed{}
	for _, place := range places {
		at[place.Name] = place
	}
	var names []string
	for _, e := range f.Environments {
		names = append(names, e.Name)
		m.Environments[e.Name] = environmentOf(e, at[e.Name])
		for _, p := range e.Packages {
			m.Packages[e.Name+"/"+p.Key()] = packageOf(e.Name, p)
		}
		for _, c := range e.History {
			m.History = append(m.History, changeOf(e.Name, c))
		}
	}
	for _, d := range f.Discrepancies {
		m.Discrepancies = append(m.Discrepancies, discrepancyState{
			Kind: string(d.Kind), Workload: visible(d.Workload), ClusterType: optional(d.ClusterType), Key: optional(d.Key),
			Left: d.Left, Right: d.Right, LeftValue: optional(visible(d.LeftValue)), RightValue: optional(visible(d.RightValue)), Text: visible(d.Text),
		})
	}
	m.ID = strings.Join(names, ",")
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
		state.Sources[i] = sourceState{Kind: s.Kind, Repo: optional(visible(s.Repo)), Ref: optional(visible(s.Ref)), Path: optional(visible(s.Path)), Commit: optional(s.Commit)}
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
