// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package git reads and writes branches of remote git repositories without
// a work tree: it fetches the trees on its path, makes new ones, and pushes
// exactly the new objects by compare-and-swap. See semantics.md, section 6.
package git

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// Options configure a Client. The zero value works: no credentials.
type Options struct {
	Credentials []Credential
	// Author signs the commits; the provider's own name where it is empty.
	Author Signature
	// Now is the time of commits; the clock where it is nil.
	Now func() time.Time
	// Logger is told what happens with remotes; nobody where it is nil.
	Logger Logger
	// RetryWait is how long to wait before the attempt of that number, from 1;
	// exponential with jitter where it is nil.
	RetryWait func(attempt int) time.Duration
}

// Logger takes a message and its fields. They hold no secrets.
type Logger func(ctx context.Context, message string, fields map[string]any)

// Signature is the author of commits.
type Signature struct{ Name, Email string }

// Location is a folder of a branch of a repository. Path is slash-separated;
// "." or "" is the repository's root.
type Location struct{ Repo, Branch, Path string }

// String gives the location as repo#branch:path, without secrets.
func (l Location) String() string {
	return Redact(l.Repo) + "#" + l.Branch + ":" + cmp.Or(l.Path, ".")
}

// Client reads and writes branches. It may be used by many goroutines at once.
type Client struct {
	access  []*access
	author  Signature
	now     func() time.Time
	log     Logger
	wait    func(attempt int) time.Duration
	secrets *strings.Replacer
}

// NewClient checks the credentials and makes a client. It connects to nothing.
func NewClient(options Options) (*Client, error) {
	c := &Client{
		author: Signature{
			Name:  cmp.Or(headerSafe(options.Author.Name), "terraform-provider-kalypso"),
			Email: cmp.Or(headerSafe(options.Author.Email), "terraform-provider-kalypso@localhost"),
		},
		now:     options.Now,
		log:     options.Logger,
		wait:    options.RetryWait,
		secrets: secretReplacer(options.Credentials),
	}
	if c.now == nil {
		c.now = time.Now
	}
	if c.log == nil {
		c.log = func(context.Context, string, map[string]any) {}
	}
	if c.wait == nil {
		c.wait = backoff
	}
	for _, credential := range options.Credentials {
		a, err := newAccess(credential)
		if err != nil {
			return nil, err
		}
		c.access = append(c.access, a)
	}
	return c, nil
}

// Head gives the commit that the location's branch points at. It is zero where
// the branch does not exist or the repository is empty. Cost: one listing of references.
func (c *Client) Head(ctx context.Context, loc Location) (tree.ID, error) {
	r, err := c.remote(loc)
	if err != nil {
		return tree.ID{}, err
	}
	var head tree.ID
	err = c.retry(ctx, loc, func() error {
		head, err = r.head(ctx, loc.Branch)
		return err
	})
	return head, err
}
