// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ownership_test

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/recordtest"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"

	diff "github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// situation is a branch and what a resource wants of it. Texts describe both: see recordOf and
// contentOf. The instance of the resource is 1.
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
		InFleet: strings.Fields(s.inFleet), Removal: s.removal, Release: record.Release{Commit: "c1"}, Version: "1.0.0",
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

// situations are by the rules of the guide "Folders".
var situations = map[string]map[string]situation{
	"1 one owner": {
		"ours and another's": {branch: "a=1", wants: "a=2", records: []string{"1: a", "2: a"}, want: []string{"doubled 1/a 2/a"}},
		"two others":         {branch: "a=1", wants: "a=2", records: []string{"2: a", "3: a"}, want: []string{"doubled 2/a 3/a"}},
		"two others, to an import": {branch: "a=1", wants: "a=2", records: []string{"2: a", "3: a"}, self: imported,
			want: []string{"doubled 2/a 3/a"}},
		"two waves": {branch: "a=1", wants: "a=2", records: []string{"2 part: a", "3 part: a"}, desired: part,
			want: []string{"doubled 2/a 3/a"}},
		"would be emptied": {branch: "a=1", records: []string{"1: a", "2: a"}, want: []string{"doubled 2/a 1/a"}},
		"would be deleted": {branch: "a=1", removal: ownership.Delete, records: []string{"1: a", "2: a"}, want: []string{"doubled 2/a 1/a"}},
		"would be forbidden": {branch: "a=1", removal: ownership.Forbid, records: []string{"1: a", "2: a"},
			want: []string{"doubled 2/a 1/a"}},
		"is retained": {branch: "a=1", removal: ownership.Retain, records: []string{"1: a", "2: a"},
			want: []string{"no record 1"}},
		"is not named any more": {branch: "a=1", inFleet: "a", records: []string{"1: a", "2: a"},
			want: []string{"no record 1"}},
		"is not ours and not named": {branch: "a=1 b=1", wants: "b=1", inFleet: "a", records: []string{"1: b", "2: a", "3: a"}},
		"a released line of another beside ours": {branch: "a=1", wants: "a=1", records: []string{"1: a", "2: a=released b"},
			want: []string{"record 2: b", "taken over 2/a"}},
		"a released line of another environment beside ours": {branch: "a=1", wants: "a=1", records: []string{"1: a", "2 prod: a=released"},
			want: []string{"no record 2", "taken over 2/a"}},
		"our released line beside an owned one": {branch: "a=1 b=1", wants: "b=1", inFleet: "a", records: []string{"1: a=released b", "2: a"},
			want: []string{"record 1: b"}},
		"our released line beside an owned one, and the folder leaves the fleet": {branch: "a=1 b=1", wants: "b=1",
			records: []string{"1: a=released b", "2: a"}, want: []string{"record 1: b"}},
	},
	"2 the record decides": {
		"nothing changed":       {branch: "a=1", wants: "a=1", records: []string{"1: a"}},
		"the content changed":   {branch: "a=1", wants: "a=2", records: []string{"1: a"}, want: []string{"write a"}},
		"somebody edited it":    {branch: "a=edited", wants: "a=1", records: []string{"1: a"}, self: had("a"), want: []string{"write a"}},
		"somebody deleted it":   {wants: "a=1", records: []string{"1: a"}, self: had("a"), want: []string{"write a"}},
		"another environment's": {branch: "a=1", wants: "a=2", records: []string{"1 prod: a"}, want: []string{"write a", "record 1: a"}},
		"the line was deleted": {branch: "a=1 b=1", wants: "a=2 b=1", records: []string{"1: b"}, self: had("a"),
			want: []string{"refused a"}},
		"the record was deleted": {branch: "a=1", wants: "a=2", self: had("a"), want: []string{"refused a"}},
		"the record was deleted, and nothing changed": {branch: "a=1", wants: "a=1", self: had("a"),
			want: []string{"record 1: a"}},
		"the record is for another path": {branch: "a=1", wants: "a=2", records: []string{"1 at us: a"}, want: []string{"refused a"}},
		"a released line is named again": {branch: "a=1", wants: "a=2", records: []string{"1: a=released"},
			want: []string{"write a", "record 1: a"}},
		"a released line is named again, and another has one too": {branch: "a=1", wants: "a=2",
			records: []string{"1: a=released", "2: a=released"}, want: []string{"write a", "record 1: a", "no record 2", "taken over 2/a"}},
		"a released line is named again, and another owns it": {branch: "a=1", wants: "a=2", records: []string{"1: a=released", "2: a"},
			want: []string{"refused a 2/a MayBeFreed"}},
		"a wave names its released line again, and another wave owns it": {branch: "a=1 b=1", wants: "a=2 b=1", desired: part,
			records: []string{"1 part: a=released b", "2 part: a"},
			want:    []string{"write a", "record 1 part: a b", "no record 2", "taken over 2/a"}},
	},
	"3 claim": {
		"nothing is there":           {wants: "a=1", want: []string{"write a", "record 1: a"}},
		"nothing but an empty place": {wants: "", want: nil},
		"a file":                     {wants: "./docs/fleet.md=1", want: []string{"write docs/fleet.md", "record 1: ./docs/fleet.md"}},
		"identical":                  {branch: "a=1", wants: "a=1", want: []string{"record 1: a"}},
		"emptied":                    {branch: "a=emptied", wants: "a=1", want: []string{"write a", "record 1: a"}},
		"other content":              {branch: "a=1", wants: "a=2", want: []string{"refused a"}},
		"other content of a file":    {branch: "./x=1", wants: "./x=2", want: []string{"refused ./x"}},
		"deleted, but another owns it": {wants: "a=1", records: []string{"2: a"},
			want: []string{"refused a 2/a MayBeFreed"}},
		"released": {branch: "a=1", wants: "a=2", records: []string{"2: a=released b"},
			want: []string{"write a", "record 1: a", "record 2: b", "taken over 2/a"}},
		"released, the last line": {branch: "a=1", wants: "a=1", records: []string{"2: a=released"},
			want: []string{"record 1: a", "no record 2", "taken over 2/a"}},
		"released by two": {branch: "a=1", wants: "a=1", records: []string{"2: a=released", "3: a=released b"},
			want: []string{"record 1: a", "no record 2", "record 3: b", "taken over 2/a 3/a"}},
		"released by another environment": {branch: "a=1", wants: "a=2", records: []string{"2 prod: a=released"},
			want: []string{"refused a 2/a"}},
		"identical, but released by another environment": {branch: "a=1", wants: "a=1", records: []string{"2 prod: a=released"},
			want: []string{"refused a 2/a"}},
		"released by two environments": {branch: "a=1", wants: "a=2", records: []string{"2 prod: a=released", "3: a=released"},
			want: []string{"refused a 2/a 3/a MayBeFreed"}},
		"released by a wave": {branch: "a=1", wants: "a=1", records: []string{"2 part: a=released b"},
			want: []string{"record 1: a", "record 2 part: b", "taken over 2/a"}},
		"owned": {branch: "a=1", wants: "a=2", records: []string{"2: a"}, want: []string{"refused a 2/a MayBeFreed"}},
		"owned, and this one had it, so another state imported it": {branch: "a=1", wants: "a=2", records: []string{"2: a"}, self: had("a"),
			want: []string{"refused a 2/a"}},
		"released by another environment, and it is gone": {wants: "a=1", records: []string{"2 prod: a=released b"},
			want: []string{"write a", "record 1: a", "record 2 prod: b", "taken over 2/a"}},
		"released by another environment, and it is emptied": {branch: "a=emptied", wants: "a=1", records: []string{"2 prod: a=released"},
			want: []string{"write a", "record 1: a", "no record 2", "taken over 2/a"}},
		"owned, identical": {branch: "a=1", wants: "a=1", records: []string{"2: a"},
			want: []string{"refused a 2/a MayBeFreed"}},
		"owned, emptied": {branch: "a=emptied", wants: "a=1", records: []string{"2: a"}, want: []string{"refused a 2/a MayBeFreed"}},
		"owned by another environment": {branch: "a=1", wants: "a=2", records: []string{"2 prod: a"},
			want: []string{"refused a 2/a"}},
		"owned by a wave, for no wave": {branch: "a=1", wants: "a=2", records: []string{"2 part: a"},
			want: []string{"refused a 2/a MayBeFreed"}},
		"owned by no wave, for a wave": {branch: "a=1", wants: "a=2", records: []string{"2: a"}, desired: part,
			want: []string{"refused a 2/a MayBeFreed"}},
		"from wave to wave": {branch: "a=1 b=1 c=1", wants: "a=2 c=1", inFleet: "b", records: []string{"1 part: c", "2 part: a b"}, desired: part,
			want: []string{"write a", "record 1 part: a c", "record 2 part: b", "taken over 2/a"}},
		"from wave to new wave": {branch: "a=1 b=1", wants: "a=2", inFleet: "b", records: []string{"2 part: a b"}, desired: part,
			want: []string{"write a", "record 1 part: a", "record 2 part: b", "taken over 2/a", "asked 2/a"}},
		"from wave to a wave that has only released folders": {branch: "a=1 b=1", wants: "a=2", inFleet: "b", desired: part,
			records: []string{"1 part: b=released", "2 part: a"},
			want:    []string{"write a", "record 1 part: a b=released", "no record 2", "taken over 2/a", "asked 2/a", "released b"}},
		"from wave to a wave that has only a file": {branch: "a=1 ./n=1", wants: "a=2 ./n=1", desired: part,
			records: []string{"1 part: ./n", "2 part: a"},
			want:    []string{"write a", "record 1 part: ./n a", "no record 2", "taken over 2/a", "asked 2/a"}},
		"from wave to an imported wave": {branch: "a=1", wants: "a=2", records: []string{"2 part: a"}, desired: part, self: imported,
			want: []string{"write a", "record 1 part: a", "no record 2", "taken over 2/a"}},
		"from wave to wave of another environment": {branch: "a=1", wants: "a=2", records: []string{"2 part prod: a"}, desired: part,
			want: []string{"refused a 2/a"}},
		"two waves name it, and this one had it": {branch: "a=1", wants: "a=2", records: []string{"2 part: a"}, desired: part, self: had("a"),
			want: []string{"write a", "record 1 part: a", "no record 2", "taken over 2/a", "asked 2/a"}},
		"two waves name it, and this one had it and owns another folder": {branch: "a=1 b=1", wants: "a=2 b=1", desired: part, self: had("a"),
			records: []string{"1 part: b", "2 part: a"},
			want:    []string{"write a", "record 1 part: a b", "no record 2", "taken over 2/a", "asked 2/a"}},
		"this wave had it, and the other has released it": {branch: "a=1", wants: "a=2", records: []string{"2 part: a=released"}, desired: part,
			self: had("a"), want: []string{"write a", "record 1 part: a", "no record 2", "taken over 2/a"}},
		"from wave to wave, and another environment has released it": {branch: "a=1", wants: "a=2", desired: part,
			records: []string{"2 part: a", "3 prod: a=released"}, want: []string{"refused a 2/a 3/a MayBeFreed"}},
		"another owns a file in it": {wants: "a=1", records: []string{"2: ./a/fleet.md"},
			want: []string{"refused a 2/./a/fleet.md MayBeFreed"}},
		"another owns folders below it": {wants: "us=1", records: []string{"2 prod at us: a b"}, want: []string{"refused us 2/a 2/b"}},
		"another owns the folder around a file": {wants: "./a/x/fleet.md=1", records: []string{"2: a"},
			want: []string{"refused ./a/x/fleet.md 2/a MayBeFreed"}},
		"another has released the folder around a file": {wants: "./a/fleet.md=1", records: []string{"2: a=released"},
			want: []string{"refused ./a/fleet.md 2/a MayBeFreed"}},
		"a name that only begins the same": {wants: "a=1 ./b.md=1", records: []string{"2: ab ./b.md.txt a-b ./a.b"},
			want: []string{"write a", "write b.md", "record 1: ./b.md a"}},
		"another owns a file in ours, as after a merge": {branch: "a=1", wants: "a=2", records: []string{"1: a", "2: ./a/fleet.md"},
			want: []string{"refused a 2/./a/fleet.md MayBeFreed"}},
		"the same path with another key": {branch: "./us/a=1", wants: "./us/a=2", records: []string{"2 at us: a=released"},
			want: []string{"refused ./us/a 2/a MayBeFreed"}},
		"the same key at another path": {wants: "a=1", records: []string{"2 at us: a"}, want: []string{"write a", "record 1: a"}},
		"the tracking file of another path": {branch: engine.PromotedCommitFile + "=1", wants: engine.PromotedCommitFile + "=2",
			records: []string{"2 at us: " + engine.PromotedCommitFile}, want: []string{"refused " + engine.PromotedCommitFile + " 2/" +
				engine.PromotedCommitFile + " MayBeFreed"}},
		"the released tracking file of another path": {branch: engine.PromotedCommitFile + "=1", wants: engine.PromotedCommitFile + "=2",
			records: []string{"2 at us: " + engine.PromotedCommitFile + "=released"}, want: []string{"write " + engine.PromotedCommitFile,
				"record 1: " + engine.PromotedCommitFile, "no record 2", "taken over 2/" + engine.PromotedCommitFile}},
	},
	"4 no longer named": {
		"still in the fleet": {branch: "a=1 b=1", wants: "b=1", inFleet: "a", records: []string{"1: a b"},
			want: []string{"record 1: a=released b", "released a"}},
		"even if its removal is forbidden": {branch: "a=1", inFleet: "a", removal: ownership.Forbid, records: []string{"1: a"},
			want: []string{"record 1: a=released", "released a"}},
		"released before": {branch: "a=1 b=1", wants: "b=2", inFleet: "a", records: []string{"1: a=released b"},
			want: []string{"write b", "released a"}},
		"released before, and edited": {branch: "a=edited b=1", wants: "b=1", inFleet: "a", records: []string{"1: a=released b"},
			self: saw("a=1 b=1"), want: []string{"released a"}},
		"released before, and another has released it too": {branch: "a=1 b=1", wants: "b=1", inFleet: "a",
			records: []string{"1: a=released b", "2: a=released"}, want: []string{"released a"}},
		"released before, and it is gone": {branch: "b=1", wants: "b=1", inFleet: "a", records: []string{"1: a=released b"},
			want: []string{"record 1: b"}},
		"owned, and it is gone": {branch: "b=1", wants: "b=1", inFleet: "a", records: []string{"1: a b"}, want: []string{"record 1: b"}},
	},
	"5 removed from the fleet": {
		"empty": {branch: "a=1 b=1", wants: "b=1", records: []string{"1: a b"}, want: []string{"empty a", "record 1: b", "removed a"}},
		"delete": {branch: "a=1", removal: ownership.Delete, records: []string{"1: a"},
			want: []string{"delete a", "no record 1", "removed a"}},
		"retain": {branch: "a=1", removal: ownership.Retain, records: []string{"1: a"}, want: []string{"record 1: a=released", "released a"}},
		"forbid": {branch: "a=1 b=1", removal: ownership.Forbid, records: []string{"1: a b"}, want: []string{"forbidden a b"}},
		"a file, with empty": {branch: "./x=1", records: []string{"1: ./x"},
			want: []string{"delete x", "no record 1", "removed ./x"}},
		"a file, with delete": {branch: "./x=1", removal: ownership.Delete, records: []string{"1: ./x"},
			want: []string{"delete x", "no record 1", "removed ./x"}},
		"a file, with forbid": {branch: "./x=1", removal: ownership.Forbid, records: []string{"1: ./x"},
			want: []string{"forbidden ./x"}},
		"emptied already": {branch: "a=emptied", records: []string{"1: a"}, want: []string{"no record 1"}},
		"emptied already, and delete": {branch: "a=emptied", removal: ownership.Delete, records: []string{"1: a"},
			want: []string{"no record 1"}},
		"emptied already, and forbid": {branch: "a=emptied", removal: ownership.Forbid, records: []string{"1: a"},
			want: []string{"no record 1"}},
		"gone already":         {records: []string{"1: a"}, want: []string{"no record 1"}},
		"released, with empty": {branch: "a=1", records: []string{"1: a=released"}, want: []string{"released a"}},
		"released, with delete": {branch: "a=1", removal: ownership.Delete, records: []string{"1: a=released"},
			want: []string{"released a"}},
		"released, with forbid": {branch: "a=1", removal: ownership.Forbid, records: []string{"1: a=released"},
			want: []string{"released a"}},
		"another's": {branch: "a=1 b=1", wants: "b=1", records: []string{"1: b", "2: a"}},
		"foreign":   {branch: "a=1 b=1", wants: "b=1", records: []string{"1: b"}},
		"another has released it": {branch: "a=1", records: []string{"1: a", "2: a=released"},
			want: []string{"empty a", "no record 1", "removed a"}},
	},
	"6 destroy": {
		"retain": {branch: "a=1 ./x=1", wants: "-", removal: ownership.Retain, records: []string{"1: a ./x", "2: b"},
			want: []string{"record 1: ./x=released a=released", "released ./x a"}},
		"retain, again": {branch: "a=1", wants: "-", removal: ownership.Retain, records: []string{"1: a=released"},
			want: []string{"released a"}},
		"retain keeps the environment of the record": {branch: "a=1", wants: "-", removal: ownership.Retain, records: []string{"1 part prod: a"},
			want: []string{"record 1 part prod: a=released", "released a"}},
		"empty": {branch: "a=1 b=1 ./x=1 c=1", wants: "-", records: []string{"1: a b=released ./x", "2: c"},
			want: []string{"empty a", "delete x", "record 1: b=released", "released b", "removed ./x a"}},
		"delete": {branch: "a=1", wants: "-", removal: ownership.Delete, records: []string{"1: a"},
			want: []string{"delete a", "no record 1", "removed a"}},
		"forbid":        {branch: "a=1", wants: "-", removal: ownership.Forbid, records: []string{"1: a"}, want: []string{"forbidden a"}},
		"two own it":    {branch: "a=1", wants: "-", records: []string{"1: a", "2: a"}, want: []string{"doubled 2/a 1/a"}},
		"without one":   {branch: "a=1", wants: "-", records: []string{"2: a"}},
		"another place": {branch: "a=1", wants: "-", records: []string{"1 at us: a"}},
	},
	"8 import": {
		"without a record": {branch: "a=1", wants: "a=2 b=1", self: imported, want: []string{"write a", "write b", "record 1: a b"}},
		"owned by another environment": {branch: "a=1", wants: "a=2", records: []string{"2 prod: a b"}, self: imported,
			want: []string{"write a", "record 1: a", "record 2 prod: b", "taken over 2/a"}},
		"released by two": {branch: "a=1", wants: "a=2", records: []string{"2 prod: a=released", "3: a=released"}, self: imported,
			want: []string{"write a", "record 1: a", "no record 2", "no record 3", "taken over 2/a 3/a"}},
		"leaves what is not named": {branch: "a=1 b=1", wants: "a=1", inFleet: "b", records: []string{"2: a b"}, self: imported,
			want: []string{"record 1: a", "record 2: b", "taken over 2/a"}},
		"another owns a file in it": {branch: "a=1", wants: "a=2", records: []string{"2: ./a/x"}, self: imported,
			want: []string{"refused a 2/./a/x MayBeFreed"}},
	},
	"the plan": {
		"saw the same": {branch: "a=1", wants: "a=2", records: []string{"1: a"}, self: saw("a=1"),
			want: []string{"write a"}},
		"saw other content": {branch: "a=edited", wants: "a=2", records: []string{"1: a"}, self: saw("a=1"),
			want: []string{"changed a"}},
		"saw other content, now the wanted": {branch: "a=2", wants: "a=2", records: []string{"1: a"}, self: saw("a=1")},
		"saw content, now emptied": {branch: "a=emptied", wants: "a=2", records: []string{"1: a"}, self: saw("a=1"),
			want: []string{"write a"}},
		"saw content, now gone": {wants: "a=2", records: []string{"1: a"}, self: saw("a=1"), want: []string{"changed a"}},
		"saw other content of what is taken": {branch: "a=1", wants: "a=2", records: []string{"2: a=released"}, self: saw("a=0"),
			want: []string{"changed a"}},
		"saw other content of what is removed": {branch: "a=edited b=1", wants: "b=1", records: []string{"1: a b"}, self: saw("a=1 b=1"),
			want: []string{"changed a"}},
		"did not see it": {branch: "a=1", wants: "a=2", records: []string{"1: a"}, self: saw("b=1"), want: []string{"write a"}},
	},
	"the record": {
		"a version of the provider alone": {branch: "a=1", wants: "a=1", records: []string{"1: a"},
			desired: func(d *ownership.Wanted) { d.Version = "2.0.0" }},
		"a version of the provider with content": {branch: "a=1", wants: "a=2", records: []string{"1: a"},
			desired: func(d *ownership.Wanted) { d.Version = "2.0.0" }, want: []string{"write a", "record 1: a"}},
		"a version of the provider with a removed folder": {branch: "a=1 b=1", wants: "a=1", records: []string{"1: a b"},
			desired: func(d *ownership.Wanted) { d.Version = "2.0.0" }, want: []string{"empty b", "record 1: a", "removed b"}},
		"a release": {branch: "a=1", wants: "a=1", records: []string{"1: a"},
			desired: func(d *ownership.Wanted) { d.Release.Commit = "c2" }, want: []string{"record 1: a"}},
		"a source": {branch: "a=1", wants: "a=1", records: []string{"1: a"},
			desired: func(d *ownership.Wanted) { d.Release.Sources = map[string]string{"web#main": "c1"} }, want: []string{"record 1: a"}},
		"cluster_types": {branch: "a=1", wants: "a=1", records: []string{"1: a"}, desired: part, want: []string{"record 1 part: a"}},
	},
}

// A decision is what the rules say. Its records are those of the branch after its edits, it does
// not change the inventory, and the next apply has nothing left to do.
func TestDecide(t *testing.T) {
	t.Parallel()
	for rule, all := range situations {
		for name, s := range all {
			t.Run(rule+"/"+name, func(t *testing.T) {
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
