// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package remote

import (
	"context"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Trust lists the repositories that get the credentials from environment variables: those
// whose URL starts with one of the prefixes. Trusting adds hosts for one operation. URLs from
// manifests and servers add no hosts. Trust also says which repositories on this machine may
// be used at all (Bars).
type Trust []Prefix

// Hosts returns a Trust of all repositories on the hosts and ports of prefixes. A prefix
// without a host adds nothing.
func Hosts(prefixes ...Prefix) Trust {
	var hosts Trust
	for _, p := range prefixes {
		if p.host != "" {
			hosts = append(hosts, Prefix{host: p.host, port: p.port})
		}
	}
	return hosts
}

type trustKey struct{}

// Trusting returns the context of an operation in which the hosts of these URLs also get
// the credentials from environment variables: URLs that a person has written into the
// configuration. A URL of a repository on this machine allows only that repository. A text
// that is not a URL adds nothing.
func Trusting(ctx context.Context, urls ...string) context.Context {
	trust := slices.Clip(trusted(ctx))
	for _, text := range urls {
		u, err := Parse(text)
		switch {
		case err != nil:
		case u.Protocol == File:
			trust = append(trust, Prefix{protocol: File, path: folded(File, u.Path), exact: true})
		default:
			trust = append(trust, Hosts(Prefix{host: strings.ToLower(u.Host), port: u.port()})...)
		}
	}
	return context.WithValue(ctx, trustKey{}, trust)
}

// Bars reports whether a repository must not be used: it is on this machine, and the
// configuration does not name it. A manifest must not choose which folders of this machine are
// read and written.
func (t Trust) Bars(ctx context.Context, repo URL) bool {
	return repo.Protocol == File && !slices.ContainsFunc(slices.Concat(t, trusted(ctx)), func(p Prefix) bool { return p.Matches(repo) })
}

// trusted returns the Trust that Trusting has added.
func trusted(ctx context.Context) Trust {
	trust, _ := ctx.Value(trustKey{}).(Trust)
	return trust
}

// Withheld says why a repository does not get credentials from environment variables, in
// sentences that follow a colon; empty if the repository gets them. to is the receiver: the
// repository itself, or its forge.
func (t Trust) Withheld(ctx context.Context, repo, to URL) string {
	includes := func(p Prefix) bool { return p.Matches(repo) }
	switch {
	case !slices.ContainsFunc(slices.Concat(t, trusted(ctx)), includes):
		return "the URL comes from manifests, and no repo in the configuration is on the same host. To send the credentials there, set repo in " +
			"the configuration or KALYPSO_GIT_URL_PREFIX to the beginning of the URL, or add credentials for the URL in the provider's configuration"
	case to.Protocol == HTTP && !to.isLoopback():
		return "such credentials are never sent over http, where others can read them. Use https, or add credentials for the URL in the " +
			"provider's configuration"
	}
	return ""
}

// isLoopback reports whether the host is the loopback address of this machine.
func (u URL) isLoopback() bool {
	if strings.EqualFold(u.Host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(strings.Trim(u.Host, "[]"))
	return err == nil && address.Unmap().IsLoopback()
}

// Prefix is the beginning of URLs. It ends at the boundary of a path segment. An empty part
// matches anything, and the zero value matches every URL. Two prefixes that match the same
// URLs are equal.
type Prefix struct {
	protocol, user, host string
	port                 int
	path                 string
	// exact says that path is the whole path of a URL, not its beginning.
	exact bool
}

// ParsePrefix reads a prefix: the beginning of a URL, or git@host with or without a path.
func ParsePrefix(text string) Prefix {
	if text == "" {
		return Prefix{}
	}
	text = onDrive(text)
	if !strings.Contains(text, "://") {
		text = SSH + "://" + strings.Replace(text, ":", "/", 1) // git@host:path
	}
	u, err := url.Parse(text)
	if err != nil {
		return Prefix{port: -1, host: text} // not the beginning of a URL, so no URL matches
	}
	p := Prefix{protocol: strings.ToLower(u.Scheme), user: u.User.Username(), host: u.Hostname()}
	p.path = folded(p.protocol, u.Path)
	if strings.Contains(u.Hostname(), ":") {
		p.host = "[" + p.host + "]" // as in a URL
	}
	p.port, _ = strconv.Atoi(u.Port())
	p.host = strings.ToLower(p.host)
	if p.port == 0 && p.host != "" {
		p.port = defaultPort(p.protocol)
	}
	return p
}

// Matches reports whether the URL starts with the prefix.
func (p Prefix) Matches(u URL) bool {
	path := folded(u.Protocol, u.Path)
	return (p.protocol == "" || p.protocol == u.Protocol) &&
		(p.user == "" || p.user == u.User) &&
		(p.host == "" || p.host == strings.ToLower(u.Host) && p.port == u.port()) &&
		(p.path == "" && !p.exact || path == p.path || !p.exact && (path == p.path+".git" || strings.HasPrefix(path, p.path+"/")))
}

// folded returns a path to compare with another one: forges ignore its case.
func folded(protocol, path string) string {
	if path = strings.Trim(path, "/"); protocol == File {
		return path
	}
	return strings.ToLower(path)
}

// length orders prefixes that match the same URL.
func (p Prefix) length() int { return len(p.protocol) + len(p.user) + len(p.host) + len(p.path) }

// Longest returns the item with the longest prefix that matches the URL; ok is false if no
// prefix matches. Of equal prefixes, the first one wins.
func Longest[T any](u URL, items []T, prefix func(T) Prefix) (longest T, ok bool) {
	length := -1
	for _, item := range items {
		if p := prefix(item); p.Matches(u) && p.length() > length {
			longest, length = item, p.length()
		}
	}
	return longest, length >= 0
}
