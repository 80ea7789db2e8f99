// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge_test

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/githubtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// The token of the environment is for the forges of repositories that are trusted, also
// after another operation has used it.
func TestTokenOfTheEnvironment(t *testing.T) {
	t.Parallel()
	h := newGitHubHost(t)
	config := h.config()
	config.FromEnvironment = true
	withheld := func(c *forge.Client) {
		t.Helper()
		_, err := c.Repository(t.Context(), h.url())
		if !remote.Is(err, remote.KindWithheld) || !strings.Contains(err.Error(), "KALYPSO_GIT_URL_PREFIX") ||
			strings.Contains(err.Error(), h.token) {
			t.Errorf("without trust: %v", err)
		}
	}
	c := forge.NewClient(forge.Options{Forges: []forge.Config{config}})
	withheld(c)
	r, err := c.Repository(remote.Trusting(t.Context(), h.url()), h.url())
	if err != nil {
		t.Fatal(err)
	}
	propose(t, r, proposal(t, h, "kalypso/dev/1"))
	withheld(c)

	c = forge.NewClient(forge.Options{Forges: []forge.Config{config}, Trust: remote.Trust{remote.ParsePrefix(h.url())}})
	if _, err := c.Repository(t.Context(), h.url()); err != nil {
		t.Errorf("with trust of the provider: %v", err)
	}
}

// It never goes over http but to this machine, wherever the forge is said to be.
func TestTokenOfTheEnvironmentOverHTTP(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		url, base, says string
	}{
		{"https://git.example.com/octo/gitops", "", ""},
		{"http://git.example.com/octo/gitops", "", "never sent over http"},
		{"http://git.example.com/octo/gitops", "https://git.example.com", ""},
		{"https://git.example.com/octo/gitops", "http://git.example.com", "never sent over http"},
		{"git@git.example.com:octo/gitops", "", ""},
		{"git@git.example.com:octo/gitops", "http://localhost:3000", ""},
	} {
		for _, fromEnvironment := range []bool{true, false} {
			config := forge.Config{Kind: forge.Gitea, BaseURL: test.base, Token: "t", FromEnvironment: fromEnvironment}
			_, err := forge.NewClient(forge.Options{Forges: []forge.Config{config}}).Repository(remote.Trusting(t.Context(), test.url), test.url)
			refused := fromEnvironment && test.says != ""
			if refused != (err != nil) || refused && !strings.Contains(err.Error(), test.says) {
				t.Errorf("%+v, from the environment: %v: %v", test, fromEnvironment, err)
			}
		}
	}
}

// No forge gets a token if its certificate is not accepted.
func TestUntrustedCertificates(t *testing.T) {
	t.Parallel()
	for software, path := range map[forge.Software]string{
		forge.GitHub: "/octo/gitops", forge.Gitea: "/octo/gitops", forge.GitLab: "/octo/gitops", forge.Azure: "/octo/fleet/_git/gitops",
	} {
		for _, bad := range gittest.BadCertificates {
			t.Run(string(software)+", "+bad.Name, func(t *testing.T) {
				t.Parallel()
				address, authorities := bad.Serve(t)
				config := forge.Config{URLPrefix: address, Kind: software, BaseURL: address, Token: "secret", TLS: remote.TLS{CABundle: authorities}}
				r, err := forge.NewClient(forge.Options{Forges: []forge.Config{config}}).Repository(t.Context(), address+path)
				if err != nil {
					t.Fatal(err)
				}
				_, err = r.FindByHead(t.Context(), "main", "kalypso/dev/1")
				if !remote.Is(err, remote.KindTLS) || !strings.Contains(err.Error(), bad.Words) {
					t.Errorf("%v", err)
				}
			})
		}
	}
}

func TestClientCertificate(t *testing.T) {
	t.Parallel()
	certificate, key := gittest.NewClientCertificate(t)
	repo := gitmem.New(t)
	repo.CommitFiles(t, "main", map[string][]byte{"README.md": []byte("# GitOps\n")}, "first")
	server := githubtest.Start(t, repo, gittest.WithClientCertificate(certificate))
	config := forge.Config{URLPrefix: server.Address(), Kind: forge.GitHub, BaseURL: server.Address(),
		Token: server.AddToken("kalypso", true), TLS: remote.TLS{CABundle: server.CABundle()}}
	list := func() error {
		r, err := forge.NewClient(forge.Options{Forges: []forge.Config{config}}).Repository(t.Context(), server.URL())
		if err != nil {
			return err
		}
		_, err = r.FindByHead(t.Context(), "main", "kalypso/dev/1")
		return err
	}
	if err := list(); !remote.Is(err, remote.KindTLS) {
		t.Errorf("without a certificate: %v", err)
	}
	config.TLS.ClientCertificate, config.TLS.ClientKey = certificate, key
	if err := list(); err != nil {
		t.Errorf("with the certificate: %v", err)
	}
	config.TLS.ClientKey = "secret-text"
	if err := list(); err == nil || strings.Contains(err.Error(), "secret-text") || !strings.Contains(err.Error(), "client_certificate") {
		t.Errorf("with an invalid key: %v", err)
	}
}
