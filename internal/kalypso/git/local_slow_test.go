// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// Nothing of an answer is lost if this process reads it long after git has ended, as on a machine
// with a high load.
func TestLocalAnswerIsReadLate(t *testing.T) {
	t.Parallel()
	repo := gittest.NewBare(t)
	head := repo.CommitFiles(t, "main", map[string][]byte{"a": []byte("one")}, "first")
	last := ""
	for i := range 100 { // more than the buffers hold
		last = fmt.Sprintf("z%03d/%s", i, strings.Repeat("x", 200))
		repo.Branch(t, last, head)
	}
	url, err := remote.Parse(repo.FileURL())
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/info/refs?service=git-upload-pack", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := localGit{url}.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	time.Sleep(1500 * time.Millisecond) // git has ended
	if text, err := io.ReadAll(answer.Body); err != nil || !strings.Contains(string(text), last) {
		t.Errorf("the answer has %d bytes, error %v", len(text), err)
	}
}
