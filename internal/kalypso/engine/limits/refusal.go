// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package limits

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Refuse returns an error in prose if the change exceeds limits and is not acknowledged. The
// error lists the packages by limit, and the code that acknowledges the change. No code
// acknowledges a change beyond a final limit.
func (l Limits) Refuse(c *Tally, acknowledged bool, code string) error {
	violations := l.Check(c)
	if acknowledged {
		violations = slices.DeleteFunc(violations, func(v Violation) bool { return !v.Final })
	}
	if len(violations) == 0 {
		return nil
	}
	var b strings.Builder
	liftable, final := false, false
	for _, v := range violations {
		b.WriteString(v.Detail + "\n")
		if v.Limit == "max_moved" {
			b.WriteString(c.Moves() + "\n")
		} else {
			b.WriteString(List(v.Packages) + "\n")
		}
		liftable, final = liftable || !v.Final, final || v.Final
	}
	if liftable {
		fmt.Fprintf(&b, "If you want this change, set acknowledge = %q in limits. The code is valid only for this change of the current "+
			"content of the repository.", code)
		if final {
			b.WriteString(" The code does not lift protect and allow_empty.")
		}
	}
	return errors.New(strings.TrimSpace(b.String()))
}

// Moves returns the packages that move as a list for people: the deployment targets, grouped
// by the cluster types that they leave and enter.
func (c *Tally) Moves() string {
	leaves, comes := clusterTypesOf(c.Moved), clusterTypesOf(c.Added)
	targets := map[string][]string{}
	for target := range leaves {
		way := strings.Join(leaves[target], ", ") + " -> " + strings.Join(comes[target], ", ")
		targets[way] = append(targets[way], target)
	}
	var lines []string
	for way, names := range targets {
		lines = append(lines, fmt.Sprintf("  - %s: %s\n", strings.Join(slices.Sorted(slices.Values(names)), ", "), way))
	}
	return strings.Join(slices.Sorted(slices.Values(lines)), "")
}

// clusterTypesOf returns the cluster types of each deployment target among sorted keys.
func clusterTypesOf(keys []string) map[string][]string {
	all := map[string][]string{}
	for _, key := range keys {
		clusterType, target, _ := strings.Cut(key, "/")
		all[target] = append(all[target], clusterType)
	}
	return all
}

// List returns all packages as a list for people. It groups them by deployment target or by
// cluster type, depending on which list has fewer lines. A key without a slash, which is a
// cluster type, has its own line. The list is complete, because people acknowledge the
// change or write patterns by it.
func List(keys []string) string {
	targets, clusterTypes := map[string][]string{}, map[string][]string{}
	var b strings.Builder
	for _, key := range keys {
		clusterType, target, isPackage := strings.Cut(key, "/")
		if !isPackage {
			fmt.Fprintf(&b, "  - %s\n", key)
			continue
		}
		targets[target] = append(targets[target], clusterType)
		clusterTypes[clusterType] = append(clusterTypes[clusterType], target)
	}
	groups, noun := targets, "cluster type"
	if len(clusterTypes) < len(targets) {
		groups, noun = clusterTypes, "package"
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		members := slices.Sorted(slices.Values(groups[name]))
		fmt.Fprintf(&b, "  - %s: %s (%s)\n", name, wording.Count(len(members), noun), strings.Join(members, ", "))
	}
	return b.String()
}
