// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package forge speaks to the forges of GitOps repositories, GitHub and Gitea (Forgejo). It
// proposes a change as a pull request with a description for reviewers, and follows the request
// until it is merged or closed. Every operation looks first and acts then, so that it can be
// repeated after a lost answer.
package forge

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

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
	// FromEnvironment says that Token comes from an environment variable, without a URL beside
	// it. Only the forges of trusted repositories get it (remote.Trust).
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

// App is a GitHub App. Without an installation, the client asks GitHub for the installation in
// the repository.
type App struct {
	ID, InstallationID int64
	// PrivateKey is PEM text.
	PrivateKey string
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
	c.again = remote.Retry{Backoff: backoff, Now: c.now, Sleep: options.Sleep, Log: c.log}
	return c
}

// Repository is a repository on a forge. Many goroutines may use it at the same time.
type Repository struct {
	client *Client
	name   string // its URL for messages
	forge  string // the name of the forge: "GitHub"
	api    api
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
	r := &Repository{client: c, name: remote.Redact(url), forge: at.kind.String()}
	if r.api, err = newAPI(at, c.masker, c.log); err != nil {
		return nil, fmt.Errorf("the forge configuration for %s: %s", r.name, c.masker.Mask(err.Error()))
	}
	c.repos[url] = r
	return r, nil
}

// newAPI returns the api of a repository's forge.
func newAPI(s site, masker *remote.Masker, log remote.Logger) (api, error) {
	transport, err := remote.NewTransport(s.config.TLS)
	if err != nil {
		return nil, err
	}
	transport.ResponseHeaderTimeout = answerTimeout
	plain := answering{next: remote.Bound(transport, perAnswer), masker: masker, log: log}
	switch s.kind {
	case GitHub:
		return newGitHub(s, plain)
	case Gitea:
		return newGitea(s, plain), nil
	}
	return nil, fmt.Errorf("%q is not a known kind of forge", s.kind)
}

// Software is a forge's software.
type Software string

// The kinds of forges.
const (
	GitHub Software = "github"
	Gitea  Software = "gitea" // Forgejo too
)

func (k Software) String() string {
	return cmp.Or(map[Software]string{GitHub: "GitHub", Gitea: "Gitea"}[k], string(k))
}

// TokenUser is the user for a token over HTTPS. GitHub prescribes this name; Gitea accepts any
// name.
const TokenUser = "x-access-token"

// Login returns the user and password with which git reaches the repository over HTTPS. The
// password is a token that may expire within the hour, so call Login again for each session.
func (r *Repository) Login(ctx context.Context) (username, password string, err error) {
	err = r.run(ctx, "log in", func(ctx context.Context) error {
		password, err = r.api.token(ctx)
		return err
	})
	if err != nil {
		return "", "", err
	}
	return TokenUser, password, nil
}

// api is the operations of a forge for one repository. Its errors are those of the connection,
// *answer, or *remote.Error if the error contains advice. It does not repeat attempts.
type api interface {
	// requests lists pull requests, newest first.
	requests(ctx context.Context, f filter) ([]Request, error)
	request(ctx context.Context, number int) (Request, error)
	// open returns errExists if the branch already has an open request.
	open(ctx context.Context, p NewRequest, body string) (Request, error)
	closeRequest(ctx context.Context, number int) error
	// autoMerge also merges if no rule is open. It merges only the request's HeadCommit. The
	// forge writes the message of the merge commit; body, if not empty, is the text below its
	// title.
	autoMerge(ctx context.Context, q Request, method Method, body string) error
	// keepOpen turns automatic merging off.
	keepOpen(ctx context.Context, q Request) error

	// label adds labels. It creates missing ones.
	label(ctx context.Context, number int, names []string) error
	askReview(ctx context.Context, number int, users, teams []string) error
	// comments and comment are for requests.
	comments(ctx context.Context, number int) ([]string, error)
	comment(ctx context.Context, number int, text string) error

	// statuses lists the commit statuses of a commit, newest first. checkRuns lists its check
	// runs.
	statuses(ctx context.Context, commit string) ([]Status, error)
	checkRuns(ctx context.Context, commit string) ([]Status, error)
	setStatus(ctx context.Context, commit string, s Status) error

	// viewer returns our user name at the forge, which is the creator of our statuses.
	viewer(ctx context.Context) (string, error)
	// token authenticates git.
	token(ctx context.Context) (string, error)
	// credential names the credential: "token".
	credential() string
	// explain explains the error messages of this forge; nil for all other answers.
	explain(a *answer) *remote.Error
}

// filter chooses requests. Empty fields choose all.
type filter struct {
	state RequestState // Open, or Closed for all finished ones
	base  string
	most  int // how many at most; 0 is all
}
