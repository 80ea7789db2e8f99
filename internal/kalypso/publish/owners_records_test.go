// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/request"
)

// If a record is gone, damaged or another's, the owners of the folders stay the same, and
// the next change brings the record back.
func TestRecordIsLost(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"deleted": "", "corrupt": "<<<<<<< ours\n{}\n", "cut off": `{"environment": "prod", "bra`, "empty": "\n",
		"of another branch": `{"environment": "prod", "branch": "next", "path": ".", "cluster_types": ["large", "small"]}`,
		"of another place":  `{"environment": "prod", "branch": "prod", "path": "old", "cluster_types": ["large", "small"]}`,
		"without folders":   `{"environment": "prod", "branch": "prod", "path": ".", "cluster_types": []}`,
		"of other folders":  `{"environment": "prod", "branch": "prod", "path": ".", "cluster_types": ["medium"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			i := &instance{server: s}
			i.apply(t, s.settings(both("blue")))
			s.edit(t, "prod", map[string]string{record(i): text})
			i.standsStill(t, s.settings(both("blue")))
			i.apply(t, s.settings(both("green")))
			s.owned(t, map[string]string{i.was.Instance: "large small"})
			i.standsStill(t, s.settings(both("green")))

			s.edit(t, "prod", map[string]string{record(i): text})
			succeeded(t, i.destroy(t))
			s.holds(t, "prod")
		})
	}
}

// An owner without its record is not protected from others any more. If they write the
// same content, they own it.
func TestRecordIsLostToOthers(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	one, two := &instance{server: s}, &instance{server: s}
	one.apply(t, s.settings(both("blue")))
	s.edit(t, "prod", map[string]string{record(one): ""})
	two.fails(t, s.settings(both("green")), "already has folders large, small", "import with the id")
	two.apply(t, s.settings(both("blue")))
	s.owned(t, map[string]string{two.was.Instance: "large small"})
	one.loses(t, s.settings(both("red")))
	two.standsStill(t, s.settings(both("blue")))
}

// A takeover that somebody reverts gives the folders back.
func TestTakeOverReverted(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	one, two := &instance{server: s}, &instance{server: s}
	one.apply(t, s.settings(both("blue")))
	before := s.repo.Files(t, "prod")
	two.apply(t, s.settings(both("green")))
	before[record(two)] = ""
	s.edit(t, "prod", before)
	one.standsStill(t, s.settings(both("blue")))
	two.loses(t, s.settings(both("green")))
	one.standsStill(t, s.settings(both("blue")))
	s.owned(t, map[string]string{one.was.Instance: "large small"})
}

// A record counts on its own branch: a branch that starts from another one, and a merge
// back, bring copies of records that claim nothing.
func TestRecordIsCopied(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	one, two := &instance{server: s}, &instance{server: s}
	one.apply(t, s.settings(both("blue")))
	next := s.settings(fleetOf("stage", "blue", "medium"))
	next.Branch.Value, next.StartFrom = "next", "prod"
	two.apply(t, next)
	s.holds(t, "next", and(fleetFiles, "medium/README.md", "medium/web-live/namespace.yaml", "medium/web-live/platform-config.yaml",
		"medium/web-live/reconciler.yaml")...)
	if _, copied := s.repo.Files(t, "next")[record(one)]; !copied {
		t.Fatal("the record is not copied")
	}
	two.standsStill(t, next)
	// The folders that the copy names have no owner there, so they are guarded as foreign
	// folders.
	next.Fleet = fleetOf("stage", "blue", "large", "medium")
	two.fails(t, next, "already has folder large")
	next.Fleet = fleetOf("stage", "green", "medium")
	two.apply(t, next)

	s.repo.Merge(t, "prod", "next")
	if _, copied := s.repo.Files(t, "prod")[record(two)]; !copied {
		t.Fatal("the record is not copied")
	}
	one.standsStill(t, s.settings(both("blue")))
	more := s.settings(both("green"))
	one.apply(t, more)
	one.standsStill(t, more)
	two.standsStill(t, next)
	if inv, m := s.Import(t.Context(), one.was.Location, ""); m.Failed() || inv.Environment != "prod" ||
		!maps.Equal(inv.Packages, one.was.Packages) {
		t.Errorf("the import finds %+v, %+v", inv, m.Errors)
	}
}

// Records that others have written by hand keep nobody from their own folders, and remove
// nothing.
func TestRecordsOfStrangers(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	strange := map[string]string{
		".kalypso/README.md":        "# What is whose",
		".kalypso/0123456789abcdef": recordOf("x", "../..", "large"),
		".kalypso/1123456789abcdef": recordOf("x", ".", "../large", "/etc"),
		".kalypso/2123456789abcdef": recordOf("x", "theirs", "large"),
		".kalypso/large":            recordOf("x", ".", "large"),
		".kalypso/deep/er":          "x",
		"theirs/large/file":         "x",
	}
	s.edit(t, "prod", strange)
	i.standsStill(t, s.settings(both("blue")))
	succeeded(t, i.destroy(t))
	files := s.repo.Files(t, "prod")
	if !maps.Equal(files, strange) {
		t.Errorf("the branch holds %v", files)
	}
}

// If there are more records than anybody writes, this is an error with advice, and nothing
// changes.
func TestTooManyRecords(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	many := map[string]string{}
	for n := range 1001 {
		many[".kalypso/"+fmt.Sprintf("%016x", n)] = "{}"
	}
	s.edit(t, "prod", many)
	_, m := i.Refresh(t.Context(), i.applied(), i.inventory(t))
	says(t, m.Errors, "The GitOps repository cannot be read", "has 1002 files, and at most 1000 are read")
	_, m = s.Import(t.Context(), i.was.Location, "")
	says(t, m.Errors, "at most 1000 are read")
	plan, m := i.Plan(t.Context(), i.job(t, s.settings(both("green")))) // as with -refresh=false
	succeeded(t, m)
	m = i.carryOut(t, s.settings(both("green")), plan)
	says(t, m.Errors, "at most 1000 are read")
	s.commits(t, "prod", 2)
	for name := range many {
		many[name] = ""
	}
	s.edit(t, "prod", many)
	i.apply(t, s.settings(both("green")))
}

// Two whose records come into the branch by a merge list the same: neither changes anything
// until the line is deleted in one of the two files.
func TestTwoRecordsListOneFolder(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	requested, direct := &instance{server: s}, &instance{server: s}
	requested.apply(t, s.proposing("blue"))
	direct.apply(t, s.settings(both("blue")))
	s.merge(t, "merge")
	s.owned(t, map[string]string{requested.was.Instance: "large small", direct.was.Instance: "large small"})
	words := []string{"Two records list one folder", record(requested), record(direct), "cluster_type: large", "cluster_type: small",
		"delete these line"}
	direct.fails(t, s.settings(both("green")), words...)
	requested.fails(t, s.proposing("green"), words...)
	says(t, direct.planDestroy(t).Errors, words...)

	s.edit(t, "prod", map[string]string{record(requested): ""})
	direct.apply(t, s.settings(both("green")))
	direct.standsStill(t, s.settings(both("green")))
	requested.loses(t, s.proposing("red"))
}

// The same holds if the folders lie in each other. No merge treats that as a conflict.
func TestFoldersOfTwoMergesInEachOther(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	outer, inner := &instance{server: s}, &instance{server: s}
	around := s.requesting(fleetOf("dev", "blue", "fleet"), request.Settings{})
	within := inFolder(s.requesting(fleet("blue", "large"), request.Settings{}), "fleet")
	outer.apply(t, around)
	inner.apply(t, within)
	for _, i := range []*instance{outer, inner} {
		s.github.Merge(t, i.was.PullRequest, "merge")
	}
	outer.fails(t, around, "Folders have another owner now", "belongs to environment \"prod\", path \"fleet\"")
	inner.fails(t, within, "Folders have another owner now", "belongs to environment \"dev\"")
	s.edit(t, "prod", map[string]string{record(outer): ""})
	inner.standsStill(t, within)
}

// recordOf is the text of a record of prod.
func recordOf(environment, path string, clusterTypes ...string) string {
	r := ownership.Record{Environment: environment, Branch: "prod", Path: path, ClusterTypes: clusterTypes, Provider: "test"}
	return string(r.Content())
}
