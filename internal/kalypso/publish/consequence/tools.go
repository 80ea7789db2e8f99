// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package consequence

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// tool is what brings the folder of a cluster type to its clusters, as the group of its own objects.
type tool string

const (
	flux    tool = ".toolkit.fluxcd.io/"
	argo    tool = "argoproj.io/"
	fleet   tool = "fleet.cattle.io/"
	zarf    tool = "zarf.dev/"
	kubectl tool = "kustomize.config.k8s.io/"
	unknown tool = ""
)

// findTool returns the tool that the reconciler.yaml of a package names, before the change if there was one.
func (t *clusterType) findTool() (found tool) {
	look := func(at findings.Location, text []byte) {
		for _, each := range []tool{flux, argo, fleet, zarf, kubectl} {
			if found == unknown && at.File == "reconciler.yaml" && bytes.Contains(text, []byte(each)) {
				found = each
			}
		}
	}
	for _, f := range t.files {
		look(f.Location, f.old)
	}
	for at, file := range findings.YAMLFiles(t.folder) {
		look(at, file.Content)
	}
	return found
}

// The labels and annotations by which objects ask a tool, in lower case: to leave them in the cluster when they are
// gone from the files, not to touch them, only to create them, and to delete them and create them again if the
// cluster refuses a new version. Argo CD deletes a hook before it creates the next one. The others install with Helm.
var (
	keep = map[tool]string{
		flux: "kustomize.toolkit.fluxcd.io/prune=disabled", argo: "argocd.argoproj.io/sync-options=prune=false",
		fleet: "helm.sh/resource-policy=keep", zarf: "helm.sh/resource-policy=keep",
	}
	ignore = map[tool]string{
		flux: "kustomize.toolkit.fluxcd.io/reconcile=disabled kustomize.toolkit.fluxcd.io/ssa=ignore",
		argo: "argocd.argoproj.io/hook helm.sh/hook",
	}
	once  = map[tool]string{flux: "kustomize.toolkit.fluxcd.io/ssa=ifnotpresent"}
	force = map[tool]string{flux: "kustomize.toolkit.fluxcd.io/force=enabled", argo: "argocd.argoproj.io/sync-options=force=true"}
)

// asks reports whether an object has one of some marks. Argo CD takes several options with commas between.
func (o *object) asks(marks string) bool {
	for _, field := range []string{"labels", "annotations"} {
		for key, value := range yamlnode.Entries(yamlnode.At(o.node, "metadata", field)) {
			for option := range strings.SplitSeq(strings.ToLower(value.Value), ",") {
				for mark := range strings.FieldsSeq(marks) {
					if mark == key.Value || mark == key.Value+"="+strings.TrimSpace(option) {
						return true
					}
				}
			}
		}
	}
	return false
}

// keeps reports whether a tool leaves an object in the cluster that has left the files. Zarf never removes a
// package by itself, and no namespace. The script of examples/templates/kubectl-kustomize deletes namespaces.
func (t tool) keeps(o *object, isPackageGone bool) bool {
	return o.asks(keep[t]+" "+ignore[t]) || t == zarf && (isPackageGone || o.Resource == "Namespace") ||
		t == kubectl && o.Resource != "Namespace"
}

// prunes reports whether an object deletes what it delivered from a place that it has left.
func (o *object) prunes() bool {
	switch o.Resource {
	case kustomization:
		return o.is("spec", "prune")
	case application:
		enabled := yamlnode.At(o.node, "spec", "syncPolicy", "automated", "enabled")
		return o.is("spec", "syncPolicy", "automated", "prune") && (enabled == nil || enabled.Value != "false")
	}
	return o.cascades()
}

// cascades reports whether what an object delivers is deleted with it.
func (o *object) cascades() bool {
	switch policy := o.text("spec", "deletionPolicy"); {
	case o.is("spec", "suspend"), o.is("spec", "keepResources"), o.is("spec", "syncPolicy", "preserveResourcesOnDeletion"):
		return false
	case o.Resource == kustomization:
		return policy == "Delete" || policy == "WaitForTermination" || policy != "Orphan" && o.is("spec", "prune")
	case o.Resource == application:
		finalizers := yamlnode.At(o.node, "metadata", "finalizers")
		return finalizers != nil && slices.ContainsFunc(finalizers.Content, func(n *yaml.Node) bool {
			return strings.HasPrefix(n.Value, "resources-finalizer.argocd.argoproj.io")
		})
	}
	return true
}
