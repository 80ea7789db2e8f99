// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package record_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/race"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/recordtest"
)

var histories = flag.Int("histories", 400, "how many random histories are read")

// world is a repository in which people and Terraform work on one environment, or on a part of it that is named by a path or a cluster
// type. had is what it really had: 0 is its end.
type world struct {
	*rand.Rand
	now, releases, instances int
	commits                  []*commit
	heads                    []*commit // of the branch, as time went on
	had                      []int
	log                      []string

	environment, branch, path, clusterType string
	instance                               string
	// sibling is an instance of the same environment with another path or cluster type.
	sibling, siblingType string
	foreign              *commit
	isKalypso            bool
	kind                 kind
}

// kind says which part of a branch is the environment.
type kind int

const (
	whole kind = iota
	wave
	folder
)

type commit struct {
	parents []*commit
	time    int
	tree    content
	id      string
}

// content is what a commit has: its records by instance, and the tracking file.
type content struct {
	records map[string]record.Record
	tracked int
}

func (c content) clone() content { return content{maps.Clone(c.records), c.tracked} }

func name(release int) string { return fmt.Sprint("v", release) }

// newWorld returns a world before its first event. In some, the branch begins as one of another environment or of Kalypso itself.
func newWorld(seed uint64) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, 0)), environment: "stage", branch: fmt.Sprintf("s%d/stage", seed), path: ".",
		clusterType: "a", siblingType: "b"}
	w.kind = kind(max(0, w.IntN(5)-2))
	if w.kind == folder {
		w.path = "eu"
	}
	w.push(content{records: map[string]record.Record{}})
	switch w.IntN(4) {
	case 0:
		w.isKalypso = w.kind == whole
	case 1: // git branch stage dev
		for range 1 + w.IntN(3) {
			tree := w.head().tree.clone()
			tree.records["00000000000000dd"] = w.record("dev", "dev", w.next())
			tree.tracked = w.releases
			w.push(tree)
		}
	}
	return w
}

func (w *world) head() *commit { return w.heads[len(w.heads)-1] }

// commit makes a commit that the branch need not have.
func (w *world) commit(tree content, parents ...*commit) *commit {
	w.now += 1 + w.IntN(3)
	c := &commit{parents: parents, time: w.now, tree: tree}
	w.commits = append(w.commits, c)
	return c
}

// push makes a commit the newest of the branch. Its parents are the newest commit and others.
func (w *world) push(tree content, merged ...*commit) {
	if len(w.heads) > 0 {
		merged = append([]*commit{w.head()}, merged...)
	}
	w.heads = append(w.heads, w.commit(tree, merged...))
}

func (w *world) next() int { w.releases++; return w.releases }

func (w *world) newInstance() string {
	w.instances++
	return fmt.Sprintf("%016x", w.instances)
}

// record returns a record of the environment's own part.
func (w *world) record(environment, branch string, release int) record.Record {
	r := record.Record{Environment: environment, Branch: branch, Path: w.path, IsPart: w.kind == wave, Provider: "1",
		Release: record.Release{Commit: name(release)}, Folders: recordtest.Owning(w.clusterType)}
	if w.kind == whole {
		r.Folders["b"], r.Folders[engine.PromotedCommitFile] = record.Owned, record.Owned
	}
	return r
}

// is returns the present release: 0 for none.
func (w *world) is() int {
	if len(w.had) == 0 {
		return 0
	}
	return w.had[len(w.had)-1]
}

// isWritten reports whether the environment has a record that owns its folders, under its present names.
func (w *world) isWritten() bool {
	r, isThere := w.head().tree.records[w.instance]
	return isThere && r.Environment == w.environment && r.Branch == w.branch && r.Folders[w.clusterType] == record.Owned
}

// write is what an apply does: it changes the record, or makes a new one that takes over the folders of the one before.
func (w *world) write(tree content, release int) {
	if r, isThere := tree.records[w.instance]; !isThere || r.Branch != w.branch || r.Environment != w.environment || r.Path != w.path ||
		r.Folders[w.clusterType] == record.Released {
		if isThere && r.Branch == w.branch && (r.Path == w.path || w.IntN(2) == 0) {
			delete(tree.records, w.instance) // otherwise it stays as a copy that names another branch, or with released folders
		}
		w.instance = w.newInstance()
	}
	tree.records[w.instance] = w.record(w.environment, w.branch, release)
}

