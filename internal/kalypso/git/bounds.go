// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// How much a server may say before it is not listened to any more. SECURITY.md has
// these numbers too.
const (
	// maxReferences is for the list of references: a million of them.
	maxReferences = 64 << 20
	// maxPreamble is for what comes before a pack: the ends of a shallow history.
	maxPreamble = 16 << 20
	// maxReport is for the answer to a push: the words of hooks are most of it.
	maxReport = 1 << 20
	// maxBeside is for what comes beside a pack: progress, headers of packets. They may
	// be an eighth of the pack more.
	maxBeside = 16 << 20
	// DefaultMaxFetch is how many bytes one fetch may bring, unpacked.
	DefaultMaxFetch = 1 << 30
	// maxKept is how many bytes of one fetch are kept by default: the trees of
	// three million files. A fleet of 300,000 has 15 MiB of them.
	maxKept = 128 << 20
	// largestTree is how large one folder may be: 300,000 names, which become several
	// times as much where they are read.
	largestTree = 16 << 20
)

// ErrTooMuch says that what is wanted is more than may be held: less of it may be had.
var ErrTooMuch = errors.New("it holds more than may be held")

// What else is refused of a pack.
var (
	errRunHolds = errors.New("all that was read holds more than may be held")
	errFolder   = errors.New("a folder holds more than may be read")
	errMaxFetch = errors.New("the pack unpacks to more than one fetch may bring")
	errSize     = errors.New("an object of the pack is not as large as it says")
)

// tooMuch explains which part of an answer is too large; nil if no part is.
func (s *source) tooMuch(err error) error {
	var text string
	switch {
	case errors.Is(err, ErrTooMuch):
		text = fmt.Sprintf("what %s holds there is larger than %s, unpacked. Keep what is to be read in a folder or repository of its own",
			s.repo.name, remote.Size(s.limit))
	case errors.Is(err, errRunHolds):
		text = fmt.Sprintf("with what %s holds, the control planes of this run are larger than %s together, unpacked. "+
			"Read fewer of them in one configuration", s.repo.name, remote.Size(s.run.most))
	case errors.Is(err, errFolder):
		text = fmt.Sprintf("a folder of %s holds more names than are read (%s of them). Distribute its content to several folders, "+
			"or write to another branch", s.repo.name, remote.Size(largestTree))
	case errors.Is(err, errMaxFetch):
		text = fmt.Sprintf("%s sends more than %s for one fetch, unpacked: a server that knows no partial fetches sends everything beside "+
			"what is wanted. Let one fetch be larger with max_fetch_mib of the provider (or KALYPSO_MAX_FETCH_MIB), turn partial fetches on "+
			"(uploadpack.allowFilter), or keep what is to be read in a repository of its own", s.repo.name, remote.Size(s.repo.client.maxFetch))
	default:
		return nil
	}
	return &remote.Error{Kind: remote.KindTooLarge, Message: text, Cause: err}
}

// unpack adds to the source's objects what is to be kept of a pack, as long as the source,
// and the run that it belongs to, if any, do not hold too much.
func (s *source) unpack(r io.Reader, keep keeping) error {
	var held int64
	if s.run != nil {
		if s.run.held.Load() > s.run.most {
			return errRunHolds
		}
		defer func() { s.run.held.Add(held) }()
	}
	return unpack(r, s.repo.client.maxFetch, s.limit, keep, func(id tree.ID, o object) error {
		size := int64(len(o.data))
		held += size + perObject
		switch {
		case o.kind == plumbing.TreeObject && size > largestTree:
			return errFolder
		case held > s.limit:
			return ErrTooMuch
		}
		s.objects[id] = o
		return nil
	})
}
