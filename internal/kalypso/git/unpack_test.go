// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// somePack is a pack with a commit, trees and files, and what it holds.
func somePack(t testing.TB) ([]byte, objects) {
	t.Helper()
	empty, small, large := tree.File("empty", nil), tree.File("small", []byte("s")), tree.File("large", bytes.Repeat([]byte("large "), 1_000))
	sub := tree.FromEntries([]tree.Entry{empty, large})
	root := tree.FromEntries([]tree.Entry{small, tree.Subdir("sub", sub), tree.Subdir("twice", sub)})
	p := &pack{has: map[tree.ID]bool{}}
	commit := []byte("tree " + root.ID.String() + "\n\nmessage\n")
	want := objects{
		p.addCommit(commit): {plumbing.CommitObject, commit},
		root.ID:             {plumbing.TreeObject, root.Encode()},
		sub.ID:              {plumbing.TreeObject, sub.Encode()},
		empty.ID:            {plumbing.BlobObject, nil},
		small.ID:            {plumbing.BlobObject, small.Content},
		large.ID:            {plumbing.BlobObject, large.Content},
	}
	p.addDir(root)
	var out bytes.Buffer
	if err := p.writeTo(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), want
}

func compareObjects(t *testing.T, want, got objects) {
	t.Helper()
	equal := cmp.Comparer(func(a, b object) bool { return a.kind == b.kind && bytes.Equal(a.data, b.data) })
	if diff := cmp.Diff(want, got, equal); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPackIsReadAsWritten(t *testing.T) {
	t.Parallel()
	data, want := somePack(t)
	got := objects{}
	if _, err := got.unpack(bytes.NewReader(data), unpackOptions{blobs: true}); err != nil {
		t.Fatal(err)
	}
	compareObjects(t, want, got)

	for id, o := range want {
		if o.kind == plumbing.BlobObject {
			delete(want, id)
		}
	}
	got = objects{}
	if _, err := got.unpack(bytes.NewReader(data), unpackOptions{}); err != nil {
		t.Fatal(err)
	}
	compareObjects(t, want, got)
}

// Deltas may stand before their base, upon each other, and be named by offset or id.
func TestUnpackResolvesDeltas(t *testing.T) {
	t.Parallel()
	base, first, second := []byte("base"), []byte("base one"), []byte("base one two")
	// A delta: size of the base, size of the result, copy the base, insert the rest.
	difference := func(from, to []byte) []byte {
		d := []byte{byte(len(from)), byte(len(to)), 0x90, byte(len(from)), byte(len(to) - len(from))}
		return append(d, to[len(from):]...)
	}
	id := func(content []byte) tree.ID { return tree.ID(plumbing.ComputeHash(plumbing.TreeObject, content)) }
	baseID, blobID := id(base), tree.ID(plumbing.ComputeHash(plumbing.BlobObject, base))

	out := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), 5)
	add := func(kind plumbing.ObjectType, reference, content []byte) (offset int) {
		offset = len(out)
		whole := compress([]packed{{kind: kind, data: content}})
		out = append(out, whole[0]) // every content here is short enough for a header of one byte
		out = append(out, reference...)
		out = append(out, whole[1:]...)
		return offset
	}
	add(plumbing.REFDeltaObject, blobID[:], difference(base, first)) // of a blob that is not kept
	add(plumbing.BlobObject, nil, base)
	at := add(plumbing.REFDeltaObject, baseID[:], difference(base, first))
	add(plumbing.OFSDeltaObject, []byte{byte(len(out) - at)}, difference(first, second))
	add(plumbing.TreeObject, nil, base)
	sum := sha1.Sum(out)
	out = append(out, sum[:]...)

	got := objects{}
	if _, err := got.unpack(bytes.NewReader(out), unpackOptions{}); err != nil {
		t.Fatal(err)
	}
	compareObjects(t, objects{
		baseID:     {plumbing.TreeObject, base},
		id(first):  {plumbing.TreeObject, first},
		id(second): {plumbing.TreeObject, second},
	}, got)
}

// A delta of a few bytes can stand for an object of many.
func TestUnpackHoldsNoMoreThanAllowed(t *testing.T) {
	t.Parallel()
	data, want := somePack(t)
	size := int64(0)
	for _, o := range want {
		size += int64(len(o.data)) + perObject
	}
	if _, err := (objects{}).unpack(bytes.NewReader(data), unpackOptions{blobs: true, limit: size}); err != nil {
		t.Errorf("with just enough: %v", err)
	}
	if _, err := (objects{}).unpack(bytes.NewReader(data), unpackOptions{blobs: true, limit: size - 1}); !errors.Is(err, ErrTooMuch) {
		t.Errorf("with one byte too little: %v", err)
	}

	base := []byte("base")
	whole := compress([]packed{{kind: plumbing.BlobObject, data: base}})
	bomb := []byte{byte(len(base)), 0xff, 0xff, 0xff, 0xff, 0x0f, 0x90, byte(len(base))}
	difference := compress([]packed{{kind: plumbing.OFSDeltaObject, data: bomb}})
	out := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), 2)
	out = append(out, whole...)
	out = append(out, difference[0], byte(len(whole)))
	out = append(out, difference[1:]...)
	sum := sha1.Sum(out)
	if _, err := (objects{}).unpack(bytes.NewReader(append(out, sum[:]...)), unpackOptions{blobs: true, limit: 1 << 20}); !errors.Is(err, ErrTooMuch) {
		t.Errorf("a delta that says it is large: %v", err)
	}
}

