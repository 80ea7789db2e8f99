// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Imported is a resource after an import. Until its first apply, it may take over every folder
// that its configuration names (rule 8).
type Imported struct {
	Instance string
	// Environment is that of the records at the place; empty if there are none and the import id
	// has none.
	Environment string
	// Packages are those that the records of the environment list.
	Packages engine.Digests
	Memory   Memory
}

// Import reads a place for a new instance. Errors: the branch or the folder of the path does not
// exist and has no record, or records of several environments are at the place and environment is
// empty.
func (p *Publisher) Import(ctx context.Context, at git.Location, environment string) (*Imported, message.Messages) {
	var m message.Messages
	ctx = remote.Trusting(ctx, at.Repo)
	parent, folder := at, path.Base(record.PlainPath(at.Path))
	parent.Path = path.Dir(record.PlainPath(at.Path))
	seen, err := p.observe(ctx, query{at: parent, keys: []string{folder}})
	if err != nil {
		m.Fail(message.Unreadable, problem.Sentence(err))
		return nil, m
	}
	if seen.Head.IsZero() {
		m.Fail(message.NothingThere, fmt.Sprintf("The repository %s has no branch %q. Create the resource instead: its first apply makes the "+
			"branch.", remote.Redact(at.Repo), at.Branch))
		return nil, m
	}
	imported := &Imported{Instance: record.NewInstance(), Environment: environment, Memory: Memory{Imported: true}}
	keys := map[string][]string{} // by environment
	for _, r := range seen.Records {
		if r.At(at) {
			keys[r.Environment] = slices.AppendSeq(keys[r.Environment], maps.Keys(r.Folders))
		}
	}
	switch environments := slices.Sorted(maps.Keys(keys)); {
	case len(environments) == 0 && folder != "." && !seen.Content.Has(folder):
		m.Fail(message.NothingThere, fmt.Sprintf("%s has no folder %s, and no record of that place. Correct the import id, or create the "+
			"resource instead.", at.Of(), record.PlainPath(at.Path)))
		return nil, m
	case environment == "" && len(environments) == 1:
		imported.Environment = environments[0]
	case environment == "" && len(environments) > 1:
		var ids []string
		for _, name := range environments {
			ids = append(ids, fmt.Sprintf("%s:%s", at, name))
		}
		m.Fail(message.NothingThere, fmt.Sprintf("Several environments have records in %s. Import one of them by its id: %s.", at,
			wording.First(ids, wording.MaxListed)))
		return nil, m
	}
	listed := wording.Sorted(keys[imported.Environment])
	if seen, err = p.observe(ctx, query{at: at, keys: listed}); err != nil {
		m.Fail(message.Unreadable, problem.Sentence(err))
		return nil, m
	}
	imported.Packages = seen.Content.Digests(listed, engine.DetailPackage)
	return imported, m
}
