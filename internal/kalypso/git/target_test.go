// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package git_test

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// A branch whose name is another name for something that exists is not created. Reading it says so.
func TestNotWritable(t *testing.T) {
	t.Parallel()
	r := fileRemote(t)
	commit := r.repo.CommitFiles(t, "main", bytesOf(foreign), "foreign")
	r.repo.Branch(t, "env", "main")
	r.repo.Branch(t, "us/dev", "main")
	r.disk.Tag(t, "v1", commit)
	heads := r.repo.Branches(t)
	c := r.client(t)
	for name, want := range map[string]string{
		"v1": "but a tag with this name", "origin/main": `Write "main"`,
		"origin/other": "", "environment": "", "v1.0": "", "main": "",
	} {
		found, err := c.Read(t.Context(), r.branch(name), git.Query{})
		if err != nil {
			t.Fatal(err)
		}
		if got := found.NotWritable; (got == nil) != (want == "") || got != nil && !strings.Contains(got.Error(), want) {
			t.Errorf("%s: %v, want %q", name, got, want)
		}
		if want == "" {
			continue
		}
		_, err = c.Apply(t.Context(), r.branch(name), job("write", edits{"a": file("1")}))
		if !remote.Is(err, remote.KindRefused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the apply gives %v, want %q", name, err, want)
		}
	}
	if now := r.repo.Branches(t); len(now) != len(heads) {
		t.Errorf("branches %v, before %v", now, heads)
	}
}
