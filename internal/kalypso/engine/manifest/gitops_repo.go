// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

// KindGitOpsRepo is the kind of a GitOpsRepo.
const KindGitOpsRepo Kind = "GitOpsRepo"

// GitOpsRepo says where the result is written.
type GitOpsRepo struct {
	Meta `json:"-"`
	RepoRef
}

func decodeGitOpsRepo(_ *document, m Meta, root *fields) Object {
	s := spec(m, root)
	defer s.done()
	return &GitOpsRepo{Meta: m, RepoRef: repoFields(s)}
}

func (g *GitOpsRepo) encode(to *envelope) { to.Spec = written(g) }
