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

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// ErrorKind is the kind of an error.
type ErrorKind int

// The kinds of errors.
const (
	KindServer         ErrorKind = iota + 1 // the server fails, or its answer is not valid
	KindAuthentication                      // credentials are missing or refused, or cannot be fetched
	KindWithheld                            // the server does not get the credentials from environment variables
	KindForbidden                           // credentials do not suffice
	KindNotFound                            // the repository or request does not exist, or is hidden
	KindBranchNotFound                      // the branch does not exist
	KindCommitNotFound                      // the commit does not exist, or cannot be fetched
	KindHostKey                             // the SSH host has an unknown key
	KindTLS                                 // the certificate is not trusted
	KindNetwork                             // the server cannot be reached
	KindTimeout                             // time is up
	KindRefused                             // the server refuses the request
	KindRateLimit                           // too many requests
	KindOccupied                            // an entry of another kind is where a file or folder has to be
	KindTooLarge                            // the answer is larger than the limit
	KindStartNotFound                       // the branch for a new branch to start from does not exist
	KindBaseNotFound                        // the base branch of a request does not exist
	KindArchived                            // the repository is archived
	KindNoAutoMerge                         // the repository does not allow automatic merges
	KindNoMethod                            // the repository does not allow this way of merging
	KindNoDraft                             // drafts do not exist, or exclude the operation
	KindHeadMoved                           // somebody pushed to a request's branch
	KindBarred                              // the repository is on this machine, and the configuration does not name it
)

// Error is an error of a remote. Its message says what to do, and contains no secrets.
type Error struct {
	Kind    ErrorKind
	Message string
	// Passing says that a new attempt may succeed. After is the time to wait, if the server
	// names one.
	Passing bool
	After   time.Duration
	// Cause is for errors.Is. Its text may contain secrets.
	Cause error
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Errorf makes an error of a kind that does not pass.
func Errorf(kind ErrorKind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// Is reports whether an error is an Error of a kind.
func Is(err error, kind ErrorKind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == kind
}

// Ended returns the error that ctx ended before the server answered. name is the server.
func Ended(ctx context.Context, name string) *Error {
	e := &Error{Kind: KindTimeout, Cause: ctx.Err()}
	var limit late
	if errors.As(context.Cause(ctx), &limit) {
		e.Message = fmt.Sprintf("%s %s. Check that the server can be reached, and is not overloaded", name, limit)
		return e
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		e.Message = fmt.Sprintf("the operation was interrupted before %s answered", name)
		return e
	}
	e.Message = fmt.Sprintf("%s did not answer before the operation's time was up. Check that the server can be reached, or give the "+
		"operation more time (timeouts)", name)
	return e
}

// cure says what to do about a certificate that is not accepted.
func cure(err error) string {
	var invalid x509.CertificateInvalidError
	var host x509.HostnameError
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "Ask the server's operators for a new certificate, and check the clock of this machine"
	case errors.As(err, &host):
		return "Write the name of the host that is in the certificate. If the certificate should have this name, ask the server's operators"
	}
	return "If your own certificate authority signed the certificate, set ca_bundle to the certificate of the authority"
}

// Connection explains an error of the connection to name: an untrusted certificate or a
// failing network. It returns nil for other errors.
func Connection(name string, err error) *Error {
	var network net.Error
	var certificate *tls.CertificateVerificationError
	switch {
	case strings.Contains(err.Error(), "remote error: tls: "): // Go has no type for this error
		return &Error{Kind: KindTLS, Cause: err, Message: fmt.Sprintf("%s refuses the TLS connection: %s. "+
			"If the server asks for a certificate, set client_certificate and client_key", name, wording.Words(err.Error()))}
	case errors.As(err, &certificate):
		return &Error{Kind: KindTLS, Cause: err, Message: fmt.Sprintf("the certificate of %s is not accepted: %s. %s", name,
			wording.Words(certificate.Err.Error()), cure(certificate.Err))}
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET):
		return &Error{Kind: KindNetwork, Cause: err, Passing: true, Message: fmt.Sprintf("%s ended the connection before its answer was "+
			"complete: %s. Try again. If that does not help, check the network, the proxy and the server", name, wording.Words(err.Error()))}
	case errors.As(err, &network):
		return &Error{Kind: KindNetwork, Cause: err, Passing: true, Message: fmt.Sprintf("%s cannot be reached: %s. Check the host's name, "+
			"the network and the proxy", name, wording.Words(err.Error()))}
	}
	return nil
}
