// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package git reads and writes branches of remote git repositories without a work tree. The
// package fetches the trees on the paths that matter, makes new trees, and pushes the new
// objects by compare-and-swap. It knows paths and objects, but not their meaning.
//
// The words of this package:
//   - access: a credential, ready for use with a repository
//   - attempt: the work on a branch from one listing of its references; a lost race begins a new one
//   - ability: which single objects a server sends; servers without any send whole commits
//   - rewriting: a Work with the trees that it makes on a commit
//   - run: all readings of one plan or apply, which see the same heads (Snapshots)
//   - store: what a client has fetched of a repository; no object is fetched twice
package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Options configure a Client. The zero value works: no credentials.
type Options struct {
	Credentials []Credential
	// Trust lists the repositories that get credentials from environment variables. An
	// operation can add hosts.
	Trust remote.Trust
	// Author is the author of the commits; the provider's own name if Author is empty.
	Author Signature
	// Signing signs the commits; nil for commits without signatures. With a key that is missing, no
	// commit can be made.
	Signing *SigningKey
	// Now is the time of commits; the clock if Now is nil.
	Now func() time.Time
	// Masker takes secrets out of messages. The client adds the secrets of its credentials. If
	// Masker is nil, the client makes a new one.
	Masker *remote.Masker
	// Advice returns the kind of the error and what to do about the words with which a server refuses a
	// request; the advice is empty for unknown words. AsksLogin reports whether an answer asks for a
	// login, although its status does not say so. Both may be nil.
	Advice    func(words string) (kind remote.ErrorKind, advice string)
	AsksLogin func(r *http.Response) bool
	// Logger gets the events of remotes; nil for none.
	Logger remote.Logger
	// MaxFetch is how many bytes a fetched pack may have, unpacked; DefaultMaxFetch if MaxFetch
	// is zero.
	MaxFetch int64
	// Backoff is the time between attempts; from 25 ms to 2 s if Backoff is zero.
	Backoff wait.Backoff
}

// backoff doubles from 25 to 500 ms. A random time of up to three times as long is added.
var backoff = wait.Backoff{Duration: 25 * time.Millisecond, Factor: 2, Jitter: 3, Steps: 16, Cap: 500 * time.Millisecond}

// Signature is the author of commits.
type Signature struct{ Name, Email string }

// Client reads and writes branches. Many goroutines may use it at the same time.
type Client struct {
	options Options
	access  []*access
	open    *access // for repositories that need no credential
	// turns has a semaphore for one writer, by the key of the branch.
	turns sync.Map
	// stores has the fetched objects of a repository, by its reach.
	stores sync.Map
}

// NewClient checks the credentials and makes a client. It connects to nothing.
func NewClient(options Options) (*Client, error) {
	c := &Client{}
	options.Author.Name = cmp.Or(headerSafe(options.Author.Name), "terraform-provider-kalypso")
	options.Author.Email = cmp.Or(headerSafe(options.Author.Email), "terraform-provider-kalypso@localhost")
	options.Masker, options.MaxFetch = cmp.Or(options.Masker, remote.NewMasker()), cmp.Or(options.MaxFetch, DefaultMaxFetch)
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Logger == nil {
		options.Logger = func(context.Context, string, map[string]any) {}
	}
	if options.Backoff == (wait.Backoff{}) {
		options.Backoff = backoff
	}
	c.options, c.open = options, &access{http: newHTTP(nil, options.AsksLogin)}
	for _, credential := range options.Credentials {
		options.Masker.Add(credential.Secrets()...)
		a, err := newAccess(credential, options.AsksLogin)
		if err != nil {
			return nil, err
		}
		c.access = append(c.access, a)
	}
	return c, nil
}

func (c *Client) objects(r *repo) *store {
	made, _ := c.stores.LoadOrStore(reach{r.name, r.access}, newStore())
	return made.(*store) //nolint:errcheck,forcetypeassert // nothing else is stored.
}

// retry calls try until try succeeds, fails with a lasting error, or ctx ends. If a branch
// moves, retry tries again without limit; after other passing errors, a few times.
func (c *Client) retry(ctx context.Context, what fmt.Stringer, try func() error) error {
	attempts := 0
	err := remote.Retry{Backoff: c.options.Backoff, Log: c.options.Logger}.Do(ctx, map[string]any{"branch": what.String()}, func() error {
		attempts++
		return try()
	})
	if errors.Is(err, remote.ErrMoved) {
		return &remote.Error{Kind: remote.KindTimeout, Cause: ctx.Err(), Message: fmt.Sprintf(
			"somebody else moved %s during each of %d attempts to write, until the operation's time was up. Apply again, or give it more "+
				"time (timeouts). If nobody pushed, the server lists an old commit, such as a replica that is behind", what, attempts)}
	}
	return err
}

// attempt reads and writes a branch by the rules of retry. Each attempt lists the references of its repository again.
func attempt[T any](ctx context.Context, c *Client, b Branch, try func(*reader) (T, error)) (done T, err error) {
	r, err := c.repository(ctx, b.Repo)
	if err == nil {
		err = CheckBranch(b.Name)
	}
	if err != nil {
		return done, err
	}
	err = c.retry(ctx, b, func() error {
		read, err := r.newReader(ctx)
		if err != nil {
			return err
		}
		defer read.rest()
		done, err = try(read)
		return err
	})
	return done, err
}

// inTurn lets one goroutine write to a branch at a time, so that the resources of one run do
// not compete with each other.
func inTurn[T any](ctx context.Context, c *Client, branch Branch, write func(*reader) (T, error)) (done T, err error) {
	made, _ := c.turns.LoadOrStore(branch.Key(), semaphore.NewWeighted(1))
	turn := made.(*semaphore.Weighted) //nolint:errcheck,forcetypeassert // nothing else is stored.
	if !turn.TryAcquire(1) && turn.Acquire(ctx, 1) != nil {
		return done, errors.New("the operation's time was up while another resource of this run wrote to the branch. Give the operation " +
			"more time (timeouts)")
	}
	defer turn.Release(1)
	return attempt(ctx, c, branch, func(read *reader) (T, error) {
		if err := read.mistaken(branch.Name); err != nil {
			return done, err
		}
		return write(read)
	})
}
