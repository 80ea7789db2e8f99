// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"io"
	"strings"
	"unicode"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// push pushes the new root tree as a commit on its base, and moves a branch to it.
func (w *rewriting) push(ctx context.Context, branch string, from tree.ID) (tree.ID, error) {
	repo := w.reader.repo
	made, err := repo.client.commit(w.root.ID, w.base.ID, w.change.Message)
	if err != nil {
		return tree.ID{}, err
	}
	objects := newPack(w.reader.objects.known())
	commit := objects.add(made)
	objects.addDir(w.root)
	return commit, repo.push(ctx, command{branch, from, commit}, objects)
}

// commit makes a commit, and signs it if the client signs. A zero parent is left out.
func (c *Client) commit(root, parent tree.ID, message string) (plumbing.EncodedObject, error) {
	now := c.options.Now().UTC()
	who := object.Signature{Name: c.options.Author.Name, Email: c.options.Author.Email, When: now}
	commit := object.Commit{Author: who, Committer: who, TreeHash: plumbing.Hash(root),
		Message: strings.TrimRight(strings.ReplaceAll(message, "\x00", ""), "\n") + "\n"}
	if !parent.IsZero() {
		commit.ParentHashes = []plumbing.Hash{plumbing.Hash(parent)}
	}
	if c.options.Signing != nil {
		unsigned := &plumbing.MemoryObject{}
		if err := commit.EncodeWithoutSignature(unsigned); err != nil {
			return nil, err
		}
		data, err := contentOf(unsigned)
		if err != nil {
			return nil, err
		}
		if commit.PGPSignature, err = c.options.Signing.armored(data, now); err != nil {
			return nil, err
		}
	}
	made := &plumbing.MemoryObject{}
	return made, commit.Encode(made)
}

// headerSafe removes the characters that would end a name in a commit's header.
func headerSafe(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == '<' || r == '>' || unicode.IsControl(r) {
			return -1
		}
		return r
	}, text))
}

// pack collects the objects that the server lacks.
type pack struct {
	// has contains the ids of objects on the server and in the pack.
	has     map[tree.ID]bool
	objects *store
	ids     []plumbing.Hash
}

func newPack(has map[tree.ID]bool) *pack { return &pack{has: has, objects: newStore()} }

// add adds an object and returns its id.
func (p *pack) add(o plumbing.EncodedObject) tree.ID {
	id, _ := p.objects.ObjectStorage.SetEncodedObject(o) // fails for unknown types only
	p.ids = append(p.ids, id)
	return tree.ID(id)
}

// addDir adds a tree and its content, except entries that were only read: the server has them.
func (p *pack) addDir(dir *tree.Dir) {
	if p.has[dir.ID] {
		return
	}
	p.has[dir.ID] = true
	p.add(encoded(plumbing.TreeObject, dir.Encode()))
	for _, e := range dir.Entries {
		switch {
		case e.Dir != nil:
			p.addDir(e.Dir)
		case (e.Content != nil || e.ID == emptyBlob) && !p.has[e.ID]:
			p.has[e.ID] = true
			p.add(encoded(plumbing.BlobObject, e.Content))
		}
	}
}

// emptyBlob is the only new file whose content may be nil.
var emptyBlob = tree.File("", nil).ID

// reader returns a reader of the pack, without deltas. Another goroutine writes the pack until the reader is
// closed.
func (p *pack) reader() io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		_, err := packfile.NewEncoder(w, p.objects, false).Encode(p.ids, 0)
		_ = w.CloseWithError(err) // never fails
	}()
	return r
}
