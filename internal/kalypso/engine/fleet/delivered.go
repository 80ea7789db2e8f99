// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package fleet

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// deliverers returns the possible names of the registration that delivered the workload.
// They come from Flux's owner label. Kalypso calls its Flux objects
// <environment>-<registration>, and in one version
// <environment>-<workspace>-<registration>.
func (f *Fleet) deliverers(w *manifest.Workload) []string {
	owner := w.Labels[manifest.LabelFluxOwner]
	rest, ofEnvironment := strings.CutPrefix(owner, f.Environment+"-")
	names := []string{rest}
	for i := range rest {
		if !ofEnvironment || rest[i] != '-' {
			continue
		}
		if r, known := find(f.Registrations, rest[i+1:]); known && r.Workspace == rest[:i] {
			names = append(names, r.Name)
		}
	}
	return append(names, owner)
}

// NotFollowed returns the registrations of which there is no workload, and the base
// repositories that no object comes from. A workload of a registration's name and workspace
// counts as its own; so does a DeploymentTarget of such a workload that is not there itself. A BaseRepo "main" may be there for the
// promoted commit that it carries.
func (f *Fleet) NotFollowed() ([]*manifest.WorkloadRegistration, []*manifest.BaseRepo) {
	delivered, workloads := map[string]bool{}, map[string]bool{}
	for _, w := range f.Workloads {
		for _, registration := range f.deliverers(w) {
			delivered[registration] = true
		}
		workloads[w.Name] = true
		if r, known := find(f.Registrations, w.Name); known && r.Workspace == f.workspaceOf(w) {
			delivered[w.Name] = true
		}
	}
	for _, d := range f.DeploymentTargets {
		name := d.Workload()
		if r, known := find(f.Registrations, name); known && !workloads[name] && r.Workspace == d.Labels[manifest.LabelWorkspace] {
			delivered[name] = true
		}
	}
	isDelivered := func(r *manifest.WorkloadRegistration) bool { return delivered[r.Name] }
	isFollowed := func(b *manifest.BaseRepo) bool {
		return b.Name == manifest.MainBaseRepo && b.Commit != "" || f.hasObjectOf(b)
	}
	return slices.DeleteFunc(slices.Clone(f.Registrations), isDelivered), slices.DeleteFunc(slices.Clone(f.BaseRepos), isFollowed)
}

// hasObjectOf reports whether an object was read from where the BaseRepo points to.
func (f *Fleet) hasObjectOf(b *manifest.BaseRepo) bool {
	from := b.Repo + "#" + cmp.Or(b.Branch, b.Commit) + ":"
	folder := strings.TrimSuffix(path.Clean("/"+b.Path), "/") + "/"
	return slices.ContainsFunc(f.Origins, func(origin string) bool {
		file, found := strings.CutPrefix(origin, from)
		return found && strings.HasPrefix("/"+file, folder)
	})
}

// origins returns the files that objects are known to have been read from.
func origins(objects []manifest.Object) []string {
	var all []string
	for _, o := range objects {
		if origin := o.Metadata().Source.File; origin != "" {
			all = append(all, origin)
		}
	}
	return all
}
