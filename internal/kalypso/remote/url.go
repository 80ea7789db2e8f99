// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package remote has the shared parts of git and forge: URLs of repositories, errors, retries,
// and the HTTP transport.
package remote

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-git/go-git/v5/plumbing/transport"
)

// The protocols that a repository's URL may have.
const (
	HTTP  = "http"
	HTTPS = "https"
	SSH   = "ssh"
	File  = "file"
)

// URL is the URL of a repository. Host has no port; Port is 0 if the URL has no port. Path has
// no URL escapes.
type URL struct {
	Protocol, User, Host string
	Port                 int
	Path                 string

	text string
}

// Check returns an error if the text is not the URL of a repository: https, http, ssh://,
// git@host:path, file:// or an absolute path.
func Check(text string) error {
	_, err := Parse(text)
	return err
}

// Parse reads the URL of a repository. Errors say what to write instead, and contain no
// password.
func Parse(text string) (URL, error) {
	if text == "" {
		return URL{}, errors.New("the URL of the repository is empty")
	}
	if !utf8.ValidString(text) ||
		strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) && !filepath.IsAbs(text) }) {
		return URL{}, errors.New("the URL of the repository has white space, a control character or invalid UTF-8")
	}
	if filepath.IsAbs(text) { // C:\folder on Windows is file:///C:/folder
		u := URL{Protocol: File, Path: "/" + strings.TrimPrefix(filepath.ToSlash(text), "/"), text: text}
		return u, u.checkSegments()
	}
	ep, err := transport.NewEndpoint(onDrive(text))
	if err != nil {
		// The URL may contain a password.
		return URL{}, errors.New("the repository's URL is malformed. Use https://host/path, ssh://git@host/path, git@host:path, " +
			"file:///path or an absolute path")
	}
	if ep.Password != "" || strings.Contains(ep.User, ":") {
		return URL{}, fmt.Errorf("the URL %s has a password. Remove the password from the URL, and set it in the provider's "+
			"configuration (git) or in KALYPSO_GIT_PASSWORD", Redact(text))
	}
	u := URL{Protocol: ep.Protocol, User: ep.User, Host: ep.Host, Port: ep.Port, Path: ep.Path, text: text}
	return u, u.check()
}

var drive = regexp.MustCompile(`^file://([A-Za-z]:/)`)

// onDrive adds the slash that "file://${abspath(path)}" lacks on Windows: file:///C:/folder.
func onDrive(text string) string { return drive.ReplaceAllString(text, "file:///$1") }

func (u URL) check() error {
	if !utf8.ValidString(u.Path) || strings.ContainsFunc(u.Path, unicode.IsControl) {
		return fmt.Errorf("the path of %s has a control character or invalid UTF-8. Rename the repository", u)
	}
	switch u.Protocol {
	case File:
		if !strings.Contains(u.text, "://") {
			return fmt.Errorf("%q is not a Git repository URL. Use https://host/path, ssh://git@host/path, git@host:path, file:///path or an "+
				"absolute path", u)
		}
		if u.Host != "" || !strings.HasPrefix(u.Path, "/") {
			return fmt.Errorf("%s needs an absolute path: file:///path", u)
		}
		return u.checkSegments()
	case HTTP, HTTPS, SSH:
	default:
		return fmt.Errorf("%s has the protocol %q. Use https, http, ssh or file", u, u.Protocol)
	}
	below := strings.Trim(u.Path, "/")
	first, _, _ := strings.Cut(below, "/")
	switch {
	case u.Web() && u.User != "" && u.User != "git" && !strings.EqualFold(u.User, first): // some forges offer such URLs to copy
		return fmt.Errorf("the URL %s has a user name, which may be a token. Remove the user name from the URL, and set it in the "+
			"provider's configuration (git) or in KALYPSO_GIT_USERNAME and KALYPSO_GIT_PASSWORD", u)
	case u.Host == "" || strings.HasPrefix(u.Host, "-"):
		return fmt.Errorf("%s has no host", u)
	case below == "" || strings.HasPrefix(u.Path, "-"):
		return fmt.Errorf("%s has a host, but no path of a repository", u)
	case strings.ContainsAny(u.text, "?#"):
		return fmt.Errorf(`%s has "?" or "#". If the repository's path contains this character, write %%3F or %%23`, u)
	}
	return u.checkSegments()
}

