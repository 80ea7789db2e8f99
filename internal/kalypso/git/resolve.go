// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// delta is an object that stands in a pack as the difference to another one, which it
// names by its offset or by its id.
type delta struct {
	offset int64
	base   int64
	baseID tree.ID
	done   bool
}

// resolver is what an unpacker needs to make objects of deltas.
type resolver struct {
	// again reads the pack from the spool.
	again *packfile.Scanner
	// made are blobs that nobody wants, and that other deltas stand upon: by offset.
	made *cache.BufferLRU
	// upon tells upon what the delta at an offset stands, where it is no longer held.
	upon map[int64]int64
	// skipped says that something was too large to stand upon.
	skipped bool
}

// resolve makes the objects that stand in the pack as deltas, upon what may be kept of
// it, and upon each other. The rest are of blobs that nobody wants.
func (u *unpacker) resolve() error {
	if len(u.byOffset)+len(u.byID) == 0 {
		return nil
	}
	slices.SortFunc(u.byOffset, func(a, b delta) int { return cmp.Compare(a.base, b.base) })
	slices.SortFunc(u.byID, func(a, b delta) int { return bytes.Compare(a.baseID[:], b.baseID[:]) })
	u.again = packfile.NewScanner(io.NewSectionReader(u.spool, 0, u.spool.size))
	u.made, u.upon = cache.NewBufferLRU(baseCache), map[int64]int64{}
	for bases := u.bases; len(bases) > 0; {
		base := bases[len(bases)-1]
		bases = bases[:len(bases)-1]
		for _, upon := range [][]delta{u.standingAt(base.offset), u.standingOn(base.id)} {
			for i := range upon {
				if upon[i].done {
					continue
				}
				upon[i].done = true
				made, err := u.apply(base, upon[i].offset)
				if err != nil {
					return err
				}
				if made != nil {
					bases = append(bases, *made)
				}
			}
		}
	}
	return u.complete()
}

// complete says that a wanted blob may be one that was too large to make.
func (u *unpacker) complete() error {
	for id := range u.wanted {
		if _, ok := u.objects[id]; !ok && u.skipped {
			return ErrTooMuch
		}
	}
	return nil
}

// standingAt returns the deltas that stand upon what is at an offset.
func (u *unpacker) standingAt(offset int64) []delta {
	return equal(u.byOffset, func(d delta) int { return cmp.Compare(d.base, offset) })
}

// standingOn returns the deltas that stand upon the object of that id.
func (u *unpacker) standingOn(id tree.ID) []delta {
	return equal(u.byID, func(d delta) int { return bytes.Compare(d.baseID[:], id[:]) })
}

// equal returns the part of sorted deltas for which compare returns 0.
func equal(all []delta, compare func(delta) int) []delta {
	first, found := slices.BinarySearchFunc(all, 0, func(d delta, _ int) int { return compare(d) })
	if !found {
		return nil
	}
	last := first
	for last < len(all) && compare(all[last]) == 0 {
		last++
	}
	return all[first:last]
}

// apply makes the object that the delta at an offset stands for, and returns its place
// where other deltas stand upon it.
func (u *unpacker) apply(base place, offset int64) (*place, error) {
	if base.depth >= maxDeltaDepth {
		return nil, errDepth
	}
	from, err := u.content(base)
	if err != nil {
		return nil, err
	}
	data, err := u.patch(from, offset)
	if err != nil || data == nil {
		return nil, err
	}
	at := place{offset: offset, id: tree.ID(plumbing.ComputeHash(base.kind, data)), kind: base.kind, depth: base.depth + 1}
	kept := u.keeps(at.id)
	if kept {
		if err := u.keep(at.id, object{at.kind, data}); err != nil {
			return nil, err
		}
	}
	if u.standingAt(offset) == nil && u.standingOn(at.id) == nil {
		return nil, nil
	}
	if !kept {
		u.upon[offset] = base.offset
		u.made.Put(offset, data)
	}
	return &at, nil
}

// patch applies the delta at an offset. It returns nothing where that would take too
// much memory for something that may not be wanted.
func (u *unpacker) patch(from []byte, offset int64) ([]byte, error) {
	header, err := u.again.SeekObjectHeader(offset)
	if err != nil {
		return nil, err
	}
	if !u.affordable(header.Length) { // larger than what it makes, no delta is of use
		return nil, u.skip()
	}
	u.buffer.Reset()
	if err := u.inflate(u.again, &u.buffer); err != nil {
		return nil, err
	}
	size := resultSize(u.buffer.Bytes())
	if !u.affordable(size) {
		return nil, u.skip()
	}
	if err := u.spend(int(size)); err != nil {
		return nil, err
	}
	data, err := packfile.PatchDelta(from, u.buffer.Bytes())
	if err != nil {
		return nil, fmt.Errorf("a delta of the pack cannot be applied: %w", err)
	}
	return bytes.Clone(data), nil // without the room that it grew into
}

// affordable reports whether an object of that size may be made: one that is surely
// kept, or one that may be.
func (u *unpacker) affordable(size int64) bool {
	if u.wanted == nil {
		return u.fits(size)
	}
	return size >= 0 && size <= largestBase
}

// skip leaves out what is too large, if it is not surely wanted.
func (u *unpacker) skip() error {
	if u.wanted == nil {
		return ErrTooMuch
	}
	u.skipped = true
	return nil
}

// resultSize is how large a delta says its object is; negative where it does not say.
func resultSize(d []byte) int64 {
	_, n := binary.Uvarint(d) // the size of the base
	if n <= 0 {
		return -1
	}
	size, m := binary.Uvarint(d[n:])
	if m <= 0 {
		return -1
	}
	return int64(size) //nolint:gosec // what does not fit is negative, and so too large.
}

// content returns an object that deltas stand upon. Where it is not held any more, it
// is made again.
func (u *unpacker) content(at place) ([]byte, error) {
	if o, ok := u.objects[at.id]; ok && o.kind == at.kind {
		return o.data, nil
	}
	var left []int64 // deltas to apply, the last one first
	offset := at.offset
	data, held := u.made.Get(offset)
	for ; !held; data, held = u.made.Get(offset) {
		base, made := u.upon[offset]
		if !made {
			break
		}
		left, offset = append(left, offset), base
	}
	if !held {
		var whole bytes.Buffer
		if _, err := u.again.SeekObjectHeader(offset); err != nil {
			return nil, err
		}
		if err := u.inflate(u.again, &whole); err != nil {
			return nil, err
		}
		data = whole.Bytes()
		u.made.Put(offset, data)
	}
	for i := len(left) - 1; i >= 0; i-- {
		var err error
		if data, err = u.patch(data, left[i]); err != nil {
			return nil, err
		}
		u.made.Put(left[i], data)
	}
	return data, nil
}
