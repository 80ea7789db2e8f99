// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership_test

import (
	"cmp"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/recordtest"
)

// situation is a branch and what a resource wants of it. Texts describe both: see
// recordtest.Parse and contentOf. The instance of the resource is 1.
type situation struct {
	// branch is the content of the place, and records are the records of the branch.
	branch  string
	records []string
	// wants is the wanted content; "-" is a destroy. inFleet are cluster types that the resource
	// does not name.
	wants   string
	inFleet string
	removal ownership.Removal
	desired func(d *ownership.Wanted)
	self    func(s *ownership.Self)
	// want is the decision: see saysOf.
	want []string
}

// contentOf reads content from a text such as "a=1 ./b.md=2 c=emptied".
func contentOf(text string) ownership.Content {
	content := ownership.Content{}
	for _, word := range strings.Fields(text) {
		key, value, _ := strings.Cut(word, "=")
		switch {
		case !record.IsFolder(key):
			content[key] = tree.File("", []byte(value))
		case value == "emptied":
			content[key] = tree.Subdir("", ownership.EmptiedFolder)
		default:
			content[key] = tree.Subdir("", tree.FromEntries([]tree.Entry{tree.File("web.yaml", []byte(value))}))
		}
	}
	return content
}

// given returns the arguments of the decision.
func (s situation) given() (ownership.Wanted, ownership.Self, ownership.Seen) {
	d := ownership.Wanted{
		Location: git.Location{Repo: "https://git.example/fleet", Branch: "dev"}, Environment: "dev", Content: contentOf(s.wants),
		Others: strings.Fields(s.inFleet), Removal: s.removal, Release: record.Release{Commit: "c1"}, Version: "1.0.0",
	}
	if s.wants == "-" {
		d.Content = nil
	}
	if d.Removal == "" {
		d.Removal = ownership.Empty
	}
	self := ownership.Self{Instance: recordtest.Instance("1")}
	if s.desired != nil {
		s.desired(&d)
	}
	if s.self != nil {
		s.self(&self)
	}
	inv := ownership.Seen{Records: record.Records{}, Content: ownership.Content{}}
	for _, text := range s.records {
		r := recordtest.Parse(text)
		inv.Records[r.Instance] = r
	}
	for key, e := range contentOf(s.branch) {
		inv.Content[key] = e
	}
	return d, self, inv
}

// saysOf describes a decision: what forbids it, or its edits and lists. An edit with the content
// that the branch has is left out.
func saysOf(d ownership.Wanted, inv ownership.Seen, out ownership.Decision) (says []string) {
	add := func(what string, names []string) {
		if len(names) > 0 {
			says = append(says, what+" "+strings.Join(names, " "))
		}
	}
	add("doubled", claimsOf(out.Doubled))
	for _, r := range out.Refused {
		add("refused "+r.Key, append(claimsOf(r.Owners), map[bool]string{true: "MayBeFreed"}[r.MayBeFreed]))
	}
	add("forbidden", out.Forbidden)
	add("changed", out.Changed)
	for i, text := range says {
		says[i] = strings.TrimSpace(text)
	}
	if forbids(out) {
		return says
	}
	paths := slices.SortedFunc(maps.Keys(out.Edits), func(a, b string) int { // the records are last
		isRecord := map[bool]int{true: 1}
		return cmp.Or(isRecord[record.IsRecord(a)]-isRecord[record.IsRecord(b)], strings.Compare(a, b))
	})
	for _, path := range paths {
		key := keyAt(d, inv, path)
		switch edit := out.Edits[path]; {
		case record.IsRecord(path) && git.Writes(edit):
			r, err := record.ParseRecord(strings.TrimPrefix(path, ".kalypso/"), edit.Content)
			says = append(says, "record "+recordtest.Short(r))
			if err != nil {
				says = append(says, err.Error())
			}
		case record.IsRecord(path):
			says = append(says, "no record "+strings.TrimPrefix(path, ".kalypso/")[:1])
		case edit.ID == inv.Content[key].ID:
		case edit.ID == ownership.EmptiedFolder.ID:
			says = append(says, "empty "+path)
		case !git.Writes(edit):
			says = append(says, "delete "+path)
		default:
			says = append(says, "write "+path)
		}
	}
	add("taken over", claimsOf(out.TakenOver))
	add("asked", claimsOf(out.Asked))
	add("released", out.Released)
	add("removed", out.Removed)
	return says
}

