// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployments

import (
	"cmp"
	"fmt"
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

// maxSources is how many sources of a package are listed.
const maxSources = 100

// sourcesOf returns the sources that the reconcilers among some objects fetch, in a fixed
// order and without duplicates. errs say why sources could not be read.
func sourcesOf(objects []object) (found []Source, errs []error) {
	var all reconcilers
	for _, o := range objects {
		if !isReconciler(o) {
			continue
		}
		if line := cmp.Or(odd(o.node, "spec", "ref"), odd(o.node, "spec", "sourceRef"), odd(o.node, "spec", "source")); line != "" {
			errs = append(errs, fmt.Errorf("%s: the %s is not valid%s", o.file, o.kind, line))
			continue
		}
		all = append(all, o)
	}
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
	found = slices.Compact(found)
	if len(found) > maxSources {
		errs = append(errs, fmt.Errorf("%s: more than %d sources", all[0].file, maxSources))
		found = nil
	}
	return found, errs
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
		s.Ref, s.Chart = textAt(spec, "version"), true
	}
	s.Kind, s.Path = helmRelease, textAt(spec, "chart")
	return s
}

// applied returns the sources of an Application. If spec.sources has elements, Argo CD
// ignores spec.source.
func applied(o object) []Source {
	var nodes []*yaml.Node
	if sources := o.at("spec", "sources"); sources != nil && sources.Kind == yaml.SequenceNode {
		nodes = sources.Content
	}
	if source := o.at("spec", "source"); len(nodes) == 0 && source != nil {
		nodes = []*yaml.Node{source}
	}
	var found []Source
	for _, n := range nodes[:min(len(nodes), maxSources+1)] {
		chart := textAt(n, "chart")
		found = append(found, Source{
			Kind: application, Repo: textAt(n, "repoURL"), Ref: textAt(n, "targetRevision"), Path: cmp.Or(chart, textAt(n, "path")),
			Chart: chart != "",
		})
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
	ref := func(fields ...string) string {
		for _, field := range fields {
			if text := r.text("spec", "ref", field); text != "" {
				return text
			}
		}
		return ""
	}
	switch s.Kind {
	case gitRepository:
		s.Ref = ref("commit", "name", "semver", "tag", "branch")
		s.Tag = ref("commit", "name") == "" && ref("semver", "tag") != ""
	case ociRepository:
		s.Ref, s.Tag = ref("digest", "semver", "tag"), true
	case bucket:
		if s.Repo = r.text("spec", "endpoint"); s.Repo != "" {
			s.Repo += "/" + r.text("spec", "bucketName")
		}
	}
	return s
}

// withoutLogin returns a URL without texts that may be a login: the user, a query and a
// fragment. It keeps the user of SSH, which is part of the address.
func withoutLogin(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		scheme, rest = "", url // git@host:path, or not a URL
	}
	if end := strings.IndexAny(rest, "?#"); end >= 0 {
		rest = rest[:end]
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		user := ""
		if name, _, secret := strings.Cut(rest[:at], ":"); strings.EqualFold(scheme, "ssh") || !ok && !secret {
			user = name + "@"
		}
		rest = user + rest[at+1:]
	}
	if ok {
		return scheme + "://" + rest
	}
	return rest
}
