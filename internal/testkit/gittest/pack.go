// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gittest

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"sync"
)

// The kinds of objects in a pack.
const (
	KindCommit      = 1
	KindTree        = 2
	KindBlob        = 3
	KindOffsetDelta = 6
	KindDelta       = 7
)

// Pack is a pack that is made by hand, and may be one that no git makes.
type Pack struct {
	objects bytes.Buffer
	count   uint32
}

const packHeader = 12

// Add adds an object and returns its offset. The reference of a delta is an id, or as
// OffsetBack makes it.
func (p *Pack) Add(kind int, reference, content []byte) (offset int) {
	return p.AddPacked(kind, int64(len(content)), reference, Deflate(content))
}

// AddPacked adds an object that says how large it is, and holds whatever was packed.
func (p *Pack) AddPacked(kind int, size int64, reference, packed []byte) (offset int) {
	offset = packHeader + p.objects.Len()
	header := []byte{byte(kind<<4) | byte(size&0x0f)}
	for size >>= 4; size > 0; size >>= 7 {
		header[len(header)-1] |= 0x80
		header = append(header, byte(size&0x7f))
	}
	p.objects.Write(header)
	p.objects.Write(reference)
	p.objects.Write(packed)
	p.count++
	return offset
}

// OffsetBack returns the reference to the object at an offset, for the one that is
// added next.
func (p *Pack) OffsetBack(offset int) []byte {
	back := packHeader + p.objects.Len() - offset
	reference := []byte{byte(back & 0x7f)}
	for back >>= 7; back > 0; back >>= 7 {
		back--
		reference = append([]byte{0x80 | byte(back&0x7f)}, reference...)
	}
	return reference
}

// Begin returns the pack up to its checksum, saying that it holds so many objects.
func (p *Pack) Begin(count uint32) []byte {
	out := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), count)
	return append(out, p.objects.Bytes()...)
}

// Bytes returns the whole pack.
func (p *Pack) Bytes() []byte {
	out := p.Begin(p.count)
	sum := sha1.Sum(out)
	return append(out, sum[:]...)
}

// deflaters are used again, since each takes a megabyte.
var deflaters = sync.Pool{New: func() any {
	z, _ := zlib.NewWriterLevel(nil, zlib.BestSpeed) // fails for unknown levels only
	return z
}}

// Deflate packs content.
func Deflate(content []byte) []byte {
	var out bytes.Buffer
	z, _ := deflaters.Get().(*zlib.Writer)
	defer deflaters.Put(z)
	z.Reset(&out)
	_, _ = z.Write(content) // a buffer takes everything
	_ = z.Close()
	return out.Bytes()
}

// Difference makes a delta: of a base of one size, by instructions, to another size.
func Difference(base, result int, instructions ...[]byte) []byte {
	d := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(base)), uint64(result))
	return append(d, bytes.Join(instructions, nil)...)
}

// Copy is the instruction of a delta that copies part of its base.
func Copy(offset, size int) []byte {
	return []byte{0xff, byte(offset), byte(offset >> 8), byte(offset >> 16), byte(offset >> 24), byte(size), byte(size >> 8), byte(size >> 16)}
}

// Insert is the instruction of a delta that inserts up to 127 bytes.
func Insert(text string) []byte { return append([]byte{byte(len(text))}, text...) }

// ObjectID returns the id of an object: "tree".
func ObjectID(kind string, content []byte) []byte {
	h := sha1.New()
	_, _ = fmt.Fprintf(h, "%s %d\x00", kind, len(content))
	h.Write(content)
	return h.Sum(nil)
}

// Commit returns a commit of a tree, and its id in hexadecimal.
func Commit(tree []byte) (content []byte, id string) {
	content = fmt.Appendf(nil, "tree %x\nauthor A <a@example.com> 0 +0000\ncommitter A <a@example.com> 0 +0000\n\nmessage\n", tree)
	return content, hex.EncodeToString(ObjectID("commit", content))
}

// InPackets returns what says data on a channel of a side band: 1 is the pack, 2 what
// is for people, 3 an error.
func InPackets(channel byte, data []byte) func(w io.Writer) {
	return func(w io.Writer) {
		for chunk := range slices.Chunk(data, 65000) {
			if _, err := io.WriteString(w, Packet(string(channel)+string(chunk))); err != nil {
				return
			}
		}
	}
}
