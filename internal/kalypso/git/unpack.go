// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// object is a git object without its header.
type object struct {
	kind plumbing.ObjectType
	data []byte
}

// objects are what was fetched. Each stands under the id that follows from its
// content, so a server cannot pass one off as another.
type objects map[tree.ID]object

// unpackOptions says what of a pack is kept: what is no blob, and how much.
type unpackOptions struct {
	// commits has commits alone kept.
	commits bool
	// blobs has all blobs kept too.
	blobs bool
	// wanted, where not nil, are the blobs that alone are kept.
	wanted map[tree.ID]bool
	// limit is how many bytes may be held of what is kept; maxHeld where it is 0.
	limit int64
	// length is how many bytes the pack may have; DefaultMaxFetch where it is 0.
	length int64
}

// keepsSome reports whether objects of that kind are kept, be it only some of them.
func (o unpackOptions) keepsSome(kind plumbing.ObjectType) bool {
	switch {
	case kind == plumbing.BlobObject:
		return o.blobs || o.wanted != nil
	case o.commits:
		return kind == plumbing.CommitObject
	}
	return o.wanted == nil
}

// keeps reports whether an object is kept, of a kind that some are kept of.
func (o unpackOptions) keeps(id tree.ID) bool { return o.wanted == nil || o.wanted[id] }

// perObject is what an object takes beside its content, about.
const perObject = 128

// unpacker reads one pack: from beginning to end for the objects that stand there as
// they are, and after that what stands there as a delta from where the pack was
// spooled to. So memory has what is kept, one object more, and where others are.
type unpacker struct {
	unpackOptions
	objects objects
	spool   *spool
	scanner *packfile.Scanner // of the pack as it comes
	buffer  bytes.Buffer
	held    int64
	work    int64 // bytes that were unpacked
	// bases are the objects that deltas may stand upon.
	bases []place
	// byOffset and byID are the deltas, by what they name what they stand upon.
	byOffset, byID []delta
	resolver
}

// place is where an object stands in the pack.
type place struct {
	offset int64
	id     tree.ID
	kind   plumbing.ObjectType
	depth  int16 // so many deltas lead to it
}

// unpack reads a pack and adds those of its objects that the options keep, and returns
// how many bytes are held of it. Cost: linear in the pack, with a temporary file where
// it is large. Errors: those of bounds.go, before what they are about is done.
func (o objects) unpack(r io.Reader, in unpackOptions) (held int64, err error) {
	in.limit, in.length = cmp.Or(in.limit, maxHeld), cmp.Or(in.length, DefaultMaxFetch)
	u := &unpacker{unpackOptions: in, objects: o, spool: &spool{limit: in.length}}
	defer u.spool.close()
	u.scanner = packfile.NewScanner(io.TeeReader(r, u.spool))
	err = u.read()
	return u.held, err
}

func (u *unpacker) read() error {
	_, count, err := u.scanner.Header()
	switch {
	case errors.Is(err, packfile.ErrEmptyPackfile):
		return io.ErrUnexpectedEOF
	case err != nil:
		return err
	case count > maxObjects:
		return errObjects
	}
	for range count {
		if err := u.next(); err != nil {
			return err
		}
	}
	if _, err := u.scanner.Checksum(); err != nil {
		return err
	}
	return u.resolve()
}

// next reads the pack's next object.
func (u *unpacker) next() error {
	header, err := u.scanner.NextObjectHeader()
	if err != nil {
		return err
	}
	switch kind := header.Type; kind {
	case plumbing.OFSDeltaObject:
		u.byOffset = append(u.byOffset, delta{offset: header.Offset, base: header.OffsetReference})
	case plumbing.REFDeltaObject:
		u.byID = append(u.byID, delta{offset: header.Offset, baseID: tree.ID(header.Reference)})
	case plumbing.CommitObject, plumbing.TreeObject, plumbing.BlobObject, plumbing.TagObject:
		if u.keepsSome(kind) {
			return u.take(header)
		}
	default:
		return fmt.Errorf("the pack holds an object of the unknown kind %d", kind)
	}
	return u.inflate(u.scanner, io.Discard)
}

