// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation"
)

// checkName reports a name that Kubernetes would refuse.
func (d *document) checkName(n *yaml.Node, path, name string) {
	if faults := validation.IsDNS1123Subdomain(name); len(faults) > 0 {
		d.report(n, "Invalid name", "%s is %s, but %s. Change the name.", path, quote(name), strings.Join(faults, "; "))
	}
}