// checkSegments refuses a path with "." or "..": its beginning does not show where the path
// ends.
func (u URL) checkSegments() error {
	for segment := range strings.SplitSeq(filepath.ToSlash(u.Path), "/") {
		if segment == "." || segment == ".." {
			return fmt.Errorf(`%s has %q in its path. Write the whole path of the repository`, u, segment)
		}
	}
	return nil
}

// String returns the URL as it was written, without secrets, for messages.
func (u URL) String() string { return Redact(u.text) }

// Written returns the URL as it was written, with its user, to match prefixes.
func (u URL) Written() string { return u.text }

// Web reports whether the repository is reached over HTTP(S).
func (u URL) Web() bool { return u.Protocol == HTTP || u.Protocol == HTTPS }

// Endpoint returns the endpoint for go-git. go-git changes the endpoint of a redirected
// session, so each session needs a new one. go-git builds an HTTP URL from the path without
// escapes, and puts a slash after it, which matters to servers.
func (u URL) Endpoint() *transport.Endpoint {
	ep := &transport.Endpoint{Protocol: u.Protocol, User: u.User, Host: u.Host, Port: u.Port, Path: u.Path}
	if u.Web() {
		ep.Path = (&url.URL{Path: strings.TrimRight(u.Path, "/")}).EscapedPath()
	}
	return ep
}

// Address returns the host, with the port if the port is not the protocol's default.
func (u URL) Address() string {
	host := strings.ToLower(u.Host)
	if port := u.port(); port != defaultPort(u.Protocol) {
		host += ":" + strconv.Itoa(port)
	}
	return host
}

// Name returns the path without slashes at its ends and without ".git", which is the
// repository's name on a forge.
func (u URL) Name() string { return strings.TrimSuffix(strings.Trim(u.Path, "/"), ".git") }

// Key returns the same text for different URLs of one repository: the host and the path in lower case,
// without the protocol, the user and ".git". Forges ignore the case of owners and names.
func (u URL) Key() string {
	if u.Protocol == File {
		return File + "://" + strings.TrimSuffix(path.Clean(u.Path), ".git")
	}
	return u.Address() + "/" + strings.ToLower(u.Name())
}

// Key returns the URL's Key, or the text itself if the text is not a URL.
func Key(text string) string {
	u, err := Parse(text)
	if err != nil {
		return text
	}
	return u.Key()
}

// port returns the port of the URL, or the protocol's default port.
func (u URL) port() int {
	if u.Port > 0 {
		return u.Port
	}
	return defaultPort(u.Protocol)
}

func defaultPort(protocol string) int {
	return map[string]int{HTTP: 80, HTTPS: 443, SSH: 22}[protocol]
}

// login matches the user and the password at the beginning of a URL or of git@host:path.
var login = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*://)?([^/:@]*)(:[^/]*|[^/]*)@`)

// Redact removes from a URL what may be a secret: user and password. For SSH, the user is part
// of the address, and Redact removes only the password.
func Redact(text string) string {
	found := login.FindStringSubmatch(text)
	if found == nil {
		return text
	}
	scheme, user, rest := found[1], found[2], text[len(found[0]):]
	if scheme == "" || strings.EqualFold(scheme, SSH+"://") {
		return scheme + user + "@" + rest
	}
	return scheme + rest
}

// maxLink is how many bytes the URL of a web page may have.
const maxLink = 2000

// WebPage returns a URL without the user in it, on one line in plain ASCII; empty if it is
// not the URL of a web page.
func WebPage(link string) string {
	parsed, err := url.Parse(link)
	if err != nil || parsed.Host == "" || parsed.Scheme != "https" && parsed.Scheme != "http" {
		return ""
	}
	parsed.User = nil
	link = parsed.String()
	if len(link) > maxLink || strings.ContainsFunc(link, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	return link
}
