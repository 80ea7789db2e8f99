// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/storage/memory"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// object is a git object without its header.
type object struct {
	kind plumbing.ObjectType
	data []byte
}

// objects are fetched objects. The id of an object is the hash of its content, so a server
// cannot send another object instead.
type objects map[tree.ID]object

// Limits for the answers of a server. SECURITY.md has these numbers too.
const (
	// maxReferences is for the list of references: about a million references.
	maxReferences = 64 << 20
	// maxPreamble is for the part before a pack: the ends of a shallow history.
	maxPreamble = 16 << 20
	// maxReport is for the answer to a push, which is mostly the output of hooks.
	maxReport = 1 << 20
	// maxBeside is for data beside a pack, such as progress and headers of packets. A fetch may
	// also have an eighth of the pack.
	maxBeside = 16 << 20
	// DefaultMaxFetch is how many bytes one fetch may have, unpacked.
	DefaultMaxFetch = 1 << 30
	// perObject is about the memory that an object takes beside its content.
	perObject = 256
)

// errMaxFetch is the reason to refuse a pack.
var errMaxFetch = errors.New("the unpacked pack is larger than the limit for one fetch")

// store keeps the objects of one pack in memory while go-git parses the pack. It has room for so
// many bytes.
type store struct {
	memory.ObjectStorage
	room int64
}

// SetEncodedObject returns errMaxFetch if the store has no room for the object.
func (s *store) SetEncodedObject(o plumbing.EncodedObject) (plumbing.Hash, error) {
	if s.room -= o.Size() + perObject; s.room < 0 {
		return plumbing.ZeroHash, errMaxFetch
	}
	return s.ObjectStorage.SetEncodedObject(o)
}

// unpack returns the objects of a pack that keeps chooses. It refuses a pack whose objects are
// larger than most bytes together. Errors: errMaxFetch, and those of a damaged pack.
func unpack(r io.Reader, most int64, keeps func(kind plumbing.ObjectType, id tree.ID) bool) (objects, error) {
	all := &store{ObjectStorage: memory.NewStorage().ObjectStorage, room: most}
	parser, err := packfile.NewParserWithStorage(packfile.NewScanner(r), all)
	if err != nil {
		return nil, err
	}
	switch _, err := parser.Parse(); {
	case errors.Is(err, packfile.ErrEmptyPackfile):
		return nil, io.ErrUnexpectedEOF
	case err != nil:
		return nil, fmt.Errorf("the pack cannot be read: %w", err)
	}
	kept := objects{}
	for hash, o := range all.Objects {
		if id := tree.ID(hash); keeps(o.Type(), id) {
			data, err := content(o)
			if err != nil {
				return nil, err
			}
			kept[id] = object{o.Type(), data}
		}
	}
	return kept, nil
}

func content(o plumbing.EncodedObject) ([]byte, error) {
	r, err := o.Reader()
	if err != nil {
		return nil, err
	}
	data := make([]byte, o.Size())
	_, err = io.ReadFull(r, data)
	return data, err
}

// tooMuch explains that a pack is too large; nil if err is not about a size.
func (s *source) tooMuch(err error) error {
	if !errors.Is(err, errMaxFetch) {
		return nil
	}
	return &remote.Error{Kind: remote.KindTooLarge, Cause: err, Message: fmt.Sprintf("%s sends more than %s for one fetch, unpacked. "+
		"A server without partial fetches sends the whole commit, not only the requested part. Raise max_fetch_mib of the provider (or "+
		"KALYPSO_MAX_FETCH_MIB), turn on partial fetches (uploadpack.allowFilter), or move the requested content to a separate repository",
		s.repo.name, remote.Size(s.repo.client.maxFetch))}
}
