// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gitops

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/tree"
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

// unpack reads a pack and adds its objects, without the blobs unless they are
// wanted. Cost: linear in the pack; memory holds what is kept, one object more,
// and the deltas.
func (o objects) unpack(r io.Reader, blobs bool) error {
	scanner := packfile.NewScanner(r)
	_, count, err := scanner.Header()
	if errors.Is(err, packfile.ErrEmptyPackfile) {
		return io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	at := map[int64]tree.ID{} // where the kept objects stand in the pack
	byOffset, byID := map[int64][]delta{}, map[tree.ID][]delta{}
	var buffer bytes.Buffer
	for range count {
		header, err := scanner.NextObjectHeader()
		if err != nil {
			return err
		}
		if header.Type == plumbing.BlobObject && !blobs {
			if _, _, err := scanner.NextObject(io.Discard); err != nil {
				return err
			}
			continue
		}
		buffer.Reset()
		if _, _, err := scanner.NextObject(&buffer); err != nil {
			return err
		}
		data := bytes.Clone(buffer.Bytes())
		switch header.Type {
		case plumbing.OFSDeltaObject:
			byOffset[header.OffsetReference] = append(byOffset[header.OffsetReference], delta{header.Offset, data})
		case plumbing.REFDeltaObject:
			base := tree.ID(header.Reference)
			byID[base] = append(byID[base], delta{header.Offset, data})
		default:
			at[header.Offset] = o.add(header.Type, data)
		}
	}
	if _, err := scanner.Checksum(); err != nil {
		return err
	}
	return o.resolve(at, byOffset, byID)
}

// resolve applies the deltas whose base was kept, and those upon them. The rest
// are blobs that nobody wants.
func (o objects) resolve(at map[int64]tree.ID, byOffset map[int64][]delta, byID map[tree.ID][]delta) error {
	type place struct {
		offset int64
		id     tree.ID
	}
	var bases []place
	for offset, id := range at {
		bases = append(bases, place{offset, id})
	}
	for len(bases) > 0 {
		base := bases[len(bases)-1]
		bases = bases[:len(bases)-1]
		upon := slices.Concat(byOffset[base.offset], byID[base.id])
		delete(byOffset, base.offset)
		delete(byID, base.id)
		for _, d := range upon {
			data, err := packfile.PatchDelta(o[base.id].data, d.data)
			if err != nil {
				return fmt.Errorf("a delta of the pack cannot be applied: %w", err)
			}
			bases = append(bases, place{d.offset, o.add(o[base.id].kind, data)})
		}
	}
	return nil
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

// parseCommit gives the tree of a commit.
func parseCommit(data []byte) (tree.ID, error) {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	id, ok := bytes.CutPrefix(line, []byte("tree "))
	if !ok {
		return tree.ID{}, errors.New("a commit of the repository is malformed. Run git fsck on the server")
	}
	return tree.ParseID(string(id))
}
