// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import "regexp"

// KindBaseRepo is the kind of a BaseRepo.
const KindBaseRepo Kind = "BaseRepo"

// MainBaseRepo is the name of the BaseRepo that carries the promoted commit.
const MainBaseRepo = "main"

// BaseRepo is another layer of objects, pinned to Commit where that is not empty.
type BaseRepo struct {
	Meta
	RepoRef
	Commit string
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

func (b *BaseRepo) encode(to *envelope) {
	to.Spec = struct {
		repoSpec `yaml:",inline"`
		Commit   text `yaml:"commit,omitempty"`
	}{repoSpecOf(b.RepoRef), text(b.Commit)}
}
