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
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// receiver is a session for a push.
type receiver struct {
	*conversation[transport.ReceivePackSession]
}

// openReceiver opens a session for a push. The caller closes it.
func (r *repo) openReceiver(ctx context.Context) (*receiver, error) {
	c, err := converse(ctx, r, transport.Transport.NewReceivePackSession)
	return &receiver{c}, err
}

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
func (to *receiver) push(ctx context.Context, c command, objects *pack) error {
	if to.branch(c.branch) != c.from {
		return remote.ErrMoved
	}
	err := to.send(ctx, c, objects)
	if err == nil || ctx.Err() != nil {
		return err
	}
	// The branch's present commit shows why the push failed. The error's text differs between
	// servers and versions of Git.
	now, headErr := to.repo.head(ctx, c.branch)
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

// startBranch makes a branch that points at a commit of the server.
func (r *repo) startBranch(ctx context.Context, branch string, commit tree.ID) error {
	to, err := r.openReceiver(ctx)
	if err != nil {
		return err
	}
	defer to.close()
	return to.push(ctx, command{branch: branch, to: commit}, &pack{})
}

// send sends the command with its objects, and returns the server's answer.
func (to *receiver) send(ctx context.Context, c command, objects *pack) error {
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

	to.allowance.Allow("the report about a push", maxReport)
	report, err := to.session.ReceivePack(to.allowance.With(ctx), request)
	if ctx.Err() == nil && report != nil && report.Error() != nil {
		return to.repo.refused(c, report, &said)
	}
	if err == nil && report == nil && request.Capabilities.Supports(capability.ReportStatus) {
		err = io.ErrUnexpectedEOF // go-git accepts an empty answer
	}
	if err != nil {
		return to.repo.explain(ctx, to.allowance.Explain(err))
	}
	to.repo.client.log(ctx, "pushed", map[string]any{"repo": to.repo.name, "branch": c.branch, "commit": c.to.String(),
		"objects": len(objects.objects)})
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
	e := &remote.Error{Kind: remote.KindRefused, Passing: !decision.MatchString(reason + " " + words),
		Message: fmt.Sprintf("%s refused %s: %s", r.name, c, reason)}
	if words != "" {
		e.Message += "\nThe server said:\n" + words
	}
	return cured(e, reason+"\n"+words)
}

// decision matches the texts with which servers refuse a push by a rule.
var decision = regexp.MustCompile(`(?i)declined|denied|prohibited|not allowed|not permitted|protected|violation|checked out|rejected|` +
	`archived`)

// progress collects the beginning of a server's messages beside its report, mostly the output
// of hooks.
type progress struct{ strings.Builder }

// maxProgress is more than a message shows: the last lines are the most important.
const maxProgress = 16 * remote.MaxWords

func (p *progress) Write(b []byte) (int, error) {
	if room := maxProgress - p.Len(); room > 0 {
		p.Builder.Write(b[:min(room, len(b))])
	}
	return len(b), nil
}

// commitObject encodes a commit, and signs it if the client signs. Zero parents are left out.
func (c *Client) commitObject(root tree.ID, message string, parents ...tree.ID) ([]byte, error) {
	var header strings.Builder
	fmt.Fprintf(&header, "tree %s\n", root)
	for _, parent := range parents {
		if !parent.IsZero() {
			fmt.Fprintf(&header, "parent %s\n", parent)
		}
	}
	now := c.now()
	author := fmt.Sprintf("%s <%s> %d +0000", c.author.Name, c.author.Email, now.Unix())
	fmt.Fprintf(&header, "author %s\ncommitter %s\n", author, author)
	body := "\n" + strings.TrimRight(strings.ReplaceAll(message, "\x00", ""), "\n") + "\n"
	if c.signing != nil {
		signature, err := c.signing.armored([]byte(header.String()+body), now)
		if err != nil {
			return nil, err
		}
		header.WriteString(signatureHeader(signature))
	}
	return []byte(header.String() + body), nil
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

// DeleteBranch deletes a branch if the branch points at the commit, by compare-and-swap: it
// never deletes a commit that somebody else has pushed. gone reports whether the branch does
// not exist any more, even if it did not exist before. gone is false if the branch points at
// another commit.
func (c *Client) DeleteBranch(ctx context.Context, branch Branch, commit tree.ID) (gone bool, err error) {
	return attempt(ctx, c, branch, func(r *repo) (bool, error) { return r.deleteBranch(ctx, branch.Name, commit) })
}

func (r *repo) deleteBranch(ctx context.Context, branch string, commit tree.ID) (gone bool, err error) {
	to, err := r.openReceiver(ctx)
	if err != nil {
		return false, err
	}
	defer to.close()
	head := to.branch(branch)
	switch {
	case head != commit || head.IsZero():
		return head.IsZero(), nil
	case !to.advertised.Capabilities.Supports(capability.DeleteRefs):
		return false, &remote.Error{Kind: remote.KindRefused, Message: r.name + " allows no pushes that delete branches. Delete " + branch +
			" on the server"}
	}
	err = to.push(ctx, command{branch: branch, from: commit}, &pack{})
	if errors.Is(err, remote.ErrMoved) {
		return false, nil // somebody else moved the branch first
	}
	return err == nil, err
}
