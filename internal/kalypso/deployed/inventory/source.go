// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package inventory

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
)

// The API groups of reconcilers.
const (
	fluxSources   = "source.toolkit.fluxcd.io"
	fluxKustomize = "kustomize.toolkit.fluxcd.io"
	fluxHelm      = "helm.toolkit.fluxcd.io"
	argo          = "argoproj.io"
)

// The kinds of objects that fetch a source, or define its place: the sources of Flux, the
// Flux objects that apply them, and Argo CD's Application.
const (
	gitRepository  = "GitRepository"
	ociRepository  = "OCIRepository"
	helmRepository = "HelmRepository"
	helmChart      = "HelmChart"
	helmRelease    = "HelmRelease"
	bucket         = "Bucket"
	kustomization  = "Kustomization"
	application    = "Application"
)

// sourcesOf returns the sources that the reconcilers among some objects fetch, in a fixed
// order and without duplicates.
func sourcesOf(objects []object) (found []Source) {
	all := reconcilers(slices.DeleteFunc(slices.Clone(objects), func(o object) bool { return !isReconciler(o) }))
	used := map[int]bool{}
	for _, r := range all {
		found = append(found, all.fetchedBy(r, used)...)
	}
	for i, r := range all { // objects that no other object fetches from
		if !used[i] && r.is(fluxSources, r.kind) && r.kind != helmChart {
			found = append(found, placeOf(r))
		}
	}
	for i := range found { // without texts that may be a credential
		s := &found[i]
		s.Repo, s.Ref, s.Path = credential.Redact(withoutLogin(s.Repo)), credential.Redact(s.Ref), credential.Redact(s.Path)
	}
	slices.SortFunc(found, func(a, b Source) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Repo, b.Repo), strings.Compare(a.Path, b.Path),
			strings.Compare(a.Ref, b.Ref))
	})
	return slices.Compact(found)
}

// isReconciler reports whether an object fetches a source, or defines its place.
func isReconciler(o object) bool {
	for _, kind := range []string{gitRepository, ociRepository, helmRepository, helmChart, bucket} {
		if o.is(fluxSources, kind) {
			return true
		}
	}
	return o.is(fluxKustomize, kustomization) || o.is(fluxHelm, helmRelease) || o.is(argo, application)
}

// reconcilers are the objects of one package that fetch a source, or define its place.
type reconcilers []object

// reference names an object of Flux.
type reference struct{ kind, name, namespace string }

func referenceAt(o object, path ...string) reference {
	n := o.at(path...)
	return reference{textAt(n, "kind"), textAt(n, "name"), textAt(n, "namespace")}
}

// fetchedBy returns the sources that an object fetches, and marks the objects that define
// the place of these sources.
func (all reconcilers) fetchedBy(r object, used map[int]bool) []Source {
	switch r.kind {
	case kustomization:
		s := all.at(r, referenceAt(r, "spec", "sourceRef"), used)
		s.Kind, s.Path = cmp.Or(s.Kind, kustomization), r.text("spec", "path")
		return []Source{s}
	case helmRelease:
		return []Source{all.release(r, used)}
	case application:
		return applied(r)
	}
	return nil
}

// release returns the source that a HelmRelease fetches: a chart that it names itself, or
// another object.
func (all reconcilers) release(r object, used map[int]bool) Source {
	to := referenceAt(r, "spec", "chartRef")
	if to.name == "" {
		return all.chart(r, used, "spec", "chart", "spec")
	}
	if i := all.find(r, to); i >= 0 && all[i].kind == helmChart {
		return all.chart(all[i], used, "spec")
	}
	s := all.at(r, to, used)
	s.Kind = helmRelease
	return s
}

func (all reconcilers) chart(o object, used map[int]bool, path ...string) Source {
	spec := o.at(path...)
	s := all.at(o, referenceAt(o, append(path, "sourceRef")...), used)
	if s.Kind != gitRepository && s.Kind != bucket { // these two ignore the version of the chart
		s.Ref = textAt(spec, "version")
	}
	s.Kind, s.Path = helmRelease, textAt(spec, "chart")
	return s
}

// applied returns the sources of an Application. If spec.sources has elements, Argo CD
// ignores spec.source.
func applied(o object) []Source {
	nodes := elements(o.at("spec", "sources"))
	if source := o.at("spec", "source"); len(nodes) == 0 && source != nil {
		nodes = []*yaml.Node{source}
	}
	var found []Source
	for _, n := range nodes {
		found = append(found, Source{Kind: application, Repo: textAt(n, "repoURL"), Ref: textAt(n, "targetRevision"),
			Path: cmp.Or(textAt(n, "chart"), textAt(n, "path"))})
	}
	return found
}

// at returns the place that a reference of an object names; empty if the object does not
// exist here.
func (all reconcilers) at(from object, to reference, used map[int]bool) Source {
	i := all.find(from, to)
	if i < 0 {
		return Source{}
	}
	used[i] = true
	return placeOf(all[i])
}

// find returns the position of the first object that matches a reference of another object;
// negative if no object matches. Unknown namespaces match all.
func (all reconcilers) find(from object, to reference) int {
	namespace := cmp.Or(to.namespace, from.objectNamespace)
	return slices.IndexFunc(all, func(o object) bool {
		return o.is(fluxSources, to.kind) && o.name == to.name &&
			(namespace == "" || o.objectNamespace == "" || o.objectNamespace == namespace)
	})
}

// placeOf returns the place of a source of Flux. If a ref has several fields, the field
// counts that Flux prefers.
func placeOf(r object) Source {
	s := Source{Kind: r.kind, Repo: r.text("spec", "url")}
	for _, field := range []string{"commit", "digest", "name", "semver", "tag", "branch"} {
		s.Ref = cmp.Or(s.Ref, r.text("spec", "ref", field))
	}
	if s.Kind == bucket {
		if s.Repo = r.text("spec", "endpoint"); s.Repo != "" {
			s.Repo += "/" + r.text("spec", "bucketName")
		}
	}
	return s
}

// withoutLogin returns a URL without texts that may be a login: the user, a query and a
// fragment. It keeps the user of SSH, which is part of the address.
func withoutLogin(text string) string {
	u, err := url.Parse(text)
	if err == nil && u.Host != "" {
		user := ""
		if u.Scheme == "ssh" && u.User != nil {
			user = u.User.Username()
		}
		if u.User, u.RawQuery, u.Fragment = nil, "", ""; user != "" {
			u.User = url.User(user)
		}
		return u.String()
	}
	if end := strings.IndexAny(text, "?#"); end >= 0 {
		text = text[:end]
	}
	if at := strings.LastIndexByte(text, '@'); at >= 0 && strings.ContainsAny(text[:at], ":/") { // not git@host:path
		text = text[at+1:]
	}
	return text
}
