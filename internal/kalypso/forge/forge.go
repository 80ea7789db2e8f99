// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package forge speaks to the forges that hold GitOps repositories, GitHub and
// Gitea (Forgejo): it proposes a change as a pull request that a reviewer
// understands, follows it until it is merged or closed, and reports what is wrong
// as an issue. Every operation looks first and acts then, so that one whose
// answer was lost can be repeated.
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
	// Forges are how to reach forges. Of several whose prefix matches a URL, the
	// longest is used, alone.
	Forges []Config
	// Trust is whose forges get the token of the environment, beside those of
	// repositories that an operation trusts.
	Trust remote.Trust
	// Masker takes secrets out of messages, and gets to know those of the forges and the
	// tokens that these give; one of the client's own where it is nil.
	Masker *remote.Masker
	// Logger gets the events; nil for none.
	Logger remote.Logger
	// Now returns the time; nil for the clock.
	Now func() time.Time
	// Sleep waits, and reports whether ctx still holds; it really waits where it is nil.
	Sleep func(ctx context.Context, d time.Duration) bool
}

// Config is how to reach the forge of the repositories whose URL starts with
// URLPrefix, by the rules of remote.Prefix.
type Config struct {
	URLPrefix string
	// Kind is the forge's software; empty if the host shows it.
	Kind Software
	// BaseURL is the forge's address, with or without its API's path; that of the
	// repository's URL where it is empty.
	BaseURL string
	// Token authenticates; GitHub also takes App instead.
	Token string
	App   *App
	// FromEnvironment says that Token was written beside no URL: only the forges of
	// repositories that are trusted get it (remote.Trust).
	FromEnvironment bool
	TLS             remote.TLS
}

// Secrets returns what must not be shown of the configuration; parts may be empty.
func (c Config) Secrets() []string {
	secrets := []string{c.Token, c.TLS.ClientKey}
	if c.App != nil {
		secrets = append(secrets, c.App.PrivateKey)
	}
	return secrets
}

// App is a GitHub App. If the installation is not given, it is the one that
// the repository shows.
type App struct {
	ID, InstallationID int64
	// PrivateKey is PEM text.
	PrivateKey string
}

// Client finds the forges of repositories. It may be used by many goroutines at once.
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

// Repository is a repository on a forge. It may be used by many goroutines at once.
type Repository struct {
	client *Client
	name   string // its URL, as messages show it
	forge  string // what the forge is called: "GitHub"
	api    api
}

// Repository returns the repository that a git URL names, for an operation. It
// connects to nothing; the errors are about the URL and the configuration.
func (c *Client) Repository(ctx context.Context, url string) (*Repository, error) {
	at, err := c.locate(ctx, url)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.repos[url]; ok {
		return known, nil // with its token, which need not be asked for again
	}
	r := &Repository{client: c, name: remote.Redact(url), forge: at.kind.String()}
	if r.api, err = newAPI(at, c.masker); err != nil {
		return nil, fmt.Errorf("the forge configuration for %s: %s", r.name, c.masker.Mask(err.Error()))
	}
	c.repos[url] = r
	return r, nil
}

// newAPI connects a repository with what its forge offers.
func newAPI(s site, masker *remote.Masker) (api, error) {
	transport, err := remote.NewTransport(s.config.TLS)
	if err != nil {
		return nil, err
	}
	transport.ResponseHeaderTimeout = answerTimeout
	plain := answering{next: remote.Bound(transport, perAnswer), masker: masker}
	switch s.kind {
	case GitHub:
		return newGitHub(s, plain)
	case Gitea:
		return newGitea(s, plain), nil
	}
	return nil, fmt.Errorf("there is no forge %q", s.kind)
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

// TokenUser is the user that git gives with a token over HTTPS: GitHub's name for
// it; Gitea takes any.
const TokenUser = "x-access-token"

// Login returns the user and password with which git reaches the repository over
// HTTPS. The password is a token that may expire within the hour; ask again for
// each session.
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

// api is what a forge offers for one repository, step by step. Its errors are
// those of the connection, *answer, or *remote.Error if it knows what to do; it
// tries nothing twice.
type api interface {
	// requests lists pull requests, newest first.
	requests(ctx context.Context, f filter) ([]Request, error)
	request(ctx context.Context, number int) (Request, error)
	// open returns errExists if there is an open request for the branch.
	open(ctx context.Context, p NewRequest, body string) (Request, error)
	edit(ctx context.Context, q Request, title, body string) error
	closeRequest(ctx context.Context, number int) error
	// autoMerge also merges, if there is nothing to wait for: the request's HeadCommit
	// alone. The merge's commit has a message of the forge's; with a body, this below its title.
	autoMerge(ctx context.Context, q Request, method Method, body string) error
	// keepOpen turns automatic merging off.
	keepOpen(ctx context.Context, q Request) error

	// protected reports whether a branch is protected from pushes, if the forge says it.
	protected(ctx context.Context, branch string) (bool, error)

	// label adds labels, which need not exist.
	label(ctx context.Context, number int, names []string) error
	askReview(ctx context.Context, number int, users, teams []string) error
	// reviewed reports whether anybody has answered with a review.
	reviewed(ctx context.Context, number int) (bool, error)
	// comments and comment are for requests and issues.
	comments(ctx context.Context, number int) ([]string, error)
	comment(ctx context.Context, number int, text string) error

	// statuses lists the commit statuses of a commit, newest first, and checkRuns the
	// check runs that count.
	statuses(ctx context.Context, commit string) ([]Status, error)
	checkRuns(ctx context.Context, commit string) ([]Status, error)
	setStatus(ctx context.Context, commit string, s Status) error

	// issues lists open issues, oldest first, without requests.
	issues(ctx context.Context) ([]Issue, error)
	openIssue(ctx context.Context, title, body string) (Issue, error)
	editIssue(ctx context.Context, issue Issue) error
	closeIssue(ctx context.Context, number int) error

	// viewer returns our name at the forge, which is the author of our requests and issues.
	viewer(ctx context.Context) (string, error)
	// token authenticates git.
	token(ctx context.Context) (string, error)
	// credential names what authenticates: "token".
	credential() string
	// explain knows the words of this forge; nil if they mean nothing special.
	explain(a *answer) *remote.Error
}

// filter chooses requests. Empty fields choose all.
type filter struct {
	state      RequestState // Open, or Closed for all that are finished
	base, head string
	most       int // how many at most; 0 is all
}
