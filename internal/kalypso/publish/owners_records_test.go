// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish"
)

// A record that is gone, damaged or another's makes no difference to whose the folders
// are, and the next change brings it back.
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

// With its record, an owner loses what keeps others away: what they write the same, they
// own.
func TestRecordIsLostToOthers(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	one, two := &instance{server: s}, &instance{server: s}
	one.apply(t, s.settings(both("blue")))
	s.edit(t, "prod", map[string]string{record(one): ""})
	two.fails(t, s.settings(both("green")), "already holds folders large, small", "import with the id")
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
	s.holds(t, "next", and(fleetFiles, "medium/README.md", "medium/web-live/namespace.yaml", "medium/web-live/platform-config.yaml", "medium/web-live/reconciler.yaml")...)
	if _, copied := s.repo.Files(t, "next")[record(one)]; !copied {
		t.Fatal("the record is not copied")
	}
	two.standsStill(t, next)
	// What the copy names is nobody's there, and so it is guarded as anybody's.
	next.Fleet = fleetOf("stage", "blue", "large", "medium")
	two.fails(t, next, "already holds folder large")
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
	if inv, m := s.Import(t.Context(), one.was.Location, ""); m.Failed() || inv.Environment != "prod" || !maps.Equal(inv.Packages, one.was.Packages) {
		t.Errorf("the import finds %+v, %+v", inv, m.Errors)
	}
}

// Records that others have written by hand neither keep anybody from their own folders,
// nor have anything removed.
func TestRecordsOfStrangers(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	strange := map[string]string{
		".kalypso/README.md":        "# What is whose",
		".kalypso/0123456789abcdef": `{"environment": "x", "branch": "prod", "path": "../..", "cluster_types": ["large"]}`,
		".kalypso/1123456789abcdef": `{"environment": "x", "branch": "prod", "path": ".", "cluster_types": ["../large", "/etc"]}`,
		".kalypso/2123456789abcdef": `{"environment": "x", "branch": "prod", "path": "theirs", "cluster_types": ["large"]}`,
		".kalypso/large":            `{"environment": "x", "branch": "prod", "path": ".", "cluster_types": ["large"]}`,
		".kalypso/deep/er":          "x",
		"theirs/large/file":         "x",
	}
	s.edit(t, "prod", strange)
	i.standsStill(t, s.settings(both("blue")))
	exclusive := s.settings(both("green"))
	exclusive.Exclusive = true
	i.apply(t, exclusive)
	i.standsStill(t, exclusive)
	succeeded(t, i.destroy(t))
	files := s.repo.Files(t, "prod")
	if !maps.Equal(files, strange) {
		t.Errorf("the branch holds %v", files)
	}
}

// More records than anybody writes are an error that says what to do, and no change.
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
	says(t, m.Errors, "The GitOps repository cannot be read", "holds 1002 files, and at most 1000 are read")
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

// Two whose records come into the branch by merges: the one that came later owns what
// both claim, and the other one says so.
func TestClaimsOfTwoMerges(t *testing.T) {
	t.Parallel()
	for name, laterIsRequest := range map[string]bool{"the request is merged later": true, "the request is merged earlier": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newGitHub(t)
			requested, direct := &instance{server: s}, &instance{server: s}
			requested.apply(t, s.proposing("blue"))
			settings := s.settings(both("blue"))
			earlier, later := direct, requested
			if laterIsRequest {
				direct.apply(t, settings)
				s.merge(t, "merge")
				requested.refreshed(t, publish.InSync)
			} else {
				// The direct commit comes into the branch with a merge, after the request.
				base := s.repo.Head(t, "prod")
				direct.apply(t, settings)
				s.repo.Branch(t, "aside", "prod")
				s.repo.Branch(t, "prod", base)
				s.merge(t, "merge")
				s.repo.Merge(t, "prod", "aside")
				requested.refreshed(t, publish.InSync)
				earlier, later = requested, direct
			}
			s.owned(t, map[string]string{requested.was.Instance: "large small", direct.was.Instance: "large small"})
			wants := func(i *instance, family string) publish.Settings {
				if i == requested {
					return s.proposing(family)
				}
				return s.settings(both(family))
			}
			later.standsStill(t, wants(later, "blue"))
			earlier.hears(t, wants(earlier, "blue"), "Folders have another owner now", record(later))
			later.standsStill(t, wants(later, "blue"))

			// The next change takes the folders out of the other one's record.
			later.apply(t, wants(later, "green"))
			if later == requested {
				s.merge(t, "squash")
				later.refreshed(t, publish.InSync)
			}
			s.owned(t, map[string]string{later.was.Instance: "large small"})
			earlier.loses(t, wants(earlier, "blue"))
			later.standsStill(t, wants(later, "green"))
			s.has(t, "prod", "green")
		})
	}
}

// The same where the folders lie in each other, which no merge takes for a conflict.
func TestClaimsOfTwoMergesInEachOther(t *testing.T) {
	t.Parallel()
	for name, outerIsLater := range map[string]bool{"outer later": true, "inner later": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newGitHub(t)
			outer, inner := &instance{server: s}, &instance{server: s}
			around := s.requesting(fleetOf("dev", "blue", "fleet"), publish.RequestSettings{})
			within := inFolder(s.requesting(fleet("blue", "large"), publish.RequestSettings{}), "fleet")
			outer.apply(t, around)
			inner.apply(t, within)
			first, second := outer, inner
			if outerIsLater {
				first, second = inner, outer
			}
			s.github.Merge(t, first.was.PullRequest, "merge")
			s.github.Merge(t, second.was.PullRequest, "merge")
			if outer.refresh(t); outer.was.Status != publish.Drifted {
				t.Errorf("the folder around holds what is in it: %q", outer.was.Status)
			}
			inner.refreshed(t, publish.InSync)
			if outerIsLater {
				inner.hears(t, within, "Folders have another owner now", "belongs to environment \"dev\"")
				changes(t, outer.apply(t, around), "+0 ~0 -1 packages in 1 cluster type")
				return
			}
			outer.fails(t, around, "Folders have another owner now", "belongs to environment \"prod\", path \"fleet\"")
			inner.standsStill(t, within)

			// The next change settles it, whether it is proposed or written.
			for family, request := range map[string]*publish.RequestSettings{"green": within.Request, "red": nil} {
				within.Fleet, within.Request = fleet(family, "large"), request
				changes(t, inner.apply(t, within), "+0 ~1 -0 packages in 1 cluster type")
				if request != nil {
					s.merge(t, "merge")
					inner.refreshed(t, publish.InSync)
				}
				inner.standsStill(t, within)
				s.owned(t, map[string]string{inner.was.Instance: "large"})
				outer.fails(t, around, "Folders have another owner now")
			}
		})
	}
}

// What another one commits while an apply waits for its merge came before that.
func TestClaimsWhileARequestWaits(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	requested, direct := &instance{server: s}, &instance{server: s}
	waited := false
	s.waits = func() {
		if !waited {
			waited = true
			direct.apply(t, s.settings(both("blue")))
			s.merge(t, "merge")
		}
	}
	requested.server = s
	waiting := s.requesting(both("blue"), publish.RequestSettings{Wait: true})
	requested.apply(t, waiting)
	requested.standsStill(t, waiting)
	direct.loses(t, s.settings(both("green")))
}
