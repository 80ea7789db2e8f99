// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package consequence

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// terms say for each word how a message names it, the code of its findings, and what these add.
var terms = []struct{ label, code, advice string }{
	Deletes:  {"DELETES DATA", findings.ChangeDeletes, "Nothing brings it back."},
	Refuses:  {"REFUSED", findings.ChangeRefused, "The delivery fails until somebody deletes the old object by hand."},
	Stops:    {"STOPS", findings.ChangeStops, "Clusters delete it."},
	Replaces: {"REPLACES", findings.ChangeReplaces, "Delete by hand what nobody needs any more."},
	Orphans:  {"ORPHANED", findings.NamespaceOrphaned, "The delivery fails in clusters without this namespace."},
}

// group are consequences with one cause: the same happens to objects of one kind, because the same template
// changes, or because deployment targets are removed or move.
type group struct {
	Consequence                  // the first
	names, clusterTypes, targets map[string]bool
}

// grouped returns consequences by their causes, by weight, then by the number of cluster types and of objects; with
// bySubject, also by their subjects. Names do not differ by the name of their cluster type.
func grouped(all []Consequence, bySubject bool) (groups []*group) {
	known := map[Consequence]*group{}
	for _, one := range all {
		cause := Consequence{Word: one.Word, Kind: one.Kind, What: one.What, Cause: one.Cause}
		if bySubject {
			cause.Subject = one.Subject
		}
		g := known[cause]
		if g == nil {
			g = &group{one, map[string]bool{}, map[string]bool{}, map[string]bool{}}
			known[cause] = g
			groups = append(groups, g)
		}
		g.names[wording.Mark(one.Name, one.ClusterType, "<cluster type>")] = true
		g.clusterTypes[one.ClusterType], g.targets[one.Target] = true, true
	}
	slices.SortStableFunc(groups, func(a, b *group) int {
		return cmp.Or(cmp.Compare(a.Word, b.Word), cmp.Compare(len(b.clusterTypes), len(a.clusterTypes)),
			cmp.Compare(len(b.names), len(a.names)))
	})
	return groups
}

// String says what happens to the objects, where and why: "REFUSED on 12 cluster types: Deployment checkout:
// spec.selector cannot change (template reconciler)".
func (g *group) String() string {
	where, names, why := "cluster type "+g.ClusterType, slices.Sorted(maps.Keys(g.names)), g.Cause
	if n := len(g.clusterTypes); n > 1 {
		where = wording.Count(n, "cluster type")
	} else {
		names[0] = strings.ReplaceAll(names[0], "<cluster type>", g.ClusterType)
	}
	if strings.HasPrefix(g.Subject, ofTarget) {
		why += ": " + wording.First(slices.Sorted(maps.Keys(g.targets)), wording.MaxListed)
	}
	text := fmt.Sprintf("%s on %s: %s %s%s (%s)", terms[g.Word].label, where, g.Kind, wording.First(names, 1), g.What, why)
	return wording.Shorten(wording.Line(text), maxLine)
}

// maxLines is how many causes Lines names, and maxLine how many bytes a line may have.
const maxLines, maxLine = 10, 400

// Lines returns a line for each cause, the heaviest first. The first line of each word has the advice.
func Lines(all []Consequence) (lines []string) {
	groups := grouped(all, false)
	for i, g := range groups {
		if i == maxLines {
			return append(lines, fmt.Sprintf("and %d more", len(groups)-i))
		}
		lines = append(lines, g.String())
		if i == 0 || groups[i-1].Word != g.Word {
			lines[i] += ". " + terms[g.Word].advice
		}
	}
	return lines
}

// Findings returns the consequences as findings about templates, or about the deployment targets that are removed.
func Findings(all []Consequence) (found []findings.Finding) {
	for _, g := range grouped(all, true) {
		found = append(found, findings.Finding{Severity: findings.SeverityWarning, Code: terms[g.Word].code, Subject: g.Subject,
			Message: g.String() + ". " + terms[g.Word].advice})
	}
	return found
}
