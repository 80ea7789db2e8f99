// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package limits bounds the changes of one plan, so that a small mistake in a fleet does not
// empty its repository.
package limits

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Limits are the limits for a change. The zero value only prevents a change that empties the
// repository.
type Limits struct {
	// MaxRemoved and MaxChanged bound the packages that are removed or change. nil sets no
	// bound.
	MaxRemoved, MaxChanged *Amount
	// Protect are patterns of packages (tree.Matches). These packages are only removed if
	// their deployment targets keep as many packages.
	Protect []string
	// AllowEmpty lets a change remove the last package.
	AllowEmpty bool
}

// CheckPattern returns why a pattern of Protect is not valid, or nil.
func CheckPattern(text string) error {
	if strings.Count(text, "/") != 1 {
		return fmt.Errorf("%q matches no package, because the key of a package is <cluster type>/<deployment target>; write a pattern such as "+
			"\"*/observability-*\"", text)
	}
	if !tree.IsPattern(text) {
		return fmt.Errorf("%q is not a pattern. Write a pattern such as \"*/observability-*\". * matches no slash", text)
	}
	return nil
}

// Violation is one limit that a change exceeds.
type Violation struct {
	// Limit is the name of the setting: "max_removed".
	Limit string
	// Detail says in a sentence which part of the change exceeds it.
	Detail string
	// Packages are the keys of the packages that exceed the limit, sorted.
	Packages []string
	// Final reports whether no code acknowledges the change: only a new setting allows it.
	Final bool
}

// unprotected returns the packages that leave although a pattern of Protect names them,
// sorted, and these patterns in quotes. A package may move if its deployment target has as
// many packages of the pattern afterwards.
func (l Limits) unprotected(before, after engine.Digests, removed []string) (hit, patterns []string) {
	for _, p := range l.Protect {
		left := map[string]int{} // by deployment target: packages of the pattern that the change adds, less those that it removes
		count := func(packages engine.Digests, n int) {
			for key := range packages {
				if tree.Matches(p, key) {
					left[path.Base(key)] += n
				}
			}
		}
		count(after, 1)
		count(before, -1)
		for _, key := range removed {
			if tree.Matches(p, key) && left[path.Base(key)] < 0 {
				hit, patterns = append(hit, key), append(patterns, strconv.Quote(p))
			}
		}
	}
	slices.Sort(hit)
	return slices.Compact(hit), slices.Compact(patterns)
}

// Idle returns the patterns of Protect that match none of the packages before and after a change. Such patterns are
// probably misspelled.
func (l Limits) Idle(before, after engine.Digests) []string {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(before.Packages())), maps.Keys(after.Packages()))
	return slices.DeleteFunc(slices.Clone(l.Protect), func(p string) bool {
		return slices.ContainsFunc(keys, func(key string) bool { return tree.Matches(p, key) })
	})
}

// Lift ends a sentence of a refusal with the codes that acknowledge the change.
func Lift(codes []string) string {
	return fmt.Sprintf("set this in limits, or in the call of the module:\n  acknowledge = [\"%s\"]\nA code is valid only for this change of "+
		"these packages from their current content.", strings.Join(codes, `", "`))
}

// Bound reports whether the limits bound packages, so that what clusters delete of them matters.
func (l Limits) Bound() bool { return l.MaxRemoved != nil || l.MaxChanged != nil || len(l.Protect) > 0 }

// Check returns every limit that a change from some digests to others exceeds. A package that moves
// to another cluster type is removed there, and so is one of deleting, whose data clusters delete. Files
// beside the packages do not count. The first packages of a repository exceed no limit.
func (l Limits) Check(before, after engine.Digests, deleting ...string) (found []Violation) {
	before, after = before.Packages(), after.Packages()
	current := len(before)
	if current == 0 {
		return nil
	}
	isEmpty, removal := len(after) == 0, "be removed"
	for _, key := range deleting {
		if after[key] != "" {
			removal = "be removed or lose data"
		}
		delete(after, key)
	}
	var changed, removed []string
	for _, key := range before.Differing(after) {
		switch {
		case after[key] == "":
			removed = append(removed, key)
		case before[key] != "":
			changed = append(changed, key)
		}
	}
	if isEmpty && !l.AllowEmpty {
		found = append(found, Violation{"allow_empty",
			"No package would be left in the repository. If you want this, set allow_empty = true in " +
				"limits. To give the environment up, destroy the resource.", removed, true})
	}
	if hit, patterns := l.unprotected(before, after, removed); len(hit) > 0 {
		found = append(found, Violation{"protect", fmt.Sprintf("%s would %s, which protect forbids by %s. If you want this, remove the "+
			"pattern from protect.", wording.Count(len(hit), "package"), removal, wording.First(patterns, 3)), hit, true})
	}
	for _, count := range []struct {
		limit string
		most  *Amount
		keys  []string
		what  string
	}{
		{"max_removed", l.MaxRemoved, removed, removal},
		{"max_changed", l.MaxChanged, changed, "change"},
	} {
		if count.most != nil && len(count.keys) > count.most.of(current) {
			found = append(found, Violation{Limit: count.limit, Packages: count.keys, Detail: fmt.Sprintf(
				"%d of %s would %s; %s = %q allows %d.", len(count.keys), wording.Count(current, "package"), count.what, count.limit, count.most,
				count.most.of(current))})
		}
	}
	return found
}
