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

// unpacked is what is kept of a pack that may unpack to so many bytes.
func unpacked(pack []byte, most int64, k keeping) (objects, error) {
	got := objects{}
	err := unpack(bytes.NewReader(pack), most, maxKept, k, func(id tree.ID, o object) error {
		got[id] = o
		return nil
	})
	return got, err
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
	got, err := unpacked(data, DefaultMaxFetch, keeping{blobs: true})
	if err != nil {
		t.Fatal(err)
	}
	compareObjects(t, want, got)

	for id, o := range want {
		if o.kind == plumbing.BlobObject {
			delete(want, id)
		}
	}
	if got, err = unpacked(data, DefaultMaxFetch, keeping{}); err != nil {
		t.Fatal(err)
	}
	compareObjects(t, want, got)
}

// A delta may come before its base, have a delta as base, and name it by offset or id.
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
		var made bytes.Buffer
		if err := (&pack{objects: []packed{{kind: kind, data: content}}}).writeTo(&made); err != nil {
			t.Fatal(err)
		}
		whole := made.Bytes()[len("PACK--------") : made.Len()-len(tree.ID{})]
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

	got, err := unpacked(out, DefaultMaxFetch, keeping{})
	if err != nil {
		t.Fatal(err)
	}
	compareObjects(t, objects{
		baseID:     {plumbing.TreeObject, base},
		id(first):  {plumbing.TreeObject, first},
		id(second): {plumbing.TreeObject, second},
	}, got)
}

// A pack unpacks to no more than is allowed: objects, deltas, and the results of deltas.
func TestUnpackRefusesTooMuch(t *testing.T) {
	t.Parallel()
	base := bytes.Repeat([]byte("x"), 1000)
	var p gittest.Pack
	at := p.Add(gittest.KindBlob, nil, base)
	change := gittest.Difference(len(base), 2*len(base), gittest.Copy(0, len(base)), gittest.Copy(0, len(base)))
	p.Add(gittest.KindOffsetDelta, p.OffsetBack(at), change)
	size := int64(3*len(base) + len(change) + 2*perObject)
	if got, err := unpacked(p.Bytes(), size, keeping{blobs: true}); err != nil || len(got) != 2 {
		t.Errorf("with just enough: %d objects, %v", len(got), err)
	}
	if _, err := unpacked(p.Bytes(), size-1, keeping{blobs: true}); !errors.Is(err, errMaxFetch) {
		t.Errorf("with one byte too little: %v", err)
	}
	for size, is := range map[int]error{1 << 40: errMaxFetch, -1: errMaxFetch} {
		at := p.Add(gittest.KindBlob, nil, base)
		p.Add(gittest.KindOffsetDelta, p.OffsetBack(at), gittest.Difference(len(base), size, gittest.Copy(0, 1)))
		if _, err := unpacked(p.Bytes(), DefaultMaxFetch, keeping{blobs: true}); !errors.Is(err, is) {
			t.Errorf("a delta that says it makes %d bytes: %v", size, err)
		}
	}
}

// A chain of deltas may have any depth and any order.
func TestUnpackDeepDeltas(t *testing.T) {
	t.Parallel()
	const count = 20_000
	content := func(i int) []byte { return fmt.Appendf(nil, "%9d", i) }
	var p gittest.Pack
	want := objects{}
	for i := count; i > 0; i-- {
		p.Add(gittest.KindDelta, gittest.ObjectID("blob", content(i-1)), gittest.Difference(9, 9, gittest.Insert(string(content(i)))))
	}
	p.Add(gittest.KindBlob, nil, content(0))
	wanted := map[tree.ID]bool{}
	for _, i := range []int{0, count / 2, count} {
		id := tree.File("", content(i)).ID
		want[id], wanted[id] = object{plumbing.BlobObject, content(i)}, true
	}
	got, err := unpacked(p.Bytes(), DefaultMaxFetch, keeping{wanted: wanted})
	if err != nil {
		t.Fatal(err)
	}
	compareObjects(t, want, got)
}

// A delta whose base is not in the pack makes nothing.
func TestUnpackThinPack(t *testing.T) {
	t.Parallel()
	base, file := []byte("base"), []byte("file")
	var p gittest.Pack
	p.Add(gittest.KindDelta, gittest.ObjectID("blob", base), gittest.Difference(len(base), 1, gittest.Copy(0, 1)))
	p.Add(gittest.KindBlob, nil, file)
	got, err := unpacked(p.Bytes(), DefaultMaxFetch, keeping{blobs: true})
	if err != nil {
		t.Fatal(err)
	}
	compareObjects(t, objects{tree.File("", file).ID: {plumbing.BlobObject, file}}, got)
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
		const most = 1 << 16
		sum := sha1.Sum(data) // else nothing is made of deltas
		data = append(slices.Clone(data), sum[:]...)
		for name, k := range map[string]keeping{
			"everything": {blobs: true}, "no blobs": {}, "commits": {commits: true}, "wanted": {wanted: wanted},
		} {
			got, _ := unpacked(data, most, k)
			held := 0
			for id, o := range got {
				if held += len(o.data) + perObject; held > most {
					t.Errorf("%s: more than %d bytes are held", name, most)
				}
				if tree.ID(plumbing.ComputeHash(o.kind, o.data)) != id {
					t.Errorf("%s: object %s has another content", name, id)
				}
				if name == "wanted" && !wanted[id] || name == "commits" && o.kind != plumbing.CommitObject || name == "no blobs" &&
					o.kind == plumbing.BlobObject {
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
