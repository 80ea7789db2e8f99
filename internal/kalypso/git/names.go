// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-git/go-git/v5/plumbing/transport"
)

// The protocols that a repository's URL may have.
const (
	protocolHTTP  = "http"
	protocolHTTPS = "https"
	protocolSSH   = "ssh"
	protocolFile  = "file"
)

// CheckURL says what is wrong with the URL of a repository, or nil: https, http,
// ssh://, git@host:path, file:// and absolute paths are known.
func CheckURL(repo string) error {
	_, err := parseURL(repo)
	return err
}

// parseURL gives a new endpoint for a URL. go-git changes the endpoint of a
// session that is redirected, so each session needs one of its own.
func parseURL(repo string) (*transport.Endpoint, error) {
	if repo == "" {
		return nil, errors.New("the URL of the repository is empty")
	}
	if !utf8.ValidString(repo) || strings.ContainsFunc(repo, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) && !filepath.IsAbs(repo) }) {
		return nil, errors.New("the URL of the repository holds white space, a control character or invalid UTF-8")
	}
	if filepath.IsAbs(repo) {
		return &transport.Endpoint{Protocol: protocolFile, Path: repo}, nil
	}
	ep, err := transport.NewEndpoint(repo)
	if err != nil {
		return nil, errors.New("the repository's URL is malformed. Use https://host/path, ssh://git@host/path, git@host:path, file:///path or an absolute path") // it may hold a password
	}
	if ep.Password != "" || strings.Contains(ep.User, ":") {
		return nil, fmt.Errorf("the URL %s holds a password. Take it out of the URL and give it as credentials in the provider's configuration (git) or as KALYPSO_GIT_PASSWORD", Redact(repo))
	}
	if err := checkEndpoint(ep, repo); err != nil {
		return nil, err
	}
	return ep, nil
}

func checkEndpoint(ep *transport.Endpoint, repo string) error {
	switch ep.Protocol {
	case protocolFile:
		if !strings.Contains(repo, "://") {
			return fmt.Errorf("%q is no URL of a git repository. Use https://host/path, ssh://git@host/path, git@host:path, file:///path or an absolute path", Redact(repo))
		}
		if ep.Host != "" || !strings.HasPrefix(ep.Path, "/") {
			return fmt.Errorf("%s needs an absolute path: file:///path", Redact(repo))
		}
		return nil
	case protocolHTTP, protocolHTTPS, protocolSSH:
	default:
		return fmt.Errorf("%s has the protocol %q. Use https, http, ssh or file", Redact(repo), ep.Protocol)
	}
	path := strings.Trim(ep.Path, "/")
	first, _, _ := strings.Cut(path, "/")
	switch {
	case ep.Protocol != protocolSSH && ep.User != "" && ep.User != "git" && ep.User != first: // dev.azure.com writes its organisation there too
		return fmt.Errorf("the URL of %s holds a user name, which may be a token. Take it out of the URL and give it as credentials in the provider's configuration (git) or as KALYPSO_GIT_USERNAME and KALYPSO_GIT_PASSWORD", Redact(repo))
	case ep.Host == "" || strings.HasPrefix(ep.Host, "-"):
		return fmt.Errorf("%s names no host", Redact(repo))
	case path == "" || strings.HasPrefix(ep.Path, "-"):
		return fmt.Errorf("%s names no repository on that host", Redact(repo))
	case strings.ContainsAny(path, "?#"):
		return fmt.Errorf(`%s holds "?" or "#", which are not part of a repository's path`, Redact(repo))
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return fmt.Errorf(`%s holds %q. Write the path of the repository out`, Redact(repo), segment)
		}
	}
	return nil
}

// Redact takes out of a URL what may be a secret: user and password, and the
// password alone for SSH, where the user is part of the address.
func Redact(repo string) string {
	scheme, rest, ok := strings.Cut(repo, "://")
	if user, address, scp := strings.Cut(repo, "@"); !ok && scp && !strings.Contains(user, "/") {
		user, _, _ = strings.Cut(user, ":")
		return user + "@" + address // git@host:path
	}
	if !ok {
		return repo // a path
	}
	authority, path := rest, ""
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		authority, path = rest[:i], rest[i:]
	}
	at := strings.LastIndexByte(authority, '@')
	if at < 0 {
		return repo
	}
	user, host := "", authority[at+1:]
	if strings.EqualFold(scheme, protocolSSH) {
		name, _, _ := strings.Cut(authority[:at], ":")
		user = name + "@"
	}
	return scheme + "://" + user + host + path
}

