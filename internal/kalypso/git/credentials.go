// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"fmt"

	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	gitssh "github.com/go-git/go-git/v5/plumbing/transport/ssh"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Credential is how to reach the repositories whose URL starts with URLPrefix, which ends at
// the boundary of a path segment. An empty prefix matches all URLs. If several credentials
// match, the client uses only the one with the longest prefix.
type Credential struct {
	URLPrefix string
	// FromEnvironment says that login and key come from environment variables, without a URL
	// beside them. Only trusted repositories get them (remote.Trust).
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
	name   string // for messages
	prefix remote.Prefix
	login  *githttp.BasicAuth
	ask    func(ctx context.Context, repo string) (username, password string, err error)
	ssh    sshAccess
	http   transport.Transport
	// bare is the access without login and key, for repositories that are not trusted; nil if
	// all repositories get login and key.
	bare *access
}

// noAccess is for repositories that need no credential.
var noAccess = &access{http: newHTTP(nil)}

func (c Credential) name() string {
	if c.URLPrefix == "" {
		return "the credential of the environment variables"
	}
	return "the credential for " + remote.Redact(c.URLPrefix)
}

func newAccess(c Credential) (*access, error) {
	a := &access{name: c.name(), prefix: remote.ParsePrefix(c.URLPrefix), http: noAccess.http, ask: c.Login}
	if c.Username != "" || c.Password != "" {
		a.login = &githttp.BasicAuth{Username: c.Username, Password: c.Password}
	}
	var err error
	if c.TLS != (remote.TLS{}) {
		secure, err := remote.NewTransport(c.TLS)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.name, err)
		}
		a.http = newHTTP(secure)
	}
	if a.ssh, err = newSSHAccess(c); err != nil {
		return nil, fmt.Errorf("%s: %w", a.name, err)
	}
	if c.FromEnvironment {
		a.bare = &access{name: a.name, prefix: a.prefix, http: a.http, ssh: sshAccess{known: a.ssh.known}}
	}
	return a, nil
}

// accessFor returns the access with the longest prefix of the URL. withheld says why the
// repository does not get its login and key.
func (c *Client) accessFor(ctx context.Context, u remote.URL) (a *access, withheld string) {
	a, ok := remote.Longest(u, c.access, func(a *access) remote.Prefix { return a.prefix })
	if !ok {
		return noAccess, ""
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
	return u.Web() && (a.login != nil || a.ask != nil) || u.Protocol == remote.SSH && a.ssh.key != nil
}

// transport returns go-git's transport and authentication for an endpoint.
func (a *access) transport(ctx context.Context, repo remote.URL, ep *transport.Endpoint) (transport.Transport, transport.AuthMethod,
	error) {
	switch ep.Protocol {
	case remote.SSH:
		auth, err := a.ssh.auth(ep)
		return gitssh.NewClient(nil), auth, err
	case remote.File:
		return newLocal(repo, ep), nil, nil
	}
	user := ep.User
	ep.User = "" // go-git would authenticate by the user of the URL alone
	if a.ask != nil {
		username, password, err := a.ask(ctx, repo.Written())
		if err != nil {
			// The kind of err is left out: it is about the server of the login, not about the repository.
			return nil, nil, &remote.Error{Kind: remote.KindAuthentication, Message: err.Error(), Cause: err}
		}
		if username == "" && password == "" {
			return a.http, nil, nil
		}
		return a.http, &githttp.BasicAuth{Username: username, Password: password}, nil
	}
	if a.login == nil {
		return a.http, nil, nil
	}
	login := *a.login
	if login.Username == "" {
		login.Username = user
	}
	return a.http, &login, nil
}
