// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/memory"
	"golang.org/x/sync/singleflight"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// store keeps the fetched objects of a repository in memory, for all readers of a client. The id of an object is the hash of its
// content, so a server cannot send another object instead. Many goroutines may use it at the same time.
type store struct {
	mu      sync.RWMutex
	objects map[tree.ID]plumbing.EncodedObject
	// fetched are the fetched histories.
	fetched []request
	// fetching are the requests under way: two readers that need the same commit fetch it once.
	fetching singleflight.Group
}

// emptyDir is the empty tree. Git knows it even if the repository does not contain it.
var emptyDir = tree.FromEntries(nil)

func newStore() *store {
	return &store{objects: map[tree.ID]plumbing.EncodedObject{emptyDir.ID: encoded(plumbing.TreeObject, nil)}}
}

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

// unpack adds the objects of a pack, all or none. It refuses a pack whose objects are larger than most bytes together. Errors: errMaxFetch,
// and those of a damaged pack.
func (s *store) unpack(r io.Reader, most int64) error {
	into := &bounded{memory.NewStorage().ObjectStorage, most}
	parser, err := packfile.NewParserWithStorage(packfile.NewScanner(r), into)
	if err == nil {
		_, err = parser.Parse()
	}
	if err == nil {
		_, err = io.Copy(io.Discard, r)
	}
	switch {
	case errors.Is(err, errMaxFetch):
		return errMaxFetch
	case errors.Is(err, packfile.ErrEmptyPackfile):
		return io.ErrUnexpectedEOF
	case err != nil:
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, o := range into.Objects {
		s.objects[tree.ID(id)] = o
	}
	return nil
}

// bounded keeps objects of at most so many bytes together.
type bounded struct {
	memory.ObjectStorage
	most int64
}

// SetEncodedObject keeps an object. Error: errMaxFetch.
func (b *bounded) SetEncodedObject(o plumbing.EncodedObject) (plumbing.Hash, error) {
	if b.most -= o.Size() + perObject; b.most < 0 {
		return plumbing.ZeroHash, errMaxFetch
	}
	return b.ObjectStorage.SetEncodedObject(o)
}

// object returns an object of a kind. Error: plumbing.ErrObjectNotFound.
func (s *store) object(kind plumbing.ObjectType, id tree.ID) (plumbing.EncodedObject, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if o := s.objects[id]; o != nil && o.Type() == kind {
		return o, nil
	}
	return nil, plumbing.ErrObjectNotFound
}

func (s *store) has(id tree.ID) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.objects[id] != nil
}

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
	o, err := s.object(kind, id)
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

func (s *store) note(q request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fetched = append(s.fetched, q)
}

func (s *store) noted() []request {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clip(s.fetched)
}

// known returns the ids that the server certainly has: those of fetched objects, and those in fetched trees.
func (s *store) known() map[tree.ID]bool {
	s.mu.RLock()
	objects := maps.Clone(s.objects)
	s.mu.RUnlock()
	ids := make(map[tree.ID]bool, len(objects))
	for id := range objects {
		ids[id] = true
		if dir, err := s.dir(id); err == nil { // other objects have no entries
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
	o, err := s.object(plumbing.CommitObject, id)
	if err != nil {
		return Commit{}, err
	}
	read := object.Commit{}
	if err = read.Decode(o); err != nil || read.TreeHash.IsZero() || read.Committer.When.IsZero() {
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
