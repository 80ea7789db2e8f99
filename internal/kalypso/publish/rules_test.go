// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/race"
)

// Whatever people do with configurations, states and branches: each commit changes only what
// the rules allow, and in the end, with the cures that errors name, everything wanted is there.
func TestRules(t *testing.T) {
	t.Parallel()
	const lanes = 4
	for lane := range uint64(lanes) {
		t.Run(fmt.Sprint(lane), func(t *testing.T) {
			t.Parallel()
			for seed := range race.Seeds(ruledSeeds) / lanes {
				w := newRulesWorld(t, seed*lanes+lane)
				w.run(0, runOptions{})
				for range 1 + w.IntN(8) {
					w.step()
				}
				w.settle()
			}
		})
	}
}

// ruledSeeds are how many sequences are tried.
const ruledSeeds = 120

// folderAt is the folder of a cluster type.
type folderAt struct{ branch, path, name string }

func (f folderAt) String() string { return f.branch + ":" + f.path + "/" + f.name }

// place is the folder's path from the repository's root.
func (f folderAt) place() string { return git.Location{Path: f.path}.Join(f.name) }

// ruledFolders are all folders that these tests know.
func ruledFolders() (all []folderAt) {
	for _, at := range []folderAt{{branch: "prod", path: "."}, {branch: "prod", path: "p"}, {branch: "next", path: "."}} {
		for _, name := range ruledTypes {
			all = append(all, folderAt{at.branch, at.path, name})
		}
	}
	return all
}

// snapshot is what a commit holds: the ids of folders that are there and not emptied, the
// records that count, and every other file.
type snapshot struct {
	folders map[folderAt]string
	records ownership.Records
	others  map[string]string
}

func (w *rulesWorld) snapshot(branch, commit string) snapshot {
	s := snapshot{folders: map[folderAt]string{}, others: map[string]string{}}
	records := &git.Found{Mode: tree.ModeDir}
	files := w.repo.Files(w.t, commit)
	for path, text := range files {
		if instance, ok := strings.CutPrefix(path, ".kalypso/"); ok {
			records.Entries = append(records.Entries, tree.File(instance, []byte(text)))
			continue
		}
		ours := slices.ContainsFunc(ruledFolders(), func(f folderAt) bool { return strings.HasPrefix(path, f.place()+"/") })
		if !ours {
			s.others[path] = text
		}
	}
	for _, f := range ruledFolders() {
		isIn := func(path string) bool { return strings.HasPrefix(path, f.place()+"/") }
		emptied := strings.HasPrefix(files[f.place()+"/README.md"], "<!-- emptied")
		if f.branch == branch && !emptied && slices.ContainsFunc(slices.Collect(maps.Keys(files)), isIn) {
			s.folders[f] = w.repo.Tree(w.t, commit, f.place())
		}
	}
	var err error
	if s.records, err = ownership.ReadRecords(records, branch); err != nil {
		w.t.Fatal(err)
	}
	return s
}

// listing are the records that list a folder.
func (s snapshot) listing(f folderAt) (all []ownership.Record) {
	for _, instance := range slices.Sorted(maps.Keys(s.records)) {
		if r := s.records[instance].Record; r.Path == f.path && slices.Contains(r.ClusterTypes, f.name) {
			all = append(all, r)
		}
	}
	return all
}

// catchUp takes the commits of others for checked.
func (w *rulesWorld) catchUp() {
	for _, branch := range []string{"prod", "next"} {
		w.seen[branch] = len(w.repo.Commits(w.t, branch))
	}
}

// check checks the commits that one resource has made.
func (w *rulesWorld) check(number int, a *acting, all []*acting) {
	w.t.Helper()
	for _, branch := range []string{"prod", "next"} {
		commits := w.repo.Commits(w.t, branch)
		for i := w.seen[branch]; i < len(commits); i++ {
			subject, _, _ := strings.Cut(w.repo.Message(w.t, commits[i]), "\n")
			w.tell("  a commit on %s: %s", branch, subject)
			w.checkCommit(number, a, all, w.snapshot(branch, commits[i-1]), w.snapshot(branch, commits[i]))
		}
	}
	w.catchUp()
}

func (w *rulesWorld) checkCommit(number int, a *acting, all []*acting, before, after snapshot) {
	w.t.Helper()
	if !maps.Equal(before.others, after.others) {
		w.wrong("%s has changed what no resource writes: %v becomes %v", a.address, before.others, after.others)
	}
	for _, f := range ruledFolders() {
		was, is := before.folders[f], after.folders[f]
		if len(after.listing(f)) > max(1, len(before.listing(f))) {
			w.wrong("%s has two records list %s: %v", a.address, f, after.listing(f))
		}
		if was == "" || was == is {
			continue
		}
		if !w.mayChange(a, f, before, was) {
			w.wrong("%s has changed %s, and nothing shows that it may: %v", a.address, f, before.listing(f))
		}
		for _, other := range all {
			if is == "" && other.config != nil && other.process == a.process && w.spaces[number].wants(other.config, f) {
				w.wrong("%s has emptied %s, which %s names", a.address, f, other.address)
			}
		}
	}
	for instance, r := range before.records {
		if a.isInstance(instance) {
			continue
		}
		left := after.records[instance]
		for _, name := range r.ClusterTypes {
			f := folderAt{r.Branch, r.Path, name}
			if !slices.Contains(left.ClusterTypes, name) && !a.takesOver(f, r.Record) {
				w.wrong("%s has taken %s out of the record %s", a.address, f, r)
			}
		}
	}
}

// isInstance reports whether a resource has an id, before or after its apply.
func (a *acting) isInstance(id string) bool { return a.before != nil && a.before.was.Instance == id }

// takesOver reports whether the plan shows that a folder is taken over, and its record allows it.
func (a *acting) takesOver(f folderAt, r ownership.Record) bool {
	return a.plan != nil && strings.HasPrefix(a.plan.TakenOver[f.place()], ".kalypso/"+r.Instance) && a.config.branch == f.branch &&
		a.config.path == f.path &&
		r.Environment == a.config.environment
}

// mayChange says by the rules whether a resource may change what is in a folder.
func (w *rulesWorld) mayChange(a *acting, f folderAt, before snapshot, was string) bool {
	listing := before.listing(f)
	applied := ""
	if a.before != nil && !a.replaced && a.before.was.Location.Branch == f.branch && a.before.was.Location.Path == f.path {
		if object, ok := a.before.inventory(w.t).Applied[f.place()]; ok {
			applied = object.ID.String()
		}
	}
	names := a.config != nil && a.config.branch == f.branch && a.config.path == f.path &&
		(a.config.list == nil || slices.Contains(a.config.list, f.name))
	switch {
	case len(listing) == 0:
		return applied == was
	case len(listing) > 1:
		return false
	case a.isInstance(listing[0].Instance) && !a.replaced:
		return applied != "" || names
	}
	return names && a.takesOver(f, listing[0])
}
