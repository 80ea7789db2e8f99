// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/gocty"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
)

// deploymentsObject is what functions read of a kalypso_deployments. What may be null, or
// left out, is a pointer.
type deploymentsObject struct {
	Environments  map[string]environmentObject `cty:"environments"`
	Packages      map[string]packageObject     `cty:"packages"`
	Discrepancies []discrepancyObject          `cty:"discrepancies"`
	History       []historyObject              `cty:"history"`
}

type environmentObject struct {
	Head            *string  `cty:"head"`
	Time            *string  `cty:"time"`
	PromotedCommits []string `cty:"promoted_commits"`
	Health          *string  `cty:"health"`
	HealthReason    *string  `cty:"health_reason"`
	Unreadable      []string `cty:"unreadable"`
}

type packageObject struct {
	Environment      string            `cty:"environment"`
	ClusterType      string            `cty:"cluster_type"`
	DeploymentTarget string            `cty:"deployment_target"`
	ID               *string           `cty:"id"`
	Workload         *string           `cty:"workload"`
	Workspace        *string           `cty:"workspace"`
	Namespace        *string           `cty:"namespace"`
	Sources          []sourceObject    `cty:"sources"`
	Values           map[string]string `cty:"values"`
	Version          *string           `cty:"version"`
	Build            *string           `cty:"build"`
	Commit           *string           `cty:"commit"`
	Changed          *changeObject     `cty:"changed"`
	Health           *string           `cty:"health"`
	HealthReason     *string           `cty:"health_reason"`
	Unreadable       []string          `cty:"unreadable"`
}

type sourceObject struct {
	Kind   string  `cty:"kind"`
	Repo   *string `cty:"repo"`
	Ref    *string `cty:"ref"`
	Path   *string `cty:"path"`
	Commit *string `cty:"commit"`
}

type changeObject struct {
	Commit          string   `cty:"commit"`
	Author          *string  `cty:"author"`
	Subject         *string  `cty:"subject"`
	Time            *string  `cty:"time"`
	PromotedCommits []string `cty:"promoted_commits"`
	Run             *string  `cty:"run"`
}

type historyObject struct {
	Environment     string   `cty:"environment"`
	Commit          string   `cty:"commit"`
	Author          *string  `cty:"author"`
	Subject         *string  `cty:"subject"`
	Time            *string  `cty:"time"`
	PromotedCommits []string `cty:"promoted_commits"`
	Added           []string `cty:"added"`
	Changed         []string `cty:"changed"`
	Removed         []string `cty:"removed"`
	Run             *string  `cty:"run"`
}

type discrepancyObject struct {
	Kind        string  `cty:"kind"`
	Workload    string  `cty:"workload"`
	ClusterType *string `cty:"cluster_type"`
	Key         *string `cty:"key"`
	Left        string  `cty:"left"`
	Right       string  `cty:"right"`
	LeftValue   *string `cty:"left_value"`
	RightValue  *string `cty:"right_value"`
	Text        *string `cty:"text"`
}

// The types of a deploymentsObject: an object may have more than they say.
var (
	changeType = object([]string{"commit"}, map[string]cty.Type{
		"author": cty.String, "subject": cty.String, "time": cty.String, "promoted_commits": cty.List(cty.String), "run": cty.String,
	})
	sourceType = object([]string{"kind"}, map[string]cty.Type{
		"repo": cty.String, "ref": cty.String, "path": cty.String, "commit": cty.String,
	})
	deploymentsTypes = map[string]cty.Type{
		"environments": cty.Map(object(nil, map[string]cty.Type{
			"head": cty.String, "time": cty.String, "promoted_commits": cty.List(cty.String), "health": cty.String, "health_reason": cty.String, "unreadable": cty.List(cty.String),
		})),
		"packages": cty.Map(object([]string{"environment", "cluster_type", "deployment_target"}, map[string]cty.Type{
			"id": cty.String, "workload": cty.String, "workspace": cty.String, "namespace": cty.String, "sources": cty.List(sourceType), "values": cty.Map(cty.String),
			"version": cty.String, "build": cty.String, "commit": cty.String, "changed": changeType, "health": cty.String, "health_reason": cty.String, "unreadable": cty.List(cty.String),
		})),
		"discrepancies": cty.List(object([]string{"kind", "workload", "left", "right"}, map[string]cty.Type{
			"cluster_type": cty.String, "key": cty.String, "left_value": cty.String, "right_value": cty.String, "text": cty.String,
		})),
		"history": cty.List(object([]string{"environment", "commit"}, map[string]cty.Type{
			"author": cty.String, "subject": cty.String, "time": cty.String, "promoted_commits": cty.List(cty.String),
			"added": cty.List(cty.String), "changed": cty.List(cty.String), "removed": cty.List(cty.String), "run": cty.String,
		})),
	}
)

// object is a type of objects with texts that have to be set, and further attributes that
// may be null or left out.
func object(texts []string, others map[string]cty.Type) cty.Type {
	all := maps.Clone(others)
	for _, name := range texts {
		all[name] = cty.String
	}
	return cty.ObjectWithOptionalAttrs(all, slices.Sorted(maps.Keys(others)))
}

