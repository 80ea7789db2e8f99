// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/memory"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// store keeps fetched objects in memory. The id of an object is the hash of its content, so a server cannot send another object
// instead.
type store struct{ memory.ObjectStorage }

// emptyDir is the empty tree. Git knows it even if the repository does not contain it.
var emptyDir = tree.FromEntries(nil)

func newStore() *store {
	s := &store{ObjectStorage: memory.NewStorage().ObjectStorage}
	_, _ = s.SetEncodedObject(encoded(plumbing.TreeObject, nil)) // fails for unknown types only
	return s
}

// encoded returns an object with this content.
func encoded(kind plumbing.ObjectType, content []byte) plumbing.EncodedObject {
	o := &plumbing.MemoryObject{}
	o.SetType(kind)
	_, _ = o.Write(content) // never fails
	return o
}

// errMaxFetch is the reason to refuse a pack.
var errMaxFetch = errors.New("the unpacked pack is larger than the limit for one fetch")

// errDamaged says that a pack is not valid.
var errDamaged = errors.New("the pack cannot be read")

// perObject is about the memory that an object takes beside its content.
const perObject = 256

// unpack adds the objects of a pack. It refuses a pack whose objects are larger than most bytes together, before it unpacks
// them: a few bytes may become gigabytes. Errors: errMaxFetch, and those of a damaged pack.
func (s *store) unpack(r io.Reader, most int64) error {
	var pack bytes.Buffer
	if err := weigh(io.TeeReader(r, &pack), most); err != nil {
		return err
	}
	parser, err := packfile.NewParserWithStorage(packfile.NewScanner(bytes.NewReader(pack.Bytes())), s)
	if err == nil {
		_, err = parser.Parse()
	}
	return damaged(err)
}

