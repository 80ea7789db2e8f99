// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"bytes"
	"crypto/sha1"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// someFiles are the files of somePack, and someRoot is its root.
var (
	someFiles = []tree.Entry{tree.File("empty", nil), tree.File("large", bytes.Repeat([]byte("large "), 1_000)),
		tree.File("small", []byte("s"))}
	someSub  = tree.FromEntries(someFiles[:2])
	someRoot = tree.FromEntries([]tree.Entry{someFiles[2], tree.Subdir("sub", someSub), tree.Subdir("twice", someSub)})
)

// somePack returns a pack with a commit, trees and files, and the id of the commit.
func somePack(t testing.TB) ([]byte, tree.ID) {
	t.Helper()
	c, err := NewClient(Options{Now: func() time.Time { return time.Unix(1, 0) }})
	if err != nil {
		t.Fatal(err)
	}
	made, err := c.commit(someRoot.ID, tree.ID{1}, "message\n\n")
	if err != nil {
		t.Fatal(err)
	}
	p := newPack(map[tree.ID]bool{})
	commit := p.add(made)
	p.addDir(someRoot)
	r := p.reader()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data, commit
}

// put adds an object.
func (s *store) put(kind plumbing.ObjectType, content []byte) tree.ID {
	o := encoded(kind, content)
	s.objects[tree.ID(o.Hash())] = o
	return tree.ID(o.Hash())
}

// A pack is read as it was written, each object once.
func TestPackIsReadAsWritten(t *testing.T) {
	t.Parallel()
	data, id := somePack(t)
	s := newStore()
	if err := s.unpack(bytes.NewReader(data), DefaultMaxFetch); err != nil || len(s.objects) != 7 {
		t.Fatalf("%d objects, error %v", len(s.objects), err)
	}
	c, err := s.commit(id)
	if err != nil || c.root != someRoot.ID || !slices.Equal(c.Parents, []tree.ID{{1}}) || c.Message != "message\n" || c.Time.Unix() != 1 {
		t.Errorf("commit %+v, error %v", c, err)
	}
	if !s.hasAll(someRoot.ID, map[tree.ID]bool{}) {
		t.Error("a tree is missing")
	}
	for _, want := range someFiles {
		got, err := s.content(plumbing.BlobObject, want.ID)
		if err != nil || !bytes.Equal(got, want.Content) {
			t.Errorf("%s has %.20q, error %v", want.Name, got, err)
		}
	}
	second := newPack(s.known()) // the server has all of it
	if second.addDir(someRoot); len(second.ids) > 0 {
		t.Errorf("%d objects are sent again", len(second.ids))
	}
}

// Unpacking resolves a delta of a delta, and refuses objects and results of deltas that are larger than allowed.
func TestUnpackDeltas(t *testing.T) {
	t.Parallel()
	base := bytes.Repeat([]byte("x"), 1000)
	var p gittest.Pack
	at := p.Add(gittest.KindBlob, nil, base)
	at = p.Add(gittest.KindOffsetDelta, p.OffsetBack(at), gittest.Difference(1000, 1001, gittest.Copy(0, 1000), gittest.Insert("y")))
	p.Add(gittest.KindOffsetDelta, p.OffsetBack(at), gittest.Difference(1001, 1002, gittest.Copy(0, 1001), gittest.Insert("z")))
	size := int64(3003 + 3*perObject)
	s := newStore()
	if err := s.unpack(bytes.NewReader(p.Bytes()), size); err != nil || !s.has(tree.File("", append(base, "yz"...)).ID) {
		t.Errorf("with just enough: %d objects, %v", len(s.objects), err)
	}
	if err := newStore().unpack(bytes.NewReader(p.Bytes()), size-1); !errors.Is(err, errMaxFetch) {
		t.Errorf("with one byte too little: %v", err)
	}
}

