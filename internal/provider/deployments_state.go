// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/history"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
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

// deployedFleet is what a kalypso_deployments has read: a fleet, and the places of its environments.
type deployedFleet struct {
	Fleet  deployments.Fleet
	Places []history.Deployed
}

// maxContent is the largest size of an unpacked content, in bytes. The limit exists because
// some texts unpack to a thousand times their size.
const maxContent = 256 << 20

// packed returns the value of the attribute content. The same fleet always has the same
// content.
func (t deployedFleet) packed() (string, error) {
	content, err := json.Marshal(t)
	if err != nil {
		return "", err
	}
	if len(content) > maxContent {
		return "", fmt.Errorf("the packages, discrepancies and history have more than %s. Name fewer branches, or reduce "+
			"history", remote.Size(maxContent))
	}
	var b bytes.Buffer
	text := base64.NewEncoder(base64.StdEncoding, &b)
	w, _ := flate.NewWriter(text, flate.BestCompression) // a buffer takes everything
	_, _ = w.Write(content)
	_ = w.Close()
	_ = text.Close()
	return b.String(), nil
}

// unpacked is the inverse of packed. Errors: content does not come from packed, or has more
// than most bytes unpacked.
func unpacked(packed string, most int) (t deployedFleet, err error) {
	text := base64.NewDecoder(base64.StdEncoding, strings.NewReader(packed))
	content, err := io.ReadAll(io.LimitReader(flate.NewReader(text), int64(most)+1))
	if err != nil || len(content) > most || json.Unmarshal(content, &t) != nil {
		return t, errors.New("the attribute content does not come from a data source kalypso_deployments")
	}
	return t, nil
}

// fleetGiven reads a kalypso_deployments, or an object with its content. It leaves out environments
// that the user has removed from environments.
func fleetGiven(value cty.Value) (t deployedFleet, err error) {
	if !value.IsWhollyKnown() {
		return t, errors.New("a part of the argument is not known yet. First apply the resources that the argument depends on")
	}
	isObject := func(v cty.Value) bool { return !v.IsNull() && (v.Type().IsObjectType() || v.Type().IsMapType()) }
	var given map[string]cty.Value
	if isObject(value) {
		given = value.AsValueMap()
	}
	content, set := given["content"]
	if !set || content.IsNull() || content.Type() != cty.String {
		return t, errors.New("the argument is not a kalypso_deployments. Pass a data source, such as data.kalypso_deployments.fleet")
	}
	if t, err = unpacked(content.AsString(), maxContent); err != nil {
		return t, err
	}
	if chosen, set := given["environments"]; set && !chosen.IsNull() {
		if !isObject(chosen) {
			return t, errors.New("the attribute environments is not an object with environments by name. Write the environments " +
				"to show, such as { dev = data.kalypso_deployments.fleet.environments.dev }")
		}
		names := chosen.AsValueMap()
		isLeft := func(name string) bool { _, stays := names[name]; return !stays }
		t.Fleet.Environments = slices.DeleteFunc(t.Fleet.Environments, func(e deployments.Environment) bool { return isLeft(e.Name) })
		t.Fleet.Discrepancies = slices.DeleteFunc(t.Fleet.Discrepancies,
			func(d deployments.Discrepancy) bool { return isLeft(d.Left) || isLeft(d.Right) })
	}
	if at, set := given["time"]; set && !at.IsNull() {
		if at.Type() != cty.String {
			return t, errors.New("the attribute time is not a text, such as the result of plantimestamp()")
		}
		if t.Fleet.Time, err = time.Parse(time.RFC3339, at.AsString()); err != nil {
			return t, fmt.Errorf("time: %q is not a time such as 2026-11-20T09:00:00Z", at.AsString())
		}
	}
	return t, nil
}
