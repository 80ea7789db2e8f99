// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

// KindEnvironment is the kind of an Environment.
const KindEnvironment Kind = "Environment"

// Environment is a rollout stage and where its objects live.
type Environment struct {
	Meta         `json:"-"`
	ControlPlane RepoRef `json:"controlPlane"`
}

func decodeEnvironment(_ *document, m Meta, root *fields) Object {
	s := spec(m, root)
	defer s.done()
	return &Environment{Meta: m, ControlPlane: repoRef(s, "controlPlane", "where the environment's objects live: repo, branch and path")}
}

func (e *Environment) encode(to *envelope) { to.Spec = written(e) }
