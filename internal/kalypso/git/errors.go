// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// explain turns an error of go-git into prose.
func (r *repo) explain(ctx context.Context, err error) error {
	var own *remote.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, remote.ErrMoved):
		return err
	case errors.As(err, &own):
		return own
	case ctx.Err() != nil:
		return remote.Ended(ctx, r.name)
	}
	err = unwrapGit(err)
	e := r.classify(err)
	e.Cause = err
	e.Message = r.client.secrets.Replace(e.Message)
	return e
}

// classify tells the errors of git and its servers apart.
func (r *repo) classify(err error) *remote.Error {
	var status *githttp.Err
	var line *pktline.ErrorLine
	var data *packp.ErrUnexpectedData
	switch {
	case errors.Is(err, transport.ErrAuthenticationRequired):
		return &remote.Error{Kind: remote.KindAuthentication, Message: r.unauthenticated()}
	case errors.Is(err, transport.ErrAuthorizationFailed):
		return &remote.Error{Kind: remote.KindForbidden, Message: fmt.Sprintf("%s does not allow this (403 forbidden) to %s. Give the user or token the right to read, and for apply also to write, the repository's contents", r.name, r.credential())}
	case errors.Is(err, transport.ErrRepositoryNotFound):
		return &remote.Error{Kind: remote.KindNotFound, Message: fmt.Sprintf("there is no repository %s, or it is not shown to %s. Check the URL, and create the repository first if it does not exist", r.name, r.credential())}
	case errors.As(err, &status):
		return r.classifyStatus(status.StatusCode())
	case strings.Contains(err.Error(), "ssh: unable to authenticate"): // there is no type for it
		return &remote.Error{Kind: remote.KindAuthentication, Message: fmt.Sprintf("%s refuses the SSH key of %s. Add the public key to the server (as a deploy key that may write), or set another ssh_private_key", r.name, r.credential())}
	case errors.As(err, &line):
		return &remote.Error{Kind: remote.KindServer, Message: fmt.Sprintf("%s refuses: %s", r.name, remote.Words(line.Text))}
	case errors.Is(err, pktline.ErrInvalidPktLen), errors.As(err, &data):
		return &remote.Error{Kind: remote.KindServer, Message: fmt.Sprintf("%s does not answer like a git server. Check that the URL is that of a repository, not of a web page", r.name)}
	case errors.Is(err, exec.ErrNotFound):
		return &remote.Error{Kind: remote.KindNetwork, Message: fmt.Sprintf("%s is on this machine, and reading it needs the git command line, which is not installed here. Install git, or use the repository's https or ssh URL", r.name)}
	}
	if e := remote.Connection(r.name, err); e != nil {
		return e
	}
	return &remote.Error{Kind: remote.KindServer, Message: fmt.Sprintf("%s: %s", r.name, remote.Words(err.Error()))}
}

// classifyStatus explains the statuses that go-git has no error for.
func (r *repo) classifyStatus(status int) *remote.Error {
	text := fmt.Sprintf("%d %s", status, strings.ToLower(http.StatusText(status)))
	if status == http.StatusTooManyRequests || status >= http.StatusInternalServerError {
		return &remote.Error{Kind: remote.KindServer, Passing: true, Message: fmt.Sprintf("%s answers with an error of its own (%s). Try again later", r.name, text)}
	}
	return &remote.Error{Kind: remote.KindServer, Message: fmt.Sprintf("%s answers with an error (%s). Check that the URL is that of a git repository", r.name, text)}
}

func (r *repo) unauthenticated() string {
	if r.access.login == nil && r.access.ask == nil {
		return fmt.Sprintf("%s asks for authentication, and no credential's url_prefix matches it. Add one with username and password to the provider's configuration (git), or set KALYPSO_GIT_USERNAME and KALYPSO_GIT_PASSWORD", r.name)
	}
	return fmt.Sprintf("%s refuses the username and password of %s. Check them, and that the token has not expired", r.name, r.credential())
}

// credential names what authenticates, in the middle of a sentence.
func (r *repo) credential() string {
	if r.access == noAccess {
		return "a request without credentials (no credential's url_prefix matches)"
	}
	return "the credential for " + r.access.name()
}

// unwrapGit takes off go-git's wrappers, which errors.As cannot look through.
func unwrapGit(err error) error {
	var unexpected *plumbing.UnexpectedError
	var permanent *plumbing.PermanentError
	switch {
	case errors.As(err, &unexpected):
		return unwrapGit(unexpected.Err)
	case errors.As(err, &permanent):
		return unwrapGit(permanent.Err)
	}
	return err
}
