// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// Labels with a meaning of their own.
const (
	// LabelPlatformConfig marks a ConfigMap as platform configuration when it is "true".
	LabelPlatformConfig = "platform-config"
	// LabelWorkspace and LabelWorkload are set on every deployment target.
	LabelWorkspace = "workspace"
	LabelWorkload  = "workload"
	// LabelClusterType and LabelDeploymentTarget on a ConfigMap or ConfigSchema mean names, not labels.
	LabelClusterType      = "cluster-type"
	LabelDeploymentTarget = "deployment-target"
	// LabelFluxPrefix starts the labels that Flux sets on the objects that it delivers.
	LabelFluxPrefix = "kustomize.toolkit.fluxcd.io/"
	// LabelFluxOwner names the Flux Kustomization, and so the registration, that delivered an object.
	LabelFluxOwner = LabelFluxPrefix + "name"
)

// labels returns a mapping of labels, checked by Kubernetes' rules.
func (f *fields) labels(name string) map[string]string {
	return f.texts(name, func(path string, e entry, value string) {
		if faults := validation.IsQualifiedName(e.key); len(faults) > 0 {
			f.doc.report(e.at, "Invalid label", "The key %s in %s cannot be a label: %s. Change the key.", quote(e.key), path,
				strings.Join(faults, "; "))
		}
		if faults := validation.IsValidLabelValue(value); len(faults) > 0 && isText(e.value) {
			f.doc.report(e.value, "Invalid label", "%s is %s, which cannot be a label's value: %s. Change the value.",
				field(path, e.key), quote(value), strings.Join(faults, "; "))
		}
	})
}

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

// TakenNames returns the names that an object takes in an environment, so that no other object may
// take them: its kind and name, and the full names of its deployment targets. The value is the name
// of the workload whose objects share the name of a deployment target; empty for kind and name.
func TakenNames(o Object, environment string) map[string]string {
	names := map[string]string{o.Metadata().ID(): ""}
	const target = "deployment target "
	switch x := o.(type) {
	case *Workload:
		for i := range x.DeploymentTargets {
			if t := &x.DeploymentTargets[i]; t.In(environment) {
				names[target+x.Name+"-"+t.Name] = x.Name
			}
		}
	case *DeploymentTargetObject:
		if x.Environment == environment {
			names[target+x.Name] = x.Workload()
		}
	}
	return names
}