// events are what can happen, some more often.
var events = strings.Fields("apply apply apply apply revert revert request pull pull branch branch environment foreign same replace " +
	"kalypso retain destroy delete sibling sibling part")

// happen lets something happen. It does nothing if that is not possible.
func (w *world) happen(what string) {
	tree, isThere := w.head().tree.clone(), w.isWritten()
	record0, hasRecord := tree.records[w.instance]
	is, was := w.is(), w.is()
	switch {
	case what == "kalypso" && w.isKalypso && len(tree.records) == 0:
		is = w.next()
		tree.tracked = is
	case what == "apply":
		is = w.next()
		w.write(tree, is)
		w.track(&tree, is)
	case what == "revert" && isThere && len(w.life()) > 1:
		older := slices.DeleteFunc(slices.Clone(w.life()), func(r int) bool { return r >= w.is() })
		if len(older) == 0 {
			return
		}
		is = older[w.IntN(len(older))]
		tree.records[w.instance] = w.record(w.environment, w.branch, is)
		w.track(&tree, is)
	case what == "request" && isThere:
		base := w.head()
		if earlier := w.heads[max(0, len(w.heads)-1-w.IntN(3))]; earlier.tree.records[w.instance].Branch == w.branch {
			base = earlier
		}
		is = w.next()
		proposed := base.tree.clone()
		for _, t := range []*content{&proposed, &tree} {
			t.records[w.instance] = w.record(w.environment, w.branch, is)
			w.track(t, is)
		}
		w.had = append(w.had, is)
		w.log = append(w.log, fmt.Sprint(what, " ", is))
		w.push(tree, w.commit(proposed, base))
		return
	case what == "pull": // the person's commit becomes the first parent
		base := w.heads[w.IntN(len(w.heads))]
		own := w.commit(base.tree.clone(), base)
		w.heads = append(w.heads, w.commit(tree, own, w.head()))
		w.log = append(w.log, what)
		return
	case what == "branch" && is > 0: // renamed or copied; the resource follows at the next apply, or now
		w.branch += "'"
		w.moveSibling(&tree)
		if w.IntN(3) == 0 {
			w.log = append(w.log, what+" "+w.branch)
			return
		}
		w.write(tree, is)
	case what == "environment" && isThere:
		w.environment += "'"
		if w.moveSibling(&tree); w.IntN(2) == 0 { // another resource takes the folders over
			delete(tree.records, w.instance)
			w.instance = w.newInstance()
		}
		tree.records[w.instance] = w.record(w.environment, w.branch, is)
	case what == "foreign" && len(tree.records) > 0:
		records := map[string]record.Record{"00000000000000ff": {Environment: "dev", Branch: "dev", Path: w.path, Provider: "1",
			Release: record.Release{Commit: name(w.next())}, Folders: recordtest.Owning("a", "b")}}
		parents := []*commit{}
		if w.foreign != nil {
			parents = append(parents, w.foreign)
		}
		w.foreign = w.commit(content{records: records}, parents...)
		maps.Copy(tree.records, records)
		w.log = append(w.log, what)
		w.push(tree, w.foreign)
		return
	case what == "same" && hasRecord:
	case what == "replace" && isThere:
		delete(tree.records, w.instance)
		w.instance = w.newInstance()
		tree.records[w.instance] = w.record(w.environment, w.branch, is)
	case what == "retain" && isThere: // destroyed, or a replacement that fails half-way
		record0.Folders = map[string]record.Line{w.clusterType: record.Released}
		tree.records[w.instance] = record0
	case what == "destroy" && isThere:
		delete(tree.records, w.instance)
		tree.tracked, is = 0, 0
	case what == "delete" && isThere && len(tree.records) == 1 && w.kind == whole: // by hand; the tracking file stays
		delete(tree.records, w.instance)
	case what == "sibling" && w.kind != whole:
		if _, has := tree.records[w.sibling]; !has {
			w.sibling = w.newInstance()
		}
		r := w.record(w.environment, w.branch, w.next())
		if r.Folders = recordtest.Owning(w.siblingType); w.kind == folder {
			r.Path, r.Folders = "us", recordtest.Owning("a")
		}
		tree.records[w.sibling] = r
	case what == "part" && isThere && w.kind == wave: // a cluster type gets another name
		w.clusterType += "'"
		tree.records[w.instance] = w.record(w.environment, w.branch, is)
	case what == "part" && isThere && w.kind == folder: // the folder gets another name: destroyed, then created
		record0.Folders = map[string]record.Line{w.clusterType: record.Released}
		tree.records[w.instance] = record0
		w.push(tree)
		w.path += "x"
		tree = tree.clone()
		w.write(tree, is)
	case what == "part" && isThere && w.kind == whole && w.environment == "stage": // the last cluster type becomes a wave of its own
		w.kind, w.sibling, w.siblingType, w.clusterType = wave, w.instance, "a", "b"
		record0.Folders = recordtest.Owning("a")
		tree.records[w.instance], tree.tracked = record0, 0
		w.instance = w.newInstance()
		tree.records[w.instance] = w.record(w.environment, w.branch, is)
	default:
		return
	}
	if is != was {
		w.had = append(w.had, is)
	}
	w.log = append(w.log, fmt.Sprintf("%s %s", what, name(is)))
	w.push(tree)
}

