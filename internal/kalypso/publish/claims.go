// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

// refusal says why a decision must not be carried out, or nil. rivals reports whether
// this run has made an instance: two resources of one run never take over from each
// other.
func (d Decision) refusal(rivals func(instance string) bool) error {
	refused := slices.Clip(d.Refused)
	for _, claim := range d.TakenOver {
		if rivals(claim.Instance) {
			refused = append(refused, claim)
		}
	}
	switch {
	case len(refused) > 0:
		return &claimedError{foreign, refusedText(d.Location, refused)}
	case len(d.Lost) > 0 && d.Part:
		return &claimedError{lostFolders, lostPartText(d.Location, d.Lost)}
	case len(d.Lost) > 0:
		return &claimedError{lostFolders, lostText(d.Location, d.Lost)}
	case len(d.unknown()) > 0:
		return &claimedError{unknownFolders, unknownText(d.Location, d.Instance, d.unknown(), d.Change.Files(d.unknown()))}
	case len(d.Forbidden) > 0:
		return &claimedError{forbidden, forbiddenText(d.Location, d.Forbidden)}
	}
	return nil
}

// claimedError says in sentences why what is desired is not ours to do.
type claimedError struct {
	topic problem.Topic
	text  string
}

func (e *claimedError) Error() string { return e.text }

func refusedText(loc git.Location, claims []Claim) string {
	another := ""
	if slices.ContainsFunc(claims, func(c Claim) bool { return c.File }) {
		another = "give the overview another name, "
	}
	return fmt.Sprintf("%s is not this resource's to write: %s. Nothing was written. A folder has one owner, and folders of two owners must not lie in each other. "+
		"Write below another path, rename the cluster types, %sor have the other resource give the folders up first. If that resource is gone for good, remove its record from the branch.",
		loc, owners(loc, claims), another)
}

func lostText(loc git.Location, claims []Claim) string {
	return fmt.Sprintf("Another resource owns what this one wrote to %s: %s. So nothing is changed there. If this resource was renamed or split, take it out of the state with a removed block (destroy = false) or terraform state rm. "+
		"If the folders are to be this resource's again, use terraform state rm, too, and apply: created anew, it takes them over.", loc, owners(loc, claims))
}

// unknown are the paths that are wanted and not known to be ours.
func (d Decision) unknown() []string {
	return slices.DeleteFunc(slices.Clone(d.Unknown), func(path string) bool { return slices.Contains(d.Released, path) })
}

func unknownText(loc git.Location, instance string, paths []string, files map[string]bool) string {
	return fmt.Sprintf("No record names %s of %s, and what stands there is not what the last apply wrote: so nothing shows that this resource may change it. Nothing was written. "+
		"If it is this resource's, put it back into the file %s of the branch, as git log -p -- %s has it. If it may go, delete it in the branch. "+
		"To take over what stands there, take the resource out of the state with terraform state rm, and import it.",
		listPaths(loc, paths, files), loc, recordPath(instance), RecordsFolder)
}

func forbiddenText(loc git.Location, paths []string) string {
	return fmt.Sprintf("%s of %s would be removed, and on_removal = \"forbid\" keeps that from happening. If it is meant, set on_removal to empty, delete or retain: the same apply then does it.", listPaths(loc, paths, nil), loc)
}

// lostPartText is lostText for a resource that writes some cluster types of the fleet: what
// was taken over from it may come back in the same run.
func lostPartText(loc git.Location, claims []Claim) string {
	return fmt.Sprintf("Another resource owns what this one wrote to %s: %s. Apply has them back where that one has released them by then, and else changes nothing there: "+
		"take them out of the cluster_types of one of the two, and where that is done, apply again.", loc, owners(loc, claims))
}

// lost returns what was ours and somebody else has recorded since, sorted by path.
func (inv *Inventory) lost() []Claim {
	return inv.Applied.claims(inv.claimants())
}

// claims returns which of the paths others have recorded, sorted by path.
func (all Objects) claims(owners claimants) (claims []Claim) {
	for _, path := range slices.Sorted(maps.Keys(all)) {
		for _, r := range owners.of(path) {
			claims = append(claims, Claim{path, all[path].Mode == tree.ModeFile, r})
		}
	}
	return claims
}

