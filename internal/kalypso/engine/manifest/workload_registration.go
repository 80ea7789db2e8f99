// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

// KindWorkloadRegistration is the kind of a WorkloadRegistration.
const KindWorkloadRegistration Kind = "WorkloadRegistration"

// WorkloadRegistration says where an application team keeps its Workload.
type WorkloadRegistration struct {
	Meta      `json:"-"`
	Workload  RepoRef `json:"workload"`
	Workspace string  `json:"workspace,omitempty"`
}

func decodeWorkloadRegistration(_ *document, m Meta, root *fields) Object {
	s := spec(m, root)
	defer s.done()
	return &WorkloadRegistration{
		Meta:      m,
		Workload:  repoRef(s, "workload", "where the application team keeps its Workload: repo, branch and path"),
		Workspace: s.text("workspace"),
	}
}

func (r *WorkloadRegistration) encode(to *envelope) { to.Spec = written(r) }