// fleetOf reads the object of a kalypso_deployments. What it has beside the attributes
// that are read does not matter. Errors: everything that is wrong with it.
func fleetOf(value cty.Value) (deployments.Fleet, error) {
	if value.IsNull() || !value.Type().IsObjectType() && !value.Type().IsMapType() {
		return deployments.Fleet{}, errors.New("a kalypso_deployments is needed, as data.kalypso_deployments.fleet is, or an object with its attributes environments, packages, discrepancies and history")
	}
	given := value.AsValueMap()
	read := map[string]cty.Value{}
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(deploymentsTypes)) {
		attribute, set := given[name]
		if !set || attribute.IsNull() {
			wrong = append(wrong, fmt.Errorf("%s is missing: the object of a data source kalypso_deployments has environments, packages, discrepancies and history", name))
			continue
		}
		converted, err := convert.Convert(attribute, deploymentsTypes[name])
		if err != nil {
			wrong = append(wrong, at(name, err))
		}
		read[name] = converted
	}
	if len(wrong) > 0 {
		return deployments.Fleet{}, errors.Join(wrong...)
	}
	var o deploymentsObject
	if err := gocty.FromCtyValue(cty.ObjectVal(read), &o); err != nil {
		return deployments.Fleet{}, at("", err)
	}
	r := &fleetReader{}
	fleet := r.fleet(o)
	return fleet, errors.Join(r.wrong...)
}

// at says where in the object an error is.
func at(name string, err error) error {
	var there cty.PathError
	if !errors.As(err, &there) {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, step := range there.Path {
		switch step := step.(type) {
		case cty.GetAttrStep:
			name += "." + step.Name
		case cty.IndexStep:
			if step.Key.Type() == cty.String {
				name += fmt.Sprintf("[%q]", step.Key.AsString())
			} else {
				name += fmt.Sprintf("[%s]", step.Key.AsBigFloat().Text('f', 0))
			}
		}
	}
	return fmt.Errorf("%s: %w", strings.TrimPrefix(name, "."), err)
}

// fleetReader converts an object, and gathers what is wrong with it.
type fleetReader struct{ wrong []error }

func (r *fleetReader) fleet(o deploymentsObject) deployments.Fleet {
	var f deployments.Fleet
	position := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(o.Environments)) {
		e, where := o.Environments[name], fmt.Sprintf("environments[%q]", name)
		position[name] = len(f.Environments)
		f.Environments = append(f.Environments, deployments.Environment{
			Name: name, Head: text(e.Head), Time: r.time(where, e.Time), PromotedCommits: e.PromotedCommits, Health: r.health(where, e.Health, e.HealthReason), Unreadable: e.Unreadable,
		})
	}
	for _, key := range slices.Sorted(maps.Keys(o.Packages)) {
		p := o.Packages[key]
		if i, known := position[p.Environment]; known {
			f.Environments[i].Packages = append(f.Environments[i].Packages, r.onePackage(fmt.Sprintf("packages[%q]", key), p))
		}
	}
	for i, c := range o.History {
		if n, known := position[c.Environment]; known {
			f.Environments[n].History = append(f.Environments[n].History, deployments.Change{
				Commit: c.Commit, Author: text(c.Author), Subject: text(c.Subject), Time: r.time(fmt.Sprintf("history[%d]", i), c.Time),
				PromotedCommits: c.PromotedCommits, Added: c.Added, Changed: c.Changed, Removed: c.Removed, Run: text(c.Run),
			})
		}
	}
	for _, d := range o.Discrepancies {
		_, left := position[d.Left]
		if _, right := position[d.Right]; left && right {
			f.Discrepancies = append(f.Discrepancies, deployments.Discrepancy{
				Kind: deployments.DiscrepancyKind(d.Kind), Workload: d.Workload, ClusterType: text(d.ClusterType), Key: text(d.Key),
				Left: d.Left, Right: d.Right, LeftValue: text(d.LeftValue), RightValue: text(d.RightValue), Text: text(d.Text),
			})
		}
	}
	return f
}

func (r *fleetReader) onePackage(where string, p packageObject) deployments.Package {
	read := deployments.Package{
		ClusterType: p.ClusterType, DeploymentTarget: p.DeploymentTarget, ID: text(p.ID), Workload: text(p.Workload), Workspace: text(p.Workspace), Namespace: text(p.Namespace),
		Values: p.Values, Version: text(p.Version), Build: text(p.Build), Commit: text(p.Commit), Health: r.health(where, p.Health, p.HealthReason), Unreadable: p.Unreadable,
	}
	for _, s := range p.Sources {
		read.Sources = append(read.Sources, deployments.Source{Kind: s.Kind, Repo: text(s.Repo), Ref: text(s.Ref), Path: text(s.Path), Commit: text(s.Commit)})
	}
	if c := p.Changed; c != nil {
		read.Changed = deployments.Change{
			Commit: c.Commit, Author: text(c.Author), Subject: text(c.Subject), Time: r.time(where+".changed", c.Time), PromotedCommits: c.PromotedCommits, Run: text(c.Run),
		}
	}
	return read
}

func (r *fleetReader) time(where string, given *string) time.Time {
	if given == nil || *given == "" {
		return time.Time{}
	}
	read, err := time.Parse(time.RFC3339, *given)
	if err != nil {
		r.wrong = append(r.wrong, fmt.Errorf("%s.time: %q is no time, as 2026-11-20T09:00:00Z is", where, *given))
	}
	return read
}

func (r *fleetReader) health(where string, state, reason *string) deployments.Health {
	read := deployments.Health{State: deployments.HealthState(text(state)), Reason: text(reason)}
	switch read.State {
	case "", deployments.Healthy, deployments.Unhealthy, deployments.Progressing:
	default:
		r.wrong = append(r.wrong, fmt.Errorf("%s.health: %q is none of success, failure and pending, nor null", where, read.State))
	}
	return read
}
