// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package controlplane

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/pattern"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Allow is a fence: what sources may bring, also by the sources that they lead to. Several
// fences of one source add up.
type Allow struct {
	// Source is "BaseRepo/x", "WorkloadRegistration/y", the name alone, or the URL of a
	// repository, with "//" and a folder for a part of it. Each may be a pattern.
	Source string
	// Kinds are names, Workspaces and Names are patterns. A list that is nil allows all.
	Kinds, Workspaces, Names []string
}

// CheckPattern returns why a pattern of a fence is not valid, or nil.
func CheckPattern(text string) error {
	if !pattern.IsValid(text) {
		return fmt.Errorf("%q is not a pattern. Write one such as \"team-a-*\", in which * stands for any text without a slash", text)
	}
	return nil
}

// repoAndFolder takes a fence's source apart if it is a URL.
func (a Allow) repoAndFolder() (repo, folder string, isURL bool) {
	scheme, rest, isURL := strings.Cut(a.Source, "://")
	if !isURL {
		repo, folder, _ = strings.Cut(a.Source, "//")
		return repo, folder, strings.Contains(repo, ":")
	}
	repo, folder, _ = strings.Cut(rest, "//")
	return scheme + "://" + repo, folder, true
}

// names reports whether the fence is for the sources at an address that an object names.
func (a Allow) names(m manifest.Meta, at address) bool {
	repo, folder, isURL := a.repoAndFolder()
	if !isURL {
		return pattern.Matches(a.Source, m.ID()) || pattern.Matches(a.Source, m.Name)
	}
	if !pattern.Matches(repositoryPattern(repo), repository(at.revision.Repo)) {
		return false
	}
	for p := at.path; folder != ""; p = path.Dir(p) { // a folder has what is below it
		if pattern.Matches(clean(folder), p) {
			return true
		}
		if p == "." || p == ".." || p == "/" {
			return false
		}
	}
	return true
}

// fence returns the fence without its source.
func (a Allow) fence() manifest.Fence {
	return manifest.Fence{Kinds: a.Kinds, Workspaces: a.Workspaces, Names: a.Names}
}