// CheckBranch says what is wrong with the name of a branch, or nil. The rules
// are those of git check-ref-format --branch.
func CheckBranch(name string) error {
	if problem := branchProblem(name); problem != "" {
		return fmt.Errorf("%q is no name for a branch: %s", name, problem)
	}
	return nil
}

func branchProblem(name string) string {
	switch {
	case name == "":
		return "it is empty"
	case name == "@" || name == "HEAD":
		return "git uses that name itself"
	case strings.HasPrefix(name, "-"):
		return `it starts with "-"`
	case strings.HasSuffix(name, "."):
		return `it ends with "."`
	case strings.Contains(name, ".."):
		return `it holds ".."`
	case strings.Contains(name, "@{"):
		return `it holds "@{"`
	case !utf8.ValidString(name):
		return "it is not valid UTF-8"
	}
	if i := strings.IndexFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || strings.ContainsRune(` ~^:?*[\`, r) }); i >= 0 {
		return fmt.Sprintf("it holds %q", name[i])
	}
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case part == "":
			return `it starts or ends with "/" or holds "//"`
		case strings.HasPrefix(part, "."):
			return fmt.Sprintf(`%q starts with "."`, part)
		case strings.HasSuffix(part, ".lock"):
			return fmt.Sprintf(`%q ends with ".lock"`, part)
		}
	}
	return ""
}

// urlPrefix is the beginning of the URLs that a credential is for. Empty parts match anything.
type urlPrefix struct {
	protocol, user, host, port, path string
}

// parsePrefix reads a prefix: a URL, or git@host with or without a path.
func parsePrefix(text string) urlPrefix {
	if text == "" {
		return urlPrefix{}
	}
	protocol, rest, ok := strings.Cut(text, "://")
	var authority, path string
	if ok {
		authority, path, _ = strings.Cut(rest, "/")
	} else {
		protocol = protocolSSH
		authority, path, _ = strings.Cut(text, ":")
	}
	p := urlPrefix{protocol: strings.ToLower(protocol), path: strings.Trim(path, "/")}
	if decoded, err := url.PathUnescape(p.path); err == nil {
		p.path = decoded
	}
	p.host = authority
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		p.user, _, _ = strings.Cut(authority[:at], ":")
		p.host = authority[at+1:]
	}
	if i := strings.LastIndexByte(p.host, ':'); i >= 0 && !strings.HasSuffix(p.host, "]") {
		p.host, p.port = p.host[:i], p.host[i+1:]
	}
	p.host = strings.ToLower(p.host)
	return p
}

// matches tells whether the endpoint's URL starts with the prefix, which ends
// at the boundary of a path segment.
func (p urlPrefix) matches(ep *transport.Endpoint) bool {
	if p == (urlPrefix{}) {
		return true
	}
	path := strings.Trim(ep.Path, "/")
	return p.protocol == ep.Protocol &&
		(p.user == "" || p.user == ep.User) &&
		(p.host == "" || p.host == strings.ToLower(ep.Host) && portOf(p.protocol, p.port) == portOf(ep.Protocol, fmt.Sprint(ep.Port))) &&
		(p.path == "" || path == p.path || path == p.path+".git" || strings.HasPrefix(path, p.path+"/"))
}

// length orders prefixes that match the same URL.
func (p urlPrefix) length() int {
	return len(p.protocol) + len(p.user) + len(p.host) + len(p.path)
}

// portOf gives the port that is meant, where none is written the protocol's own.
func portOf(protocol, port string) string {
	if port != "" && port != "0" {
		return port
	}
	return map[string]string{protocolHTTP: "80", protocolHTTPS: "443", protocolSSH: "22"}[protocol]
}
