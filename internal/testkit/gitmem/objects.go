// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gitmem

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// object is one object. It never changes.
type object struct {
	kind   plumbing.ObjectType
	data   []byte
	packed func() []byte
	// commit and tree are what the data says, read once.
	commit func() commit
	tree   func() []entry
}

// entry is an entry of a tree, or a file by its whole path.
type entry struct {
	name string
	mode filemode.FileMode
	id   plumbing.Hash
}

// commit is what a commit says.
type commit struct {
	tree    plumbing.Hash
	parents []plumbing.Hash
	time    int64
	message string
}

func newObject(kind plumbing.ObjectType, data []byte) *object {
	return &object{
		kind: kind, data: data,
		packed: sync.OnceValue(func() []byte { return gittest.Deflate(data) }),
		commit: sync.OnceValue(func() commit { return readCommit(data) }),
		tree:   sync.OnceValue(func() []entry { return readTree(data) }),
	}
}

// put adds an object and returns its id.
func (r *Repo) put(kind plumbing.ObjectType, data []byte) plumbing.Hash {
	id := plumbing.ComputeHash(kind, data)
	if r.objects[id] == nil {
		r.objects[id] = newObject(kind, data)
	}
	return id
}

// readCommit reads a commit. What a test made wrong is left out.
func readCommit(data []byte) commit {
	var c commit
	header, message, _ := strings.Cut(string(data), "\n\n")
	c.message = message
	for line := range strings.SplitSeq(header, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "tree":
			c.tree = plumbing.NewHash(value)
		case "parent":
			c.parents = append(c.parents, plumbing.NewHash(value))
		case "committer":
			if words := strings.Fields(value); len(words) > 1 {
				c.time, _ = strconv.ParseInt(words[len(words)-2], 10, 64)
			}
		}
	}
	return c
}

// readTree reads a tree, up to where a test made it wrong.
func readTree(data []byte) []entry {
	var all []entry
	for len(data) > 0 {
		space, zero := bytes.IndexByte(data, ' '), bytes.IndexByte(data, 0)
		if space < 0 || zero < space || len(data) < zero+1+20 {
			return all
		}
		mode, err := filemode.New(string(data[:space]))
		if err != nil {
			return all
		}
		all = append(all, entry{name: string(data[space+1 : zero]), mode: mode, id: plumbing.Hash(data[zero+1 : zero+21])})
		data = data[zero+21:]
	}
	return all
}

// files returns the files of a tree by their paths.
func (r *Repo) files(tree plumbing.Hash) map[string]entry {
	all := map[string]entry{}
	r.addFiles(all, "", tree)
	return all
}

func (r *Repo) addFiles(all map[string]entry, prefix string, tree plumbing.Hash) {
	o := r.objects[tree]
	if o == nil {
		return // the empty tree, which is in no repository
	}
	for _, e := range o.tree() {
		if path := prefix + e.name; e.mode == filemode.Dir {
			r.addFiles(all, path+"/", e.id)
		} else {
			all[path] = e
		}
	}
}

// putTree adds the tree that holds files, by their paths, and returns its id.
func (r *Repo) putTree(files map[string]entry) plumbing.Hash {
	here, below := []entry{}, map[string]map[string]entry{}
	for path, e := range files {
		name, rest, deeper := strings.Cut(path, "/")
		if !deeper {
			here = append(here, entry{name, e.mode, e.id})
			continue
		}
		if below[name] == nil {
			below[name] = map[string]entry{}
		}
		below[name][rest] = e
	}
	for name, files := range below {
		here = append(here, entry{name, filemode.Dir, r.putTree(files)})
	}
	return r.put(plumbing.TreeObject, encodeTree(here))
}

// encodeTree writes a tree. Git sorts folders as if their names ended with a slash.
func encodeTree(entries []entry) []byte {
	key := func(e entry) string {
		if e.mode == filemode.Dir {
			return e.name + "/"
		}
		return e.name
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(key(a), key(b)) })
	var out bytes.Buffer
	for _, e := range entries {
		fmt.Fprintf(&out, "%o %s\x00", uint32(e.mode), e.name)
		out.Write(e.id[:])
	}
	return out.Bytes()
}

// revision is a commit to make.
type revision struct {
	tree              plumbing.Hash
	parents           []plumbing.Hash
	author, committer string // with a time: "Test <test@example.com> 1700000000 +0000"
	message           string
}

func (r *Repo) putCommit(c revision) plumbing.Hash {
	var out bytes.Buffer
	fmt.Fprintf(&out, "tree %s\n", c.tree)
	for _, parent := range c.parents {
		fmt.Fprintf(&out, "parent %s\n", parent)
	}
	fmt.Fprintf(&out, "author %s\ncommitter %s\n\n%s", c.author, c.committer, c.message)
	return r.put(plumbing.CommitObject, out.Bytes())
}

// commitAt returns the commit of that id; an empty one if it does not exist.
func (r *Repo) commitAt(id plumbing.Hash) commit {
	if o := r.objects[id]; o != nil && o.kind == plumbing.CommitObject {
		return o.commit()
	}
	return commit{}
}

// hash reads an id that a client sent.
func hash(word string) (plumbing.Hash, error) {
	if _, err := hex.DecodeString(word); err != nil || len(word) != 40 {
		return plumbing.ZeroHash, fmt.Errorf("%q is not the id of an object", word)
	}
	return plumbing.NewHash(word), nil
}