func (a Allow) String() string {
	var parts []string
	for _, list := range []struct {
		name  string
		names []string
	}{{"kinds", a.Kinds}, {"workspaces", a.Workspaces}, {"names", a.Names}} {
		if list.names != nil {
			parts = append(parts, list.name+" = ["+strings.Join(list.names, ", ")+"]")
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "everything")
}

// workspaceOf returns the workspace that an object is for; empty if the object alone does not
// say it. A registration that delivers a workload decides. Without one, a label of Flux could
// name a registration of others.
func workspaceOf(o manifest.Object, by *manifest.WorkloadRegistration) string {
	switch x := o.(type) {
	case *manifest.Workload:
		if by != nil {
			return by.Workspace
		}
		if x.Labels[manifest.LabelFluxOwner] == "" {
			return x.Labels[manifest.LabelWorkspace]
		}
	case *manifest.WorkloadRegistration:
		return x.Workspace
	case *manifest.SchedulingPolicy:
		return x.Workspace
	}
	return ""
}

// link leads to a source: the object that names it, and where this object is.
type link struct {
	from   *source
	file   *file
	object manifest.Object
	fences []Allow
}

func (l *link) registration() *manifest.WorkloadRegistration {
	w, _ := l.object.(*manifest.WorkloadRegistration)
	return w
}

// addLink notes that an object names a source, and reports whether that is new.
func (r *run) addLink(l *link, to *source) bool {
	if slices.ContainsFunc(to.links, func(known *link) bool { return known.object == l.object && known.from == l.from }) {
		return false
	}
	for _, a := range r.request.Allow {
		if a.names(l.object.Metadata(), to.address) {
			l.fences = append(l.fences, a)
		}
	}
	to.links = append(to.links, l)
	return true
}

// allow returns the fences that the link passes, without those that let nothing in. A registration
// lets in workloads only.
func (l *link) allow() []manifest.Fence {
	fences := l.fences
	if len(fences) == 0 {
		fences = []Allow{{}}
	}
	all := []manifest.Fence{}
	for _, a := range fences {
		isClosed := a.Kinds != nil && len(a.Kinds) == 0 || a.Workspaces != nil && len(a.Workspaces) == 0 || a.Names != nil && len(a.Names) == 0
		if l.registration() != nil {
			isClosed = isClosed || !a.fence().CouldTake(manifest.Meta{Kind: manifest.KindWorkload})
			a.Kinds = []string{string(manifest.KindWorkload)}
		}
		if !isClosed {
			all = append(all, a.fence())
		}
	}
	return all
}

// links returns the links of files that are not broken.
func (r *run) links(sources []*source) manifest.Links {
	var all manifest.Links
	for _, s := range sources {
		for _, l := range s.links {
			one := manifest.Link{Object: l.object.Metadata().ID(), By: l.from.reasons(), Allow: l.allow()}
			isTrusted := r.trusts(l.from)
			if isTrusted {
				one.By, one.Trusted = nil, l.registration() == nil && len(l.fences) == 0
			}
			if !l.file.broken && (isTrusted || len(one.By) > 0) {
				all = append(all, one)
			}
		}
	}
	return all
}

// refusal says why an object may not come over the link; it has no summary if it may.
func (l *link) refusal(o manifest.Object, by *manifest.WorkloadRegistration) (p problem.Problem) {
	m, names := o.Metadata(), l.object.Metadata()
	if l.registration() != nil && m.Kind != manifest.KindWorkload {
		return problem.Problem{Summary: "Not a workload", Detail: fmt.Sprintf("%s has its workloads here, and application teams may add only "+
			"workloads to the fleet. Move the %s to the control plane, or exclude its file by %s.", names.ID(), m.Kind, ignoreFile)}
	}
	workspace := workspaceOf(o, by)
	if len(l.fences) == 0 || slices.ContainsFunc(l.fences, func(a Allow) bool { return a.fence().Takes(m, workspace) }) {
		return p
	}
	allowed := make([]string, len(l.fences))
	for i, a := range l.fences {
		allowed[i] = a.String()
	}
	says := "for no workspace"
	if workspace != "" {
		says = fmt.Sprintf("for the workspace %q", workspace)
	}
	return problem.Problem{Summary: "Outside of a fence", Detail: fmt.Sprintf("%s brings it, %s. The allow block of kalypso_control_plane "+
		"for %q lets this source bring only %s. Change or remove the object there, or change the block.",
		names.ID(), says, l.fences[0].Source, strings.Join(allowed, ", or "))}
}

// refusal says why no chain of sources may bring an object to a source.
func (r *run) refusal(s *source, o manifest.Object, by *manifest.WorkloadRegistration) problem.Problem {
	why := problem.Problem{Summary: "Outside of a fence"} // of a source that leads to itself only
	if r.leads(s, func(l *link) bool {
		p := l.refusal(o, by)
		if p.Summary != "" {
			why = p
		}
		return p.Summary == "" && !l.file.broken
	}) {
		return problem.Problem{}
	}
	return why
}

// couldBring reports whether a chain of sources could bring an object of this kind and name to a
// source, under some workspace. A meta without a name stands for some name.
func (r *run) couldBring(s *source, m manifest.Meta) bool {
	return r.leads(s, func(l *link) bool {
		return (l.registration() == nil || m.Kind == manifest.KindWorkload) &&
			(len(l.fences) == 0 || slices.ContainsFunc(l.fences, func(a Allow) bool { return a.fence().CouldTake(m) }))
	})
}

// mayBring reports whether a registration may bring all objects of a file.
func (r *run) mayBring(l *link, f *file) bool {
	return !slices.ContainsFunc(f.documents, func(d manifest.Document) bool {
		return l.refusal(d.Object, l.registration()).Summary != "" || r.refusal(l.from, d.Object, l.registration()).Summary != ""
	})
}

// trusts reports whether a source is the control plane, or a base repository that leads to
// it without a fence. What is wrong there is wrong for all.
func (r *run) trusts(s *source) bool {
	return r.leads(s, func(l *link) bool { return l.registration() == nil && len(l.fences) == 0 })
}

// leads reports whether a chain of links that all pass leads from the start to a source.
func (r *run) leads(to *source, pass func(l *link) bool) bool {
	seen := map[*source]bool{}
	var ask func(s *source) bool
	ask = func(s *source) bool {
		seen[s] = true
		return s == r.start || slices.ContainsFunc(s.links, func(l *link) bool { return !seen[l.from] && pass(l) && ask(l.from) })
	}
	return ask(to)
}

// leader is an object that leads to a source.
type leader struct {
	manifest.Meta
	at address
	// others is set if it is in a file of others.
	others bool
}

// leaders returns the objects that lead to sources, sorted.
func (r *run) leaders() []leader {
	var all []leader
	for _, f := range r.files {
		for _, d := range f.documents {
			if ref, commit, leads := manifest.LeadsTo(d.Object); leads {
				all = append(all, leader{d.Object.Metadata(), addressOf(ref, commit), f.others})
			}
		}
	}
	slices.SortFunc(all, func(a, b leader) int { return strings.Compare(a.ID(), b.ID()) })
	return all
}

// reportUnknown reports fences whose source does not exist, or is two objects. A pattern may
// match nothing, because only other environments may have the source. A source that a base
// repository of others may name is a warning, so that others fail no plan when they remove it.
// Nothing is unknown while a folder or file that may name sources cannot be read.
func (r *run) reportUnknown(sources []*source) {
	leaders := r.leaders()
	var unfenced []string
	for _, l := range leaders {
		if !l.others && !slices.ContainsFunc(r.request.Allow, func(a Allow) bool { return a.names(l.Meta, l.at) }) {
			repo := remote.Redact(l.at.revision.Repo)
			unfenced = append(unfenced, l.ID(), l.Name, repo, repo+"//"+l.at.path)
		}
	}
	leading := slices.DeleteFunc(slices.Clone(sources), func(s *source) bool {
		return !r.couldBring(s, manifest.Meta{Kind: manifest.KindBaseRepo}) &&
			!r.couldBring(s, manifest.Meta{Kind: manifest.KindWorkloadRegistration})
	})
	isUnread := slices.ContainsFunc(leading, func(s *source) bool {
		return s.unreachable != nil || slices.ContainsFunc(s.files, func(f *file) bool { return len(f.problems) > 0 })
	})
	othersLead := slices.ContainsFunc(leading, func(s *source) bool { return !r.trusts(s) })
	for _, a := range r.request.Allow {
		p := problem.Problem{Summary: "Unknown source of a fence", Subject: fmt.Sprintf("allow %q", a.Source)}
		named, own := a.among(leaders)
		switch {
		case slices.Equal(own, []string{"BaseRepo/" + a.Source, "WorkloadRegistration/" + a.Source}):
			p.Detail = fmt.Sprintf("Two objects have this name. Write %q or %q as source.", own[0], own[1])
			r.problems.Add(p)
		case named || isUnread || strings.ContainsAny(a.Source, "*?["):
		default:
			p.Detail = "No BaseRepo and no WorkloadRegistration has this name or leads there. Correct source, or remove the block. If only " +
				"other environments have the source, write a pattern, for example with * at the end."
			if near := wording.Nearest(a.Source, unfenced); near != "" {
				p.Detail += fmt.Sprintf(" %q has no fence: did you mean that?", near)
			}
			if othersLead {
				r.warnings = append(r.warnings, p)
			} else {
				r.problems.Add(p)
			}
		}
	}
}

// among reports whether the fence is for any of some objects, and returns the ids of those of the
// platform team.
func (a Allow) among(leaders []leader) (named bool, own []string) {
	for _, l := range leaders {
		if a.names(l.Meta, l.at) {
			named = true
			if !l.others {
				own = append(own, l.ID())
			}
		}
	}
	return named, own
}

// unfenced returns the objects that lead to other repositories than the control plane's
// without a fence, as kind/name.
func (r *run) unfenced(sources []*source) []string {
	var ids []string
	for _, s := range sources {
		elsewhere := repository(s.revision.Repo) != repository(r.request.Revision.Repo)
		for _, l := range s.links {
			if elsewhere && len(l.fences) == 0 && r.trusts(l.from) {
				ids = append(ids, l.object.Metadata().ID())
			}
		}
	}
	return wording.Sorted(ids)
}
