// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

// RepoRef is a place in a git repository.
type RepoRef struct {
	Repo   string `json:"repo"`
	Branch string `json:"branch,omitempty"`
	Path   string `json:"path,omitempty"`
}

// repoRef reads a required place in a git repository.
func repoRef(f *fields, name, meaning string) RepoRef {
	m := f.requiredMapping(name, meaning)
	defer m.done()
	return repoFields(m)
}

// repoFields reads a place in a git repository from fields. Other fields may be beside
// them.
func repoFields(f *fields) RepoRef {
	return RepoRef{
		Repo:   f.required("repo", "the URL of a git repository"),
		Branch: f.text("branch"),
		Path:   f.text("path"),
	}
}

// LeadsTo returns the folder that other objects are in, and its commit if that is pinned, for
// an object that names one.
func LeadsTo(o Object) (ref RepoRef, commit string, leads bool) {
	switch x := o.(type) {
	case *BaseRepo:
		return x.RepoRef, x.Commit, true
	case *WorkloadRegistration:
		return x.Workload, "", true
	}
	return RepoRef{}, "", false
}
