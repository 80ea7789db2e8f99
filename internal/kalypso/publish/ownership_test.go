// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"strings"
	"testing"
)

// stateOf is the state of an instance as it is now, for a restore.
func stateOf(i *instance) *instance {
	kept := *i
	return &kept
}

// withoutLine is the record of an instance of prod from which a line was deleted, so that it
// names these folders alone.
func withoutLine(path, clusterTypes string) string {
	return recordOf("prod", path, strings.Fields(clusterTypes)...)
}

// filesOfPeople are what somebody else puts into a folder.
func filesOfPeople(folder string) map[string]string {
	return map[string]string{folder + "/README.md": "ours", folder + "/app.yaml": "ours: true"}
}

// Files of people, which each way in TestLeavesWhatIsNotOurs puts into the folder small
// that the state names, stay whatever happens to the resource.
type way func(t *testing.T, s server, i *instance) (state *instance, left, removed []string)

var ways = map[string]way{
	"a restored state names a folder that was given up since": func(t *testing.T, s server, i *instance) (*instance, []string, []string) {
		t.Helper()
		old := stateOf(i)
		i.apply(t, s.settings(fleet("blue", "large")))
		s.edit(t, "prod", filesOfPeople("small"))
		return old, []string{"small/README.md", "small/app.yaml"}, fleetFiles[:4]
	},
	"the record is deleted": func(t *testing.T, s server, i *instance) (*instance, []string, []string) {
		t.Helper()
		s.edit(t, "prod", map[string]string{record(i): "", "small/web-live/reconciler.yaml": "ours: true", "small/web-live/namespace.yaml": ""})
		return i, []string{"small/README.md", "small/web-live/platform-config.yaml", "small/web-live/reconciler.yaml"}, fleetFiles[:4]
	},
	"a line of the record is deleted": func(t *testing.T, s server, i *instance) (*instance, []string, []string) {
		t.Helper()
		s.edit(t, "prod", map[string]string{record(i): withoutLine(".", "large"), "small/app.yaml": "ours: true"})
		return i, and(fleetFiles[4:], "small/app.yaml"), fleetFiles[:4]
	},
	"the record is damaged": func(t *testing.T, s server, i *instance) (*instance, []string, []string) {
		t.Helper()
		s.edit(t, "prod", map[string]string{record(i): "<<<<<<<", "small/app.yaml": "ours: true"})
		return i, and(fleetFiles[4:], "small/app.yaml"), fleetFiles[:4]
	},
	"the state is from before a move within the branch": func(t *testing.T, s server, i *instance) (*instance, []string, []string) {
		t.Helper()
		old := stateOf(i)
		i.apply(t, inFolder(s.settings(both("blue")), "fleet"))
		s.edit(t, "prod", filesOfPeople("small"))
		return old, and(below("fleet", fleetFiles...), "small/README.md", "small/app.yaml"), nil
	},
	"the state is from before a move to another branch": func(t *testing.T, s server, i *instance) (*instance, []string, []string) {
		t.Helper()
		old := stateOf(i)
		next := s.settings(both("blue"))
		next.Branch.Value = "next"
		i.apply(t, next)
		s.edit(t, "prod", filesOfPeople("small"))
		return old, []string{"small/README.md", "small/app.yaml"}, nil
	},
	"the record is another place's, as after a merge": func(t *testing.T, s server, i *instance) (*instance, []string, []string) {
		t.Helper()
		s.edit(t, "prod", map[string]string{record(i): withoutLine("elsewhere", "large small"), "small/app.yaml": "ours: true"})
		return i, and(fleetFiles[4:], "small/app.yaml"), fleetFiles[:4]
	},
}