// track writes the tracking file, which only the resource of a whole branch writes.
func (w *world) track(tree *content, release int) {
	if w.kind == whole {
		tree.tracked = release
	}
}

// moveSibling gives the sibling the names of the environment, with a new instance or the same.
func (w *world) moveSibling(tree *content) {
	r, has := tree.records[w.sibling]
	if !has {
		return
	}
	if r.Branch != w.branch {
		w.sibling = w.newInstance()
	}
	r.Environment, r.Branch = w.environment, w.branch
	tree.records[w.sibling] = r
}

// life are the releases since the environment ended last.
func (w *world) life() []int { return w.had[1+lastIndex(w.had, 0):] }

func lastIndex[T comparable](all []T, of T) int {
	for i, one := range slices.Backward(all) {
		if one == of {
			return i
		}
	}
	return -1
}

// left is the newest release, by first steps, if it is newer than the present one.
func left(steps []string) string {
	life := steps[1+lastIndex(steps, "-"):]
	if len(life) == 0 {
		return ""
	}
	present := slices.Index(life, life[len(life)-1])
	newest := present
	for _, s := range life {
		newest = max(newest, slices.Index(life, s))
	}
	if newest == present {
		return ""
	}
	return life[newest]
}

// write makes the commits of a world in a repository.
func (w *world) writeTo(t *testing.T, repo *gitmem.Repo) {
	t.Helper()
	for i, c := range w.commits {
		branch := fmt.Sprint("commit-", i)
		before, revision := content{}, gittest.Revision{Branch: branch, Files: files{"README.md": []byte(branch)},
			Time: recordtest.Start.Add(time.Duration(c.time) * time.Minute)}
		for n, p := range c.parents {
			if n == 0 {
				repo.Branch(t, branch, p.id)
				before = p.tree
			} else {
				revision.Merged = append(revision.Merged, p.id)
			}
		}
		for instance := range before.records {
			revision.Files[recordtest.At(instance)] = nil
		}
		for instance, r := range c.tree.records {
			revision.Files[recordtest.At(instance)] = r.Content()
		}
		if revision.Files[engine.PromotedCommitFile] = nil; c.tree.tracked > 0 {
			revision.Files[engine.PromotedCommitFile] = []byte(name(c.tree.tracked) + "\n")
		}
		c.id = repo.Commit(t, revision)
	}
	repo.Branch(t, w.branch, w.head().id)
}

