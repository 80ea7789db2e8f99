// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import "github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"

// Workload is what to deploy: one deployment target for each place or purpose.
type Workload struct {
	Meta              `json:"-"`
	DeploymentTargets []DeploymentTarget `json:"deploymentTargets,omitempty"`
	ConfigSchemas     []string           `json:"configSchemas,omitempty" is:"schema"`
}

// DeploymentTarget is one target of a Workload, as written there.
type DeploymentTarget struct {
	Name   string            `json:"name" needs:"a name that no other target of the workload has"`
	Labels map[string]string `json:"labels,omitempty" keys:"label key" values:"label value"`
	// Environment is empty if the target belongs to every environment.
	Environment   string            `json:"environment,omitempty" is:"name"`
	Manifests     map[string]string `json:"manifests,omitempty"`
	ConfigSchemas []string          `json:"configSchemas,omitempty" is:"schema"`
	// InvalidName says that Kubernetes would refuse the name. It is a problem of the
	// target's environment alone: Kalypso makes no object of it in the others.
	InvalidName *problem.Problem `json:"-"`
	// Source is the target's place in the input.
	Source Origin `json:"-"`
}

// In reports whether the target exists in an environment.
func (t *DeploymentTarget) In(environment string) bool {
	return t.Environment == "" || t.Environment == environment
}

// check notes where the target is, and whether Kubernetes would refuse its name.
func (t *DeploymentTarget) check(m *mapping) {
	t.Source = m.doc.at(m.node)
	if t.Name != "" {
		t.InvalidName = formats["name"].problem(m.doc, m.at("name"), field(m.path, "name"), t.Name)
	}
}

// DeploymentTargetObject is a deployment target as an object of its own. Kalypso's
// operator makes it from a target of a Workload, or somebody writes it by hand. Its name
// is the full one. Its labels workload and workspace say to whom it belongs. Its environment is its
// namespace, as in Kalypso's cluster.
type DeploymentTargetObject struct {
	Meta          `json:"-"`
	Environment   string            `json:"environment" needs:"the name of the environment the target is for" is:"name"`
	Manifests     map[string]string `json:"manifests,omitempty"`
	ConfigSchemas []string          `json:"configSchemas,omitempty" is:"schema"`
}

// Workload returns the name of the workload that the target belongs to.
func (t *DeploymentTargetObject) Workload() string { return t.Labels[LabelWorkload] }

// check notes the namespace that Kalypso would give the target.
func (t *DeploymentTargetObject) check(*mapping) { t.Namespace = t.Environment }

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
