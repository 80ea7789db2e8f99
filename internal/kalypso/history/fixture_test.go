// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package history_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/history"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/promote/decision"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/remote"
)

// start is when the first commits are made.
var start = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

// The instances of tests.
const (
	one = "1111111111111111"
	two = "2222222222222222"
)

// id makes what looks like the id of a commit: "c1" is c1c1c1…
func id(name string) string { return strings.Repeat(name, 40)[:40] }

// record is a record of dev at a branch called dev, as change makes it.
func record(t testing.TB, promoted string, change func(r *ownership.Record)) []byte {
	t.Helper()
	r := ownership.Record{Environment: "dev", Branch: "dev", Path: ".", Provider: "test", Folders: owning("large"),
		Release: decision.Release{Commit: promoted}}
	if change != nil {
		change(&r)
	}
	return r.Content()
}

// owning are the lines of a record that owns folders.
func owning(names ...string) map[string]ownership.Line {
	lines := map[string]ownership.Line{}
	for _, name := range names {
		lines[name] = ownership.Owned
	}
	return lines
}

// recordAt is the path of the record of an instance.
func recordAt(instance string) string { return ownership.RecordsFolder + "/" + instance }

// carrying are files with one record that says c1 and so on, and something that changes.
func carrying(t testing.TB, promoted string) map[string][]byte {
	t.Helper()
	return map[string][]byte{recordAt(one): record(t, id(promoted), nil), "large/web/x.yaml": []byte(promoted)}
}

// tracking are files as Kalypso writes them.
func tracking(promoted string) map[string][]byte {
	return map[string][]byte{engine.PromotedCommitFile: []byte(id(promoted) + "\n"), "large/web/x.yaml": []byte(promoted)}
}

// reader reads for one run, also repositories on this machine.
func reader(t testing.TB, credentials ...git.Credential) history.Reader {
	t.Helper()
	return readerOf(t, git.Options{Credentials: credentials, Trust: remote.Trust{remote.ParsePrefix("file://")}})
}

func readerOf(t testing.TB, options git.Options) history.Reader {
	t.Helper()
	client, err := git.NewClient(options)
	if err != nil {
		t.Fatal(err)
	}
	return history.Reader{Snapshots: client.Snapshots(), Forges: forge.NewClient(forge.Options{})}
}

// located is a repository, or a server of one.
type located interface{ URL() string }

// place is the whole branch dev of a repository.
func place(repo located) history.Place {
	return history.Place{Branch: git.Branch{Repo: repo.URL(), Name: "dev"}, Environment: "dev"}
}

// shown returns a release in a short form: "c1", or "c1 web#main@a1", by the first digits of commits.
// "-" is nothing.
func shown(r decision.Release) string {
	if r.Commit == "" {
		return "-"
	}
	text := fmt.Sprintf("%.2s", r.Commit)
	for _, source := range slices.Sorted(maps.Keys(r.Sources)) {
		text += fmt.Sprintf(" %s@%.2s", source, r.Sources[source])
	}
	return text
}
