// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// explain turns an error of go-git into an error with advice.
func (r *repo) explain(ctx context.Context, err error) error {
	err = unwrapGit(err)
	var own *remote.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, remote.ErrMoved):
		return err
	case errors.As(err, &own):
		own.Message = r.client.options.Masker.Mask(own.Message) // an address from a server may contain secrets
		return own
	case ctx.Err() != nil:
		return remote.Ended(ctx, r.name)
	}
	e := r.classify(err)
	e.Cause = err
	switch words := r.words(said(err)); {
	case r.withheld != "" && slices.Contains([]remote.ErrorKind{remote.KindAuthentication, remote.KindForbidden, remote.KindNotFound}, e.Kind):
		e.Kind, e.Message = remote.KindWithheld, e.Message+". Credentials from environment variables were not sent there: "+r.withheld+" (git)"
	case words != "":
		e = r.client.advised(e, "", words)
	}
	e.Message = r.client.options.Masker.Mask(e.Message)
	return e
}

// said returns the words with which a server refuses a credential or a request; empty if it says
// nothing, or sends a web page.
func said(err error) string {
	var line *pktline.ErrorLine
	text := ""
	switch _, page, _ := strings.Cut(err.Error(), ": "); {
	case errors.Is(err, transport.ErrAuthenticationRequired), errors.Is(err, transport.ErrAuthorizationFailed),
		strings.HasPrefix(err.Error(), "unknown error: "): // the error channel of SSH
		text = page
	case errors.As(err, &line):
		text = line.Text
	}
	if strings.Contains(text, "<") {
		return ""
	}
	return text
}

func isStatus(err error) bool {
	var status *githttp.Err
	return errors.As(err, &status)
}

func (r *repo) classify(err error) *remote.Error {
	var status *githttp.Err
	var line *pktline.ErrorLine
	var data *packp.ErrUnexpectedData
	switch {
	case errors.Is(err, transport.ErrAuthenticationRequired):
		return &remote.Error{Kind: remote.KindAuthentication, Message: r.unauthenticated()}
	case errors.Is(err, errNoKey):
		return &remote.Error{Kind: remote.KindAuthentication, Message: r.keyless()}
	case errors.Is(err, transport.ErrAuthorizationFailed):
		return remote.Errorf(remote.KindForbidden, "%s does not allow this (403 forbidden) to %s. "+
			"Give the user or token the right to read, and for apply also to write, the repository's contents", r.name, r.credential())
	case errors.Is(err, transport.ErrRepositoryNotFound):
		return remote.Errorf(remote.KindNotFound, "the repository %s does not exist, or is hidden from %s. "+
			"Check the URL, and create the repository first if it does not exist", r.name, r.credential())
	case errors.As(err, &status):
		return r.classifyStatus(status.StatusCode())
	case strings.Contains(err.Error(), "ssh: unable to authenticate"): // go-git has no type for this error
		return remote.Errorf(remote.KindAuthentication, "%s refuses the SSH key of %s. Add the public key to the server (as a deploy key "+
			"that may write), or set another ssh_private_key", r.name, r.credential())
	case errors.As(err, &line):
		return remote.Errorf(remote.KindServer, "%s refuses the request", r.name)
	case errors.Is(err, pktline.ErrInvalidPktLen), errors.Is(err, packp.ErrEmptyInput), errors.As(err, &data):
		return remote.Errorf(remote.KindServer, "%s does not answer like a git server. "+
			"Check that the URL is that of a repository, not of a web page", r.name)
	case errors.Is(err, exec.ErrNotFound):
		return remote.Errorf(remote.KindNetwork, "%s is on this machine, and reading it needs the git command "+
			"line, which is not installed here. Install git, or use the repository's https or ssh URL", r.name)
	}
	if e := remote.Connection(r.name, err); e != nil {
		return e
	}
	switch {
	case said(err) != "":
		return remote.Errorf(remote.KindServer, "%s refuses the request", r.name)
	case errors.Is(err, errDamaged):
		return remote.Errorf(remote.KindServer, "%s sends a damaged answer: %s. Apply again. If that does not help, check the network and the "+
			"proxy, and run git fsck on the server", r.name, r.words(err.Error()))
	}
	return remote.Errorf(remote.KindServer, "%s: %s", r.name, r.words(err.Error()))
}

// words prepares the text of a server for a message. It masks secrets before it shortens the
// text, so that no part of a secret remains.
func (r *repo) words(text string) string { return wording.Words(r.client.options.Masker.Mask(text)) }

// classifyStatus explains the HTTP statuses that go-git has no error for.
func (r *repo) classifyStatus(status int) *remote.Error {
	text := fmt.Sprintf("%d %s", status, strings.ToLower(http.StatusText(status)))
	if status == http.StatusTooManyRequests || status >= http.StatusInternalServerError {
		return &remote.Error{Kind: remote.KindServer, Passing: true,
			Message: fmt.Sprintf("%s answers with a server error (%s). Try again later", r.name, text)}
	}
	return remote.Errorf(remote.KindServer, "%s answers with an error (%s). Check that the URL is that of a git repository", r.name, text)
}

func (r *repo) unauthenticated() string {
	switch {
	case r.withheld != "":
		return r.name + " asks for authentication"
	case !r.access.logsIn():
		return fmt.Sprintf("%s asks for authentication, and no credential's url_prefix matches it. Add one with username and password to "+
			"the provider's configuration (git), or set KALYPSO_GIT_USERNAME and KALYPSO_GIT_PASSWORD", r.name)
	}
	return fmt.Sprintf("%s refuses the username and password of %s. Check them, and that the token has not expired", r.name, r.credential())
}

func (r *repo) keyless() string {
	if r.withheld != "" {
		return fmt.Sprintf("%s needs an SSH key, and no SSH agent runs", r.name)
	}
	return fmt.Sprintf("%s needs an SSH key: no credential whose url_prefix matches has an ssh_private_key, and no SSH agent runs. "+
		"Set one in the provider's configuration (git), or KALYPSO_SSH_PRIVATE_KEY", r.name)
}

// credential names the credential, for the middle of a sentence.
func (r *repo) credential() string {
	switch {
	case r.url.Protocol == remote.SSH && r.access.key == nil:
		return "the SSH agent"
	case r.withheld != "":
		return "a request without credentials"
	case r.access == r.client.open:
		return "a request without credentials (no credential's url_prefix matches)"
	}
	return r.access.name()
}

// unwrapGit removes go-git's wrappers, because errors.As cannot look through them.
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

// advised adds the words of a server to an error, and advice about them and about the reason that the error already has.
func (c *Client) advised(e *remote.Error, reason, words string) *remote.Error {
	if words != "" {
		e.Message += ".\nThe server said:\n" + words
	}
	if c.options.Advice == nil {
		return e
	}
	if kind, advice := c.options.Advice(reason + "\n" + words); advice != "" {
		e.Kind, e.Message, e.Passing = kind, e.Message+"\n"+advice, false
	}
	return e
}
