// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/vmihailenco/msgpack/v5"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	ctymsgpack "github.com/zclconf/go-cty/cty/msgpack"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
)

// shownAttributes are the attributes of a kalypso_deployments that functions read, with
// the attributes that each object in them needs. All others may be null or left out.
var shownAttributes = map[string][]string{
	"environments":  nil,
	"packages":      {"environment", "cluster_type", "deployment_target"},
	"discrepancies": {"kind", "workload", "left", "right"},
	"history":       {"environment", "commit"},
	"compare":       nil,
}

// toldTypes returns the types of shownAttributes.
func toldTypes() map[string]cty.Type {
	types := map[string]cty.Type{"environments": ctyType(deployedEnvironments.GetType())}
	for name, attribute := range toldAttributes {
		types[name] = ctyType(attribute.GetType())
	}
	return types
}

// fleetOf reads a kalypso_deployments, or the object that the function deployments
// returns. It ignores attributes that it does not read. It returns all errors of the
// object.
func fleetOf(value cty.Value) (deployments.Fleet, error) {
	state, err := stateGiven(value)
	if err != nil {
		return deployments.Fleet{}, err
	}
	r := &fleetReader{}
	fleet := r.fleet(state)
	fleet.Sort()
	if at, set := value.AsValueMap()["time"]; set && !at.IsNull() {
		if at.Type() != cty.String {
			return deployments.Fleet{}, errors.New("the attribute time is not a text, such as the result of plantimestamp()")
		}
		fleet.Time = r.time("time", at.AsString())
	}
	return fleet, errors.Join(r.wrong...)
}

// stateGiven returns the computed values of a kalypso_deployments. It unpacks content, if
// the value has it, and leaves out environments that the user has removed from
// environments.
func stateGiven(value cty.Value) (deploymentsState, error) {
	if !value.IsWhollyKnown() {
		return deploymentsState{}, errors.New("a part of the argument is not known yet. First apply the resources that the argument depends on")
	}
	if value.IsNull() || !value.Type().IsObjectType() && !value.Type().IsMapType() {
		return deploymentsState{}, errors.New("the argument is not a kalypso_deployments. Pass a data source, such as " +
			"data.kalypso_deployments.fleet, or the result of the function deployments")
	}
	given := value.AsValueMap()
	content, packed := given["content"]
	if !packed || content.IsNull() || content.Type() != cty.String {
		return stateOfParts(given)
	}
	state, err := unpacked(content.AsString(), maxContent)
	chosen, set := given["environments"]
	if err != nil || !set || chosen.IsNull() {
		return state, err
	}
	if !chosen.Type().IsObjectType() && !chosen.Type().IsMapType() {
		return deploymentsState{}, errors.New("the attribute environments is not an object with environments by name. Write the environments " +
			"to show, such as { dev = data.kalypso_deployments.fleet.environments.dev }")
	}
	names := chosen.AsValueMap()
	maps.DeleteFunc(state.Environments, func(name string, _ environmentState) bool { _, there := names[name]; return !there })
	return state, nil
}

// stateOfParts reads the attributes of an object one by one.
func stateOfParts(given map[string]cty.Value) (deploymentsState, error) {
	read, types := map[string]cty.Value{}, toldTypes()
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(shownAttributes)) {
		if attribute, set := given[name]; !set || attribute.IsNull() {
			if name != "compare" {
				wrong = append(wrong, fmt.Errorf("the attribute %s is missing. Pass the result of the function deployments, which has environments, "+
					"packages, discrepancies and history", name))
			}
			continue
		}
		converted, err := convert.Convert(given[name], lenient(types[name], shownAttributes[name]))
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", name, err))
			continue
		}
		read[name] = converted
		wrong = append(wrong, missing(name, converted, shownAttributes[name])...)
	}
	if err := errors.Join(wrong...); err != nil {
		return deploymentsState{}, err
	}
	return stateOf(cty.ObjectVal(read))
}

// lenient returns a type in which attributes of objects may be left out, except those that
// the outermost objects need.
func lenient(t cty.Type, needed []string) cty.Type {
	switch {
	case t.IsMapType():
		return cty.Map(lenient(t.ElementType(), needed))
	case t.IsListType():
		return cty.List(lenient(t.ElementType(), needed))
	case !t.IsObjectType():
		return t
	}
	attributes := map[string]cty.Type{}
	for name, inner := range t.AttributeTypes() {
		attributes[name] = lenient(inner, nil)
	}
	return cty.ObjectWithOptionalAttrs(attributes, slices.DeleteFunc(slices.Sorted(maps.Keys(attributes)),
		func(name string) bool { return slices.Contains(needed, name) }))
}

