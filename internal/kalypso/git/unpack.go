// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"

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

// keeping says which objects of a pack are kept: commits and trees, or the objects of the one
// field that is set.
type keeping struct {
	// commits keeps only commits.
	commits bool
	// blobs keeps commits, trees and blobs.
	blobs bool
	// wanted, if not nil, keeps only these blobs.
	wanted map[tree.ID]bool
}

// reads reports whether objects of a kind are read, because some of them may be kept.
func (k keeping) reads(kind plumbing.ObjectType) bool {
	switch {
	case kind == plumbing.BlobObject:
		return k.blobs || k.wanted != nil
	case k.commits:
		return kind == plumbing.CommitObject
	}
	return k.wanted == nil
}

const (
	// perObject is about the memory that an object takes beside its content.
	perObject = 256
	// growAtOnce is how much memory an object gets before its content arrives: a pack may
	// declare a larger size than it has.
	growAtOnce = 1 << 20
)

// unpacker reads one pack with go-git's scanner. It keeps in memory the objects of the kinds
// that are read, and the deltas whose base has not arrived yet.
type unpacker struct {
	keeping
	scanner *packfile.Scanner
	read    objects
	ids     map[int64]tree.ID // of the read objects, by offset
	waiting map[base][]delta
	room    int64 // bytes that may still be unpacked
	largest int64 // bytes of one object that is kept in memory
	keep    func(id tree.ID, o object) error
}

// base identifies the object that a delta changes: by its offset, or by its id if the offset
// is 0. No object can be at offset 0.
type base struct {
	offset int64
	id     tree.ID
}

// delta is an object of a pack that contains the difference to its base.
type delta struct {
	offset int64
	data   []byte
}

// unpack reads a pack, and calls keep for each object to keep. It refuses a pack whose sizes
// add up to more than most: the declared sizes of its objects, and the sizes of the results of
// deltas. An object larger than largest, or a delta with such a result, is not kept in memory,
// so that one object cannot fill the memory. go-git's parser reports these sizes only after it
// has unpacked the objects. Errors: errMaxFetch, errFolder, ErrTooMuch, those of keep, and
// those of a damaged pack.
func unpack(r io.Reader, most, largest int64, k keeping, keep func(id tree.ID, o object) error) error {
	u := &unpacker{
		keeping: k, scanner: packfile.NewScanner(r), read: objects{}, ids: map[int64]tree.ID{},
		waiting: map[base][]delta{}, room: most, largest: largest, keep: keep,
	}
	_, count, err := u.scanner.Header()
	switch {
	case errors.Is(err, packfile.ErrEmptyPackfile):
		return io.ErrUnexpectedEOF
	case err != nil:
		return err
	}
	if err := u.spend(int64(count) * perObject); err != nil {
		return err
	}
	for range count {
		if err := u.next(); err != nil {
			return err
		}
	}
	_, err = u.scanner.Checksum()
	return err
}

func (u *unpacker) spend(bytes int64) error {
	if bytes < 0 || bytes > u.room {
		return errMaxFetch
	}
	u.room -= bytes
	return nil
}

func (u *unpacker) next() error {
	header, err := u.scanner.NextObjectHeader()
	if err != nil {
		return err
	}
	isDelta := header.Type.IsDelta()
	if err := u.spend(header.Length); err != nil || !isDelta && !u.reads(header.Type) {
		return err // the scanner skips the content by itself
	}
	if header.Length > u.largest || header.Type == plumbing.TreeObject && header.Length > largestTree {
		return u.pass(header)
	}
	var buffer bytes.Buffer
	buffer.Grow(int(min(header.Length, growAtOnce)))
	n, _, err := u.scanner.NextObject(&buffer)
	switch {
	case err != nil:
		return err
	case n != header.Length:
		return errSize
	}
	if !isDelta {
		id, err := u.add(header.Offset, object{header.Type, buffer.Bytes()})
		if err != nil {
			return err
		}
		return u.resolve(base{offset: header.Offset}, base{id: id})
	}
	if size := resultSize(buffer.Bytes()); size > u.largest {
		return u.spend(size) // the result would be too large
	}
	on := base{id: tree.ID(header.Reference)}
	if header.Type == plumbing.OFSDeltaObject {
		on = base{offset: header.OffsetReference}
	}
	u.waiting[on] = append(u.waiting[on], delta{header.Offset, buffer.Bytes()})
	return u.resolve(on)
}

