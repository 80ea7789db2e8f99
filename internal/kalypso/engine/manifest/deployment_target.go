// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

// KindDeploymentTarget is the kind of a DeploymentTarget.
const KindDeploymentTarget Kind = "DeploymentTarget"

// DeploymentTargetObject is a deployment target as an object of its own. Kalypso's
// operator makes it from a target of a Workload, or somebody writes it by hand. Its name
// is the full one. Its labels workload and workspace say to whom it belongs.
type DeploymentTargetObject struct {
	// Meta has the environment as the namespace, as in Kalypso's cluster.
	Meta          `json:"-"`
	Environment   string            `json:"environment"`
	Manifests     map[string]string `json:"manifests,omitempty"`
	ConfigSchemas []string          `json:"configSchemas,omitempty"`
}

// Workload returns the name of the workload that the target belongs to.
func (t *DeploymentTargetObject) Workload() string { return t.Labels[LabelWorkload] }

func decodeDeploymentTargetObject(_ *document, m Meta, root *fields) Object {
	s := spec(m, root)
	defer s.done()
	t := &DeploymentTargetObject{
		Meta:        m,
		Environment: s.requiredName("environment", "the name of the environment the target is for"),
		Manifests:   s.texts("manifests", func(string, entry, string) {}),
	}
	t.Namespace = t.Environment
	t.ConfigSchemas = schemas(s)
	return t
}

func (t *DeploymentTargetObject) encode(to *envelope) { to.Spec = written(t) }
