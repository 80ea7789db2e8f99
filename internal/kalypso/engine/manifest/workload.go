// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import "github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"

// Workload is what to deploy: one deployment target for each place or purpose.
type Workload struct {
	Meta              `json:"-"`
	DeploymentTargets []DeploymentTarget `json:"deploymentTargets"`
	ConfigSchemas     []string           `json:"configSchemas,omitempty"`
}

// DeploymentTarget is one target of a Workload, as written there.
type DeploymentTarget struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels,omitempty"`
	// Environment is empty if the target belongs to every environment.
	Environment   string            `json:"environment,omitempty"`
	Manifests     map[string]string `json:"manifests,omitempty"`
	ConfigSchemas []string          `json:"configSchemas,omitempty"`
	// InvalidName says that Kubernetes would refuse the name. It is a problem of the
	// target's environment alone: Kalypso makes no object of it in the others.
	InvalidName *problem.Problem `json:"-"`
	// Source is the target's place in the input.
	Source Origin `json:"-"`
}

func decodeWorkload(d *document, m Meta, root *fields) Object {
	s := spec(m, root)
	defer s.done()
	w := &Workload{Meta: m}
	for _, i := range s.list("deploymentTargets") {
		w.DeploymentTargets = append(w.DeploymentTargets, decodeDeploymentTarget(d, i))
	}
	w.ConfigSchemas = schemas(s)
	return w
}

func decodeDeploymentTarget(d *document, i item) DeploymentTarget {
	f := d.fields(i.node, i.path)
	defer f.done()
	t := DeploymentTarget{
		Source:      d.at(i.node),
		Name:        f.required("name", "a name that no other target of the workload has"),
		Labels:      f.labels("labels"),
		Environment: f.text("environment"),
		Manifests:   f.texts("manifests", func(string, entry, string) {}),
	}
	if t.Environment != "" {
		d.checkName(f.at("environment"), i.path+".environment", t.Environment)
	}
	if t.Name != "" {
		t.InvalidName = d.nameProblem(f.at("name"), i.path+".name", t.Name)
	}
	t.ConfigSchemas = schemas(f)
	return t
}

// In reports whether the target exists in an environment.
func (t *DeploymentTarget) In(environment string) bool {
	return t.Environment == "" || t.Environment == environment
}

// schemas reads the JSON Schema texts of a workload or target.
func schemas(f *fields) []string {
	var all []string
	for _, i := range f.list("configSchemas") {
		schema := f.doc.text(i.node, i.path)
		f.doc.checkSchema(i.node, i.path, schema)
		all = append(all, schema)
	}
	return all
}

func (w *Workload) encode(to *envelope) { to.Spec = written(w) }

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
	t.Namespace, t.InNamespace = t.Environment, ""
	t.ConfigSchemas = schemas(s)
	return t
}

func (t *DeploymentTargetObject) encode(to *envelope) { to.Spec = written(t) }
