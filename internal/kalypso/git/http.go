// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"net/http"
	"net/url"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// overHTTP is what go-git speaks HTTP through: bounded, and with paths that need
// escapes; nil is the way of net/http.
func overHTTP(way http.RoundTripper) http.RoundTripper { return escaping{remote.Bound(way)} }

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
