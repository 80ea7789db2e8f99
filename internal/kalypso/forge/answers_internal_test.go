// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package forge

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
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

// Whatever a forge answers, an operation ends with a result or with a message that can be shown.
func FuzzAnswers(f *testing.F) {
	for _, body := range []string{
		`[{"number":1,"iid":1,"state":"open","title":"t","body":"b","head":{"ref":"h","sha":"1","repo":{"id":1}},` +
			`"base":{"ref":"main","repo":{"id":1}},"labels":[{"name":"l"}]}]`,
		`{"number":1,"iid":1,"pullRequestId":1,"merged":true,"merged_at":"2020-01-01T00:00:00Z","merge_commit_sha":null,"head":null}`,
		`[{"id":1,"state":"success","status":"failure","context":"ci","description":"d","target_url":"https://ci.example.com",` +
			`"creator":{"login":"u"},"created_at":"2020-01-01T00:00:00Z"}]`,
		`{"total_count":2,"check_runs":[{"id":1,"name":"ci","status":"completed","conclusion":"stale",` +
			`"app":{"slug":"a"},"output":{"title":"t"},"completed_at":"2020-01-01T00:00:00Z"},null]}`,
		`{"count":1,"value":[{"pullRequestId":1,"status":"active"},null]}`,
		`{"message":"no","errors":["a",{"message":"b"},{"resource":"r","field":"f","code":"c"},7]}`, `{"message":{"base":["no"]}}`,
		`[null]`, `{}`, `[]`, ``, `null`, `"`, `"text"`, `<html>`, `{"message":7,"errors":{"a":[[]]}}`,
	} {
		f.Add(http.StatusOK, []byte(body))
		f.Add(http.StatusUnprocessableEntity, []byte(body))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if status < http.StatusOK || status > 599 || status >= 300 && status < 400 {
			return
		}
		client := NewClient(Options{Sleep: func(context.Context, time.Duration) bool { return false }})
		at := site{root: "https://forge.example", path: []string{"octo", "gitops"}, config: Config{Token: "token"}}
		for _, k := range kinds {
			at.kind = k
			if k.software == Azure {
				at.path = []string{"octo", "gitops", "_git", "gitops"}
			}
			answers := answering{kind: k, next: remote.Bound(says{status, body}), masker: client.masker, log: client.log}
			on, err := k.connect(at, newHTTPClient(answers))
			if err != nil {
				t.Fatal(err)
			}
			r := &Repository{client: client, name: "repo", kind: k, config: at.config, forge: on}
			id := strings.Repeat("a", 40)
			_, found := r.FindByHead(t.Context(), "main", "h")
			_, read := r.Request(t.Context(), 1)
			_, opened := r.Propose(t.Context(), NewRequest{Title: "t", Labels: []string{"l"}, Reviewers: []string{"u"}})
			merged := r.AutoMerge(t.Context(), 1, Squash, "")
			closed := r.Close(t.Context(), 1, "c")
			_, statuses := r.Reports(t.Context(), id)
			said := r.SetStatus(t.Context(), id, Status{})
			for _, err := range []error{found, read, opened, merged, closed, statuses, said} {
				if err != nil && (len(err.Error()) > 4*wording.MaxWords || strings.ContainsAny(err.Error(), "\x00\x1b\r") ||
					!utf8.ValidString(err.Error())) {
					t.Errorf("%s: the message does not fit: %q", k.name, err)
				}
			}
		}
	})
}
