// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// overHTTP is what go-git speaks HTTP through: bounded, and with paths that need
// escapes; nil is the way of net/http.
func overHTTP(way http.RoundTripper) http.RoundTripper { return escaping{remote.Bound(way, 0)} }

// escaping makes up for go-git's asking for the path of the first answer, unescaped,
// in the requests after it: it finds the escaped path there.
type escaping struct{ way http.RoundTripper }

func (e escaping) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := e.way.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	answered := *request
	answered.URL = &url.URL{}
	*answered.URL = *request.URL
	answered.URL.Path, answered.URL.RawPath = request.URL.EscapedPath(), ""
	response.Request = &answered
	return response, nil
}

// newHTTP returns go-git's transport over HTTP(S); nil is the way of net/http. It follows
// redirects when a session begins, and those to the same server alone.
func newHTTP(next http.RoundTripper) transport.Transport {
	return githttp.NewClient(&http.Client{Transport: staying{overHTTP(next)}})
}

// staying turns a redirect to another server into an error: the server at a URL does not
// choose which server we talk to.
type staying struct{ next http.RoundTripper }

func (s staying) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := s.next.RoundTrip(request)
	if err != nil || response.StatusCode/100 != 3 {
		return response, err
	}
	to, err := response.Location()
	if err != nil || sameServer(request.URL, to) {
		return response, nil // without a Location it is not a redirect
	}
	_ = response.Body.Close() // nobody reads it
	elsewhere := url.URL{Scheme: to.Scheme, Host: to.Host, Path: strings.TrimSuffix(to.Path, "/info/refs")}
	return nil, remote.Errorf(remote.KindServer, "the server %s redirects to %s, which is not followed, since it is another server. If "+
		"the repository is there now, write that URL", request.URL.Host, remote.Words(elsewhere.String()))
}

// sameServer reports whether two URLs have scheme, host and port in common. From http
// to https, the host is enough.
func sameServer(from, to *url.URL) bool {
	if from.Scheme == remote.HTTP && to.Scheme == remote.HTTPS {
		return strings.EqualFold(from.Hostname(), to.Hostname())
	}
	return from.Scheme == to.Scheme && address(from) == address(to)
}

// address returns host and port, if that is not the scheme's own.
func address(u *url.URL) string {
	return strings.TrimSuffix(strings.ToLower(u.Host), map[string]string{remote.HTTP: ":80", remote.HTTPS: ":443"}[u.Scheme])
}
