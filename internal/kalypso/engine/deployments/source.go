// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployments

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
)

// The API groups of reconcilers.
const (
	fluxSources   = "source.toolkit.fluxcd.io"
	fluxKustomize = "kustomize.toolkit.fluxcd.io"
	fluxHelm      = "helm.toolkit.fluxcd.io"
	argo          = "argoproj.io"
)

// The kinds of sources of Flux that packages can be in.
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

// reconciler is an object that fetches something, or says where it is.
type reconciler struct {
	object
	spec reconcilerSpec
}

// reconcilerSpec has the fields of all kinds: each names what it has for itself.
type reconcilerSpec struct {
	// GitRepository, OCIRepository, HelmRepository.
	URL text `yaml:"url"`
	Ref struct{ Branch, Tag, Semver, Name, Commit, Digest text }
	// Bucket.
	Endpoint   text `yaml:"endpoint"`
	BucketName text `yaml:"bucketName"`
	// Kustomization.
	Path      text      `yaml:"path"`
	SourceRef reference `yaml:"sourceRef"`
	// HelmChart has a name there, and HelmRelease an object.
	Chart    chart     `yaml:"chart"`
	Version  text      `yaml:"version"`
	ChartRef reference `yaml:"chartRef"`
	// Application.
	Source  *argoSource  `yaml:"source"`
	Sources []argoSource `yaml:"sources"`
}

// reference names an object of Flux.
type reference struct{ Kind, Name, Namespace text }

// argoSource is one source of an Application.
type argoSource struct {
	RepoURL        text `yaml:"repoURL"`
	TargetRevision text `yaml:"targetRevision"`
	Path           text `yaml:"path"`
	Chart          text `yaml:"chart"`
}

// sourcesOf returns what the reconcilers among some objects fetch, in a fixed order and
// each once, and why some of them could not be read.
func sourcesOf(objects []object) (found []Source, errs []error) {
	var all reconcilers
	for _, o := range objects {
		if !isReconciler(o) {
			continue
		}
		var content struct{ Spec reconcilerSpec }
		if err := o.decode(&content); err != nil {
			errs = append(errs, fmt.Errorf("%s: the %s is not as one has to be%s", o.file, o.Kind, place(err)))
			continue
		}
		all = append(all, reconciler{o, content.Spec})
	}
	used := map[int]bool{}
	for _, r := range all {
		found = append(found, all.fetchedBy(r, used)...)
	}
	for i, r := range all { // those that no other object here fetches from
		if !used[i] && r.is(fluxSources, string(r.Kind)) && r.Kind != helmChart {
			found = append(found, r.place())
		}
	}
	for i := range found {
		found[i] = found[i].shown()
	}
	slices.SortFunc(found, func(a, b Source) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Repo, b.Repo), strings.Compare(a.Path, b.Path), strings.Compare(a.Ref, b.Ref))
	})
	return slices.Compact(found), errs
}

func isReconciler(o object) bool {
	for _, kind := range []string{gitRepository, ociRepository, helmRepository, helmChart, bucket} {
		if o.is(fluxSources, kind) {
			return true
		}
	}
	return o.is(fluxKustomize, kustomization) || o.is(fluxHelm, helmRelease) || o.is(argo, application)
}

// reconcilers are those of one package.
type reconcilers []reconciler

// fetchedBy returns what an object fetches, and marks the objects that say where that is.
func (all reconcilers) fetchedBy(r reconciler, used map[int]bool) []Source {
	switch string(r.Kind) {
	case kustomization:
		s := all.at(r, r.spec.SourceRef, used)
		s.Kind, s.Path = cmp.Or(s.Kind, kustomization), string(r.spec.Path)
		return []Source{s}
	case helmRelease:
		if r.spec.ChartRef.Name == "" {
			return []Source{all.chart(r, r.spec.Chart, used)}
		}
		if i := all.find(r, r.spec.ChartRef); i >= 0 && all[i].Kind == helmChart {
			used[i] = true
			c := all[i].spec
			return []Source{all.chart(all[i], chart{c.Chart.Chart, c.Version, c.SourceRef}, used)}
		}
		s := all.at(r, r.spec.ChartRef, used)
		s.Kind = helmRelease
		return []Source{s}
	case application:
		sources := r.spec.Sources // Argo CD takes no source beside them
		if len(sources) == 0 && r.spec.Source != nil {
			sources = []argoSource{*r.spec.Source}
		}
		var found []Source
		for _, s := range sources {
			found = append(found, Source{Kind: application, Repo: string(s.RepoURL), Ref: string(s.TargetRevision), Path: string(cmp.Or(s.Chart, s.Path)), Chart: s.Chart != ""})
		}
		return found
	}
	return nil
}

// chart returns the place of a chart that an object names.
func (all reconcilers) chart(from reconciler, c chart, used map[int]bool) Source {
	s := all.at(from, c.SourceRef, used)
	if s.Kind != gitRepository && s.Kind != bucket { // there the version is that of what is fetched
		s.Ref, s.Chart = string(c.Version), true
	}
	s.Kind, s.Path = helmRelease, string(c.Chart)
	return s
}

// at returns the place that a reference of an object names; empty where no object here
// does.
func (all reconcilers) at(from reconciler, to reference, used map[int]bool) Source {
	i := all.find(from, to)
	if i < 0 {
		return Source{}
	}
	used[i] = true
	return all[i].place()
}

// find returns the position of the object that a reference of another one names; negative
// for none. Its namespace counts where it is known.
func (all reconcilers) find(from reconciler, to reference) int {
	namespace := cmp.Or(to.Namespace, from.Metadata.Namespace)
	return slices.IndexFunc(all, func(r reconciler) bool {
		return r.is(fluxSources, string(to.Kind)) && r.Metadata.Name == to.Name &&
			(namespace == "" || r.Metadata.Namespace == "" || r.Metadata.Namespace == namespace)
	})
}

// place returns the place that a source of Flux is. Of several fields of a ref that counts
// which Flux takes before the others.
func (r reconciler) place() Source {
	s := Source{Kind: string(r.Kind), Repo: string(r.spec.URL)}
	switch ref := r.spec.Ref; s.Kind {
	case gitRepository:
		s.Ref = string(cmp.Or(ref.Commit, ref.Name, ref.Semver, ref.Tag, ref.Branch))
	case ociRepository:
		s.Ref = string(cmp.Or(ref.Digest, ref.Semver, ref.Tag))
	case bucket:
		if s.Repo = string(r.spec.Endpoint); s.Repo != "" {
			s.Repo += "/" + string(r.spec.BucketName)
		}
	}
	return s
}

// shown returns the source without what may be a credential.
func (s Source) shown() Source {
	s.Repo = credential.Redact(withoutLogin(s.Repo))
	s.Ref, s.Path = credential.Redact(s.Ref), credential.Redact(s.Path)
	return s
}

// withoutLogin returns a URL without the password in it, and but for SSH, where it is part
// of the address, without the user.
func withoutLogin(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		return url
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	at := strings.LastIndexByte(rest[:end], '@')
	if at < 0 {
		return url
	}
	user := ""
	if strings.EqualFold(scheme, "ssh") {
		name, _, _ := strings.Cut(rest[:at], ":")
		user = name + "@"
	}
	return scheme + "://" + user + rest[at+1:]
}
