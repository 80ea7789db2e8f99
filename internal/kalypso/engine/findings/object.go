// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/output"
)

// missing names the fields that an object lacks to be a Kubernetes object; empty if it has
// all. A kustomization is a file that only looks like an object.
func missing(o *output.Identity) string {
	var fields []string
	if o.APIVersion == "" {
		fields = append(fields, "apiVersion")
	}
	if o.Kind == "" {
		fields = append(fields, "kind")
	}
	if o.Name == "" && !strings.HasPrefix(o.APIVersion, "kustomize.config.k8s.io/") {
		fields = append(fields, "metadata.name")
	}
	return strings.Join(fields, " and ")
}

// identity is the key that no two objects of a cluster share.
type identity struct{ resource, namespace, name string }

func identityOf(o *output.Identity) identity { return identity{o.Resource, o.Namespace, o.Name} }

// String names the object for a message.
func (i identity) String() string {
	if i.namespace != "" {
		return i.resource + " " + i.namespace + "/" + i.name
	}
	return i.resource + " " + i.name
}
