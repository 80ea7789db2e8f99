// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package consequence

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// group are consequences with one cause: the same happens to objects of one kind, because the same template
// or the same deployment target changes.
type group struct {
	Consequence
	names, clusterTypes []string
}

// grouped returns consequences by their causes: the heaviest word first, and then the cause in most cluster
// types. The name of its cluster type in the name of an object does not tell causes apart.
func grouped(all []Consequence) []*group {
	var groups []*group
	known := map[Consequence]*group{}
	for _, one := range all {
		name, cause := withoutType(one.Name, one.ClusterType), one
		cause.ClusterType, cause.Name, cause.What = "", "", withoutType(one.What, one.ClusterType)
		if one.Removal == "" {
			cause.Target = ""
		}
		g := known[cause]
		if g == nil {
			g = &group{Consequence: cause}
			g.ClusterType, g.Name, g.What = one.ClusterType, one.Name, one.What
			known[cause], groups = g, append(groups, g)
		}
		if !slices.Contains(g.names, name) {
			g.names = append(g.names, name)
		}
		if !slices.Contains(g.clusterTypes, one.ClusterType) {
			g.clusterTypes = append(g.clusterTypes, one.ClusterType)
		}
	}
	slices.SortStableFunc(groups, func(a, b *group) int {
		return cmp.Or(cmp.Compare(a.Word, b.Word), cmp.Compare(len(b.clusterTypes), len(a.clusterTypes)))
	})
	return groups
}

// terms are the words of messages, with the code of their findings and what a finding adds.
var terms = map[Word]struct{ label, code, advice string }{
	Deletes: {"DELETES DATA", "", ""},
	Refuses: {"REFUSED", findings.ChangeRefused, " Clusters keep the old object, and the delivery fails until somebody deletes it."},
	Stops:   {"STOPS", findings.ChangeStops, " Clusters delete it."},
	Replaces: {"REPLACES", findings.ChangeReplaces, " Clusters keep what came from the old place until somebody deletes it. If this is " +
		"what you want, ignore the finding."},
	Orphans: {"ORPHANED", findings.NamespaceOrphaned, " The delivery fails in clusters without this namespace."},
}

// maxLines is how many lines Lines returns before it says how many more there are.
const maxLines = 10

// Lines returns a line for each cause, the heaviest first: "DELETES DATA on 41 cluster types: Namespace
// prod-<cluster type>-checkout, with everything in it (template namespace)".
func Lines(all []Consequence) (lines []string) {
	groups := grouped(all)
	for _, g := range groups[:min(len(groups), maxLines)] {
		lines = append(lines, terms[g.Word].label+" on "+g.where()+": "+g.sentence())
	}
	if more := len(groups) - maxLines; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return lines
}

// Findings returns the consequences other than Deletes as findings about templates.
func Findings(all []Consequence) (found []findings.Finding) {
	for _, g := range grouped(all) {
		if term := terms[g.Word]; term.code != "" {
			found = append(found, findings.Finding{Severity: findings.SeverityWarning, Code: term.code, Subject: "Template/" + g.Template,
				Message: "On " + g.where() + ": " + g.sentence() + "." + term.advice})
		}
	}
	return found
}

func (g *group) where() string {
	if len(g.clusterTypes) == 1 {
		return "cluster type " + g.ClusterType
	}
	return wording.Count(len(g.clusterTypes), "cluster type")
}

// sentence says what happens to the objects, and why.
func (g *group) sentence() string {
	names, what := g.names, withoutType(g.What, g.ClusterType)
	if len(g.clusterTypes) == 1 {
		names, what = append([]string{g.Name}, names[1:]...), g.What
	}
	return fmt.Sprintf("%s %s%s (%s)", g.Kind, wording.First(names, 1), what, cmp.Or(g.Removal, "template "+g.Template))
}

// withoutType returns a text with a mark in place of a cluster type's name.
func withoutType(text, clusterType string) string {
	isLetter := func(i int) bool {
		return i >= 0 && i < len(text) && (text[i] >= 'a' && text[i] <= 'z' || text[i] >= '0' && text[i] <= '9')
	}
	for at := 0; ; {
		i := strings.Index(text[at:], clusterType)
		if i < 0 {
			return text
		}
		const mark = "<cluster type>"
		if at += i; isLetter(at-1) || isLetter(at+len(clusterType)) {
			at += len(clusterType)
			continue
		}
		text = text[:at] + mark + text[at+len(clusterType):]
		at += len(mark)
	}
}