// place is what the data source reads.
func (w *world) place(repo *gitmem.Repo) record.Place {
	p := record.Place{Branch: git.Branch{Repo: repo.URL(), Name: w.branch}, Environment: w.environment}
	switch w.kind {
	case wave:
		p.ClusterTypes = []string{w.clusterType}
	case folder:
		p.Path = &w.path
	case whole:
	}
	return p
}

// shown are the steps of a track: "v1", and "-" for the end.
func shown(track record.Track) []string {
	var all []string
	for _, s := range track.Steps {
		all = append(all, cmp.Or(s.Release.Commit, "-"))
	}
	return all
}

// truth are the releases that the environment really had, as steps.
func (w *world) truth() []string {
	var all []string
	for _, release := range w.had {
		text := cmp.Or(strings.TrimSuffix(name(release), "v0"), "-")
		if len(all) == 0 || all[len(all)-1] != text {
			all = append(all, text)
		}
	}
	return all
}

// wrong compares a track with what the environment had.
func (w *world) wrong(track record.Track) string {
	got, want := shown(track), w.truth()
	set := func(all []string) []string { return slices.Compact(slices.Sorted(slices.Values(all))) }
	switch last := func(all []string) string { return append([]string{"-"}, all...)[len(all)] }; {
	case last(got) != last(want):
		return fmt.Sprintf("the present release is %s, want %s", last(got), last(want))
	case !slices.Equal(set(got), set(want)):
		return "other releases"
	case len(slices.Compact(slices.Clone(got))) < len(got):
		return "a step does not differ from the one before"
	case left(got) != left(want):
		return fmt.Sprintf("it left %q, want %q", left(got), left(want))
	}
	return w.wrongLine(track)
}

// wrongLine looks at the commits of steps: they are on the line of first parents, in its order.
func (w *world) wrongLine(track record.Track) string {
	var line []string
	times := map[string]time.Time{}
	latest := 0
	var commits []*commit
	for c := w.head(); c != nil; {
		commits = append(commits, c)
		if len(c.parents) == 0 {
			break
		}
		c = c.parents[0]
	}
	for _, c := range slices.Backward(commits) {
		latest = max(latest, c.time)
		line, times[c.id] = append(line, c.id), recordtest.Start.Add(time.Duration(latest)*time.Minute)
	}
	seen := map[string]bool{}
	for _, s := range track.Steps {
		at := -1
		for _, c := range s.Commits {
			next := slices.Index(line, c.ID)
			if next <= at || seen[c.ID] || !c.Time.Equal(times[c.ID]) {
				return fmt.Sprintf("commit %.7s of %s is not on the line, or twice, or has another time", c.ID, s.Release.Commit)
			}
			at, seen[c.ID] = next, true
		}
	}
	if steps := len(track.Steps); steps > 0 && w.is() > 0 && !seen[w.head().id] {
		return "the newest commit is in no step"
	}
	return ""
}

// TestTrackOfRandomHistories compares the tracks of random histories with what the environments really had. "went back" is in left.
func TestTrackOfRandomHistories(t *testing.T) {
	t.Parallel()
	kinds, events := map[kind]int{}, map[string]int{}
	var repo *gitmem.Repo
	for seed := range race.Seeds(uint64(*histories)) {
		if seed%100 == 0 {
			repo = gitmem.New(t)
		}
		w := newWorld(seed)
		for range 3 + w.IntN(14) {
			w.happen(eventsOf(w))
		}
		w.writeTo(t, repo)
		track, err := recordtest.Reader(t).Track(t.Context(), w.place(repo))
		if err != nil {
			t.Fatal(err)
		}
		kinds[w.kind]++
		for _, line := range w.log {
			what, _, _ := strings.Cut(line, " ")
			events[what]++
		}
		if problem := w.wrong(track); problem != "" {
			t.Errorf("seed %d, kind %d: %s\ngot  %v\nwant %v\n%s\n%s", seed, w.kind, problem, shown(track), w.truth(),
				strings.Join(w.log, ", "), track.Note)
		}
		for branch := range repo.Branches(t) {
			repo.DeleteBranch(t, branch)
		}
	}
	t.Log(kinds, events)
}

func eventsOf(w *world) string { return events[w.IntN(len(events))] }
