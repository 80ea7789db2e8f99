// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"syscall"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
)

// Kind is what sort of thing went wrong.
type Kind int

// The kinds of errors.
const (
	KindServer         Kind = iota + 1 // the server fails or does not speak git
	KindAuthentication                 // credentials are missing or refused
	KindForbidden                      // credentials do not suffice
	KindNotFound                       // there is no such repository
	KindBranchNotFound                 // there is no branch to start from
	KindHostKey                        // the SSH host is not the one that is known
	KindTLS                            // the certificate is not trusted
	KindNetwork                        // the server cannot be reached
	KindTimeout                        // time is up
	KindRefused                        // the server does not take the commit
	KindNotFolder                      // something else stands where a folder has to be
	KindCommitNotFound                 // there is no such commit, or it cannot be had
	KindTooLarge                       // there is more than may be read
)

// Error is what went wrong with a remote: prose that says what to do, without secrets.
type Error struct {
	Kind    Kind
	Message string
	// passing tells that trying again may help.
	passing bool
	cause   error
}

func (e *Error) Error() string { return e.Message }

// Unwrap gives the cause, for errors.Is; its text may hold anything.
func (e *Error) Unwrap() error { return e.cause }

// explain turns an error of go-git into prose.
func (r *remote) explain(ctx context.Context, err error) error {
	var own *Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errMoved):
		return err
	case errors.As(err, &own):
		return own
	}
	e := r.classify(ctx, unwrapGit(err))
	e.Message = r.client.secrets.Replace(e.Message)
	return e
}

func (r *remote) classify(ctx context.Context, err error) *Error {
	if ctx.Err() != nil {
		return r.ended(ctx)
	}
	e := r.classifyAnswer(err)
	e.cause = err
	return e
}

// ended says that ctx does not hold any more, whatever came of it.
func (r *remote) ended(ctx context.Context) *Error {
	e := &Error{Kind: KindTimeout, cause: ctx.Err()}
	if errors.Is(ctx.Err(), context.Canceled) {
		e.Message = fmt.Sprintf("the operation was interrupted while %s had not answered yet", r.name)
		return e
	}
	e.Message = fmt.Sprintf("%s did not answer before the operation's time was up. Check that it can be reached, or give the operation more time (timeouts)", r.name)
	return e
}

func (r *remote) classifyAnswer(err error) *Error {
	var status *githttp.Err
	switch {
	case errors.Is(err, transport.ErrAuthenticationRequired):
		return &Error{Kind: KindAuthentication, Message: r.unauthenticated()}
	case errors.Is(err, transport.ErrAuthorizationFailed):
		return &Error{Kind: KindForbidden, Message: fmt.Sprintf("%s does not allow this (403 forbidden) to %s. Give the user or token the right to read, and for apply also to write, the repository's contents", r.name, r.credential())}
	case errors.Is(err, transport.ErrRepositoryNotFound):
		return &Error{Kind: KindNotFound, Message: fmt.Sprintf("there is no repository %s, or it is not shown to %s. Check the URL, and create the repository first if it does not exist", r.name, r.credential())}
	case errors.As(err, &status):
		return r.classifyStatus(status.StatusCode())
	case IsTLS(err):
		return &Error{Kind: KindTLS, Message: fmt.Sprintf("the certificate of %s is not accepted: %s. If a certificate authority of your own has signed it, set ca_bundle of the credential to its certificate", r.name, Words(err.Error()))}
	case strings.Contains(err.Error(), "ssh: unable to authenticate"): // there is no type for it
		return &Error{Kind: KindAuthentication, Message: fmt.Sprintf("%s refuses the SSH key of %s. Add the public key to the server (as a deploy key that may write), or set another ssh_private_key", r.name, r.credential())}
	}
	return r.classifyConnection(err)
}

// classifyStatus explains the statuses that go-git has no error for.
func (r *remote) classifyStatus(status int) *Error {
	text := fmt.Sprintf("%d %s", status, strings.ToLower(http.StatusText(status)))
	if status == http.StatusTooManyRequests || status >= http.StatusInternalServerError {
		return &Error{Kind: KindServer, passing: true, Message: fmt.Sprintf("%s answers with an error of its own (%s). Try again later", r.name, text)}
	}
	return &Error{Kind: KindServer, Message: fmt.Sprintf("%s answers with an error (%s). Check that the URL is that of a git repository", r.name, text)}
}

func (r *remote) classifyConnection(err error) *Error {
	var line *pktline.ErrorLine
	var data *packp.ErrUnexpectedData
	var network net.Error
	switch {
	case errors.As(err, &line):
		return &Error{Kind: KindServer, Message: fmt.Sprintf("%s refuses: %s", r.name, Words(line.Text))}
	case errors.Is(err, pktline.ErrInvalidPktLen), errors.As(err, &data):
		return &Error{Kind: KindServer, Message: fmt.Sprintf("%s does not answer like a git server. Check that the URL is that of a repository, not of a web page", r.name)}
	case errors.Is(err, exec.ErrNotFound):
		return &Error{Kind: KindNetwork, Message: fmt.Sprintf("%s is on this machine, and reading it needs the git command line, which is not installed here. Install git, or use the repository's https or ssh URL", r.name)}
	case errors.As(err, &network), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET):
		return &Error{Kind: KindNetwork, passing: true, Message: fmt.Sprintf("%s cannot be reached: %s. Check the host's name, the network and the proxy", r.name, Words(err.Error()))}
	}
	return &Error{Kind: KindServer, Message: fmt.Sprintf("%s: %s", r.name, Words(err.Error()))}
}

func (r *remote) unauthenticated() string {
	if r.access.login == nil && r.access.ask == nil {
		return fmt.Sprintf("%s asks for authentication, and no credential's url_prefix matches it. Add one with username and password to the provider's configuration (git), or set KALYPSO_GIT_USERNAME and KALYPSO_GIT_PASSWORD", r.name)
	}
	return fmt.Sprintf("%s refuses the username and password of %s. Check them, and that the token has not expired", r.name, r.credential())
}

// credential names what authenticates, in the middle of a sentence.
func (r *remote) credential() string {
	if r.access == noAccess {
		return "a request without credentials (no credential's url_prefix matches)"
	}
	return "the credential for " + r.access.name()
}

// IsTLS tells whether an error is about a certificate that is not accepted.
func IsTLS(err error) bool {
	var verification *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &verification) || errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid)
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
