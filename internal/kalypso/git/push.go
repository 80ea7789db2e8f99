// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/storage/memory"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// command moves a branch from one commit to another. The zero id stands for a missing branch.
type command struct {
	branch   string
	from, to tree.ID
}

// String names the command in the middle of a sentence.
func (c command) String() string {
	if c.to.IsZero() {
		return "to delete branch " + c.branch
	}
	return "the commit to branch " + c.branch
}

// push carries out a command by compare-and-swap: only if the branch is at the first commit of
// the command. It returns remote.ErrMoved if the branch is at another commit.
func (r *repo) push(ctx context.Context, c command, objects *pack) error {
	to, err := r.open(ctx, transport.ReceivePackServiceName)
	if err != nil {
		return err
	}
	defer to.close()
	switch {
	case to.branch(c.branch) != c.from:
		return remote.ErrMoved
	case c.to.IsZero() && !to.advertised.Capabilities.Supports(capability.DeleteRefs):
		return remote.Errorf(remote.KindRefused, "%s allows no pushes that delete branches. Delete %s on the server", r.name, c.branch)
	}
	if err = to.send(ctx, c, objects); err == nil || ctx.Err() != nil {
		return err
	}
	// The branch's present commit shows why the push failed. The error's text differs between
	// servers and versions of Git.
	now, headErr := r.head(ctx, c.branch)
	switch {
	case headErr != nil:
		return err
	case now == c.to:
		return nil // only the answer was lost
	case now != c.from:
		return remote.ErrMoved
	}
	return err
}

// send sends the command with its objects, and returns the server's answer.
func (to *session) send(ctx context.Context, c command, objects *pack) error {
	request := packp.NewReferenceUpdateRequestFromCapabilities(to.advertised.Capabilities)
	for _, c := range []capability.Capability{capability.Sideband64k, capability.Quiet} {
		if to.advertised.Capabilities.Supports(c) {
			_ = request.Capabilities.Set(c) // fails for capabilities with arguments only
		}
	}
	request.Commands = []*packp.Command{{Name: plumbing.NewBranchReferenceName(c.branch), Old: plumbing.Hash(c.from),
		New: plumbing.Hash(c.to)}}
	if !c.to.IsZero() {
		request.Packfile = objects.reader()
		defer func() { _ = request.Packfile.Close() }() // ends the goroutine that writes it
	}
	var said progress
	request.Progress = &said

	to.allowance.Begin()
	receive := to.Session.(transport.ReceivePackSession) //nolint:errcheck,forcetypeassert // open has made it.
	report, err := receive.ReceivePack(to.allowance.With(ctx), request)
	if ctx.Err() == nil && report != nil && report.Error() != nil {
		return to.repo.refused(c, report, &said)
	}
	if err == nil && report == nil && request.Capabilities.Supports(capability.ReportStatus) {
		err = io.ErrUnexpectedEOF // go-git accepts an empty answer
	}
	if err != nil {
		return to.repo.explain(ctx, to.allowance.Explain(err))
	}
	to.repo.client.options.Logger(ctx, "pushed", map[string]any{"repo": to.repo.name, "branch": c.branch, "commit": c.to.String(),
		"objects": len(objects.ids)})
	return nil
}

// refused returns the error of a push that the server refused, with the server's words. After a
// lost race, a new attempt may succeed; against a rule, it would fail again.
func (r *repo) refused(c command, report *packp.ReportStatus, said *progress) error {
	reason := "unpack: " + report.UnpackStatus
	for _, status := range report.CommandStatuses {
		if status.Error() != nil {
			reason = status.Status
		}
	}
	reason, words := r.words(reason), r.words(said.String())
	e := &remote.Error{Kind: remote.KindRefused, Passing: !byRule.MatchString(reason + " " + words),
		Message: fmt.Sprintf("%s refused %s: %s", r.name, c, reason)}
	return r.client.advised(e, reason, words)
}

// byRule matches the texts with which servers refuse a push by a rule.
var byRule = regexp.MustCompile(`(?i)declined|denied|prohibited|not allowed|not permitted|protected|violation|checked out|rejected|` +
	`archived`)

// progress collects the beginning of a server's messages beside its report, mostly the output
// of hooks.
type progress struct{ strings.Builder }

// maxProgress is how many bytes of a server's messages are kept, before words removes control characters.
const maxProgress = 16 * wording.MaxWords

func (p *progress) Write(b []byte) (int, error) {
	if room := maxProgress - p.Len(); room > 0 {
		p.Builder.Write(b[:min(room, len(b))])
	}
	return len(b), nil
}

// DeleteBranch deletes a branch if the branch points at the commit, by compare-and-swap: it
// never deletes a commit that somebody else has pushed. gone reports whether the branch does
// not exist any more, even if it did not exist before. gone is false if the branch points at
// another commit.
func (c *Client) DeleteBranch(ctx context.Context, branch Branch, commit tree.ID) (gone bool, err error) {
	return attempt(ctx, c, branch, func(read *reader) (bool, error) {
		if head := read.branch(branch.Name); head != commit || head.IsZero() {
			return head.IsZero(), nil
		}
		err := read.repo.push(ctx, command{branch: branch.Name, from: commit}, newPack(nil))
		if errors.Is(err, remote.ErrMoved) {
			return false, nil // somebody else moved the branch first
		}
		return err == nil, err
	})
}

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
	objects *memory.Storage
	ids     []plumbing.Hash
}

func newPack(has map[tree.ID]bool) *pack { return &pack{has: has, objects: memory.NewStorage()} }

func (p *pack) add(o plumbing.EncodedObject) tree.ID {
	id, _ := p.objects.SetEncodedObject(o) // fails for unknown types only
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
