// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// checkName reports a name that Kubernetes would refuse.
func (d *document) checkName(n *yaml.Node, path, name string) {
	if p := d.nameProblem(n, path, name); p != nil {
		d.problems.Add(*p)
	}
}

// requiredName returns a required string that has to be a name that Kubernetes takes.
func (f *fields) requiredName(name, meaning string) string {
	value := f.required(name, meaning)
	if value != "" {
		f.doc.checkName(f.at(name), field(f.path, name), value)
	}
	return value
}

// nameProblem says why Kubernetes would refuse the name, or returns nil.
func (d *document) nameProblem(n *yaml.Node, path, name string) *problem.Problem {
	faults := validation.IsDNS1123Subdomain(name)
	if len(faults) == 0 {
		return nil
	}
	p := d.problem(n, "Invalid name", "%s is %s, but %s. Change the name.", path, quote(name), strings.Join(faults, "; "))
	return &p
}
