// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package message

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// ProblemsOf returns the errors that forbid a decision.
func ProblemsOf(d ownership.Decision) Messages {
	var m Messages
	if len(d.Doubled) > 0 {
		m.Fail("Two records list one folder", doubledText(d))
	}
	if len(d.Refused) > 0 {
		m.Fail("Folders of another owner", refusedText(d))
	}
	if len(d.Lost) > 0 {
		m.Fail("Folders have another owner now", lostText(d))
	}
	if len(d.Unknown) > 0 {
		m.Fail("Folders without a known owner",
			fmt.Sprintf("No record lists %s of %s, and the content differs from the last apply. Nothing shows that this "+
				"resource owns these paths. Nothing was written. If it owns them, put the missing lines back into the file %s of the branch "+
				"(git log -p -- %s shows them). If nobody needs the content, delete it in the branch. To take the content over, remove the "+
				"resource from the state with terraform state rm, and import the resource.",
				listPaths(d.Location, d.Unknown, d.Change.Files(d.Unknown)), d.Location, ownership.RecordPath(d.Instance), ownership.RecordsFolder))
	}
	if len(d.Forbidden) > 0 {
		m.Fail(Forbidden, fmt.Sprintf("The plan would remove %s of %s, and on_removal = \"forbid\" forbids this. If you want the removal, set "+
			"on_removal to empty, delete or retain: the same apply then removes them.",
			listPaths(d.Location, d.Forbidden, nil), d.Location))
	}
	return m
}

// doubledText names the records that list the same paths, and the lines to delete.
func doubledText(d ownership.Decision) string {
	lines := map[string][]string{}    // by the files that have them
	for i, claim := range d.Doubled { // sorted by path
		if i > 0 && claim.Path == d.Doubled[i-1].Path {
			continue
		}
		var files []string
		for _, c := range d.Doubled[i:] {
			if c.Path == claim.Path {
				files = append(files, ownership.RecordPath(c.Instance))
			}
		}
		both := strings.Join(files, " and ")
		lines[both] = append(lines[both], fmt.Sprintf("%q", lineOf(d.Location, claim.Path, d.Doubled)))
	}
	var told []string
	for _, both := range slices.Sorted(maps.Keys(lines)) {
		told = append(told, fmt.Sprintf("The files %s both have the %s.", both, List("line", lines[both])))
	}
	return fmt.Sprintf("Two records list the same paths in %s. Nothing was changed: a path has one owner, and nothing shows which record is "+
		"right. %s In the branch, delete these lines from one of the two files, and plan again.", d.Location, strings.Join(told, " "))
}

// lineOf returns the line of a record that lists a path.
func lineOf(loc git.Location, path string, claims []ownership.Claim) string {
	for _, c := range claims {
		switch {
		case c.Path != path:
		case path == engine.PromotedCommitFile:
			return "promoted_commit: " + c.PromotedCommit
		}
	}
	return "cluster_type: " + ownership.KeyOf(loc, path)
}

func refusedText(d ownership.Decision) string {
	for _, c := range d.Refused {
		if c.Path == engine.PromotedCommitFile {
			return fmt.Sprintf("This resource cannot write the file %s: %s. Nothing was written. A branch has one file for the promoted "+
				"commit: if another resource writes this file, set promoted_commit = \"\" here.",
				c.Path, Owners(d.Location, d.Refused))
		}
	}
	return fmt.Sprintf("This resource cannot write to %s: %s. Nothing was written. A folder has one owner, and folders of two owners must "+
		"not contain each other. Write below another path, rename the cluster types, or let the other resource give the folders up first. If that resource changes its environment or its "+
		"place in the same run, apply that change first. If that resource no longer exists, remove its record from the branch.",
		d.Location, Owners(d.Location, d.Refused))
}

func lostText(d ownership.Decision) string {
	text := fmt.Sprintf("Another resource now owns folders that this resource wrote to %s: %s. These folders stay unchanged. If this "+
		"resource was renamed or split, remove its old address from the state with a removed block (destroy = false) or terraform state rm. ",
		d.Location, Owners(d.Location, d.Lost))
	path := d.Lost[0].Path
	if !d.Lost[0].Lists(path) {
		return text + "Folders of two owners must not contain each other: let one of the two write below another path. If the other resource " +
			"no longer exists, remove its record from the branch."
	}
	return text + fmt.Sprintf("This resource can get the folders back in two ways. Remove the resource from the state with "+
		"terraform state rm, and apply: the new resource takes the folders over. "+
		"Or move the line %q, and the lines of the other folders, from that record into the file %s of the branch.",
		lineOf(d.Location, path, d.Lost), ownership.RecordPath(d.Instance))
}

// TakenOverText lists the paths that the apply takes over, with the former owner.
func TakenOverText(loc git.Location, taken []ownership.Claim) string {
	return fmt.Sprintf("The apply takes over paths in %s: %s. It replaces their content. This is right if the former owner's "+
		"cluster_types do not name them any more, or if the former owner no longer exists. "+
		"If you renamed the resource, add a moved block instead. If another resource or another state still manages them, its next plan fails.",
		loc, Owners(loc, taken))
}

// Owners lists the folders of each record, and the other cluster types of the record: "folders
// a, b belong to environment "dev" …, beside c".
func Owners(loc git.Location, claims []ownership.Claim) string {
	var order []string
	paths, files, records := map[string][]string{}, map[string]bool{}, map[string]ownership.Record{}
	for _, claim := range claims {
		owner := claim.String()
		if !slices.Contains(order, owner) {
			order = append(order, owner)
		}
		if claim.File {
			files[claim.Path] = true
		}
		paths[owner], records[owner] = append(paths[owner], claim.Path), claim.Record
	}
	var parts []string
	for _, owner := range order {
		named := slices.Compact(paths[owner]) // several of our paths may meet one path of the owner
		belong := "belongs"
		if len(named) > 1 {
			belong = "belong"
		}
		part := fmt.Sprintf("%s %s to %s", listPaths(loc, named, files), belong, owner)
		if others := records[owner].Beside(named); len(others) > 0 {
			part += ", beside " + wording.First(others, maxNamed)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

// LeftText lists the paths of the state that a decision leaves unchanged, and the reason;
// empty for none.
func LeftText(d ownership.Decision, inv *ownership.Inventory) string {
	var parts []string
	var theirs []ownership.Claim
	var unknown []string
	others := inv.Claimants()
	for _, path := range d.Left {
		switch listed := others.Of(path); {
		case len(listed) > 0:
			theirs = append(theirs, ownership.Claimed(path, inv.Owned[path].Mode, listed)...)
		case !slices.Contains(d.Kept, path) && !inv.Owns(path, others):
			unknown = append(unknown, path)
		}
	}
	if len(theirs) > 0 {
		parts = append(parts, fmt.Sprintf("Paths of another owner stay unchanged: %s.", Owners(inv.Location, theirs)))
	}
	if len(unknown) > 0 {
		parts = append(parts, fmt.Sprintf("These paths stay unchanged: %s. No record lists them, and their content differs from the last apply.",
			listPaths(inv.Location, unknown, inv.Files(unknown))))
	}
	return strings.Join(parts, "\n\n")
}