// forbids reports whether nobody may carry a decision out.
func forbids(out ownership.Decision) bool {
	return len(out.Doubled)+len(out.Refused)+len(out.Forbidden)+len(out.Changed) > 0
}

// keyAt returns the key of a path.
func keyAt(d ownership.Wanted, inv ownership.Seen, path string) string {
	for _, key := range slices.Concat(d.Content.Keys(), slices.Collect(maps.Keys(inv.Content))) {
		if record.PathOf(d.Location, key) == path {
			return key
		}
	}
	return path
}

func claimsOf(claims []ownership.Claim) (names []string) {
	for _, c := range claims {
		names = append(names, c.Instance[:1]+"/"+c.Key)
	}
	return names
}

// carriedOut returns the inventory of the branch after the edits.
func carriedOut(t *testing.T, d ownership.Wanted, inv ownership.Seen, out ownership.Decision) ownership.Seen {
	t.Helper()
	after := ownership.Seen{Records: maps.Clone(inv.Records), Content: maps.Clone(inv.Content)}
	for path, edit := range out.Edits {
		switch key := keyAt(d, inv, path); {
		case !record.IsRecord(path) && git.Writes(edit):
			after.Content[key] = edit
		case !record.IsRecord(path):
			delete(after.Content, key)
		case git.Writes(edit):
			r, err := record.ParseRecord(strings.TrimPrefix(path, ".kalypso/"), edit.Content)
			if err != nil {
				t.Fatal(err)
			}
			after.Records[r.Instance] = r
		default:
			delete(after.Records, strings.TrimPrefix(path, ".kalypso/"))
		}
	}
	return after
}

func part(d *ownership.Wanted) { d.IsPart = true }

func imported(s *ownership.Self) { s.Imported = true }

// had says that the resource had a folder at its last apply.
func had(key string) func(*ownership.Self) {
	return func(s *ownership.Self) { s.Applied = map[string]tree.ID{key: {1}} }
}

// saw says what the plan saw at the place.
func saw(text string) func(*ownership.Self) {
	return func(s *ownership.Self) {
		s.Planned = map[string]tree.ID{}
		for key, e := range contentOf(text) {
			s.Planned[key] = e.ID
		}
	}
}

// situations reads testdata/decide.txt, by rules of the guide "Folders" and by names. After a name, each column has a word
// and its text: what is in the branch, the records, what the resource wants, and after => the decision.
func situations(t *testing.T) map[string]situation {
	t.Helper()
	text, err := os.ReadFile("testdata/decide.txt")
	if err != nil {
		t.Fatal(err)
	}
	all, rule := map[string]situation{}, ""
	for line := range strings.Lines(string(text)) {
		columns := strings.Split(strings.TrimSpace(line), " | ")
		if heading, isRule := strings.CutPrefix(columns[0], "# "); isRule || columns[0] == "" {
			rule = heading
			continue
		}
		s := situation{self: func(*ownership.Self) {}, desired: func(*ownership.Wanted) {}}
		for _, column := range columns[1:] {
			switch word, text, _ := strings.Cut(column, " "); word {
			case "branch":
				s.branch = text
			case "records":
				s.records = strings.Split(text, "; ")
			case "wants":
				s.wants = text
			case "fleet":
				s.inFleet = text
			case "removal":
				s.removal = ownership.Removal(text)
			case "imported":
				s.self = imported
			case "had":
				s.self = had(text)
			case "saw":
				s.self = saw(text)
			case "part":
				s.desired = part
			case "version":
				s.desired = func(d *ownership.Wanted) { d.Version = text }
			case "release":
				s.desired = func(d *ownership.Wanted) { d.Release.Commit = text }
			case "source":
				s.desired = func(d *ownership.Wanted) { d.Release.Sources = map[string]string{"web#main": text} }
			case "=>":
				if text != "" {
					s.want = strings.Split(text, "; ")
				}
			default:
				t.Fatalf("%q in the row %q", word, columns[0])
			}
		}
		all[rule+"/"+columns[0]] = s
	}
	return all
}

