// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// says answers everything so.
type says struct {
	status int
	body   []byte
}

func (s says) RoundTrip(request *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: s.status, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(s.body)), Request: request}, nil
}

func FuzzAnswers(f *testing.F) {
	for _, body := range []string{
		`[{"number":1,"state":"open","title":"t","body":"b","head":{"ref":"h","sha":"1","repo":{"id":1}},` +
			`"base":{"ref":"main","repo":{"id":1}},"labels":[{"name":"l"}],` +
			`"requested_reviewers":[{"login":"u"}],"requested_teams":[{"slug":"t"}]}]`,
		`{"number":1,"merged":true,"merged_at":"2020-01-01T00:00:00Z","merge_commit_sha":"2","merge_commit_sha":null,"head":null}`,
		`[{"id":1,"state":"success","status":"failure","context":"ci","description":"d","target_url":"https://ci.example.com",` +
			`"creator":{"login":"u"},"created_at":"2020-01-01T00:00:00Z"}]`,
		`{"total_count":2,"check_runs":[{"id":1,"name":"ci","status":"completed","conclusion":"stale",` +
			`"app":{"slug":"a"},"output":{"title":"t"},"completed_at":"2020-01-01T00:00:00Z"},null]}`,
		`[{"id":1,"body":"<!-- terraform-provider-kalypso {} -->","user":{"login":"u"}}]`,
		`{"message":"no","errors":["a",{"message":"b"},{"resource":"r","field":"f","code":"c"},7]}`, `[null]`, `{}`, `[]`, ``, `null`, `"`,
		`<html>`,
	} {
		f.Add(http.StatusOK, []byte(body))
		f.Add(http.StatusUnprocessableEntity, []byte(body))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if status < http.StatusOK || status > 599 || status >= 300 && status < 400 {
			return
		}
		r := &Repository{client: NewClient(Options{}), name: "repo", forge: "forge"}
		plain := answering{next: remote.Bound(says{status, body}, perAnswer), masker: r.client.masker, log: r.client.log}
		at := site{root: "https://forge.example", owner: "octo", name: "gitops", config: Config{Token: "token"}}
		github, err := newGitHub(at, plain)
		if err != nil {
			t.Fatal(err)
		}
		for _, r.api = range []api{github, newGitea(at, plain)} {
			_, listed := r.api.requests(t.Context(), filter{state: Open})
			_, read := r.api.request(t.Context(), 1)
			_, comments := r.api.comments(t.Context(), 1)
			_, opened := r.api.open(t.Context(), NewRequest{Title: "t"}, "b")
			merged := r.api.autoMerge(t.Context(), Request{Number: 1}, Squash, "")
			labelled := r.api.label(t.Context(), 1, []string{"l"})
			asked := r.api.askReview(t.Context(), 1, []string{"u"}, nil)
			_, statuses := r.api.statuses(t.Context(), "c")
			_, checked := r.api.checkRuns(t.Context(), "c")
			said := r.api.setStatus(t.Context(), "c", Status{})
			for _, err := range []error{listed, read, comments, opened, merged, labelled, asked, statuses, checked, said} {
				if err == nil {
					continue
				}
				e := r.explain(t.Context(), "do it", err)
				if e.Kind == 0 || len(e.Message) > 4*remote.MaxWords || strings.ContainsAny(e.Message, "\x00\x1b\r") || !utf8.ValidString(e.Message) {
					t.Errorf("the message does not fit: %q", e.Message)
				}
			}
		}
	})
}

func FuzzValues(f *testing.F) {
	f.Add([]byte(`{"a":["\"[{",{}],"b":"\\"}`), 3)
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		if size < 1 || size > 1<<20 {
			return
		}
		whole, parts := &values{ReadCloser: io.NopCloser(bytes.NewReader(text))}, &values{ReadCloser: io.NopCloser(bytes.NewReader(text))}
		got, err := io.ReadAll(whole)
		if err != nil && !remote.Is(err, remote.KindTooLarge) || err == nil && !bytes.Equal(got, text) {
			t.Errorf("read %q, %v", got, err)
		}
		buffer := make([]byte, size)
		for {
			if _, err := parts.Read(buffer); err != nil {
				if !errors.Is(err, io.EOF) && !remote.Is(err, remote.KindTooLarge) {
					t.Error(err)
				}
				break
			}
		}
		if whole.n != parts.n && whole.n <= maxValues {
			t.Errorf("%d values at once, %d in parts", whole.n, parts.n)
		}
	})
}
