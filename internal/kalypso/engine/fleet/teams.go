// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// Owners are the workspaces of names: IDs of workloads, and full names of deployment targets.
type Owners map[string]string

// Owners returns the workspaces of the workloads and deployment targets of the fleet.
func (f *Fleet) Owners() Owners {
	owners := Owners{}
	for _, w := range f.Workloads {
		owners[w.ID()] = f.workspaceOf(w)
	}
	for _, t := range f.Targets {
		owners[t.FullName] = t.Workspace
	}
	return owners
}

// Remembered returns the earlier owners that the manifests alone do not tell the next run: those of names that a broken workload has, and
// those of names that may be in a broken file.
func (f *Fleet) Remembered() Owners {
	if len(f.Notes) == 0 {
		return nil
	}
	now, remembered := f.Owners(), Owners{}
	for name, workspace := range f.earlier() {
		if _, isThere := now[name]; f.lost[name] || !isThere && f.unread[workspace] {
			remembered[name] = workspace
		}
	}
	return remembered
}

// MayHave reports whether packages of a deployment target stay where they are: it is in Staying, or a broken file or workload may have it.
// Then no manifest names it, and at the last apply it belonged to the workspace of the file, or nobody knows to which.
func (f *Fleet) MayHave(target string) bool {
	if _, isThere := f.Target(target); isThere || len(f.Notes) == 0 {
		return slices.Contains(f.Staying, target)
	}
	workspace, isKnown := f.earlier()[target]
	return f.lost[target] || f.unread[workspace] || !isKnown && len(f.unread) > 0
}

// settle returns the objects without the workloads of teams that take the name of another one, and adds a note for each of these.
// Objects of the platform team keep their names. Among teams, the workspace that had a name at the last apply keeps it, even while
// its own file is broken. If neither had it, both workloads are broken.
func (f *Fleet) settle(objects []manifest.Object) []manifest.Object {
	if len(f.Registrations) == 0 {
		return objects
	}
	workloads, claims := manifest.Of[*manifest.Workload](objects), map[string][]*manifest.Workload{}
	for _, w := range workloads {
		for _, name := range f.names(w) {
			claims[name] = append(claims[name], w)
		}
	}
	targets := map[string]*manifest.DeploymentTargetObject{}
	for _, d := range manifest.Of[*manifest.DeploymentTargetObject](objects) {
		if d.Environment == f.Environment {
			targets[d.Name] = d
		}
	}
	broken := map[manifest.Object]bool{}
	for _, w := range workloads {
		var problems problem.List
		said, names := "", f.names(w)
		for _, name := range names {
			taken := f.rival(w, name, claims[name], targets[name])
			if taken != "" && taken != said { // two workloads of one name share many names
				problems.Add(w.Problem("Duplicate object", "%s %s. Rename one of them, or remove it.", called(name), taken))
				said = taken
			}
		}
		if len(problems) == 0 {
			continue
		}
		broken[w] = true
		f.Notes = append(f.Notes, &manifest.Note{Meta: manifest.Meta{Kind: manifest.KindNote, Name: w.Source.String(), Source: w.Source},
			Problems: problems})
		for _, name := range names {
			f.lost[name] = true
		}
	}
	return slices.DeleteFunc(objects, func(o manifest.Object) bool { return broken[o] })
}

// names returns the names that a workload takes in this environment.
func (f *Fleet) names(w *manifest.Workload) []string {
	names := []string{w.ID()}
	for i := range w.DeploymentTargets {
		if d := &w.DeploymentTargets[i]; d.In(f.Environment) {
			names = append(names, FullName(w, d))
		}
	}
	return names
}

// called begins a sentence with a name.
func called(name string) string {
	if strings.Contains(name, "/") {
		return "The object " + name
	}
	return fmt.Sprintf("The deployment target %s (the workload's name, a dash and the target's name)", name)
}

// rival says who else has the name of a workload of a team, in a sentence after the name. It is empty if the workload has the name, and for
// workloads of the platform team.
func (f *Fleet) rival(w *manifest.Workload, name string, claims []*manifest.Workload, target *manifest.DeploymentTargetObject) string {
	if !f.isOfTeam(w) {
		return ""
	}
	if target != nil && target.Workload() != w.Name {
		return fmt.Sprintf("is in %s too", target.Source)
	}
	var owner string
	var isOwned bool
	if len(claims) > 1 || len(f.unread) > 0 {
		owner, isOwned = f.earlier()[name]
	}
	isOwn := isOwned && owner == f.workspaceOf(w)
	for _, other := range claims {
		if other != w && (!isOwn || !f.isOfTeam(other) || f.workspaceOf(other) == owner) {
			return fmt.Sprintf("is in %s too", other.Source)
		}
	}
	if isOwned && !isOwn && f.unread[owner] {
		return fmt.Sprintf("belongs to the workspace %q since the last apply, and a file of this workspace cannot be read", owner)
	}
	return ""
}

func (f *Fleet) isOfTeam(w *manifest.Workload) bool {
	return slices.ContainsFunc(f.deliverers(w), func(name string) bool {
		_, known := find(f.Registrations, name)
		return known
	})
}
