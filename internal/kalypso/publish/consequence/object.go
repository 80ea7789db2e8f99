// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package consequence

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/apischema"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// object is a Kubernetes object in a file.
type object struct {
	findings.Identity
	findings.Location
	node *yaml.Node
	// names are those of its package, and parsed those of the package whose file was parsed in its place.
	names, parsed findings.Names
}

// reader has the objects of one of the files that differ in the names of their packages alone, by the text without names.
type reader map[string][]object

// objectsIn returns what a file has: the objects of the tables and the first one of each namespace.
func (r reader) objectsIn(clusterType string, at findings.Location, text []byte) ([]object, error) {
	names := findings.Names{Target: at.Target, ClusterType: clusterType}
	key := names.Mark(string(text))
	known, isKnown := r[key]
	if !isKnown {
		documents, err := yamlnode.Documents(text)
		if err != nil {
			return nil, err
		}
		namespaces := map[string]bool{}
		for _, document := range documents {
			for _, node := range apischema.Objects(document) {
				id := findings.IdentityOf(node)
				kind, _, _ := strings.Cut(id.Resource, ".")
				if id.Name != "" && (weighty[kind] || !namespaces[id.Namespace]) {
					namespaces[id.Namespace] = true
					marked := findings.Identity{Resource: id.Resource, Namespace: names.Mark(id.Namespace), Name: names.Mark(id.Name)}
					known = append(known, object{Identity: marked, node: node, parsed: names})
				}
			}
		}
		r[key] = known
	}
	all := slices.Clone(known)
	for i := range all {
		o := &all[i]
		o.Location, o.names, o.Namespace, o.Name = at, names, names.Unmark(o.Namespace), names.Unmark(o.Name)
	}
	return all, nil
}

// own returns a text of the parsed file as the file of the object has it.
func (o *object) own(text string) string {
	if o.names == o.parsed {
		return text
	}
	return o.names.Unmark(o.parsed.Mark(text))
}

// value returns a field as a text to compare: of the same path in a repository, always the same text.
func (o *object) value(field, or string) string {
	var value any
	if n := yamlnode.At(o.node, strings.Split(field, ".")...); n != nil && n.Decode(&value) == nil && value != nil {
		return strings.Trim(o.own(fmt.Sprint(value)), "./")
	}
	if or == "namespace" {
		return o.Namespace
	}
	return or
}

// is reports whether a field is true.
func (o *object) is(field string) bool { return o.value(field, "") == "true" }

// asks reports whether an object has one of some labels or annotations. Argo CD takes several options with
// commas between.
func (o *object) asks(marks string) bool {
	for _, field := range []string{"labels", "annotations"} {
		if all := yamlnode.At(o.node, "metadata", field); all != nil {
			for mark := range strings.FieldsSeq(marks) {
				key, option, _ := strings.Cut(mark, "=")
				if n := yamlnode.At(all, key); n != nil && strings.Contains(strings.ToLower(n.Value), option) {
					return true
				}
			}
		}
	}
	return false
}

// prunes reports whether an object deletes what it delivered from a place that it has left.
func (o *object) prunes() bool {
	switch o.Resource {
	case kustomization:
		return o.is("spec.prune")
	case application:
		return o.is("spec.syncPolicy.automated.prune") && o.value("spec.syncPolicy.automated.enabled", "true") == "true"
	}
	return o.cascades()
}

// cascades reports whether what an object delivers is deleted with it.
func (o *object) cascades() bool {
	switch policy := o.value("spec.deletionPolicy", ""); {
	case o.is("spec.suspend"), o.is("spec.keepResources"), o.is("spec.syncPolicy.preserveResourcesOnDeletion"):
		return false
	case o.Resource == kustomization:
		return policy == "Delete" || policy == "WaitForTermination" || policy != "Orphan" && o.is("spec.prune")
	case o.Resource == application:
		return strings.Contains(o.value("metadata.finalizers", ""), "resources-finalizer.argocd.argoproj.io")
	}
	return true
}

// tool is what brings the folder of a cluster type to its clusters. The zero value is one that deletes nothing.
type tool struct {
	// group is that of its own objects.
	group string
	// keep, ignore, once and force are the labels and annotations by which objects ask the tool, in lower case: to
	// leave them in the cluster when they are gone from the files, not to touch them, only to create them, and to
	// delete them and create them again if the cluster refuses a new version.
	keep, ignore, once, force string
}

// kustomize are clusters with the script of examples/templates/kubectl-kustomize, which deletes namespaces alone.
const kustomize = "kustomize.config.k8s.io/"

// tools are those that delete what is gone. Argo CD deletes a hook before it creates the next one.
var tools = []tool{
	{".toolkit.fluxcd.io/", "kustomize.toolkit.fluxcd.io/prune=disabled", "kustomize.toolkit.fluxcd.io/reconcile=disabled " +
		"kustomize.toolkit.fluxcd.io/ssa=ignore", "kustomize.toolkit.fluxcd.io/ssa=ifnotpresent", "kustomize.toolkit.fluxcd.io/force=enabled"},
	{"argoproj.io/", "argocd.argoproj.io/sync-options=prune=false", "argocd.argoproj.io/hook helm.sh/hook", "",
		"argocd.argoproj.io/sync-options=force=true"},
	{group: "fleet.cattle.io/", keep: "helm.sh/resource-policy=keep"},
	{group: kustomize},
}

// find becomes the tool that a reconciler.yaml names, unless it is one already.
func (t *tool) find(file string, text []byte) {
	for _, each := range tools {
		if t.group == "" && file == "reconciler.yaml" && bytes.Contains(text, []byte(each.group)) {
			*t = each
		}
	}
}

// keeps reports whether the tool leaves an object in the cluster that has left the files.
func (t tool) keeps(o object) bool {
	return o.asks(t.keep) || o.asks(t.ignore) || t.group == kustomize && o.Resource != "Namespace"
}