// Blobs that nobody wants are not held for long: they are made again where wanted ones
// stand upon them.
func TestUnpackMakesBasesAgain(t *testing.T) {
	t.Parallel()
	const count = 2 * baseCache >> 20
	base := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	var p gittest.Pack
	want, wanted := objects{}, map[tree.ID]bool{}
	root := p.Add(gittest.KindBlob, nil, base)
	for i := range count {
		name := fmt.Sprintf("%4d", i)
		middle := append([]byte(name), base...)
		at := p.Add(gittest.KindOffsetDelta, p.OffsetBack(root), gittest.Difference(len(base), len(middle), gittest.Insert(name), gittest.Copy(0, len(base))))
		for _, end := range []string{"a", "b"} {
			content := append(slices.Clone(middle[:20]), end...)
			change := gittest.Difference(len(middle), len(content), gittest.Copy(0, 20), gittest.Insert(end))
			if end == "a" {
				p.Add(gittest.KindOffsetDelta, p.OffsetBack(at), change)
			} else {
				p.Add(gittest.KindDelta, gittest.ObjectID("blob", middle), change)
			}
			id := tree.File("", content).ID
			want[id], wanted[id] = object{plumbing.BlobObject, content}, true
		}
	}
	got := objects{}
	if _, err := got.unpack(bytes.NewReader(p.Bytes()), unpackOptions{wanted: wanted}); err != nil {
		t.Fatal(err)
	}
	compareObjects(t, want, got)
}

// What is too large to stand upon is left out, but not without a word where something
// that is wanted may stand upon it.
func TestUnpackLeavesOutWhatIsTooLarge(t *testing.T) {
	t.Parallel()
	base := make([]byte, 1<<20)
	copies := make([][]byte, 33)
	for i := range copies {
		copies[i] = gittest.Copy(0, len(base))
	}
	var p gittest.Pack
	small := []byte("small")
	at := p.Add(gittest.KindBlob, nil, base)
	at = p.Add(gittest.KindOffsetDelta, p.OffsetBack(at), gittest.Difference(len(base), len(copies)*len(base), copies...))
	p.Add(gittest.KindOffsetDelta, p.OffsetBack(at), gittest.Difference(len(copies)*len(base), 1, gittest.Copy(0, 1)))
	p.Add(gittest.KindBlob, nil, small)
	for content, enough := range map[string]bool{"small": true, "\x00": false} {
		got := objects{}
		id := tree.File("", []byte(content)).ID
		_, err := got.unpack(bytes.NewReader(p.Bytes()), unpackOptions{wanted: map[tree.ID]bool{id: true}})
		if _, there := got[id]; there != enough || enough && err != nil || !enough && !errors.Is(err, ErrTooMuch) {
			t.Errorf("%q: there %v, error %v", content, there, err)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	data, _ := somePack(f)
	f.Add(data[:len(data)-sha1.Size])
	f.Add([]byte("PACK\x00\x00\x00\x02\xff\xff\xff\xff"))
	f.Add([]byte{})
	base, result := []byte("base of a delta"), []byte("base of a delta, and more")
	for _, kind := range []int{gittest.KindTree, gittest.KindBlob} {
		var p gittest.Pack
		change := gittest.Difference(len(base), len(result), gittest.Copy(0, len(base)), gittest.Insert(", and more"))
		p.Add(gittest.KindDelta, gittest.ObjectID("blob", base), change)
		at := p.Add(kind, nil, base)
		at = p.Add(gittest.KindOffsetDelta, p.OffsetBack(at), change)
		p.Add(gittest.KindOffsetDelta, p.OffsetBack(at), gittest.Difference(len(result), len(base), gittest.Copy(0, len(base))))
		f.Add(p.Begin(4))
	}
	wanted := map[tree.ID]bool{tree.File("", result).ID: true, tree.File("", []byte("s")).ID: true}
	f.Fuzz(func(t *testing.T, data []byte) {
		const limit = 1 << 16
		sum := sha1.Sum(data) // else nothing is made of deltas
		data = append(slices.Clone(data), sum[:]...)
		for name, in := range map[string]unpackOptions{
			"everything": {blobs: true}, "no blobs": {}, "commits": {commits: true}, "wanted": {wanted: wanted},
		} {
			in.limit, in.length = limit, 1<<20
			got, held := objects{}, 0
			total, _ := got.unpack(bytes.NewReader(data), in)
			for id, o := range got {
				if held += len(o.data) + perObject; held > limit || int64(held) > total {
					t.Errorf("%s: more than %d or %d bytes are held", name, limit, total)
				}
				if tree.ID(plumbing.ComputeHash(o.kind, o.data)) != id {
					t.Errorf("%s: object %s has another content", name, id)
				}
				if name == "wanted" && !wanted[id] || name == "commits" && o.kind != plumbing.CommitObject || name == "no blobs" && o.kind == plumbing.BlobObject {
					t.Errorf("%s: a %s is held", name, o.kind)
				}
			}
		}
	})
}

func FuzzParseTree(f *testing.F) {
	f.Add(tree.FromEntries([]tree.Entry{tree.File("a", []byte("x")), tree.Subdir("b", emptyDir)}).Encode())
	f.Add([]byte("40000 a\x00short"))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := parseTree(data)
		if err == nil && !bytes.Equal(tree.FromEntries(entries).Encode(), data) {
			t.Errorf("%q is read as %v", data, entries)
		}
	})
}
