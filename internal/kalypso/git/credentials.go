// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	gitssh "github.com/go-git/go-git/v5/plumbing/transport/ssh"
	"golang.org/x/crypto/ssh"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Credential is how to reach the repositories whose URL starts with URLPrefix, which ends at
// the boundary of a path segment. An empty prefix matches all URLs. If several credentials
// match, the client uses only the one with the longest prefix.
type Credential struct {
	URLPrefix string
	// FromEnvironment says that login and key come from environment variables. Only trusted
	// repositories get them (remote.Trust).
	FromEnvironment bool
	// Username and Password are for HTTP(S).
	Username, Password string
	// Login, if not nil, returns username and password, again for each session with a
	// repository. repo is the URL as it was written. Login repeats failed attempts by itself. If both
	// results are empty, git does not log in.
	Login func(ctx context.Context, repo string) (username, password string, err error)
	// SSHPrivateKey is PEM text; SSHPrivateKeyPassword decrypts it.
	SSHPrivateKey, SSHPrivateKeyPassword string
	// SSHKnownHosts are the lines of a known_hosts file.
	SSHKnownHosts string
	// TLS is for HTTPS.
	TLS remote.TLS
}

// Secrets returns the parts of the credential that messages must not show; a part may be
// empty.
func (c Credential) Secrets() []string {
	return []string{c.Password, c.SSHPrivateKey, c.SSHPrivateKeyPassword, c.TLS.ClientKey}
}

// access is a credential made ready for use.
type access struct {
	Credential
	prefix remote.Prefix
	http   transport.Transport
	// key and known are for SSH; nil for the user's agent and known_hosts.
	key   ssh.Signer
	known hostKeys
	// bare is the access without login and key, for repositories that are not trusted; nil if
	// all repositories get login and key.
	bare *access
}

// localClient reaches repositories on this machine.
var localClient = newHTTP(local{}, nil)

// name names the credential, for the middle of a sentence.
func (c Credential) name() string {
	if c.URLPrefix == "" {
		return "the credential of the environment variables"
	}
	return "the credential for " + remote.Redact(c.URLPrefix)
}

func newAccess(c Credential, asksLogin func(*http.Response) bool) (a *access, err error) {
	a = &access{Credential: c, prefix: remote.ParsePrefix(c.URLPrefix), http: newHTTP(nil, asksLogin)}
	if c.TLS != (remote.TLS{}) {
		secure, err := remote.NewTransport(c.TLS)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name(), err)
		}
		a.http = newHTTP(secure, asksLogin)
	}
	if c.SSHPrivateKey != "" {
		a.key, err = parseKey(c.SSHPrivateKey, c.SSHPrivateKeyPassword, accessNames)
	}
	if c.SSHKnownHosts != "" && err == nil {
		a.known, err = parseKnownHosts(c.SSHKnownHosts)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.name(), err)
	}
	if c.FromEnvironment {
		a.bare = &access{Credential: Credential{URLPrefix: c.URLPrefix}, prefix: a.prefix, http: a.http, known: a.known}
	}
	return a, nil
}

// accessFor returns the access with the longest prefix of the URL. withheld says why the
// repository does not get its login and key.
func (c *Client) accessFor(ctx context.Context, u remote.URL) (a *access, withheld string) {
	a, ok := remote.Longest(u, c.access, func(a *access) remote.Prefix { return a.prefix })
	if !ok {
		return c.open, ""
	}
	if a.bare == nil || !a.authenticates(u) {
		return a, ""
	}
	if withheld = c.options.Trust.Withheld(ctx, u, u); withheld != "" {
		return a.bare, withheld
	}
	return a, ""
}

// authenticates reports whether the credential has a login or key for the protocol of the URL.
func (a *access) authenticates(u remote.URL) bool {
	return u.Web() && a.logsIn() || u.Protocol == remote.SSH && a.key != nil
}

func (a *access) logsIn() bool { return a.Username != "" || a.Password != "" || a.Login != nil }

// transport returns go-git's transport and authentication for an endpoint.
func (a *access) transport(ctx context.Context, repo remote.URL, ep *transport.Endpoint) (transport.Transport, transport.AuthMethod,
	error) {
	switch ep.Protocol {
	case remote.SSH:
		auth, err := a.auth(ep)
		return gitssh.NewClient(nil), auth, err
	case remote.File:
		ep.Protocol, ep.Host, ep.Path = remote.HTTP, "localhost", (&url.URL{Path: strings.TrimRight(ep.Path, "/")}).EscapedPath()
		return localClient, nil, nil
	}
	login := &githttp.BasicAuth{Username: cmp.Or(a.Username, ep.User), Password: a.Password}
	ep.User = "" // go-git would authenticate by the user of the URL alone
	isLogin := a.logsIn()
	if a.Login != nil {
		var err error
		if login.Username, login.Password, err = a.Login(ctx, repo.Written()); err != nil {
			// The kind of err is left out: it is about the server of the login, not about the repository.
			return nil, nil, &remote.Error{Kind: remote.KindAuthentication, Message: err.Error(), Cause: err}
		}
		isLogin = login.Username != "" || login.Password != ""
	}
	if !isLogin {
		return a.http, nil, nil
	}
	return a.http, login, nil
}
