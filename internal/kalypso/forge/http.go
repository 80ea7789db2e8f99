// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// answerTimeout is how long a forge may take for an answer.
const answerTimeout = time.Minute

// userAgent is our name in requests to forges.
const userAgent = "terraform-provider-kalypso"

// answer is a forge's unsuccessful answer.
type answer struct {
	request string // method and path
	status  int
	header  http.Header
	message string // the server's text
}

func (a *answer) Error() string {
	return fmt.Sprintf("%s: %d %s", a.request, a.status, a.message)
}

// answering logs each answer, and turns each unsuccessful answer into an error. Each library on
// top drops a different part of the server's message.
type answering struct {
	kind   *kind
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
	if t.kind.asksLogin != nil && t.kind.asksLogin(response) {
		response.StatusCode = http.StatusUnauthorized
	}
	if response.StatusCode < http.StatusBadRequest {
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
		message: wording.Words(t.masker.Mask(words(body))),
	}
}

// words takes the messages for people out of the body of an error.
func words(body []byte) string {
	var said map[string]any
	if err := json.Unmarshal(body, &said); err != nil {
		return string(body)
	}
	return strings.Join(texts(said), "\n")
}

// texts returns the texts in a JSON value. Of an object with messages for people, it returns only
// these. Forges answer with a message, with errors, or with both; these are texts, lists or objects.
func texts(value any) (all []string) {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		for _, item := range v {
			all = append(all, texts(item)...)
		}
	case map[string]any:
		for _, name := range []string{"message", "error", "error_description", "errors"} {
			all = append(all, texts(v[name])...)
		}
		if len(all) == 0 {
			for _, name := range slices.Sorted(maps.Keys(v)) {
				all = append(all, strings.Join(texts(v[name]), " "))
			}
			return []string{strings.Join(all, " ")}
		}
	}
	return all
}

// rest speaks JSON over HTTP with a forge that has no library.
type rest struct {
	http          *http.Client
	root          string // the URL of the repository in the interface
	authorization string
	query         url.Values // of every request
	header        http.Header
}

// do sends a request, with a JSON text of in unless in is nil, and decodes the answer into out. If out
// is nil, the answer may be empty, but not the page of a proxy.
func (c rest) do(ctx context.Context, method, path string, query url.Values, in, out any) (http.Header, error) {
	body, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	all := url.Values{}
	maps.Copy(all, c.query)
	maps.Copy(all, query)
	request, err := http.NewRequestWithContext(ctx, method, c.root+path+"?"+all.Encode(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if in == nil {
		request.Body, request.GetBody, request.ContentLength = http.NoBody, nil, 0
	} else {
		request.Header.Set("Content-Type", "application/json")
	}
	maps.Copy(request.Header, c.header)
	request.Header.Set("Authorization", c.authorization)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", userAgent)
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }() // the relevant part was read
	answered := json.NewDecoder(response.Body)
	if out != nil {
		return response.Header, answered.Decode(out)
	}
	if err = answered.Decode(new(any)); errors.Is(err, io.EOF) {
		err = nil
	}
	return response.Header, err
}

// pages lists the items of pages, until list returns no next page (0) or an empty one.
func pages[T any](list func(page int) (items []T, next int, err error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for page := 1; page > 0; {
			items, next, err := list(page)
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if page = next; len(items) == 0 {
				return
			}
		}
	}
}

// collect reads the items of a list, at most one more than most.
func collect[T, R any](most int, list iter.Seq2[T, error], read func(item T) R) (all []R, err error) {
	for item, err := range list {
		if err != nil {
			return nil, err
		}
		if all = append(all, read(item)); len(all) > most {
			break
		}
	}
	return all, nil
}
