// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import "regexp"

func decodeEnvironment(_ *document, m Meta, root *fields) Object {
	s := spec(m, root)
	defer s.done()
	return &Environment{Meta: m, ControlPlane: repoRef(s, "controlPlane", "where the environment's objects live: repo, branch and path")}
}

// commitID matches a git commit id, in full or abbreviated.
var commitID = regexp.MustCompile(`^[0-9a-fA-F]{7,64}$`)

func decodeBaseRepo(d *document, m Meta, root *fields) Object {
	s := spec(m, root)
	defer s.done()
	b := &BaseRepo{Meta: m, RepoRef: repoFields(s), Commit: s.text("commit")}
	if b.Commit != "" && !commitID.MatchString(b.Commit) {
		d.report(s.at("commit"), "Invalid commit", "spec.commit is %s, which is no git commit id. Write its 40 hexadecimal digits.", quote(b.Commit))
	}
	return b
}

func decodeGitOpsRepo(_ *document, m Meta, root *fields) Object {
	s := spec(m, root)
	defer s.done()
	return &GitOpsRepo{Meta: m, RepoRef: repoFields(s)}
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

// repoRef reads a required place in a git repository.
func repoRef(f *fields, name, meaning string) RepoRef {
	m := f.requiredMapping(name, meaning)
	defer m.done()
	return repoFields(m)
}

// repoFields reads a place in a git repository from fields that others may stand beside.
func repoFields(f *fields) RepoRef {
	return RepoRef{
		Repo:   f.required("repo", "the URL of a git repository"),
		Branch: f.text("branch"),
		Path:   f.text("path"),
	}
}