// pass skips the content of an object that is too large. It returns an error if the object has
// to be kept: every folder and commit, and a wanted file.
func (u *unpacker) pass(header *packfile.ObjectHeader) error {
	switch {
	case header.Type.IsDelta():
		return nil // the result counts as missing
	case header.Type == plumbing.TreeObject:
		return errFolder
	case u.wanted == nil:
		return ErrTooMuch
	}
	hasher := plumbing.NewHasher(header.Type, header.Length)
	if _, _, err := u.scanner.NextObject(hasher); err != nil {
		return err
	}
	if u.wanted[tree.ID(hasher.Sum())] {
		return ErrTooMuch
	}
	return nil
}

// resolve applies the deltas that wait for some bases, and then the deltas that wait for the
// results.
func (u *unpacker) resolve(bases ...base) error {
	for len(bases) > 0 {
		on := bases[len(bases)-1]
		bases = bases[:len(bases)-1]
		id := on.id
		if on.offset != 0 {
			id = u.ids[on.offset]
		}
		from, ok := u.read[id]
		if !ok {
			continue
		}
		deltas := u.waiting[on]
		delete(u.waiting, on)
		for _, d := range deltas {
			made, err := u.patch(from, d)
			if err != nil {
				return err
			}
			bases = append(bases, base{offset: d.offset}, base{id: made})
		}
	}
	return nil
}

// patch applies a delta to its base, and returns the id of the result.
func (u *unpacker) patch(from object, d delta) (tree.ID, error) {
	if err := u.spend(resultSize(d.data)); err != nil {
		return tree.ID{}, err
	}
	data, err := packfile.PatchDelta(from.data, d.data)
	if err != nil {
		return tree.ID{}, fmt.Errorf("a delta of the pack cannot be applied: %w", err)
	}
	return u.add(d.offset, object{from.kind, bytes.Clone(data)}) // without spare capacity
}

func (u *unpacker) add(offset int64, o object) (tree.ID, error) {
	id := tree.ID(plumbing.ComputeHash(o.kind, o.data))
	u.read[id], u.ids[offset] = o, id
	if u.wanted == nil || u.wanted[id] {
		return id, u.keep(id, o)
	}
	return id, nil
}

// resultSize returns the size that a delta declares for its result; -1 if the delta is
// damaged.
func resultSize(d []byte) int64 {
	_, n := binary.Uvarint(d) // the size of the base
	size, m := binary.Uvarint(d[max(n, 0):])
	if n <= 0 || m <= 0 {
		return -1
	}
	return int64(size) //nolint:gosec // a size that does not fit becomes negative, which is refused.
}

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
	// maxKept is how many bytes of one fetch are kept by default: the trees of three million
	// files. A fleet with 300,000 files has 15 MiB.
	maxKept = 128 << 20
	// largestTree is how large one folder may be: 300,000 names, which take several times as
	// much memory when they are read.
	largestTree = 16 << 20
)

// ErrTooMuch says that the requested content is larger than the limit. A smaller request may
// succeed.
var ErrTooMuch = errors.New("the content is larger than the limit")

// Other reasons to refuse a pack.
var (
	errRunHolds = errors.New("the content of all reads together is larger than the limit")
	errFolder   = errors.New("a folder is larger than the limit")
	errMaxFetch = errors.New("the unpacked pack is larger than the limit for one fetch")
	errSize     = errors.New("an object of the pack does not have its declared size")
)

// tooMuch explains which part of an answer is too large; nil if err is not about a size.
func (s *source) tooMuch(err error) error {
	var text string
	switch {
	case errors.Is(err, ErrTooMuch):
		text = fmt.Sprintf("the requested content of %s is larger than %s, unpacked. Move it to a separate folder or repository",
			s.repo.name, remote.Size(s.limit))
	case errors.Is(err, errRunHolds):
		text = fmt.Sprintf("with the content of %s, the control planes of this run are together larger than %s, unpacked. "+
			"Read fewer control planes in one configuration", s.repo.name, remote.Size(s.run.most))
	case errors.Is(err, errFolder):
		text = fmt.Sprintf("a folder of %s has more names than the limit allows (%s). Distribute its content to several folders, "+
			"or write to another branch", s.repo.name, remote.Size(largestTree))
	case errors.Is(err, errMaxFetch):
		text = fmt.Sprintf("%s sends more than %s for one fetch, unpacked. A server without partial fetches sends the whole commit, not only "+
			"the requested part. Raise max_fetch_mib of the provider (or KALYPSO_MAX_FETCH_MIB), turn on partial fetches "+
			"(uploadpack.allowFilter), or move the requested content to a separate repository", s.repo.name, remote.Size(s.repo.client.maxFetch))
	default:
		return nil
	}
	return &remote.Error{Kind: remote.KindTooLarge, Message: text, Cause: err}
}

// unpack adds the kept objects of a pack to the source's objects. Errors: the source, or its
// run, would keep too much.
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
