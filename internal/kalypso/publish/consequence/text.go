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
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/diff"
)

// terms say for each word how a message names it, the code of its findings, and what these add.
var terms = []struct{ label, code, advice string }{
	Deletes:  {"DELETES DATA", "", ""},
	Refuses:  {"REFUSED", findings.ChangeRefused, "Clusters keep the old object, and the delivery fails until somebody deletes it."},
	Stops:    {"STOPS", findings.ChangeStops, "Clusters delete it."},
	Replaces: {"REPLACES", findings.ChangeReplaces, "Delete by hand what nobody needs any more."},
	Orphans:  {"ORPHANED", findings.NamespaceOrphaned, "The delivery fails in clusters without this namespace."},
}

// group are consequences with one cause: the same happens to objects of one kind, because the same template
// changes, or the same deployment target is removed or moves.
type group struct {
	Consequence         // the first
	names, clusterTypes map[string]bool
}

// grouped returns consequences by their causes: by weight, then by the number of cluster types. Names do not
// differ by the name of their cluster type.
func grouped(all []Consequence) (groups []*group) {
	known := map[Consequence]*group{}
	for _, one := range all {
		cause := one
		cause.ClusterType, cause.Name, cause.Target, cause.What = "", "", "", withoutType(one.What, one.ClusterType)
		if known[cause] == nil {
			known[cause] = &group{one, map[string]bool{}, map[string]bool{}}
			groups = append(groups, known[cause])
		}
		known[cause].names[withoutType(one.Name, one.ClusterType)] = true
		known[cause].clusterTypes[one.ClusterType] = true
	}
	slices.SortStableFunc(groups, func(a, b *group) int {
		return cmp.Or(cmp.Compare(a.Word, b.Word), cmp.Compare(len(b.clusterTypes), len(a.clusterTypes)))
	})
	return groups
}

func withoutType(text, clusterType string) string {
	return strings.ReplaceAll(diff.WithoutNames(text, clusterType), "\x00", "<cluster type>")
}

// String says what happens to the objects, where and why: "REFUSED on 12 cluster types: Deployment checkout:
// spec.selector cannot change (template reconciler)".
func (g *group) String() string {
	where, names, what := "cluster type "+g.ClusterType, slices.Sorted(maps.Keys(g.names)), g.What
	if n := len(g.clusterTypes); n > 1 {
		where, what = wording.Count(n, "cluster type"), withoutType(what, g.ClusterType)
	} else {
		names[0] = strings.ReplaceAll(names[0], "<cluster type>", g.ClusterType)
	}
	text := fmt.Sprintf("%s on %s: %s %s%s (%s)", terms[g.Word].label, where, g.Kind, wording.First(names, 1), what,
		g.Cause)
	return wording.Shorten(wording.Line(text), maxLine)
}

// maxLines is how many causes Lines names, and maxLine how many bytes a line may have.
const maxLines, maxLine = 10, 400

// Lines returns a line for each cause, the heaviest first.
func Lines(all []Consequence) (lines []string) {
	groups := grouped(all)
	for i, g := range groups {
		if i == maxLines {
			return append(lines, fmt.Sprintf("and %d more", len(groups)-i))
		}
		lines = append(lines, g.String())
	}
	return lines
}

// Findings returns the consequences other than Deletes as findings about templates, or about the deployment
// targets that are removed.
func Findings(all []Consequence) (found []findings.Finding) {
	for _, g := range grouped(all) {
		if term := terms[g.Word]; term.code != "" {
			found = append(found, findings.Finding{Severity: findings.SeverityWarning, Code: term.code, Subject: g.Subject,
				Message: g.String() + ". " + term.advice})
		}
	}
	return found
}