// A folder goes only if the state has applied it and the record names it, or if no record
// names it and it is as it was applied. The plan of a destroy lists the folders that stay.
func TestLeavesWhatIsNotOurs(t *testing.T) {
	t.Parallel()
	for name, prepare := range ways {
		t.Run(name+", destroyed", func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			i := &instance{server: s}
			i.apply(t, s.settings(both("blue")))
			state, left, removed := prepare(t, s, i)
			s.edit(t, "prod", map[string]string{"docs/README.md": "# Docs"})
			state.refresh(t)
			m := state.planDestroy(t)
			says(t, m.Warnings, "stay unchanged: folder small")
			if len(removed) > 0 {
				says(t, m.Warnings, "Removes 1 package in 1 cluster type")
			} else {
				says(t, m.Warnings, "Removes nothing")
			}
			m = state.destroy(t)
			succeeded(t, m)
			says(t, m.Warnings, "Left to others", "small")
			s.holds(t, "prod", and(left, "docs/README.md")...)
		})
		t.Run(name+", and it leaves the fleet", func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			i := &instance{server: s}
			i.apply(t, s.settings(both("blue")))
			state, left, _ := prepare(t, s, i)
			plan, m := state.plan(t, s.settings(fleet("blue", "large")))
			succeeded(t, m)
			says(t, m.Warnings, "No longer watched", "small")
			succeeded(t, state.carryOut(t, s.settings(fleet("blue", "large")), plan))
			s.holds(t, "prod", and(left, fleetFiles[:4]...)...)
			state.standsStill(t, s.settings(fleet("blue", "large")))
		})
		t.Run(name+", and the fleet still has it", func(t *testing.T) {
			t.Parallel()
			s := newServer(t)
			i := &instance{server: s}
			i.apply(t, s.settings(both("blue")))
			state, _, _ := prepare(t, s, i)
			state.fails(t, s.settings(both("blue")), "Folders without a known owner", "No record lists folder small",
				record(state), "terraform state rm", "-refresh=false")
			// The folder in the way is gone, so our folder is written and recorded again.
			s.edit(t, "prod", map[string]string{"small": ""})
			state.apply(t, s.settings(both("blue")))
			state.standsStill(t, s.settings(both("blue")))
		})
	}
}

// Without a record, what is as it was applied is ours: it is removed, and the next change
// writes the record again.
func TestRecordIsRestored(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	s.edit(t, "prod", map[string]string{record(i): ""})
	i.standsStill(t, s.settings(both("blue")))
	i.apply(t, s.settings(both("green")))
	s.owned(t, map[string]string{i.was.Instance: "large small"})
	s.edit(t, "prod", map[string]string{record(i): ""})
	i.refresh(t)
	says(t, i.planDestroy(t).Warnings, "Removes 2 packages in 2 cluster types")
	succeeded(t, i.destroy(t))
	s.holds(t, "prod")
}

// A folder with drift is ours as long as the record names it: it is put right, or removed.
func TestDriftIsOursByTheRecord(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	i.apply(t, s.settings(both("blue")))
	s.edit(t, "prod", filesOfPeople("small"))
	i.refresh(t) // which does not make it what was applied
	i.apply(t, s.settings(fleet("blue", "large")))
	s.holds(t, "prod", fleetFiles[:4]...)
}

// A file that the resource writes beside its folders follows the same rules of ownership
// as they do.
func TestLeavesFilesThatAreNotOurs(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	i := &instance{server: s}
	settings := s.settings(promoting(both("blue"), promoted))
	i.apply(t, settings)
	s.edit(t, "prod", map[string]string{record(i): "", ".github/tracking/Promoted_Commit_Id": "ours"})
	i.fails(t, settings, "the file .github/tracking/Promoted_Commit_Id")
	i.refresh(t)
	says(t, i.planDestroy(t).Warnings, "Removes 2 packages", "the file .github/tracking/Promoted_Commit_Id")
	succeeded(t, i.destroy(t))
	s.holds(t, "prod", ".github/tracking/Promoted_Commit_Id")
}

// The content of a request counts as applied once it is merged. Before that, a folder that
// somebody else puts there is theirs.
func TestWhatIsProposedIsNotOursYet(t *testing.T) {
	t.Parallel()
	s := newGitHub(t)
	i := &instance{server: s}
	settings := s.proposing("blue")
	settings.Fleet = fleet("blue", "large")
	i.apply(t, settings)
	s.edit(t, "prod", filesOfPeople("large"))
	i.fails(t, settings, "No record lists folder large")
	says(t, i.planDestroy(t).Warnings, "Removes nothing", "stay unchanged: folder large")
	succeeded(t, i.destroy(t))
	s.holds(t, "prod", "docs/index.md", "large/README.md", "large/app.yaml")
}