// A decision is what the rules say. Its records are those of the branch after its edits, it does
// not change the inventory, and the next apply has nothing left to do.
func TestDecide(t *testing.T) {
	t.Parallel()
	for name, s := range situations(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, self, inv := s.given()
			out := ownership.Decide(d, self, inv)
			if text := diff.Diff(s.want, saysOf(d, inv, out)); text != "" {
				t.Fatalf("(-want +got):\n%s", text)
			}
			if _, _, before := s.given(); !diff.Equal(before, inv) {
				t.Error("Decide changes the inventory")
			}
			if forbids(out) {
				return
			}
			after := carriedOut(t, d, inv, out)
			if text := diff.Diff(after.Records, out.Records); text != "" {
				t.Errorf("the records of the branch (-want) are not those of the decision (+got):\n%s", text)
			}
			next := ownership.Self{Instance: self.Instance, Applied: map[string]tree.ID{}}
			for key, e := range d.Content {
				next.Applied[key] = e.ID
			}
			again := ownership.Decide(d, next, after)
			again.Released = nil
			if says := saysOf(d, after, again); len(says) > 0 {
				t.Errorf("the next apply has to do %v", says)
			}
		})
	}
}

// A place below the root has its folders there, and its record at the root.
func TestDecideBelowTheRoot(t *testing.T) {
	t.Parallel()
	s := situation{branch: "a=1", wants: "a=2 ./fleet.md=1 " + engine.PromotedCommitFile + "=1", records: []string{"1 at envs/dev: a b"},
		desired: func(d *ownership.Wanted) { d.Location.Path = "./envs/dev/" }}
	d, self, inv := s.given()
	want := []string{"write " + engine.PromotedCommitFile, "write envs/dev/a", "write envs/dev/fleet.md",
		"record 1 at envs/dev: ./fleet.md " + engine.PromotedCommitFile + " a"}
	if text := diff.Diff(want, saysOf(d, inv, ownership.Decide(d, self, inv))); text != "" {
		t.Errorf("(-want +got):\n%s", text)
	}
}

// The record of a destroyed resource still says what its content is.
func TestDecideDestroyKeepsTheRelease(t *testing.T) {
	t.Parallel()
	s := situation{branch: "a=1", wants: "-", removal: ownership.Retain, records: []string{"1: a"}, desired: func(d *ownership.Wanted) {
		d.Version, d.Release = "2.0.0", record.Release{Commit: "c2", Sources: map[string]string{"web#main": "c2"}}
	}}
	d, self, inv := s.given()
	got := ownership.Decide(d, self, inv).Records[self.Instance]
	if !got.Release.Same(record.Release{Commit: "c1"}) || got.Provider != "1.0.0" {
		t.Errorf("the record is %+v", got)
	}
}

// A source that could not be read is in the record as before, and the record alone says so. A source that was never read is not known.
func TestDecideUnreadSources(t *testing.T) {
	t.Parallel()
	s := situation{branch: "a=1", wants: "a=2", records: []string{"1: a"}, desired: func(d *ownership.Wanted) {
		d.Release = record.Release{Commit: "c2",
			Sources: map[string]string{"web#main": record.Unread, "new#main": record.Unread, "app#main": "a2"}}
	}}
	d, self, inv := s.given()
	was := inv.Records[self.Instance]
	was.Release.Sources = map[string]string{"web#main": "w1", "app#main": "a1", "gone#main": "g1"}
	inv.Records[self.Instance] = was
	got := ownership.Decide(d, self, inv).Records[self.Instance].Release
	want := record.Release{Commit: "c2", Sources: map[string]string{"web#main": "w1", "new#main": record.Unread, "app#main": "a2"}}
	if text := diff.Diff(want, got); text != "" {
		t.Errorf("(-want +got):\n%s", text)
	}
	if d.Release.Sources["web#main"] != record.Unread {
		t.Error("the decision has changed what is desired")
	}
}
