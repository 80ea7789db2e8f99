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

// receiver is a conversation to push in.
type receiver struct {
	*conversation[transport.ReceivePackSession]
}

// openReceiver opens a session to push with. The caller closes it.
func (r *repo) openReceiver(ctx context.Context) (*receiver, error) {
	c, err := converse(ctx, r, transport.Transport.NewReceivePackSession)
	return &receiver{c}, err
}

// CheckWrite says why a server would refuse our push, as far as the server says so before
// the push: it refuses the credential, or the credential may only read. A server reports
// rules about the branch only at the push. Cost: one listing of references.
func (c *Client) CheckWrite(ctx context.Context, b Branch) error {
	_, err := attempt(ctx, c, b, func(r *repo) (*receiver, error) {
		to, err := r.openReceiver(ctx)
		if err == nil {
			to.close()
		}
		return to, err
	})
	return err
}

// command is what a server is told to do about a branch: to move it from one commit
// to another. The zero id stands for no branch.
type command struct {
	branch   string
	from, to tree.ID
}

// String returns what the server refuses to do, in the middle of a sentence.
func (c command) String() string {
	if c.to.IsZero() {
		return "to delete branch " + c.branch
	}
	return "the commit to branch " + c.branch
}

// push carries out a command by compare-and-swap: only if the branch is at the commit that the
// command starts from. It returns remote.ErrMoved if the branch is at another commit.
func (to *receiver) push(ctx context.Context, c command, objects *pack) error {
	if to.branch(c.branch) != c.from {
		return remote.ErrMoved
	}
	err := to.send(ctx, c, objects)
	if err == nil || ctx.Err() != nil {
		return err
	}
	// The branch's present commit shows what went wrong. The error's text does not: it
	// differs between servers and versions of Git.
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

// startBranch makes a branch that points at a commit which the server has.
func (r *repo) startBranch(ctx context.Context, branch string, commit tree.ID) error {
	to, err := r.openReceiver(ctx)
	if err != nil {
		return err
	}
	defer to.close()
	return to.push(ctx, command{branch: branch, to: commit}, &pack{})
}

// send sends the one command with what it needs, and returns the server's answer.
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
		err = io.ErrUnexpectedEOF // go-git takes an empty answer for a good one
	}
	if err != nil {
		return to.repo.explain(ctx, to.allowance.Explain(err))
	}
	to.repo.client.log(ctx, "pushed", map[string]any{"repo": to.repo.name, "branch": c.branch, "commit": c.to.String(),
		"objects": len(objects.objects)})
	return nil
}

func (r *repo) refused(c command, report *packp.ReportStatus, said *progress) error {
	reason := "unpack: " + report.UnpackStatus
	for _, status := range report.CommandStatuses {
		if status.Error() != nil {
			reason = status.Status
		}
	}
	text := fmt.Sprintf("%s refused %s: %s", r.name, c, r.words(reason))
	words := r.words(said.String())
	if words != "" {
		text += "\nThe server said:\n" + words
	}
	e := &remote.Error{Kind: remote.KindRefused, Passing: true}
	if decision.MatchString(reason + " " + words) {
		e.Passing = false // a decision, no accident
		if !c.to.IsZero() {
			e.Kind = remote.KindProtected
		}
	}
	e.Message = text
	return e
}

// decision is in what a server says if it refuses by a rule.
var decision = regexp.MustCompile(`(?i)declined|denied|prohibited|not allowed|protected|violation|checked out`)

// progress collects the beginning of what a server says beside its report: the
// words of hooks.
type progress struct{ strings.Builder }

// maxProgress is more than a message shows, since what is said first is least of interest.
const maxProgress = 16 * remote.MaxWords

func (p *progress) Write(b []byte) (int, error) {
	if room := maxProgress - p.Len(); room > 0 {
		p.Builder.Write(b[:min(room, len(b))])
	}
	return len(b), nil
}

// commitObject encodes a commit. A zero parent makes the first of a branch.
func (c *Client) commitObject(root tree.ID, message string, parents ...tree.ID) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", root)
	for _, parent := range parents {
		if !parent.IsZero() {
			fmt.Fprintf(&b, "parent %s\n", parent)
		}
	}
	signature := fmt.Sprintf("%s <%s> %d +0000", c.author.Name, c.author.Email, c.now().Unix())
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s\n", signature, signature,
		strings.TrimRight(strings.ReplaceAll(message, "\x00", ""), "\n"))
	return []byte(b.String())
}

// headerSafe takes out of a name what would end it in a commit's header.
func headerSafe(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == '<' || r == '>' || unicode.IsControl(r) {
			return -1
		}
		return r
	}, text))
}

// DeleteBranch deletes a branch if it points at that commit, by
// compare-and-swap: what somebody else has pushed to it is never lost. It reports
// whether the branch is gone now, also if it was gone before; false means
// that it stays since it points elsewhere.
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
		return false, &remote.Error{Kind: remote.KindRefused, Message: r.name + " does not let anybody delete branches. Delete " + branch +
			" on the server"}
	}
	err = to.push(ctx, command{branch: branch, from: commit}, &pack{})
	if errors.Is(err, remote.ErrMoved) {
		return false, nil // somebody was faster
	}
	return err == nil, err
}