// missing reports the objects of a map or list that are null or lack a needed attribute.
func missing(attribute string, all cty.Value, needed []string) []error {
	var wrong []error
	for key, object := range all.Elements() {
		where := attribute
		if key.Type() == cty.String {
			where += fmt.Sprintf("[%q]", key.AsString())
		} else {
			where += fmt.Sprintf("[%s]", key.AsBigFloat().Text('f', 0))
		}
		if object.IsNull() {
			wrong = append(wrong, fmt.Errorf("%s is null", where))
			continue
		}
		for _, name := range needed {
			if object.GetAttr(name).IsNull() {
				wrong = append(wrong, fmt.Errorf("%s.%s is null", where, name))
			}
		}
	}
	return wrong
}

// stateOf decodes an object that has the encoding of the data source.
func stateOf(object cty.Value) (deploymentsState, error) {
	var state deploymentsState
	wire, err := ctymsgpack.Marshal(object, object.Type())
	if err == nil {
		err = msgpack.Unmarshal(wire, &state)
	}
	return state, err
}

// fleetReader is the inverse of deploymentsOf. It collects the errors.
type fleetReader struct{ wrong []error }

// fleet leaves out the entries of an environment that does not exist.
func (r *fleetReader) fleet(s deploymentsState) deployments.Fleet {
	f := deployments.Fleet{Rules: deployments.Rules{Chains: s.Compare}}
	position := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(s.Environments)) {
		e, where := s.Environments[name], fmt.Sprintf("environments[%q]", name)
		position[name] = len(f.Environments)
		f.Environments = append(f.Environments, deployments.Environment{
			Name: name, Head: text(e.Head), NoFolder: e.Packages == nil && e.Path != nil, Time: r.time(where+".time", text(e.Time)),
			PromotedCommits: e.PromotedCommits, Health: healthOf(e.Health, e.HealthReason), Unreadable: e.Unreadable,
		})
	}
	for _, key := range slices.Sorted(maps.Keys(s.Packages)) {
		p := s.Packages[key]
		if i, known := position[p.Environment]; known {
			f.Environments[i].Packages = append(f.Environments[i].Packages, r.onePackage(fmt.Sprintf("packages[%q]", key), p))
		}
	}
	for i, c := range s.History {
		if n, known := position[c.Environment]; known {
			change := r.change(fmt.Sprintf("history[%d].time", i), c.changedState)
			change.Added, change.Changed, change.Removed = c.Added, c.Changed, c.Removed
			f.Environments[n].History = append(f.Environments[n].History, change)
		}
	}
	for _, d := range s.Discrepancies {
		_, left := position[d.Left]
		if _, right := position[d.Right]; left && right {
			f.Discrepancies = append(f.Discrepancies, deployments.Discrepancy{
				Kind: deployments.DiscrepancyKind(d.Kind), Workload: d.Workload, ClusterType: text(d.ClusterType), Key: text(d.Key),
				Left: d.Left, Right: d.Right, LeftValue: text(d.LeftValue), RightValue: text(d.RightValue), Text: d.Text,
			})
		}
	}
	return f
}

func (r *fleetReader) onePackage(where string, p packageState) deployments.Package {
	read := deployments.Package{
		ClusterType: p.ClusterType, DeploymentTarget: p.DeploymentTarget, ID: p.ID, Workload: text(p.Workload), Workspace: text(p.Workspace),
		Namespace: text(p.Namespace),
		Values:    p.Values, Version: text(p.Version), Build: text(p.Build), Commit: text(p.Commit), Health: healthOf(p.Health, p.HealthReason),
		Unreadable: p.Unreadable,
	}
	for _, s := range p.Sources {
		read.Sources = append(read.Sources, deployments.Source{Kind: s.Kind, Repo: text(s.Repo), Ref: text(s.Ref), Path: text(s.Path),
			Commit: text(s.Commit)})
	}
	if c := p.Changed; c != nil {
		read.Changed = r.change(where+".changed.time", *c)
	}
	return read
}

func (r *fleetReader) change(where string, c changedState) deployments.Change {
	return deployments.Change{Commit: c.Commit, Author: c.Author, Subject: c.Subject, Time: r.time(where, c.Time),
		PromotedCommits: c.PromotedCommits, Run: text(c.Run)}
}

func (r *fleetReader) time(where, given string) time.Time {
	if given == "" {
		return time.Time{}
	}
	read, err := time.Parse(time.RFC3339, given)
	if err != nil {
		r.wrong = append(r.wrong, fmt.Errorf("%s: %q is not a time such as 2026-11-20T09:00:00Z", where, given))
	}
	return read
}

// healthOf returns the reported health. It is empty for a state that this version does not
// know.
func healthOf(state, reason *string) deployments.Health {
	switch read := deployments.HealthState(text(state)); read {
	case deployments.Healthy, deployments.Unhealthy, deployments.Progressing:
		return deployments.Health{State: read, Reason: text(reason)}
	}
	return deployments.Health{}
}
