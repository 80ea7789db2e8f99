// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

type repo struct {
	client *Client
	url    remote.URL
	name   string // the URL for messages
	access *access
	// withheld says why the repository does not get credentials from environment variables;
	// empty if the repository gets them, or if no such credentials match.
	withheld string
	// stateless says that a session may fetch more than once. SSH does not allow this.
	stateless bool
}

// open checks the name of a branch and finds the access for its repository.
func (c *Client) open(ctx context.Context, b Branch) (*repo, error) {
	r, err := c.repository(ctx, b.Repo)
	if err != nil {
		return nil, err
	}
	return r, CheckBranch(b.Name)
}

// repository checks the URL of a repository and finds the access for it.
func (c *Client) repository(ctx context.Context, url string) (*repo, error) {
	u, err := remote.Parse(url)
	if err != nil {
		return nil, err
	}
	if c.trust.Bars(ctx, u) {
		return nil, remote.Errorf(remote.KindBarred, "%s is a folder of this machine, and the configuration does not name this folder: a "+
			"manifest alone does not choose which folders of this machine are read or written. To allow it, set KALYPSO_GIT_URL_PREFIX to "+
			"the beginning of such URLs (file:///folder). For a GitOpsRepo, exactly this URL in the attribute repo allows it too", u)
	}
	r := &repo{client: c, url: u, name: u.String(), stateless: u.Protocol != remote.SSH}
	r.access, r.withheld = c.accessFor(ctx, u)
	return r, nil
}

// CheckRepo returns an error if a repository must not be used: its URL is malformed, or it is
// on this machine and the configuration does not name it. It connects to nothing.
func (c *Client) CheckRepo(ctx context.Context, url string) error {
	_, err := c.repository(ctx, url)
	return err
}

// connect opens a session within ctx and within connectTimeout, because go-git's SSH handshake
// ignores both.
func connect[S io.Closer](ctx context.Context, r *repo, allowance *remote.Allowance,
	open func(transport.Transport, *transport.Endpoint, transport.AuthMethod) (S, error)) (S, error) {
	var none S
	ep := r.url.Endpoint()
	t, auth, err := r.access.transport(ctx, r.url, ep)
	if login, ok := auth.(*githttp.BasicAuth); ok {
		r.client.masker.Add(login.Password) // a forge may have issued the token just now
	}
	if err != nil {
		return none, r.explain(ctx, err)
	}
	allowance.Allow("the list of its references", maxReferences)
	if ep.Protocol == remote.SSH {
		defer dialBounded(ep, allowance)()
	}
	limited, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	type result struct {
		session S
		err     error
	}
	done := make(chan result)
	go func() {
		session, err := open(t, ep, auth)
		select {
		case done <- result{session, err}:
		case <-limited.Done():
			if err == nil {
				_ = session.Close() // too late: connect has returned
			}
		}
	}()
	select {
	case opened := <-done:
		if ep.Protocol == remote.SSH && opened.err == nil { // the others have sent nothing yet
			remote.Heard(ctx)
		}
		return opened.session, r.explain(ctx, allowance.Explain(opened.err))
	case <-limited.Done():
	}
	if ctx.Err() != nil {
		return none, r.explain(ctx, ctx.Err())
	}
	return none, &remote.Error{Kind: remote.KindNetwork, Passing: true, Cause: limited.Err(), Message: fmt.Sprintf(
		"%s accepted no connection within %s. Check the host's name, the port, the network and the proxy", r.name, connectTimeout)}
}

// conversation is a session with a repository, and the references that the server listed in
// the session.
type conversation[S transport.Session] struct {
	repo       *repo
	session    S
	allowance  *remote.Allowance
	advertised *packp.AdvRefs
}

// listing is a session to fetch from.
type listing = conversation[transport.UploadPackSession]

// list opens a session to fetch from. The caller closes it.
func (r *repo) list(ctx context.Context) (*listing, error) {
	return converse(ctx, r, transport.Transport.NewUploadPackSession)
}

// converse opens a session and reads the references. The caller closes it.
func converse[S transport.Session](ctx context.Context, r *repo,
	open func(transport.Transport, *transport.Endpoint, transport.AuthMethod) (S, error)) (*conversation[S], error) {
	allowance := remote.NewAllowance(r.name)
	session, err := connect(ctx, r, allowance, open)
	if err != nil {
		return nil, err
	}
	advertised, err := session.AdvertisedReferencesContext(allowance.With(ctx))
	if errors.Is(err, transport.ErrEmptyRemoteRepository) {
		advertised, err = packp.NewAdvRefs(), nil
	}
	if err = r.checkFormat(advertised, err); err != nil {
		_ = session.Close()
		return nil, r.explain(ctx, allowance.Explain(err))
	}
	r.client.log(ctx, "listed references", map[string]any{"repo": r.name, "references": len(advertised.References)})
	return &conversation[S]{repo: r, session: session, allowance: allowance, advertised: advertised}, nil
}

func (c *conversation[S]) close() { _ = c.session.Close() } // an error has no effect: the answer was read

// branch returns the commit of a branch; zero if it does not exist.
func (c *conversation[S]) branch(name string) tree.ID { return branchOf(c.advertised, name) }

func branchOf(advertised *packp.AdvRefs, name string) tree.ID {
	return tree.ID(advertised.References[string(plumbing.NewBranchReferenceName(name))])
}

// branchesOf returns the names of all branches, sorted.
func branchesOf(advertised *packp.AdvRefs) (names []string) {
	for reference := range advertised.References {
		if name, isBranch := strings.CutPrefix(reference, "refs/heads/"); isBranch {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (r *repo) head(ctx context.Context, branch string) (tree.ID, error) {
	l, err := r.list(ctx)
	if err != nil {
		return tree.ID{}, err
	}
	defer l.close()
	return l.branch(branch), nil
}

// checkFormat returns an error of its own if listing the references failed because the
// repository has SHA-256 ids; otherwise err.
func (r *repo) checkFormat(advertised *packp.AdvRefs, err error) error {
	const sha256 = "sha256"
	var data *packp.ErrUnexpectedData
	switch {
	case err == nil && slices.Contains(advertised.Capabilities.Get(capability.ObjectFormat), sha256):
	// go-git fails at the long id, and its error has the rest of the line.
	case errors.As(err, &data) && bytes.Contains(data.Data, []byte(capability.ObjectFormat.String()+"="+sha256)):
	default:
		return err
	}
	return remote.Errorf(remote.KindRefused, "%s has SHA-256 object ids, which are not supported. Use a repository with SHA-1 ids: git "+
		"init without --object-format makes one", r.name)
}
