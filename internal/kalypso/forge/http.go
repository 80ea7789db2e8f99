// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// answerTimeout is how long a forge may take for an answer.
const answerTimeout = time.Minute

// answer is a forge's unsuccessful answer.
type answer struct {
	request string // method and path
	status  int
	header  http.Header
	kind    string // GraphQL's name, "RATE_LIMITED"; empty otherwise
	message string // the server's text
}

func (a *answer) Error() string {
	return fmt.Sprintf("%s: %d %s", a.request, a.status, a.message)
}

// says reports whether the server's text contains one of the parts.
func (a *answer) says(parts ...string) bool {
	message := strings.ToLower(a.message)
	for _, part := range parts {
		if strings.Contains(message, strings.ToLower(part)) {
			return true
		}
	}
	return false
}

// answering logs each answer, and turns each unsuccessful answer into an error. Each library on
// top drops a different part of the server's message.
type answering struct {
	next   http.RoundTripper // bounded
	masker *remote.Masker
	log    remote.Logger
}

func (t answering) RoundTrip(request *http.Request) (*http.Response, error) {
	if _, credential, found := strings.Cut(request.Header.Get("Authorization"), " "); found {
		t.masker.Add(credential) // the token of an App, which only the libraries know
	}
	response, err := t.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	t.log(request.Context(), "answered", map[string]any{"method": request.Method, "host": request.URL.Host, "path": request.URL.Path,
		"status": response.StatusCode})
	if response.StatusCode < http.StatusBadRequest {
		response.Body = &values{ReadCloser: response.Body}
		return response, nil
	}
	defer func() { _ = response.Body.Close() }() // the relevant part was read
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	return nil, &answer{
		request: request.Method + " " + request.URL.Path,
		status:  response.StatusCode,
		header:  response.Header,
		message: remote.Words(t.masker.Mask(words(body))),
	}
}

// words takes the messages for people out of the body of an error: GitHub and Gitea answer
// with a message and a list of details, which are texts or objects.
func words(body []byte) string {
	var said struct {
		Message string            `json:"message"`
		Errors  []json.RawMessage `json:"errors"`
	}
	if err := json.Unmarshal(body, &said); err != nil || said.Message == "" && len(said.Errors) == 0 {
		return string(body)
	}
	parts := []string{said.Message}
	for _, raw := range said.Errors {
		var text string
		var detail struct{ Resource, Field, Code, Message string }
		switch {
		case json.Unmarshal(raw, &text) == nil:
			parts = append(parts, text)
		case json.Unmarshal(raw, &detail) != nil:
		case detail.Message != "":
			parts = append(parts, detail.Message)
		default:
			parts = append(parts, strings.TrimSpace(detail.Resource+" "+detail.Field+" "+detail.Code))
		}
	}
	return strings.Join(parts, "\n")
}

// newHTTPClient follows redirects only within the forge: a renamed repository has a redirect.
func newHTTPClient(transport http.RoundTripper) *http.Client {
	return &http.Client{Transport: transport, CheckRedirect: func(request *http.Request, via []*http.Request) error {
		first := via[0].URL
		switch {
		case request.URL.Host != first.Host || request.URL.Scheme != first.Scheme:
			return remote.Errorf(remote.KindServer, "the server %s redirects to %s://%s. The redirect is not followed, so that no token goes to "+
				"a wrong server. Set base_url to the forge's real address", first.Host, request.URL.Scheme, request.URL.Host)
		case len(via) >= 10:
			return &remote.Error{Kind: remote.KindServer, Message: "the server " + first.Host + " redirects without end. " +
				"Check that base_url is the address of the forge"}
		}
		return nil
	}}
}
