// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"bytes"
	"crypto/sha1"
	"errors"
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

// unpacked returns the objects of a pack that may unpack to so many bytes: all of these kinds.
func unpacked(pack []byte, most int64, kinds ...plumbing.ObjectType) (objects, error) {
	return unpack(bytes.NewReader(pack), most, func(kind plumbing.ObjectType, _ tree.ID) bool { return slices.Contains(kinds, kind) })
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
	got, err := unpacked(data, DefaultMaxFetch, plumbing.CommitObject, plumbing.TreeObject, plumbing.BlobObject)
	if err != nil {
		t.Fatal(err)
	}
	compareObjects(t, want, got)

	for id, o := range want {
		if o.kind == plumbing.BlobObject {
			delete(want, id)
		}
	}
	if got, err = unpacked(data, DefaultMaxFetch, plumbing.CommitObject, plumbing.TreeObject); err != nil {
		t.Fatal(err)
	}
	compareObjects(t, want, got)
}

// A delta may have a delta as base, and name its base by offset or id.
func TestUnpackResolvesDeltas(t *testing.T) {
	t.Parallel()
	base, first, second := []byte("base"), []byte("base one"), []byte("base one two")
	more := func(from, to []byte) []byte {
		return gittest.Difference(len(from), len(to), gittest.Copy(0, len(from)), gittest.Insert(string(to[len(from):])))
	}
	var p gittest.Pack
	p.Add(gittest.KindTree, nil, base)
	at := p.Add(gittest.KindDelta, gittest.ObjectID("tree", base), more(base, first))
	p.Add(gittest.KindOffsetDelta, p.OffsetBack(at), more(first, second))
	got, err := unpacked(p.Bytes(), DefaultMaxFetch, plumbing.TreeObject)
	if err != nil {
		t.Fatal(err)
	}
	want := objects{}
	for _, content := range [][]byte{base, first, second} {
		want[tree.ID(plumbing.ComputeHash(plumbing.TreeObject, content))] = object{plumbing.TreeObject, content}
	}
	compareObjects(t, want, got)
}

// Unpacking refuses objects of a pack, and results of its deltas, that are larger than allowed.
func TestUnpackRefusesTooMuch(t *testing.T) {
	t.Parallel()
	base := bytes.Repeat([]byte("x"), 1000)
	var p gittest.Pack
	at := p.Add(gittest.KindBlob, nil, base)
	p.Add(gittest.KindOffsetDelta, p.OffsetBack(at),
		gittest.Difference(len(base), 2*len(base), gittest.Copy(0, len(base)), gittest.Copy(0, len(base))))
	size := int64(3*len(base) + 2*perObject)
	if got, err := unpacked(p.Bytes(), size, plumbing.BlobObject); err != nil || len(got) != 2 {
		t.Errorf("with just enough: %d objects, %v", len(got), err)
	}
	if _, err := unpacked(p.Bytes(), size-1, plumbing.BlobObject); !errors.Is(err, errMaxFetch) {
		t.Errorf("with one byte too little: %v", err)
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
	f.Fuzz(func(t *testing.T, data []byte) {
		const most = 1 << 16
		sum := sha1.Sum(data) // else nothing is made of deltas
		data = append(slices.Clone(data), sum[:]...)
		got, _ := unpacked(data, most, plumbing.CommitObject, plumbing.TreeObject, plumbing.BlobObject)
		held := 0
		for id, o := range got {
			if held += len(o.data) + perObject; held > most {
				t.Errorf("more than %d bytes are held", most)
			}
			if tree.ID(plumbing.ComputeHash(o.kind, o.data)) != id {
				t.Errorf("object %s has another content", id)
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
