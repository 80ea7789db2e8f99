// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/file"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	gitssh "github.com/go-git/go-git/v5/plumbing/transport/ssh"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Credential is how to reach the repositories whose URL starts with URLPrefix,
// which ends at the boundary of a path segment. An empty prefix is for all
// URLs. Of several that match, the longest prefix wins, and is used alone.
type Credential struct {
	URLPrefix string
	// Username and Password are for HTTP(S).
	Username, Password string
	// Login returns them instead, for each session with a repository anew; repo is
	// the URL as it was written. It tries again itself what is worth it.
	Login func(ctx context.Context, repo string) (username, password string, err error)
	// SSHPrivateKey is PEM text; SSHPrivateKeyPassword decrypts it.
	SSHPrivateKey, SSHPrivateKeyPassword string
	// SSHKnownHosts are the lines of a known_hosts file.
	SSHKnownHosts string
	// CABundle is PEM text of certificates to trust beside those of the system.
	CABundle string
}

// access is a credential made ready for use.
type access struct {
	text   string // the prefix as the user wrote it, for messages
	prefix remote.Prefix
	login  *githttp.BasicAuth
	ask    func(ctx context.Context, repo string) (username, password string, err error)
	ssh    sshAccess
	http   transport.Transport
}

// noAccess reaches what needs no credential.
var noAccess = &access{http: githttp.NewClient(nil)}

func newAccess(c Credential) (*access, error) {
	a := &access{text: remote.Redact(c.URLPrefix), prefix: remote.ParsePrefix(c.URLPrefix), http: noAccess.http, ask: c.Login}
	if c.Username != "" || c.Password != "" {
		a.login = &githttp.BasicAuth{Username: c.Username, Password: c.Password}
	}
	var err error
	if c.CABundle != "" {
		trusting, err := remote.NewTransport(c.CABundle)
		if err != nil {
			return nil, fmt.Errorf("the ca_bundle of the credential for %s: %w", a.name(), err)
		}
		a.http = githttp.NewClient(&http.Client{Transport: trusting})
	}
	if a.ssh, err = newSSHAccess(c); err != nil {
		return nil, fmt.Errorf("the credential for %s: %w", a.name(), err)
	}
	return a, nil
}

// name tells the credential from others in a message.
func (a *access) name() string {
	if a.text == "" {
		return "all URLs (of the environment variables)"
	}
	return a.text
}

// accessFor returns the credential with the longest prefix of the URL.
func (c *Client) accessFor(u remote.URL) *access {
	prefixes := make([]remote.Prefix, len(c.access))
	for i, a := range c.access {
		prefixes[i] = a.prefix
	}
	if i := remote.Longest(u, prefixes); i >= 0 {
		return c.access[i]
	}
	return noAccess
}

// transport returns go-git's transport and authentication for an endpoint.
func (a *access) transport(ctx context.Context, repo remote.URL, ep *transport.Endpoint) (transport.Transport, transport.AuthMethod, error) {
	switch ep.Protocol {
	case remote.SSH:
		auth, err := a.ssh.auth(ep)
		return gitssh.NewClient(nil), auth, err
	case remote.File:
		return file.DefaultClient, nil, nil
	}
	user := ep.User
	ep.User = "" // go-git would authenticate by the user of the URL alone
	if a.ask != nil {
		username, password, err := a.ask(ctx, repo.Written())
		if err != nil {
			return nil, nil, loginFailed(err)
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

// loginFailed keeps the words and the cause of a failed login. Its kind is about
// whom it asked and not about the repository, and it was tried again already.
func loginFailed(err error) error {
	return &remote.Error{Kind: remote.KindAuthentication, Message: err.Error(), Cause: err}
}

// secretReplacer masks the secrets of credentials in messages.
func secretReplacer(credentials []Credential) *strings.Replacer {
	var secrets []string
	for _, c := range credentials {
		secrets = append(secrets, c.Password, c.SSHPrivateKey, c.SSHPrivateKeyPassword)
	}
	return remote.Mask(secrets...)
}
