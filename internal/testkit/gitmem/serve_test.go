// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gitmem_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// A client that is slow to send or to take something holds up no use of the repository.
func TestSlowClient(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	head := repo.CommitFiles(t, "main", content("a", "1"), "first")
	_, handler := repo.Handler(t)
	for request, body := range map[string]string{
		"GET /info/refs?service=git-upload-pack": "",
		"POST /git-upload-pack":                  gittest.Packet("want "+head+" ") + gittest.Flush + gittest.Packet("done"),
		"POST /git-receive-pack": gittest.Packet(strings.Repeat("0", 40)+" "+head+" refs/heads/new\x00report-status") +
			gittest.Flush,
	} {
		method, path, _ := strings.Cut(request, " ")
		slow := &slowClient{ResponseRecorder: httptest.NewRecorder(), body: strings.NewReader(body), meanwhile: func() { repo.Head(t, "main") }}
		handler.ServeHTTP(slow, httptest.NewRequestWithContext(t.Context(), method, "/repo.git"+path, slow))
		if slow.Code != http.StatusOK || slow.Body.Len() == 0 || slow.body.Len() > 0 {
			t.Errorf("%s: status %d, %q, %d bytes are not read", request, slow.Code, slow.Body, slow.body.Len())
		}
	}
	if repo.Head(t, "new") != head {
		t.Error("the push did not happen")
	}
}

// slowClient is one that does something else whenever it is to send or to take.
type slowClient struct {
	*httptest.ResponseRecorder
	body      *strings.Reader
	meanwhile func()
}

func (c *slowClient) Read(p []byte) (int, error) {
	c.meanwhile()
	return c.body.Read(p)
}

func (c *slowClient) Write(p []byte) (int, error) {
	c.meanwhile()
	return c.ResponseRecorder.Write(p)
}

// Azure Repos refuses a client that does not support multi_ack.
func TestRequireMultiACK(t *testing.T) {
	t.Parallel()
	repo := gitmem.New(t)
	head := repo.CommitFiles(t, "main", content("a", "1"), "first")
	repo.RequireMultiACK()
	_, handler := repo.Handler(t)
	for capabilities, refused := range map[string]bool{"side-band-64k": true, "multi_ack side-band-64k": false} {
		answer := httptest.NewRecorder()
		body := gittest.Packet("want "+head+" "+capabilities) + gittest.Flush + gittest.Packet("done")
		handler.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/repo.git/git-upload-pack",
			strings.NewReader(body)))
		if got := strings.Contains(answer.Body.String(), "ERR upload-pack: the client has to support multi_ack"); got != refused {
			t.Errorf("%s: %q", capabilities, answer.Body)
		}
	}
}