// takenOverText says what is taken over from whom.
func takenOverText(loc git.Location, claims []Claim) string {
	return fmt.Sprintf("Folders in %s are owned by another instance of this environment and place: %s. Apply takes them over, whatever they hold. If you renamed the resource, add a moved block instead; "+
		"if another resource or another state still manages them, it will find that they are no longer its own.", loc, owners(loc, claims))
}

// takenFromPartText is takenOverText for a resource that writes some cluster types of the
// fleet: that the others' lists change in the same run is how they are regrouped.
func takenFromPartText(loc git.Location, claims []Claim) string {
	return fmt.Sprintf("Folders in %s are another resource's of this environment and place: %s. Apply takes them over, whatever they hold. That is right where that resource's cluster_types do not name them any more, as of this run; "+
		"else it will find that they are no longer its own.", loc, owners(loc, claims))
}

// owned returns of claims those whose owners have not released what they are about: one
// that its record names as well is owned.
func owned(claims []Claim) []Claim {
	return slices.DeleteFunc(slices.Clone(claims), Claim.isReleased)
}

// isReleased reports whether its owner has released what a claim is about.
func (c Claim) isReleased() bool { return c.releases(c.Path) && !c.names(c.Path) }

// tookOverText says what was taken over from whom.
func tookOverText(loc git.Location, claims []Claim) string {
	return fmt.Sprintf("Folders in %s were owned by another instance of this environment and place: %s. They are this resource's now; if another resource or another state still manages them, it will find that they are no longer its own.", loc, owners(loc, claims))
}

// owners tells who has recorded what, and beside which other cluster types: "folders a, b
// belong to environment "dev" …, beside c".
func owners(loc git.Location, claims []Claim) string {
	var order []string
	paths, files, records := map[string][]string{}, map[string]bool{}, map[string]Record{}
	for _, claim := range claims {
		owner := claim.String()
		if !slices.Contains(order, owner) {
			order = append(order, owner)
		}
		path, isFile := claim.theirs()
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
		if others := records[owner].beside(named); len(others) > 0 {
			part += ", beside " + wording.First(others, maxNamed)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

// theirs returns what is the owner's: its overview where that is in the way, and else the
// path that is claimed, and whether it is a file.
func (c Claim) theirs() (path string, file bool) {
	if at := c.location().Join(c.Overview); c.Overview != "" && (c.Path == at || strings.HasPrefix(c.Path, at+"/")) {
		return at, true
	}
	return c.Path, c.File && !c.names(c.Path)
}

// settleClaims finds out who owns what our record and another one both claim, as after
// two requests were merged: whose record came into the branch later.
func (p *Publisher) settleClaims(ctx context.Context, inv *Inventory) Messages {
	var m Messages
	contested := inv.contested()
	if len(contested) == 0 {
		return m
	}
	arrived, err := p.git.Arrivals(ctx, inv.Location.Of(), RecordsFolder, append(contested, inv.Instance))
	if err != nil {
		m.warn(unsettled, "Records of two owners contradict each other, and the history that tells whose came later cannot be read, so nothing is changed there. "+problem.Sentence(err))
		return m
	}
	inv.settle(contested, arrived)
	return m
}

// settle notes which of the others' records are older than ours, by how long ago each
// came into the branch.
func (inv *Inventory) settle(contested []string, arrived map[string]int) {
	ours, known := arrived[inv.Instance]
	for _, instance := range contested {
		if theirs, ok := arrived[instance]; known && (!ok || theirs > ours) {
			r := inv.Records[instance]
			r.Earlier = true
			inv.Records[instance] = r
		}
	}
}

// contested returns the other instances whose records claim folders of ours, or such
// that lie in ours or around them.
func (inv *Inventory) contested() []string {
	var all []string
	ours := Records{inv.Instance: inv.Records[inv.Instance]}.claimants("")
	for _, instance := range slices.Sorted(maps.Keys(inv.Records)) {
		r := inv.Records[instance]
		if instance != inv.Instance && !r.Earlier && slices.ContainsFunc(r.paths(), ours.claim) {
			all = append(all, instance)
		}
	}
	return all
}
