// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

// query is what an observation asks a branch for: its records, and what it has at some keys of a place.
type query struct {
	at   git.Location
	keys []string
	// instance adds the keys that its record lists; empty for none.
	instance string
	// known is content that the caller has. Folders that are the same are not read again.
	known ownership.Content
	// compares asks for the files that differ from known.
	compares bool
	// last is an earlier look that saw known.
	last Look
}

// observe reads what a query asks for. If it is what the last look saw, the result has the head alone. Errors: the branch, or a record in
// it, cannot be read. Cost: one listing of references if the branch did not move, else one read of the branch, and a second one if the
// record of the instance lists further keys, or if the content changed and the records did not.
func (p *Publisher) observe(ctx context.Context, q query) (seen ownership.Seen, err error) {
	for {
		asked := q.ask()
		answer, err := p.Git.Read(ctx, q.at.Of(), asked)
		switch {
		case err != nil:
			return seen, err
		case q.last.isStill(asked, answer):
			return ownership.Seen{Head: answer.Head}, nil
		case !q.last.Records.IsZero() && q.last.Records == answer.ID(record.RecordsFolder): // these were not read
			q.last = Look{}
			continue
		}
		var further []string
		if seen, further, err = q.read(answer); err != nil || len(further) == 0 {
			return seen, err
		}
		q.keys = slices.Concat(q.keys, further)
	}
}

func (q query) ask() git.Query {
	records := tree.Entry{Mode: tree.ModeDir, ID: q.last.Records}
	asked := git.Query{Paths: map[string]tree.Entry{record.RecordsFolder: records}, Content: record.IsRecord, Unless: q.last.Head}
	expected := map[string]tree.Entry{}
	for _, key := range q.keys {
		e := q.known[key]
		asked.Paths[record.PathOf(q.at, key)] = tree.Entry{Mode: record.ModeOf(key), ID: e.ID}
		expected[record.PathOf(q.at, key)] = tree.Entry{Mode: cmp.Or(e.Mode, record.ModeOf(key)), ID: e.ID, Dir: e.Dir}
	}
	if q.compares {
		asked.Compare = expected
	}
	return asked
}

// read reads git's answer. further are keys in the record of the instance that the query did not have.
func (q query) read(answer *git.Answer) (seen ownership.Seen, further []string, err error) {
	seen = ownership.Seen{Head: answer.Head, Content: ownership.Content{}, Differences: answer.Differences}
	if folder := answer.Found[record.RecordsFolder]; folder != nil {
		seen.Folder = tree.Dir{ID: folder.ID, Entries: folder.Entries}
	}
	if seen.Records, err = record.ReadRecords(seen.Folder.Entries, q.at.Branch); err != nil {
		return seen, nil, err
	}
	for _, key := range q.keys {
		found := answer.Found[record.PathOf(q.at, key)]
		if found == nil {
			continue
		}
		e := tree.Entry{Mode: found.Mode, ID: found.ID, Dir: q.known[key].Dir}
		if found.ID != q.known[key].ID {
			e.Dir = &tree.Dir{ID: found.ID, Entries: found.Entries}
		}
		seen.Content[key] = e
	}
	listed := maps.Clone(seen.Record(q.instance, q.at).Folders)
	for _, key := range q.keys {
		delete(listed, key)
	}
	return seen, slices.Sorted(maps.Keys(listed)), nil
}

// keysOf returns the keys of the folders and files in digests, sorted.
func keysOf(packages engine.Digests) []string {
	var keys []string
	for key := range packages {
		if key != engine.PromotedCommitFile && !strings.HasPrefix(key, "./") {
			key, _, _ = strings.Cut(key, "/")
		}
		keys = append(keys, key)
	}
	return wording.Sorted(keys)
}
