// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"bufio"
	"cmp"
	"crypto/sha1" //nolint:gosec // the format of packs requires SHA-1.
	"encoding/binary"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/klauspost/compress/zlib"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// pack collects the objects that the server lacks.
type pack struct {
	// has contains the ids of objects on the server and in the pack.
	has     map[tree.ID]bool
	objects []packed
}

// packed is an object of a pack. A tree is encoded when the pack is written.
type packed struct {
	kind plumbing.ObjectType
	data []byte
	dir  *tree.Dir
}

func (p packed) content() []byte {
	if p.dir != nil {
		return p.dir.Encode()
	}
	return p.data
}

func (p *pack) addCommit(content []byte) tree.ID {
	p.objects = append(p.objects, packed{kind: plumbing.CommitObject, data: content})
	return tree.ID(plumbing.ComputeHash(plumbing.CommitObject, content))
}

// addDir adds a tree and its content, except entries that were only read: the server has them.
func (p *pack) addDir(dir *tree.Dir) {
	if p.has[dir.ID] {
		return
	}
	p.has[dir.ID] = true
	p.objects = append(p.objects, packed{kind: plumbing.TreeObject, dir: dir})
	for _, e := range dir.Entries {
		switch {
		case e.Dir != nil:
			p.addDir(e.Dir)
		case (e.Content != nil || e.ID == emptyBlob) && !p.has[e.ID]:
			p.has[e.ID] = true
			p.objects = append(p.objects, packed{kind: plumbing.BlobObject, data: e.Content})
		}
	}
}

// emptyBlob is the only new file whose content may be nil.
var emptyBlob = tree.File("", nil).ID

// writeTo writes the pack: the objects in order, without deltas.
func (p *pack) writeTo(w io.Writer) error {
	sum := sha1.New() //nolint:gosec // see above.
	out := bufio.NewWriter(io.MultiWriter(w, sum))
	header := []byte("PACK\x00\x00\x00\x02")
	_, _ = out.Write(binary.BigEndian.AppendUint32(header, uint32(len(p.objects)))) //nolint:gosec // a pack has far fewer.
	z, err := zlib.NewWriterLevel(out, zlib.BestSpeed)
	for _, o := range p.objects {
		if err != nil {
			return err
		}
		content := o.content()
		_, _ = out.Write(objectHeader(o.kind, len(content)))
		z.Reset(out)
		_, _ = z.Write(content) // Close returns its error
		err = z.Close()
	}
	if err := cmp.Or(err, out.Flush()); err != nil {
		return err
	}
	_, err = w.Write(sum.Sum(nil))
	return err
}

// reader returns a reader of the pack. Another goroutine writes the pack until the reader is
// closed.
func (p *pack) reader() io.ReadCloser {
	r, w := io.Pipe()
	go func() { _ = w.CloseWithError(p.writeTo(w)) }()
	return r
}

// objectHeader encodes the type in three bits and the size in the rest: four bits, then seven
// in each further byte, lowest first.
func objectHeader(kind plumbing.ObjectType, size int) []byte {
	header := []byte{byte(kind)<<4 | byte(size&0x0f)} //nolint:gosec // kinds are below eight.
	for size >>= 4; size > 0; size >>= 7 {
		header[len(header)-1] |= 0x80
		header = append(header, byte(size&0x7f))
	}
	return header
}
