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
		b.WriteString(v.Detail + "\n" + List(v.Packages) + "\n")
		liftable, final = liftable || !v.Final, final || v.Final
	}
	if liftable {
		b.WriteString("If you want this change, " + Lift(code))
		if final {
			b.WriteString(" The code does not lift protect and allow_empty.")
		}
	}
	return errors.New(strings.TrimSpace(b.String()))
}

// Lift ends a sentence of a refusal with the setting that acknowledges the change.
func Lift(code string) string {
	return fmt.Sprintf("set this in limits:\n  acknowledge = [%q]\nThe code is valid only for this change of these packages from their current "+
		"content.", code)
}

// maxLines and maxNames are how many lines, and names in a line, an error lists.
const maxLines, maxNames = 10, 3

// List returns some packages as a list for people, grouped by deployment target or by
// cluster type, whichever has fewer lines. A cluster type among them, which is a key without
// a slash, is a line of its own. Of many, it says how many more there are.
func List(keys []string) string {
	targets, clusterTypes := map[string][]string{}, map[string][]string{}
	var lines []string
	for _, key := range keys {
		clusterType, target, isPackage := strings.Cut(key, "/")
		if !isPackage {
			lines = append(lines, key)
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
		lines = append(lines, fmt.Sprintf("%s: %s (%s)", name, wording.Count(len(members), noun), wording.First(members, maxNames)))
	}
	if more := len(lines) - maxLines; more > 0 {
		lines = append(lines[:maxLines], fmt.Sprintf("and %d more", more))
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString("  - " + line + "\n")
	}
	return b.String()
}