// take reads an object that may be kept, or may be what a delta stands upon.
func (u *unpacker) take(header *packfile.ObjectHeader) error {
	if header.Type == plumbing.TreeObject && header.Length > largestTree {
		return errFolder
	}
	fits := u.fits(header.Length)
	if !fits && u.wanted == nil {
		return ErrTooMuch
	}
	hasher := plumbing.NewHasher(header.Type, header.Length)
	u.buffer.Reset()
	w := io.Writer(hasher)
	if fits {
		w = io.MultiWriter(hasher, &u.buffer)
	}
	before := u.work
	if err := u.inflate(u.scanner, w); err != nil {
		return err
	}
	if u.work-before != header.Length {
		return errTooSmall
	}
	id := tree.ID(hasher.Sum())
	if u.wanted == nil || header.Length <= largestBase {
		u.bases = append(u.bases, place{offset: header.Offset, id: id, kind: header.Type})
	}
	switch {
	case !u.keeps(id):
		return nil
	case !fits:
		return ErrTooMuch
	}
	return u.keep(id, object{header.Type, bytes.Clone(u.buffer.Bytes())})
}

// inflate unpacks the object whose header was read last, which the scanner lets grow no
// larger than that says.
func (u *unpacker) inflate(from *packfile.Scanner, to io.Writer) error {
	_, _, err := from.NextObject(meter{u, to})
	return err
}

// meter counts what is unpacked.
type meter struct {
	u  *unpacker
	to io.Writer
}

func (m meter) Write(p []byte) (int, error) {
	if err := m.u.spend(len(p)); err != nil {
		return 0, err
	}
	return m.to.Write(p)
}

// spend counts bytes that are unpacked. Errors: errWork.
func (u *unpacker) spend(n int) error {
	if u.work += int64(n); u.work > freeWork+workPerByte*u.spool.size {
		return errWork
	}
	return nil
}

// fits reports whether so many bytes more may be held.
func (u *unpacker) fits(size int64) bool { return size >= 0 && size <= u.limit-u.held-perObject }

// keep holds an object. Errors: ErrTooMuch, errFolder.
func (u *unpacker) keep(id tree.ID, o object) error {
	switch size := int64(len(o.data)); {
	case o.kind == plumbing.TreeObject && size > largestTree:
		return errFolder
	case !u.fits(size):
		return ErrTooMuch
	}
	u.held += int64(len(o.data)) + perObject
	u.objects[id] = o
	return nil
}

// parseTree reads the content of a tree object. Names and modes stay as they
// are, whatever git would say of them.
func parseTree(data []byte) ([]tree.Entry, error) {
	var entries []tree.Entry
	for len(data) > 0 {
		space := bytes.IndexByte(data, ' ')
		end := bytes.IndexByte(data, 0)
		if space < 0 || end < space || len(data) < end+1+len(tree.ID{}) {
			return nil, errors.New("a tree of the repository is malformed. Run git fsck on the server")
		}
		e := tree.Entry{Mode: modeOf(data[:space]), Name: string(data[space+1 : end])}
		data = data[end+1:]
		data = data[copy(e.ID[:], data):]
		entries = append(entries, e)
	}
	return entries, nil
}

// modeOf reads a mode, of which there are few.
func modeOf(text []byte) tree.Mode {
	for _, known := range []tree.Mode{tree.ModeFile, tree.ModeDir, tree.ModeExecutable, tree.ModeSymlink, tree.ModeSubmodule} {
		if string(text) == string(known) {
			return known
		}
	}
	return tree.Mode(text)
}

// parseCommit returns the tree of a commit.
func parseCommit(data []byte) (tree.ID, error) {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	id, ok := bytes.CutPrefix(line, []byte("tree "))
	if !ok {
		return tree.ID{}, errors.New("a commit of the repository is malformed. Run git fsck on the server")
	}
	return tree.ParseID(string(id))
}
