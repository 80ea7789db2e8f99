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

// ProblemsOf are errors about the folders that keep a decision from being carried out.
func ProblemsOf(d ownership.Decision) Messages {
	var m Messages
	if len(d.Doubled) > 0 {
		m.Fail(doubled, doubledText(d))
	}
	if len(d.Refused) > 0 {
		m.Fail(foreign, refusedText(d))
	}
	if len(d.Lost) > 0 {
		m.Fail(lostFolders, lostText(d))
	}
	if len(d.Unknown) > 0 {
		m.Fail(unknownFolders, unknownText(d))
	}
	if len(d.Forbidden) > 0 {
		m.Fail(Forbidden, fmt.Sprintf("%s of %s would be removed, and on_removal = \"forbid\" keeps that from happening. If it is meant, set "+
			"on_removal to empty, delete or retain: the same apply then does it.",
			listPaths(d.Location, d.Forbidden, nil), d.Location))
	}
	return m
}

// doubledText names the records that list the same paths, and the line to delete.
func doubledText(d ownership.Decision) string {
	lines := map[string][]string{} // by the files that have them
	for _, path := range uniquePaths(d.Doubled) {
		var files []string
		for _, c := range d.Doubled {
			if c.Path == path {
				files = append(files, ownership.RecordPath(c.Instance))
			}
		}
		both := strings.Join(files, " and ")
		lines[both] = append(lines[both], fmt.Sprintf("%q", lineOf(d.Location, path, d.Doubled)))
	}
	var told []string
	for _, both := range slices.Sorted(maps.Keys(lines)) {
		told = append(told, fmt.Sprintf("The files %s both have the %s.", both, List("line", lines[both])))
	}
	return fmt.Sprintf("Two records list the same in %s. Nothing was changed: a folder has one owner, and nothing shows which of the two it "+
		"is. %s "+
		"Delete the lines that both have in one of the two files of the branch, and plan again.", d.Location, strings.Join(told, " "))
}

// uniquePaths returns the paths of claims, each once.
func uniquePaths(claims []ownership.Claim) (paths []string) {
	for _, c := range claims {
		paths = append(paths, c.Path)
	}
	return slices.Compact(paths)
}

// lineOf returns the line by which a record lists a path.
func lineOf(loc git.Location, path string, claims []ownership.Claim) string {
	for _, c := range claims {
		switch {
		case c.Path != path:
		case path == engine.PromotedCommitFile:
			return "promoted_commit: " + c.PromotedCommit
		case c.File:
			return "overview: " + c.Overview
		}
	}
	return "cluster_type: " + ownership.KeyOf(loc, path)
}

func refusedText(d ownership.Decision) string {
	advice := "Write below another path, rename the cluster types, "
	for _, c := range d.Refused {
		switch {
		case c.Path == engine.PromotedCommitFile:
			return fmt.Sprintf("The file %s cannot be written by this resource: %s. Nothing was written. A branch has one file for the promoted "+
				"commit: where another resource writes it, set promoted_commit = \"\" here.",
				c.Path, Owners(d.Location, d.Refused))
		case c.File:
			advice += "give the overview another name, "
		}
	}
	return fmt.Sprintf("This resource cannot write to %s: %s. Nothing was written. A folder has one owner, and folders of two owners must "+
		"not lie in each other. %sor have the other resource give the folders up first. If that resource changes its environment or its "+
		"place in the same run, apply that first. If that resource is gone for good, remove its record from the branch.",
		d.Location, Owners(d.Location, d.Refused), advice)
}

func lostText(d ownership.Decision) string {
	text := fmt.Sprintf("Another resource owns what this one wrote to %s: %s. Nothing is changed there. If this resource was renamed or "+
		"split, take it out of the state with a removed block (destroy = false) or terraform state rm. ",
		d.Location, Owners(d.Location, d.Lost))
	path := d.Lost[0].Path
	if !d.Lost[0].Lists(path) {
		return text + "Folders of two owners must not lie in each other: have one of the two write below another path. If the other resource " +
			"is gone for good, remove its record from the branch."
	}
	return text + fmt.Sprintf("If the folders are to be this resource's again, there are two ways. Take this resource out of the state with "+
		"terraform state rm, and apply: created anew, it takes them over. "+
		"Or move the line %q, and those of the other folders, from that record into the file %s of the branch.", lineOf(d.Location, path, d.Lost),
		ownership.RecordPath(d.Instance))
}

func unknownText(d ownership.Decision) string {
	return fmt.Sprintf("No record lists %s of %s, and what is there is not what the last apply wrote. Nothing shows that this resource "+
		"may change it. Nothing was written. If it is this resource's, put its line back into the file %s of the branch, as git log -p -- "+
		"%s has it. If it may go, delete it in the branch. To take over what is there, take the resource out of the state with terraform "+
		"state rm, and import it.",
		listPaths(d.Location, d.Unknown, d.Change.Files(d.Unknown)), d.Location, ownership.RecordPath(d.Instance), ownership.RecordsFolder)
}

// TakenOverText lists the paths that are taken over, with the former owner.
func TakenOverText(loc git.Location, taken []ownership.Claim) string {
	return fmt.Sprintf("The apply takes over in %s: %s. It replaces what they hold. That is right where that resource's cluster_types do not "+
		"name them any more, or where it is gone. "+
		"If you renamed the resource, add a moved block instead. If another resource or another state still manages them, its next plan fails.",
		loc, Owners(loc, taken))
}

// Owners lists the folders of each record and the other cluster types beside them:
// "folders a, b belong to environment "dev" …, beside c".
func Owners(loc git.Location, claims []ownership.Claim) string {
	var order []string
	paths, files, records := map[string][]string{}, map[string]bool{}, map[string]ownership.Record{}
	for _, claim := range claims {
		owner := claim.String()
		if !slices.Contains(order, owner) {
			order = append(order, owner)
		}
		path, isFile := claim.Theirs()
		if isFile {
			files[path] = true
		}
		paths[owner], records[owner] = append(paths[owner], path), claim.Record
	}
	var parts []string
	for _, owner := range order {
		named := slices.Compact(paths[owner]) // many of ours may meet one of theirs
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

// LeftText lists the paths that the state names but a decision leaves, and the reason;
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
		parts = append(parts, fmt.Sprintf("Another resource owns what this one leaves unchanged: %s.", Owners(inv.Location, theirs)))
	}
	if len(unknown) > 0 {
		parts = append(parts, fmt.Sprintf("It leaves %s unchanged: no record lists it, and it is not what the last apply wrote.",
			listPaths(inv.Location, unknown, inv.Files(unknown))))
	}
	return strings.Join(parts, "\n\n")
}