// Objects that are larger than allowed together are refused, also if each of them is small.
func TestUnpackTooMuch(t *testing.T) {
	t.Parallel()
	for name, add := range map[string]func(p *gittest.Pack){
		"a file": func(p *gittest.Pack) { p.Add(gittest.KindBlob, nil, make([]byte, 1<<16)) },
		"many files": func(p *gittest.Pack) {
			for i := range 100 {
				p.Add(gittest.KindBlob, nil, bytes.Repeat([]byte{byte(i)}, 700))
			}
		},
	} {
		var p gittest.Pack
		add(&p)
		if err := newStore().unpack(bytes.NewReader(p.Bytes()), 1<<16); !errors.Is(err, errMaxFetch) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	data, _ := somePack(f)
	f.Add(data[:len(data)-sha1.Size])
	f.Add([]byte("PACK\x00\x00\x00\x02\xff\xff\xff\xff"))
	f.Add([]byte{})
	base, result := []byte("base of a delta"), []byte("base of a delta, and more")
	var p gittest.Pack
	change := gittest.Difference(len(base), len(result), gittest.Copy(0, len(base)), gittest.Insert(", and more"))
	p.Add(gittest.KindDelta, gittest.ObjectID("blob", base), change)
	at := p.Add(gittest.KindBlob, nil, base)
	p.Add(gittest.KindOffsetDelta, p.OffsetBack(at), change)
	f.Add(p.Begin(3))
	f.Fuzz(func(t *testing.T, data []byte) {
		const most = 1 << 16
		sum := sha1.Sum(data) // else nothing is made of deltas
		s := newStore()
		_ = s.unpack(bytes.NewReader(append(slices.Clone(data), sum[:]...)), most) // what was unpacked before an error counts
		held := int64(-perObject)                                                  // of the empty tree
		for id, o := range s.objects {
			if held += o.Size() + perObject; held > most {
				t.Errorf("more than %d bytes are held", most)
			}
			if data, err := contentOf(o); err != nil || tree.ID(plumbing.ComputeHash(o.Type(), data)) != id {
				t.Errorf("object %s has another content, error %v", id, err)
			}
		}
	})
}

func FuzzDir(f *testing.F) {
	f.Add(tree.FromEntries([]tree.Entry{tree.File("a", []byte("x")), tree.Subdir("b", emptyDir)}).Encode())
	f.Add([]byte("40000 a\x00short"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := newStore()
		if dir, err := s.dir(s.put(plumbing.TreeObject, data)); err == nil && !bytes.Equal(tree.FromEntries(dir.Entries).Encode(), data) {
			t.Errorf("%q is read as %v", data, dir.Entries)
		}
	})
}

// Any commit is either refused, or what we read of it fits a message.
func FuzzCommit(f *testing.F) {
	root := "tree " + strings.Repeat("1", 40) + "\n"
	for _, text := range []string{
		root + "parent " + strings.Repeat("2", 40) + "\nauthor Ann <a@b> 1 +0000\ncommitter C <c@d> 2 +0000\n\nsubject\n\nbody\n",
		root + "author <> -1\ncommitter >< 99999999999999999999 x\n\n\xff", root + "committer C <c@d> 2", "tree x\n", "",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := newStore()
		c, err := s.commit(s.put(plumbing.CommitObject, data))
		if err != nil {
			return
		}
		if c.root.IsZero() || strings.Contains(c.Subject(), "\n") {
			t.Errorf("read as %+v", c)
		}
		for _, text := range []string{c.Subject(), c.Author.Name, c.Author.Email, c.Message} {
			if !utf8.ValidString(text) {
				t.Errorf("%q is not valid UTF-8", text)
			}
		}
	})
}

// Lines of a signature are not read as parents, and invalid UTF-8 is shown without harm.
func TestOddCommits(t *testing.T) {
	t.Parallel()
	root, first := strings.Repeat("1", 40), strings.Repeat("2", 40)
	for name, test := range map[string]struct {
		commit string
		want   Signature
		err    bool
	}{
		"signed": {commit: "parent " + first + "\nauthor Ann <a@b> 1 +0000\ncommitter C <c@d> 2 +0000\ngpgsig -----BEGIN\n parent " +
			strings.Repeat("3", 40) + "\n", want: Signature{Name: "Ann", Email: "a@b"}},
		"Latin 1": {commit: "author J\xf6rg <a@b> 1 +0000\ncommitter C <c@d> 2 +0000\nencoding ISO-8859-1\n",
			want: Signature{Name: "J?rg", Email: "a@b"}},
		"angles":       {commit: "author A <b> <c> 1 +0000\ncommitter C <c@d> 2 +0000\n", want: Signature{Name: "A <b>", Email: "c"}},
		"no time":      {commit: "author A <a@b> 1 +0000\ncommitter C <c@d>\n", err: true},
		"no committer": {commit: "author A <a@b> 1 +0000\n", err: true},
	} {
		s := newStore()
		c, err := s.commit(s.put(plumbing.CommitObject, []byte("tree "+root+"\n"+test.commit+"\nsub\xe4ject\n")))
		if test.err != (err != nil) || err != nil && !strings.Contains(err.Error(), "git fsck") {
			t.Errorf("%s: error %v", name, err)
		}
		if err == nil && (c.Author != test.want || c.Time.Unix() != 2 || c.Subject() != "sub?ject" ||
			slices.ContainsFunc(c.Parents, func(id tree.ID) bool { return id.String() != first })) {
			t.Errorf("%s: %+v", name, c)
		}
	}
}
