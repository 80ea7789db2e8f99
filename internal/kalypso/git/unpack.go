// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

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

// delta is an object that stands in a pack as the difference to another one.
type delta struct {
	offset int64
	data   []byte
}

// unpackOptions says what of a pack is kept.
type unpackOptions struct {
	// blobs are kept too.
	blobs bool
	// wanted, where not nil, are the blobs that matter: others are only kept
	// while they are small, since deltas may stand upon them.
	wanted map[tree.ID]bool
	// limit is how many bytes may be held; 0 is no bound.
	limit int64
}

// smallBlob is the size up to which a blob that nobody wants may be what a delta stands upon.
const smallBlob = 1 << 20

// errTooMuch says that a pack holds more than may be held.
var errTooMuch = errors.New("the pack is larger than allowed")

// unpacker reads one pack.
type unpacker struct {
	unpackOptions
	objects  objects
	scanner  *packfile.Scanner
	buffer   bytes.Buffer
	held     int64
	at       map[int64]tree.ID // where the kept objects stand in the pack
	byOffset map[int64][]delta
	byID     map[tree.ID][]delta
}

// unpack reads a pack and adds those of its objects that the options keep. Cost:
// linear in the pack; memory holds what is kept, one object more, and the deltas.
// Errors: errTooMuch before more than the limit is held.
func (o objects) unpack(r io.Reader, in unpackOptions) error {
	u := &unpacker{
		unpackOptions: in, objects: o, scanner: packfile.NewScanner(r),
		at: map[int64]tree.ID{}, byOffset: map[int64][]delta{}, byID: map[tree.ID][]delta{},
	}
	_, count, err := u.scanner.Header()
	if errors.Is(err, packfile.ErrEmptyPackfile) {
		return io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
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
	data, kept, err := u.read(header)
	if err != nil || !kept {
		return err
	}
	switch header.Type {
	case plumbing.OFSDeltaObject:
		u.byOffset[header.OffsetReference] = append(u.byOffset[header.OffsetReference], delta{header.Offset, data})
	case plumbing.REFDeltaObject:
		base := tree.ID(header.Reference)
		u.byID[base] = append(u.byID[base], delta{header.Offset, data})
	default:
		u.at[header.Offset] = u.objects.add(header.Type, data)
	}
	return nil
}

// read inflates an object, and reports whether it is kept. The scanner lets no
// object grow beyond the size that its header declares.
func (u *unpacker) read(header *packfile.ObjectHeader) (data []byte, kept bool, err error) {
	blob := header.Type == plumbing.BlobObject
	if blob && !u.blobs {
		_, _, err := u.scanner.NextObject(io.Discard)
		return nil, false, err
	}
	u.buffer.Reset()
	fits := u.fits(header.Length)
	if blob && u.wanted != nil && header.Length > smallBlob {
		id, err := u.identify(header.Length, fits)
		if err != nil || !u.wanted[id] {
			return nil, false, err
		}
	} else if fits {
		if _, _, err := u.scanner.NextObject(&u.buffer); err != nil {
			return nil, false, err
		}
	}
	if !fits {
		return nil, false, errTooMuch
	}
	u.held += header.Length
	return bytes.Clone(u.buffer.Bytes()), true, nil
}

// identify reads a blob for its id, and into the buffer where it fits.
func (u *unpacker) identify(size int64, fits bool) (tree.ID, error) {
	hasher := plumbing.NewHasher(plumbing.BlobObject, size)
	w := io.Writer(hasher)
	if fits {
		w = io.MultiWriter(hasher, &u.buffer)
	}
	_, _, err := u.scanner.NextObject(w)
	return tree.ID(hasher.Sum()), err
}

func (u *unpacker) fits(size int64) bool {
	return u.limit == 0 || size >= 0 && size <= u.limit-u.held
}

// resolve applies the deltas whose base was kept, and those upon them. The rest
// are blobs that nobody wants.
func (u *unpacker) resolve() error {
	type place struct {
		offset int64
		id     tree.ID
	}
	var bases []place
	for offset, id := range u.at {
		bases = append(bases, place{offset, id})
	}
	for len(bases) > 0 {
		base := bases[len(bases)-1]
		bases = bases[:len(bases)-1]
		upon := slices.Concat(u.byOffset[base.offset], u.byID[base.id])
		delete(u.byOffset, base.offset)
		delete(u.byID, base.id)
		for _, d := range upon {
			id, err := u.apply(base.id, d)
			if err != nil {
				return err
			}
			bases = append(bases, place{d.offset, id})
		}
	}
	return nil
}

// apply makes the object that a delta stands for.
func (u *unpacker) apply(base tree.ID, d delta) (tree.ID, error) {
	size := d.size()
	if !u.fits(size) {
		return tree.ID{}, errTooMuch
	}
	u.held += size
	data, err := packfile.PatchDelta(u.objects[base].data, d.data)
	if err != nil {
		return tree.ID{}, fmt.Errorf("a delta of the pack cannot be applied: %w", err)
	}
	return u.objects.add(u.objects[base].kind, data), nil
}

// size is how large the delta says its object is; 0 where it does not say.
func (d delta) size() int64 {
	_, n := binary.Uvarint(d.data) // the size of the base
	size, _ := binary.Uvarint(d.data[max(n, 0):])
	return int64(size) //nolint:gosec // what does not fit is negative, and so too large.
}

func (o objects) add(kind plumbing.ObjectType, data []byte) tree.ID {
	id := tree.ID(plumbing.ComputeHash(kind, data))
	o[id] = object{kind: kind, data: data}
	return id
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
		e := tree.Entry{Mode: tree.Mode(data[:space]), Name: string(data[space+1 : end])}
		data = data[end+1:]
		data = data[copy(e.ID[:], data):]
		entries = append(entries, e)
	}
	return entries, nil
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
