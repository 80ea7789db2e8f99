// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"fmt"
	"strings"
)

// Address is where a repository's URL points. Host carries the port where the
// URL names one; Path has neither slashes around it nor ".git" at its end.
type Address struct{ Protocol, Host, Path string }

// ParseAddress reads the URL of a repository. The errors are those of CheckURL.
func ParseAddress(repo string) (Address, error) {
	ep, err := parseURL(repo)
	if err != nil {
		return Address{}, err
	}
	address := Address{
		Protocol: ep.Protocol,
		Host:     strings.ToLower(ep.Host),
		Path:     strings.TrimSuffix(strings.Trim(ep.Path, "/"), ".git"),
	}
	if port := fmt.Sprint(ep.Port); portOf(ep.Protocol, port) != portOf(ep.Protocol, "") {
		address.Host += ":" + port
	}
	return address, nil
}

// MatchPrefix tells whether the repository's URL starts with prefix, by the
// rules of Credential.URLPrefix, and how long the prefix is: of several that
// match, the longest wins.
func MatchPrefix(prefix, repo string) (length int, ok bool) {
	ep, err := parseURL(repo)
	if err != nil {
		return 0, false
	}
	p := parsePrefix(prefix)
	return p.length(), p.matches(ep)
}
