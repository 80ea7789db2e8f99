// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package consequence

import (
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// tool is what brings the folder of a cluster type to its clusters. Its value is the end of the group of the
// objects that a package has for it.
type tool string

const (
	flux    tool = ".toolkit.fluxcd.io"
	argo    tool = ".argoproj.io"
	fleet   tool = ".fleet.cattle.io"
	zarf    tool = ".zarf.dev"
	kubectl tool = ".kustomize.config.k8s.io"
	unknown tool = ""
)

// tool returns the tool of a cluster type: that of the first package whose reconciler.yaml tells it, before
// the change if there is one.
func (t *clusterType) tool() tool {
	if t.isKnown {
		return t.known
	}
	t.isKnown = true
	for _, f := range t.files {
		if t.known == unknown {
			t.known = toolOf(f.place, f.old)
		}
	}
	for at, text := range t.newFiles() {
		if t.known != unknown {
			break
		}
		t.known = toolOf(at, text)
	}
	return t.known
}

func toolOf(at place, text []byte) tool {
	if !strings.HasPrefix(at.file, "reconciler.") {
		return unknown
	}
	all, _ := objects(at, [][]byte{text}) // a file that is not valid tells nothing
	for _, o := range all {
		for _, each := range []tool{flux, argo, fleet, zarf, kubectl} {
			if strings.HasSuffix(o.resource, string(each)) {
				return each
			}
		}
	}
	return unknown
}

// keeps reports whether a tool leaves an object in the cluster that has left the files.
func (t tool) keeps(o *object, isPackageGone bool) bool {
	isKeptByHelm := o.mark("helm.sh/resource-policy") == "keep"
	switch t {
	case flux:
		return o.hasFluxMark("prune", "disabled") || t.leavesAlone(o, o)
	case argo:
		return slices.Contains(o.syncOptions(), "Prune=false") || t.leavesAlone(o, o)
	case fleet:
		return isKeptByHelm
	case zarf: // it installs a package with Helm, except its namespaces, and never removes one by itself
		return isKeptByHelm || isPackageGone || o.resource == "Namespace"
	case kubectl: // examples/templates/kubectl-kustomize deletes the namespaces of packages
		return o.resource != "Namespace"
	}
	return false
}

// leavesAlone reports whether a tool does not apply the new version of an object.
func (t tool) leavesAlone(old, now *object) bool {
	for _, o := range []*object{old, now} {
		if t == flux && (o.hasFluxMark("reconcile", "disabled") || o.hasFluxMark("ssa", "Ignore")) {
			return true
		}
		if t == argo && o.mark("argocd.argoproj.io/hook")+o.mark("helm.sh/hook") != "" { // deleted before each sync
			return true
		}
	}
	return t == flux && now.hasFluxMark("ssa", "IfNotPresent")
}

// forces reports whether a tool deletes an object, and creates it again, if the cluster refuses the new version.
func (t tool) forces(old, now *object) bool {
	switch t {
	case flux:
		return old.hasFluxMark("force", "enabled") || now.hasFluxMark("force", "enabled")
	case argo:
		return slices.Contains(append(old.syncOptions(), now.syncOptions()...), "Force=true")
	}
	return false
}

// prunes reports whether an object that delivers deletes what is no longer where it delivers from.
func (o *object) prunes() bool {
	switch o.resource {
	case kustomization:
		return o.is("spec", "prune")
	case application:
		automated := yamlnode.At(o.node, "spec", "syncPolicy", "automated", "enabled")
		return o.is("spec", "syncPolicy", "automated", "prune") && (automated == nil || automated.Value != "false")
	}
	return o.cascades()
}

// cascades reports whether what an object delivers is deleted with it.
func (o *object) cascades() bool {
	switch o.resource {
	case kustomization:
		policy := o.text("spec", "deletionPolicy")
		mirrors := policy == "" || policy == "MirrorPrune"
		return !o.is("spec", "suspend") && policy != "Orphan" && (!mirrors || o.is("spec", "prune"))
	case application:
		return slices.ContainsFunc(o.list("metadata", "finalizers"), func(name string) bool {
			return strings.HasPrefix(name, "resources-finalizer.argocd.argoproj.io")
		})
	case applicationSet:
		return !o.is("spec", "syncPolicy", "preserveResourcesOnDeletion")
	}
	return !o.is("spec", "suspend") && !o.is("spec", "keepResources")
}

// ofRemoval returns the word for the removal of an object, and what goes with it. matters is false if it holds
// no data, runs nothing, and leaves what it delivers.
func ofRemoval(o *object) (word Word, what string, matters bool) {
	r, matters := removals[o.resource]
	if o.resource == "StatefulSet.apps" && o.text("spec", "persistentVolumeClaimRetentionPolicy", "whenDeleted") == "Delete" {
		return Deletes, ", with its claims", true
	}
	return r.word, r.what, matters && (r.what != delivered || o.cascades())
}

// mark returns an annotation.
func (o *object) mark(name string) string { return o.text("metadata", "annotations", name) }

// hasFluxMark reports whether a label or an annotation of Flux has a value.
func (o *object) hasFluxMark(name, value string) bool {
	const group = "kustomize.toolkit.fluxcd.io/"
	return strings.EqualFold(o.mark(group+name), value) || strings.EqualFold(o.text("metadata", "labels", group+name), value)
}

// syncOptions returns the options for Argo CD.
func (o *object) syncOptions() (all []string) {
	for option := range strings.SplitSeq(o.mark("argocd.argoproj.io/sync-options"), ",") {
		all = append(all, strings.TrimSpace(option))
	}
	return all
}
