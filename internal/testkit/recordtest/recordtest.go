// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package recordtest makes branches with records of environments.
package recordtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// Start is when the first commits are made.
var Start = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

// The instances of tests.
const (
	One = "1111111111111111"
	Two = "2222222222222222"
)

// ID makes what looks like the id of a commit: "c1" is c1c1c1…
func ID(name string) string { return strings.Repeat(name, 40)[:40] }

// Text is a record of dev at a branch called dev, as change makes it.
func Text(promoted string, change func(r *record.Record)) []byte {
	r := record.Record{Environment: "dev", Branch: "dev", Path: ".", Provider: "test", Folders: Owning("large"),
		Release: record.Release{Commit: promoted}}
	if change != nil {
		change(&r)
	}
	return r.Content()
}

// Owning are the lines of a record that owns folders.
func Owning(names ...string) map[string]record.Line {
	lines := map[string]record.Line{}
	for _, name := range names {
		lines[name] = record.Owned
	}
	return lines
}

// At is the path of the record of an instance.
func At(instance string) string { return record.RecordsFolder + "/" + instance }

// Carrying are files with one record that says c1 and so on, and something that changes.
func Carrying(promoted string) map[string][]byte {
	return map[string][]byte{At(One): Text(ID(promoted), nil), "large/web/x.yaml": []byte(promoted)}
}

// Tracking are files as Kalypso writes them.
func Tracking(promoted string) map[string][]byte {
	return map[string][]byte{engine.PromotedCommitFile: []byte(ID(promoted) + "\n"), "large/web/x.yaml": []byte(promoted)}
}

// Reader reads for one run, also repositories on this machine.
func Reader(t testing.TB, credentials ...git.Credential) record.Reader {
	t.Helper()
	return ReaderOf(t, git.Options{Credentials: credentials, Trust: remote.Trust{remote.ParsePrefix("file://")}})
}

// ReaderOf reads for one run.
func ReaderOf(t testing.TB, options git.Options) record.Reader {
	t.Helper()
	client, err := git.NewClient(options)
	if err != nil {
		t.Fatal(err)
	}
	return record.Reader{Snapshots: client.Snapshots()}
}

// Located is a repository, or a server of one.
type Located interface{ URL() string }

// Place is the whole branch dev of a repository.
func Place(repo Located) record.Place {
	return record.Place{Branch: git.Branch{Repo: repo.URL(), Name: "dev"}, Environment: "dev"}
}

// Shown returns a release in a short form: "c1", or "c1 web#main@a1", by the first digits of commits.
// "-" is nothing.
func Shown(r record.Release) string {
	if r.Commit == "" {
		return "-"
	}
	text := fmt.Sprintf("%.2s", r.Commit)
	for _, source := range slices.Sorted(maps.Keys(r.Sources)) {
		text += fmt.Sprintf(" %s@%.2s", source, r.Sources[source])
	}
	return text
}
