// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package remote

import (
	"net/url"
	"strconv"
	"strings"
)

// Prefix is the beginning of the URLs that something is for, which ends at the
// boundary of a path segment. Empty parts match anything; the zero value matches
// every URL. Two prefixes that mean the same are equal.
type Prefix struct {
	protocol, user, host string
	port                 int
	path                 string
	// exact has path be all of a URL's path, and not its beginning.
	exact bool
}

// ParsePrefix reads a prefix: a URL, or git@host with or without a path.
func ParsePrefix(text string) Prefix {
	if text == "" {
		return Prefix{}
	}
	protocol, rest, ok := strings.Cut(text, "://")
	var authority, path string
	if ok {
		authority, path, _ = strings.Cut(rest, "/")
	} else {
		protocol = SSH
		authority, path, _ = strings.Cut(text, ":")
	}
	p := Prefix{protocol: strings.ToLower(protocol), host: authority, path: strings.Trim(path, "/")}
	if decoded, err := url.PathUnescape(p.path); err == nil {
		p.path = decoded
	}
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		p.user, _, _ = strings.Cut(authority[:at], ":")
		p.host = authority[at+1:]
	}
	if i := strings.LastIndexByte(p.host, ':'); i >= 0 && !strings.HasSuffix(p.host, "]") {
		port, err := strconv.Atoi(p.host[i+1:])
		if err != nil {
			port = -1 // no port at all, so nothing matches
		}
		p.host, p.port = p.host[:i], port
	}
	p.host = strings.ToLower(p.host)
	if p.port == 0 && p.host != "" {
		p.port = defaultPort(p.protocol)
	}
	return p
}

// Matches reports whether the URL starts with the prefix.
func (p Prefix) Matches(u URL) bool {
	path := strings.Trim(u.Path, "/")
	return (p.protocol == "" || p.protocol == u.Protocol) &&
		(p.user == "" || p.user == u.User) &&
		(p.host == "" || p.host == strings.ToLower(u.Host) && p.port == u.port()) &&
		(p.path == "" && !p.exact || path == p.path || !p.exact && (path == p.path+".git" || strings.HasPrefix(path, p.path+"/")))
}

// length orders prefixes that match the same URL.
func (p Prefix) length() int { return len(p.protocol) + len(p.user) + len(p.host) + len(p.path) }

// Longest returns the index of the longest of the prefixes that match the URL;
// -1 if none does. Of equal ones the first counts.
func Longest(u URL, prefixes []Prefix) int {
	best := -1
	for i, p := range prefixes {
		if p.Matches(u) && (best < 0 || p.length() > prefixes[best].length()) {
			best = i
		}
	}
	return best
}