// damaged says that a pack is not valid, if err is not nil.
func damaged(err error) error {
	switch {
	case errors.Is(err, packfile.ErrEmptyPackfile):
		return io.ErrUnexpectedEOF
	case err != nil:
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return nil
}

// weigh reads a pack to its end, and keeps none of it. Errors: errMaxFetch if its objects are larger than most bytes together,
// and those of a damaged pack.
func weigh(r io.Reader, most int64) error {
	scanner := packfile.NewScanner(r)
	_, count, err := scanner.Header()
	for ; count > 0 && err == nil; count-- {
		var header *packfile.ObjectHeader
		if header, err = scanner.NextObjectHeader(); err != nil {
			break
		}
		if header.Length > most-perObject { // also a delta, which is not kept
			return errMaxFetch
		}
		var begin beginning
		_, _, err = scanner.NextObject(&begin)
		size := header.Length
		if header.Type.IsDelta() {
			size = begin.target()
		}
		most -= size + perObject
	}
	if err == nil {
		_, err = io.Copy(io.Discard, r)
	}
	if most < 0 {
		return errMaxFetch
	}
	return damaged(err)
}

// beginning keeps the first bytes that are written to it.
type beginning struct{ bytes []byte }

func (b *beginning) Write(p []byte) (int, error) {
	b.bytes = append(b.bytes, p[:min(len(p), 2*binary.MaxVarintLen64-len(b.bytes))]...)
	return len(p), nil
}

// target returns the size of the object that a delta makes. A delta begins with the sizes of both objects.
func (b *beginning) target() int64 {
	_, n := binary.Uvarint(b.bytes)
	size, _ := binary.Uvarint(b.bytes[max(n, 0):]) // the parser refuses what is not valid
	return int64(min(size, math.MaxInt64/2))
}

func (s *store) has(id tree.ID) bool { return s.HasEncodedObject(plumbing.Hash(id)) == nil }

// absent returns the ids of which the store has no object, each once.
func (s *store) absent(ids []tree.ID) []tree.ID {
	var absent []tree.ID
	seen := map[tree.ID]bool{}
	for _, id := range ids {
		if !seen[id] && !s.has(id) {
			absent = append(absent, id)
		}
		seen[id] = true
	}
	return absent
}

// content returns the content of an object. Error: plumbing.ErrObjectNotFound.
func (s *store) content(kind plumbing.ObjectType, id tree.ID) ([]byte, error) {
	o, err := s.EncodedObject(kind, plumbing.Hash(id))
	if err != nil {
		return nil, err
	}
	return contentOf(o)
}

func contentOf(o plumbing.EncodedObject) ([]byte, error) {
	r, err := o.Reader()
	if err != nil {
		return nil, err
	}
	data := make([]byte, o.Size())
	_, err = io.ReadFull(r, data)
	return data, err
}

// dir returns a tree. It keeps names and modes unchanged, even those that git would refuse. Errors: plumbing.ErrObjectNotFound, and the
// tree is malformed.
func (s *store) dir(id tree.ID) (*tree.Dir, error) {
	data, err := s.content(plumbing.TreeObject, id)
	if err != nil {
		return nil, err
	}
	dir := &tree.Dir{ID: id}
	for len(data) > 0 {
		space := bytes.IndexByte(data, ' ')
		end := bytes.IndexByte(data, 0)
		if space < 0 || end < space || len(data) < end+1+len(tree.ID{}) {
			return nil, errors.New("a tree of the repository is malformed. Run git fsck on the server")
		}
		e := tree.Entry{Mode: tree.Mode(data[:space]), Name: string(data[space+1 : end])}
		data = data[end+1:]
		data = data[copy(e.ID[:], data):]
		dir.Entries = append(dir.Entries, e)
	}
	return dir, nil
}

// hasAll reports whether the store has all trees below a tree. It looks into no tree twice.
func (s *store) hasAll(id tree.ID, seen map[tree.ID]bool) bool {
	if seen[id] {
		return true
	}
	seen[id] = true
	dir, err := s.dir(id)
	if err != nil {
		return false
	}
	for _, e := range dir.Entries {
		if e.Mode.IsDir() && !s.hasAll(e.ID, seen) {
			return false
		}
	}
	return true
}

// known returns the ids that the server certainly has: those of fetched objects, and those in fetched trees.
func (s *store) known() map[tree.ID]bool {
	ids := make(map[tree.ID]bool, len(s.Objects))
	for id := range s.Objects {
		ids[tree.ID(id)] = true
	}
	for id := range s.Trees {
		if dir, err := s.dir(tree.ID(id)); err == nil { // a malformed tree has no entries
			for _, e := range dir.Entries {
				ids[e.ID] = true
			}
		}
	}
	return ids
}

// Commit is a commit of a repository.
type Commit struct {
	ID      tree.ID
	Parents []tree.ID
	// Author wrote the commit. Time is the committer time: merge, squash and rebase set it anew.
	Author Signature
	Time   time.Time
	// Message is the whole message.
	Message string

	root tree.ID
}

// Subject returns the first line of the message.
func (c Commit) Subject() string {
	subject, _, _ := strings.Cut(strings.TrimSpace(c.Message), "\n")
	return strings.TrimSpace(subject)
}

// commit returns a commit. Errors: plumbing.ErrObjectNotFound, and the commit is malformed.
func (s *store) commit(id tree.ID) (Commit, error) {
	o, err := s.EncodedObject(plumbing.CommitObject, plumbing.Hash(id))
	if err != nil {
		return Commit{}, err
	}
	read, err := object.DecodeCommit(s, o)
	if err != nil || read.TreeHash.IsZero() || read.Committer.When.IsZero() {
		return Commit{}, fmt.Errorf("the commit %s of the repository is malformed. Run git fsck on the server", id)
	}
	c := Commit{ID: id, root: tree.ID(read.TreeHash), Time: read.Committer.When.UTC(), Message: strings.ToValidUTF8(read.Message, "?"),
		Author: Signature{Name: strings.ToValidUTF8(read.Author.Name, "?"), Email: strings.ToValidUTF8(read.Author.Email, "?")}}
	for _, parent := range read.ParentHashes {
		c.Parents = append(c.Parents, tree.ID(parent))
	}
	return c, nil
}

func roots(commits []Commit) []tree.ID {
	ids := make([]tree.ID, len(commits))
	for i, c := range commits {
		ids[i] = c.root
	}
	return ids
}
