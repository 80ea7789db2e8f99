// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v88/github"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// appTransport authenticates as the installation of a GitHub App in one repository. Its tokens
// live for an hour; expired ones are renewed for the next request.
type appTransport struct {
	site site
	app  *ghinstallation.AppsTransport

	mu           sync.Mutex
	installation *ghinstallation.Transport
}

func newAppTransport(s site, plain http.RoundTripper) (*appTransport, error) {
	app, err := ghinstallation.NewAppsTransport(plain, s.config.App.ID, []byte(s.config.App.PrivateKey))
	if err != nil {
		// The library's error may quote the key.
		return nil, errors.New(`the private key of the GitHub App is not an RSA key in PEM ("-----BEGIN RSA PRIVATE KEY-----"). ` +
			`Pass the content of the file from GitHub, not the file's name`)
	}
	rest, _ := s.githubURLs()
	app.BaseURL = strings.TrimSuffix(rest, "/")
	return &appTransport{site: s, app: app}, nil
}

func (t *appTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	installation, err := t.installed(request.Context())
	if err != nil {
		return nil, err
	}
	return installation.RoundTrip(request)
}

// token returns a token that is valid for at least a minute.
func (t *appTransport) token(ctx context.Context) (string, error) {
	installation, err := t.installed(ctx)
	if err != nil {
		return "", err
	}
	return installation.Token(ctx)
}

// installed finds the App's installation once.
func (t *appTransport) installed(ctx context.Context) (*ghinstallation.Transport, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.installation != nil {
		return t.installation, nil
	}
	id := t.site.config.App.InstallationID
	if id == 0 {
		var err error
		if id, err = t.find(ctx); err != nil {
			return nil, err
		}
	}
	t.installation = ghinstallation.NewFromAppsTransport(t.app, id)
	t.installation.InstallationTokenOptions = &github.InstallationTokenOptions{Repositories: []string{t.site.name}} // only this repository
	return t.installation, nil
}

// find asks GitHub, as the App itself, for the installation in the repository.
func (t *appTransport) find(ctx context.Context) (int64, error) {
	rest, _ := t.site.githubURLs()
	client, err := github.NewClient(github.WithHTTPClient(newHTTPClient(t.app)), github.WithURLs(&rest, nil),
		github.WithDisableRateLimitCheck())
	if err != nil {
		return 0, err
	}
	installation, _, err := client.Apps.GetRepositoryInstallation(ctx, t.site.owner, t.site.name)
	var said *answer
	if errors.As(err, &said) && said.status == http.StatusNotFound {
		return 0, &remote.Error{Kind: remote.KindNotFound, Message: fmt.Sprintf("the GitHub App %d is not installed in %s/%s. "+
			"Install it there with the right to write contents and pull requests, or correct the App's id", t.site.config.App.ID, t.site.owner,
			t.site.name), Cause: err}
	}
	return installation.GetID(), err
}

// explainRights names the right that a credential lacks, if GitHub's headers name it.
func (g *gitHub) explainRights(a *answer) *remote.Error {
	if a.status != http.StatusForbidden && a.kind != "FORBIDDEN" {
		return nil
	}
	var advice string
	permissions, scopes := a.header.Get("X-Accepted-Github-Permissions"), a.header.Get("X-Accepted-Oauth-Scopes")
	switch {
	case strings.Contains(a.header.Get("X-Github-Sso"), "required"):
		advice = "The organization requires single sign-on: authorize the token for the organization in your GitHub settings"
	case permissions != "":
		advice = "The token lacks a permission: " + permissions
	case scopes != "":
		advice = fmt.Sprintf("The token has the scopes %q, and one of %q is needed", a.header.Get("X-Oauth-Scopes"), scopes)
	default:
		return nil
	}
	return forbidden(GitHub.String(), g.credential(), a.message, advice)
}
