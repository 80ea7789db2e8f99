// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import "github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"

// KindBaseRepo is the kind of a BaseRepo.
const KindBaseRepo Kind = "BaseRepo"

// MainBaseRepo is the name of the BaseRepo that carries the promoted commit.
const MainBaseRepo = "main"

// BaseRepo is another layer of objects, pinned to Commit if that is not empty.
type BaseRepo struct {
	Meta `json:"-"`
	RepoRef
	Commit string `json:"commit,omitempty"`
}

// HasCommitID reports whether the commit, if there is one, is a commit's id. Kalypso takes
// all other texts as well.
func (b *BaseRepo) HasCommitID() bool { return b.Commit == "" || tree.IsCommitID(b.Commit) }

func decodeBaseRepo(_ *document, m Meta, root *fields) Object {
	s := spec(m, root)
	defer s.done()
	return &BaseRepo{Meta: m, RepoRef: repoFields(s), Commit: s.text("commit")}
}

func (b *BaseRepo) encode(to *envelope) { to.Spec = written(b) }
