// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package remote

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"
)

// ErrorKind is what sort of thing went wrong.
type ErrorKind int

// The kinds of errors.
const (
	KindServer         ErrorKind = iota + 1 // the server fails or answers nonsense
	KindAuthentication                      // credentials are missing or refused, or cannot be fetched
	KindWithheld                            // credentials from environment variables are not sent there
	KindForbidden                           // credentials do not suffice
	KindNotFound                            // it does not exist, or is not shown
	KindBranchNotFound                      // there is no such branch
	KindCommitNotFound                      // there is no such commit, or it cannot be fetched
	KindHostKey                             // the SSH host is not the one that is known
	KindTLS                                 // the certificate is not trusted
	KindNetwork                             // the server cannot be reached
	KindTimeout                             // time is up
	KindRefused                             // the server does not do this
	KindRateLimit                           // too many requests
	KindOccupied                            // an entry of another kind is where a file or folder has to be
	KindTooLarge                            // there is more than may be read
	KindStartNotFound                       // there is no branch for a new one to start from
	KindBaseNotFound                        // there is no branch to propose a change to
	KindProtected                           // a rule or a hook keeps a branch from being written
	KindNoAutoMerge                         // requests are not merged automatically there
	KindNoMethod                            // requests are not merged in that way there
	KindNoDraft                             // a request cannot be a draft for that
	KindNoIssues                            // there are no issues
	KindHeadMoved                           // a request's branch is not where we left it
	KindBarred                              // the repository is on this machine, and the configuration does not name it
)

// Error is what went wrong with a remote: prose that says what to do, without secrets.
type Error struct {
	Kind    ErrorKind
	Message string
	// Passing says that trying again may help; After when, if the server says so.
	Passing bool
	After   time.Duration
	// Cause is for errors.Is; its text may hold anything.
	Cause error
}

// Error returns the prose.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Errorf makes an error of a kind that will not pass.
func Errorf(kind ErrorKind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// Is reports whether an error is one of a remote, of that kind.
func Is(err error, kind ErrorKind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == kind
}

// Ended explains that ctx does not hold any more, whatever came of it. name is
// whom we talk to.
func Ended(ctx context.Context, name string) *Error {
	e := &Error{Kind: KindTimeout, Cause: ctx.Err()}
	if errors.Is(ctx.Err(), context.Canceled) {
		e.Message = fmt.Sprintf("the operation was interrupted while %s had not answered yet", name)
		return e
	}
	e.Message = fmt.Sprintf("%s did not answer before the operation's time was up. Check that it can be reached, or give the operation "+
		"more time (timeouts)", name)
	return e
}

// Connection explains an error of the connection to name: a certificate that is
// not trusted, a network that fails. It returns nil for other errors.
func Connection(name string, err error) *Error {
	var network net.Error
	switch {
	case strings.Contains(err.Error(), "remote error: tls: "): // there is no type for it
		return &Error{Kind: KindTLS, Cause: err, Message: fmt.Sprintf("%s refuses the TLS connection: %s. "+
			"If it asks for a certificate, set client_certificate and client_key", name, Words(err.Error()))}
	case isTLS(err):
		return &Error{Kind: KindTLS, Cause: err, Message: fmt.Sprintf("the certificate of %s is not accepted: %s. "+
			"If a certificate authority of your own has signed it, set ca_bundle to its certificate", name, Words(err.Error()))}
	case errors.As(err, &network), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.EPIPE),
		errors.Is(err, syscall.ECONNRESET):
		return &Error{Kind: KindNetwork, Cause: err, Passing: true, Message: fmt.Sprintf("%s cannot be reached: %s. Check the host's name, "+
			"the network and the proxy", name, Words(err.Error()))}
	}
	return nil
}

// isTLS reports whether an error is about a certificate that is not accepted.
func isTLS(err error) bool {
	var verification *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &verification) || errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid)
}
