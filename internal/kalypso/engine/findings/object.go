// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/apischema"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// object is a Kubernetes object in a rendered file.
type object struct {
	Identity
	// missing names the fields that the object lacks to be a Kubernetes object; empty if it has all.
	missing string
	// isPlainSecret reports whether it is a Secret with values that are not encrypted.
	isPlainSecret bool
	// refusals are the reasons for which a cluster refuses it.
	refusals []apischema.Fault
}

// Identity is the key that no two objects of a cluster share. A part that is missing, or that
// is not a text, is empty.
type Identity struct {
	// Resource is the kind with its group, such as Deployment.apps. It has no version,
	// because Kubernetes serves one object under all versions.
	Resource, Namespace, Name string
}

// IdentityOf returns the identity of an object.
func IdentityOf(n *yaml.Node) Identity {
	i := Identity{yamlnode.Text(n, "kind"), yamlnode.Text(n, "metadata", "namespace"), yamlnode.Text(n, "metadata", "name")}
	if group, _, found := strings.Cut(yamlnode.Text(n, "apiVersion"), "/"); found && group != "" {
		i.Resource += "." + group
	}
	return i
}

// String names the object for a message.
func (i Identity) String() string {
	if i.Namespace != "" {
		return i.Resource + " " + i.Namespace + "/" + i.Name
	}
	return i.Resource + " " + i.Name
}

// readObjects returns the objects of a YAML stream. A document that is not a mapping is an object
// without fields. The items of a List count as objects. Errors: text that is not valid YAML, or has
// duplicate keys.
func readObjects(text []byte) ([]object, error) {
	documents, invalid := yamlnode.Documents(text)
	var all []object
	for _, document := range documents {
		if err := yamlnode.Check(document); err != nil {
			return nil, err
		}
		for _, n := range apischema.Objects(document) {
			all = append(all, objectOf(n))
		}
	}
	if invalid != nil {
		return nil, invalid
	}
	return all, nil
}

func objectOf(n *yaml.Node) object {
	apiVersion, kind := yamlnode.Text(n, "apiVersion"), yamlnode.Text(n, "kind")
	o := object{
		Identity:      IdentityOf(n),
		isPlainSecret: apiVersion == "v1" && kind == "Secret" && isPlain(n),
		refusals:      apischema.Check(n),
	}
	var missing []string
	if apiVersion == "" {
		missing = append(missing, "apiVersion")
	}
	if kind == "" {
		missing = append(missing, "kind")
	}
	if o.Name == "" && !strings.HasPrefix(apiVersion, "kustomize.config.k8s.io/") { // a file that only looks like an object
		missing = append(missing, "metadata.name")
	}
	o.missing = strings.Join(missing, " and ")
	return o
}

// isPlain reports whether everybody can read the values of a Secret: it has values, and SOPS has
// not encrypted them.
func isPlain(n *yaml.Node) bool {
	if sops := yamlnode.At(n, "sops"); sops != nil && !yamlnode.IsNull(sops) {
		return false
	}
	return len(yamlnode.Fields(yamlnode.At(n, "data"))) > 0 || len(yamlnode.Fields(yamlnode.At(n, "stringData"))) > 0
}
