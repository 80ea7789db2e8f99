// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// ErrorKind is what sort of thing went wrong.
type ErrorKind int

// The kinds of errors.
const (
	KindServer         ErrorKind = iota + 1 // the forge fails or answers nonsense
	KindAuthentication                      // the token is refused
	KindForbidden                           // the token does not suffice
	KindNotFound                            // there is no such thing, or it is not shown
	KindRefused                             // the forge does not do this
	KindRateLimit                           // too many requests
	KindTLS                                 // the certificate is not trusted
	KindNetwork                             // the forge cannot be reached
	KindTimeout                             // time is up
)

// Error is what went wrong with a forge: prose that says what to do, without secrets.
type Error struct {
	Kind    ErrorKind
	Message string
	// passing tells that trying again may help, after that time where it is not zero.
	passing bool
	after   time.Duration
	cause   error
}

func (e *Error) Error() string { return e.Message }

// Unwrap gives the cause, for errors.Is; its text may hold anything.
func (e *Error) Unwrap() error { return e.cause }

func refused(format string, args ...any) *Error {
	return &Error{Kind: KindRefused, Message: fmt.Sprintf(format, args...)}
}

// methodRefused says that a way of merging is turned off.
func methodRefused(words string) *Error {
	return refused("the repository does not allow this way of merging: %s. Allow it in the repository's settings, or choose another auto_merge", words)
}

// explain turns what went wrong while doing something into prose.
func (r *Repository) explain(ctx context.Context, doing string, err error) *Error {
	e := r.classify(ctx, err)
	return &Error{
		Kind: e.Kind, passing: e.passing, after: e.after, cause: err,
		Message: fmt.Sprintf("cannot %s in %s: %s", doing, r.name, r.mask(e.Message)),
	}
}

func (r *Repository) classify(ctx context.Context, err error) *Error {
	var said *answer
	var own *Error
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return &Error{Kind: KindTimeout, Message: fmt.Sprintf("the operation was interrupted while %s had not answered yet", r.forge)}
	case ctx.Err() != nil:
		return &Error{Kind: KindTimeout, Message: fmt.Sprintf("%s did not answer before the operation's time was up. Check that it can be reached, or give the operation more time (timeouts)", r.forge)}
	case errors.As(err, &own):
		return own
	case errors.As(err, &said):
		return r.classifyAnswer(said)
	}
	return r.classifyConnection(err)
}

func (r *Repository) classifyConnection(err error) *Error {
	var network net.Error
	switch {
	case git.IsTLS(err):
		return &Error{Kind: KindTLS, Message: fmt.Sprintf("the certificate of %s is not accepted: %s. If a certificate authority of your own has signed it, set ca_bundle to its certificate", r.forge, git.Words(err.Error()))}
	case errors.As(err, &network), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET):
		return &Error{Kind: KindNetwork, passing: true, Message: fmt.Sprintf("%s cannot be reached: %s. Check the address, the network and the proxy", r.forge, git.Words(err.Error()))}
	}
	return &Error{Kind: KindServer, Message: fmt.Sprintf("%s does not answer as it should: %s. Check that base_url is the address of the forge", r.forge, git.Words(err.Error()))}
}

func (r *Repository) classifyAnswer(a *answer) *Error {
	if wait, ok := a.limited(r.client.now()); ok {
		return &Error{Kind: KindRateLimit, passing: true, after: wait, Message: fmt.Sprintf(
			"%s takes no more requests of this token for now (rate limit, again from %s): %s. Try again later, or use a token that others do not use up",
			r.forge, r.client.now().Add(wait).UTC().Format("15:04:05 UTC"), a.message)}
	}
	if e := r.api.explain(a); e != nil {
		return e
	}
	text := strings.ToLower(http.StatusText(a.status))
	switch {
	case a.status == http.StatusUnauthorized:
		return &Error{Kind: KindAuthentication, Message: fmt.Sprintf("%s refuses the %s (401 unauthorized): %s. Check that it is right, and has neither expired nor been revoked", r.forge, r.api.credential(), a.message)}
	case a.status == http.StatusForbidden || a.kind == "FORBIDDEN":
		return &Error{Kind: KindForbidden, Message: fmt.Sprintf("%s does not allow this to the %s: %s. %s", r.forge, r.api.credential(), a.message, a.permission())}
	case a.status == http.StatusNotFound || a.kind == "NOT_FOUND":
		return &Error{Kind: KindNotFound, Message: fmt.Sprintf("%s knows nothing there, or does not show it to the %s (404: %s). Check the repository's URL, and that the token may see the repository", r.forge, r.api.credential(), a.message)}
	case a.status >= http.StatusInternalServerError:
		return &Error{Kind: KindServer, passing: true, Message: fmt.Sprintf("%s answers with an error of its own (%d %s): %s. Try again later", r.forge, a.status, text, a.message)}
	}
	return refused("%s refuses (%d %s): %s", r.forge, a.status, text, a.message)
}

// permission says which permission an answer asks for: GitHub names it in headers.
func (a *answer) permission() string {
	const rights = "Give the token the right to write contents, pull requests and issues of this repository"
	if link := a.header.Get("X-Github-Sso"); strings.Contains(link, "required") {
		return "The organization asks for single sign-on: authorize the token for it in your GitHub settings"
	}
	if names := a.header.Get("X-Accepted-Github-Permissions"); names != "" {
		return "The token lacks a permission: " + names
	}
	if scopes := a.header.Get("X-Accepted-Oauth-Scopes"); scopes != "" {
		return fmt.Sprintf("The token has the scopes %q, and one of %q is needed", a.header.Get("X-Oauth-Scopes"), scopes)
	}
	return rights
}
