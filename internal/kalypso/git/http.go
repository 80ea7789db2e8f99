// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// escaping works around a fault of go-git: for later requests, go-git takes the path of the
// first answer's request without escapes. So escaping puts the escaped path there.
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

// newHTTP returns go-git's transport over HTTP(S); nil stands for net/http's default. The
// transport follows redirects only at the beginning of a session, and only to the same server.
// asksLogin is that of Options.
func newHTTP(next http.RoundTripper, asksLogin func(*http.Response) bool) transport.Transport {
	return githttp.NewClient(&http.Client{Transport: staying{escaping{remote.Bound(next)}, asksLogin}})
}

// staying turns a redirect to another server into an error: a server must not choose which
// other server gets our requests. After the first request of a session, it allows no redirects.
type staying struct {
	next      http.RoundTripper
	asksLogin func(*http.Response) bool
}

func (s staying) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := s.next.RoundTrip(request)
	if err == nil && s.asksLogin != nil && s.asksLogin(response) {
		response.StatusCode = http.StatusUnauthorized
	}
	if err != nil || response.StatusCode/100 != 3 {
		return response, err
	}
	to, err := response.Location()
	if err != nil || request.Method == http.MethodGet && sameServer(request.URL, to) {
		return response, nil // without a Location it is not a redirect
	}
	_ = response.Body.Close() // not read
	elsewhere := url.URL{Scheme: to.Scheme, Host: to.Host, Path: strings.TrimSuffix(to.Path, "/info/refs")}
	return nil, remote.Errorf(remote.KindRefused, "the server %s redirects to %s. A redirect is followed only within a server, and only "+
		"for the first request. If the repository has moved, write its new URL", request.URL.Host, wording.Words(elsewhere.String()))
}

// sameServer reports whether two URLs have the same scheme, host and port. For a change from
// http to https, the same host is enough.
func sameServer(from, to *url.URL) bool {
	if from.Scheme == remote.HTTP && to.Scheme == remote.HTTPS {
		return strings.EqualFold(from.Hostname(), to.Hostname())
	}
	return from.Scheme == to.Scheme && address(from) == address(to)
}

// address returns the host, with the port if the port is not the scheme's default.
func address(u *url.URL) string {
	return strings.TrimSuffix(strings.ToLower(u.Host), map[string]string{remote.HTTP: ":80", remote.HTTPS: ":443"}[u.Scheme])
}
