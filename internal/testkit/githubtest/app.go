// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package githubtest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// App is a GitHub App that is installed in the repository.
type App struct {
	ID, InstallationID int64
	PrivateKey         string // PEM
}

type app struct {
	App
	key      *rsa.PrivateKey
	lifetime time.Duration
	issued   int
}

// InstallApp makes an App and installs it. Its tokens expire after that time.
func (s *Server) InstallApp(t testing.TB, lifetime time.Duration) App {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.app = &app{key: key, lifetime: lifetime, App: App{
		ID: 1234, InstallationID: 5678,
		PrivateKey: string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})),
	}}
	return s.app.App
}

// IssuedTokens is how many tokens of its installation the App has asked for.
func (s *Server) IssuedTokens() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.app.issued
}

// isApp checks the JSON web token of an App, by GitHub's rules, and answers the
// request where it is not right.
func (c *call) isApp(text string) bool {
	var claims jwt.RegisteredClaims
	_, err := jwt.ParseWithClaims(text, &claims, func(*jwt.Token) (any, error) {
		if c.app == nil {
			return nil, fmt.Errorf("there is no App")
		}
		return &c.app.key.PublicKey, nil
	}, jwt.WithValidMethods([]string{"RS256"}))
	switch {
	case err != nil:
		c.fail(http.StatusUnauthorized, "A JSON web token could not be decoded")
	case claims.Issuer != fmt.Sprint(c.app.ID):
		c.fail(http.StatusNotFound, "Integration not found")
	case claims.ExpiresAt == nil || time.Until(claims.ExpiresAt.Time) > 10*time.Minute:
		c.fail(http.StatusUnauthorized, "'Expiration time' claim ('exp') is too far in the future")
	default:
		return true
	}
	return false
}

func (c *call) repositoryInstallation() {
	if !strings.EqualFold(c.parameters["owner"], Owner) || c.parameters["repo"] != Name {
		c.notFound()
		return
	}
	c.respond(http.StatusOK, "installation", object{"id": c.app.InstallationID, "app_id": c.app.ID, "account": user(Owner)})
}

func (c *call) createInstallationToken() {
	var body struct{ Repositories []string }
	c.decode(&body)
	switch {
	case c.parameters["installation_id"] != fmt.Sprint(c.app.InstallationID):
		c.notFound()
	case len(body.Repositories) > 0 && !slices.Equal(body.Repositories, []string{Name}):
		c.invalid(object{"resource": "Installation", "field": "repositories", "code": "invalid"})
	default:
		c.app.issued++
		// The tokens before end, so that a client which keeps one too long fails.
		for _, old := range c.tokens {
			if old.login == appLogin {
				old.expires = time.Now().Add(-time.Second)
			}
		}
		text := fmt.Sprintf("ghs_%036d", c.app.issued)
		expires := time.Now().Add(c.app.lifetime)
		c.tokens[text] = &token{login: appLogin, write: true, expires: expires}
		c.respond(http.StatusCreated, "installation-token", object{"token": text, "expires_at": expires.UTC().Format(time.RFC3339)})
	}
}

// appLogin is what the App is called.
const appLogin = "kalypso[bot]"
