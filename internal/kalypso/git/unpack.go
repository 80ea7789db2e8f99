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

// objects are what was fetched. The id of each follows from its content, so a server
// cannot pass one off as another.
type objects map[tree.ID]object

// keeping says which objects of a pack are kept: commits and trees, or what the one field
// says that is set.
type keeping struct {
	// commits keeps commits alone.
	commits bool
	// blobs keeps blobs beside commits and trees.
	blobs bool
	// wanted, if not nil, keeps these blobs alone.
	wanted map[tree.ID]bool
}

// reads reports whether objects of a kind are read: some of them may be kept.
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
	// perObject is the memory that an object takes beside its content, about.
	perObject = 256
	// growAtOnce is how much room an object gets before its content has come: a pack may
	// declare more than it has.
	growAtOnce = 1 << 20
)

// unpacker reads one pack with go-git's scanner. It holds the objects of the kinds that
// are read, and the deltas whose base has not come yet.
type unpacker struct {
	keeping
	scanner *packfile.Scanner
	read    objects
	ids     map[int64]tree.ID // of the objects that were read, by their offset
	waiting map[base][]delta
	room    int64 // bytes that may still be unpacked
	largest int64 // bytes that one object may have, so that it is held
	keep    func(id tree.ID, o object) error
}

// base is the object that a delta changes. The delta names its offset, or its id if the
// offset is 0, at which no object can be.
type base struct {
	offset int64
	id     tree.ID
}

// delta is an object of a pack that is the difference to its base.
type delta struct {
	offset int64
	data   []byte
}

// unpack reads a pack, and passes each object to keep that is to be kept. It refuses a pack
// whose sizes add up to more than most: of its objects as the pack declares them, and of
// the results of deltas. An object that is larger than largest, and a delta that has or
// makes more, is not held, so that one object cannot fill the memory. go-git's parser gives
// its observers these sizes too late: after it has unpacked the objects. Errors: errMaxFetch,
// errFolder, ErrTooMuch, those of keep, and those of a damaged pack.
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
		return u.spend(size) // its result would not be held
	}
	on := base{id: tree.ID(header.Reference)}
	if header.Type == plumbing.OFSDeltaObject {
		on = base{offset: header.OffsetReference}
	}
	u.waiting[on] = append(u.waiting[on], delta{header.Offset, buffer.Bytes()})
	return u.resolve(on)
}

// pass passes over an object that is too large to be held. That is an error if the object
// has to be kept: every folder and commit, and a file that is wanted.
func (u *unpacker) pass(header *packfile.ObjectHeader) error {
	switch {
	case header.Type.IsDelta():
		return nil // what it makes is missing, if anyone asks for it
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

// resolve makes the objects of the deltas that wait for some bases, and of those that wait
// for these objects.
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
	return u.add(d.offset, object{from.kind, bytes.Clone(data)}) // without the room that it grew into
}

// add adds an object that was read, and returns its id.
func (u *unpacker) add(offset int64, o object) (tree.ID, error) {
	id := tree.ID(plumbing.ComputeHash(o.kind, o.data))
	u.read[id], u.ids[offset] = o, id
	if u.wanted == nil || u.wanted[id] {
		return id, u.keep(id, o)
	}
	return id, nil
}

// resultSize returns how large a delta says its object is; -1 if it does not say.
func resultSize(d []byte) int64 {
	_, n := binary.Uvarint(d) // the size of the base
	size, m := binary.Uvarint(d[max(n, 0):])
	if n <= 0 || m <= 0 {
		return -1
	}
	return int64(size) //nolint:gosec // what does not fit is negative, and so too large.
}

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
