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

// App is a GitHub App. Without an installation, the client asks GitHub for the installation in
// the repository.
type App struct {
	ID, InstallationID int64
	// PrivateKey is PEM text.
	PrivateKey string
}

// appTransport authenticates as the installation of a GitHub App in one repository. Its tokens
// live for an hour; expired ones are renewed for the next request.
type appTransport struct {
	site site
	app  *ghinstallation.AppsTransport

	mu           sync.Mutex
	installation *ghinstallation.Transport
}

func newAppTransport(s site, client *http.Client) (*appTransport, error) {
	app, err := ghinstallation.NewAppsTransport(client.Transport, s.config.App.ID, []byte(s.config.App.PrivateKey))
	if err != nil {
		// The library's error may quote the key.
		return nil, errors.New(`the private key of the GitHub App is not an RSA key in PEM ("-----BEGIN RSA PRIVATE KEY-----"). ` +
			`Pass the content of the file from GitHub, not the file's name`)
	}
	restURL, _ := s.gitHubURLs()
	app.BaseURL = strings.TrimSuffix(restURL, "/")
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
	t.installation.InstallationTokenOptions = &github.InstallationTokenOptions{Repositories: []string{t.site.path[1]}} // only this repository
	return t.installation, nil
}

// find asks GitHub, as the App itself, for the installation in the repository.
func (t *appTransport) find(ctx context.Context) (int64, error) {
	restURL, _ := t.site.gitHubURLs()
	client, err := github.NewClient(github.WithHTTPClient(newHTTPClient(t.app)), github.WithURLs(&restURL, nil),
		github.WithDisableRateLimitCheck())
	if err != nil {
		return 0, err
	}
	installation, _, err := client.Apps.GetRepositoryInstallation(ctx, t.site.path[0], t.site.path[1])
	var said *answer
	if errors.As(err, &said) && said.status == http.StatusNotFound {
		return 0, &remote.Error{Kind: remote.KindNotFound, Message: fmt.Sprintf("the GitHub App %d is not installed in %s/%s. "+
			"Install it there with the right to write contents and pull requests, or correct the App's id", t.site.config.App.ID,
			t.site.path[0], t.site.path[1]), Cause: err}
	}
	return installation.GetID(), err
}
