// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package forge speaks to the forges of repositories: GitHub, Gitea, GitLab and Azure Repos. It
// proposes a change as a pull request with a description for reviewers, follows the request until
// it is merged or closed, and reads and writes the reports on commits. Each forge has one file, which
// implements Forge. Repository adds retries, limits and explained errors for all forges.
package forge

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Forge is one repository on a forge. A method makes one attempt, and can be repeated after a lost
// answer. Its errors are those of the connection, *answer, or *remote.Error if the error contains
// advice.
type Forge interface {
	// Open opens a request with its labels and reviewers. If its branch has an open request
	// already, Open completes that one. If Open returns a request and an error, the request is open,
	// but not complete.
	Open(ctx context.Context, n NewRequest) (Request, error)
	Get(ctx context.Context, number int) (Request, error)
	// FindByHead returns the requests of a branch in every state, newest first.
	FindByHead(ctx context.Context, head string) ([]Request, error)
	Close(ctx context.Context, number int, comment string) error
	// Merge merges an open request now, or makes the forge merge it when its rules are met. The head
	// has to be the request's HeadCommit when Merge is called. Later pushes of people who may write to
	// the repository cancel the automatic merge of GitLab, but not those of GitHub and Gitea. The error
	// errNotYet says that the rules are not met and that the forge cannot wait for them.
	Merge(ctx context.Context, q Request, m Method) error
	// Reports returns the commit statuses of a commit, then its check runs, each newest first.
	Reports(ctx context.Context, commit string) ([]Status, error)
	Report(ctx context.Context, commit string, s Status) error
	// Login returns the user and password with which git reaches the repository over HTTPS. The
	// password may expire within the hour.
	Login(ctx context.Context) (user, password string, err error)
}

// Options configure a Client.
type Options struct {
	// Forges says how to reach forges. If several prefixes match a URL, only the longest is
	// used.
	Forges []Config
	// Trust lists the repositories whose forges get the token from environment variables. An
	// operation can add repositories.
	Trust remote.Trust
	// Masker takes secrets out of messages. The client adds the secrets of the forges and the
	// tokens that they issue. If Masker is nil, the client makes a new one.
	Masker *remote.Masker
	// Logger gets the events; nil for none.
	Logger remote.Logger
	// Now returns the time; nil for the clock.
	Now func() time.Time
	// Sleep waits, and reports whether ctx is still alive; nil for a real wait.
	Sleep func(ctx context.Context, d time.Duration) bool
}

// Config says how to reach the forge of the repositories whose URL starts with URLPrefix, by
// the rules of remote.Prefix.
type Config struct {
	URLPrefix string
	// Kind is the forge's software; empty if the host shows it.
	Kind Software
	// BaseURL is the forge's address, with or without the path of its API; the address of the
	// repository's URL if BaseURL is empty.
	BaseURL string
	// Token authenticates. GitHub accepts App instead.
	Token string
	App   *App
	// FromEnvironment says that Token or App comes from environment variables. Only the forges of
	// trusted repositories get it (remote.Trust).
	FromEnvironment bool
	TLS             remote.TLS
}

// Secrets returns the parts of the configuration that messages must not show; a part may be
// empty.
func (c Config) Secrets() []string {
	secrets := []string{c.Token, c.TLS.ClientKey}
	if c.App != nil {
		secrets = append(secrets, c.App.PrivateKey)
	}
	return secrets
}

// credential names what authenticates.
func (c Config) credential() string {
	if c.App != nil {
		return "GitHub App"
	}
	return "token"
}

// Client finds the forges of repositories. Many goroutines may use it at the same time.
type Client struct {
	forges []Config
	trust  remote.Trust
	masker *remote.Masker
	log    remote.Logger
	now    func() time.Time
	again  remote.Retry

	mu    sync.Mutex
	repos map[string]*Repository
}

// NewClient makes a client. It connects to nothing.
func NewClient(options Options) *Client {
	c := &Client{forges: options.Forges, trust: options.Trust, masker: cmp.Or(options.Masker, remote.NewMasker()), log: options.Logger,
		now: options.Now, repos: map[string]*Repository{}}
	if c.log == nil {
		c.log = func(context.Context, string, map[string]any) {}
	}
	if c.now == nil {
		c.now = time.Now
	}
	for _, f := range options.Forges {
		c.masker.Add(f.Secrets()...)
	}
	c.again = remote.Retry{Backoff: backoff, Sleep: options.Sleep, Log: c.log}
	return c
}

// Repository is a repository on a forge. It repeats attempts, and explains errors. Many goroutines
// may use it at the same time.
type Repository struct {
	client *Client
	name   string // its URL for messages
	kind   *kind
	config Config
	forge  Forge
}

// Repository returns the repository of a git URL, for an operation. It connects to nothing.
// Errors: the URL or the configuration is not valid.
func (c *Client) Repository(ctx context.Context, url string) (*Repository, error) {
	at, err := c.locate(ctx, url)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.repos[url]; ok {
		return known, nil // with its token, so that no new token is needed
	}
	r := &Repository{client: c, name: remote.Redact(url), kind: at.kind, config: at.config}
	if r.forge, err = c.connect(at); err != nil {
		return nil, fmt.Errorf("the forge configuration for %s: %s", r.name, c.masker.Mask(err.Error()))
	}
	c.repos[url] = r
	return r, nil
}

func (c *Client) connect(s site) (Forge, error) {
	transport, err := remote.NewTransport(s.config.TLS)
	if err != nil {
		return nil, err
	}
	transport.ResponseHeaderTimeout = answerTimeout
	return s.kind.connect(s, newHTTPClient(answering{kind: s.kind, next: remote.Bound(transport), masker: c.masker, log: c.log}))
}

// Login returns the user and password with which git reaches the repository over HTTPS. The
// password is a token that may expire within the hour, so call Login again for each session.
func (r *Repository) Login(ctx context.Context) (username, password string, err error) {
	err = r.run(ctx, "log in", func(ctx context.Context) error {
		username, password, err = r.forge.Login(ctx)
		return err
	})
	return username, password, err
}

// TokenUser is the user for a token over HTTPS. GitHub prescribes this name; the other forges
// accept any name.
const TokenUser = "x-access-token"

// tokenLogin is the Login of a forge with a token that does not change.
type tokenLogin string

func (t tokenLogin) Login(context.Context) (user, password string, err error) {
	return TokenUser, string(t), nil
}

// newHTTPClient follows redirects only within the forge: a renamed repository has a redirect.
func newHTTPClient(transport http.RoundTripper) *http.Client {
	return &http.Client{Transport: transport, CheckRedirect: func(request *http.Request, via []*http.Request) error {
		first := via[0].URL
		switch {
		case request.URL.Host != first.Host || request.URL.Scheme != first.Scheme:
			return remote.Errorf(remote.KindServer, "the server %s redirects to %s://%s. The redirect is not followed, so that no token goes to "+
				"a wrong server. Set base_url to the forge's real address", first.Host, request.URL.Scheme, request.URL.Host)
		case request.Method != via[0].Method:
			return refused("the server %s redirects to %s, and such a redirect does not carry a change. If the repository has a new name, write "+
				"its new URL", first.Host, request.URL.Path)
		case len(via) >= 10:
			return remote.Errorf(remote.KindServer, "the server %s redirects without end. Check that base_url is the address of the forge",
				first.Host)
		}
		return nil
	}}
}
