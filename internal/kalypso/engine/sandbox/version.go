// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// A constraint has an operator and a version, with numbers or letters that match any number. The
// groups of versionText are the three numbers, the prerelease and the metadata.
const (
	numberText  = `([0-9]+|[xX*])`
	partsText   = `([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)`
	versionText = `v?` + numberText + `(?:\.` + numberText + `)?(?:\.` + numberText + `)?(?:-` + partsText + `)?(?:\+` + partsText + `)?`
)

var (
	wholeConstraint = regexp.MustCompile(`^\s*(|=|!=|>|<|>=|=>|<=|=<|~|~>|\^)\s*` + versionText + `\s*$`)
	rangeOfVersions = regexp.MustCompile(`\s*(` + versionText + `)\s+-\s+(` + versionText + `)\s*`)
)

// satisfies is the function semverCompare: it reports whether the version satisfies one of the
// alternatives, which || separates.
func satisfies(constraints, text string) (bool, error) {
	v, err := semver.NewVersion(text)
	if err != nil {
		return false, err
	}
	satisfied := false
	for alternative := range strings.SplitSeq(rangeOfVersions.ReplaceAllString(constraints, ">= $1, <= $7"), "||") {
		all := true
		for one := range strings.SplitSeq(alternative, ",") {
			c, err := parseConstraint(one)
			if err != nil {
				return false, err
			}
			all = all && c.allows(v)
		}
		satisfied = satisfied || all
	}
	return satisfied, nil
}

// constraint is an operator with a version, of which some numbers may match any number.
type constraint struct {
	operator                     string
	version                      *semver.Version
	anyMajor, anyMinor, anyPatch bool
}

func parseConstraint(text string) (constraint, error) {
	match := wholeConstraint.FindStringSubmatch(text)
	if match == nil {
		return constraint{}, fmt.Errorf("improper constraint: %s", text)
	}
	c := constraint{operator: match[1]}
	major, minor, patch, prerelease := match[2], match[3], match[4], match[5]
	switch {
	case strings.ContainsAny(major, "xX*"):
		c.anyMajor = true
		major, minor, patch, prerelease = "0", "0", "0", ""
	case minor == "" || strings.ContainsAny(minor, "xX*"):
		c.anyMinor = true
		minor, patch = "0", "0"
	case strings.ContainsAny(patch, "xX*"):
		c.anyPatch = true
		patch = "0"
	}
	number := major + "." + minor + "." + cmp.Or(patch, "0")
	if prerelease != "" {
		number += "-" + prerelease
	}
	var err error
	c.version, err = semver.NewVersion(number)
	return c, err
}

// allows reports whether the version satisfies the constraint. A prerelease satisfies only
// constraints with a prerelease, and those that exclude one version.
func (c constraint) allows(v *semver.Version) bool {
	order, isAny := v.Compare(c.version), c.anyMajor || c.anyMinor || c.anyPatch
	if c.operator == "!=" && !isAny {
		return order != 0
	}
	if v.Prerelease() != "" && c.version.Prerelease() == "" {
		return false
	}
	sameMajor := v.Major() == c.version.Major()
	sameMinor := v.Minor() == c.version.Minor() || c.anyMinor
	notAbove := v.Major() <= c.version.Major() && (v.Minor() <= c.version.Minor() || c.anyMinor)
	switch c.operator {
	case "!=":
		return !sameMajor || !sameMinor
	case ">":
		return order > 0
	case ">=", "=>":
		return order >= 0
	case "<":
		return order < 0 && !isAny || notAbove && isAny
	case "<=", "=<":
		return order <= 0 && !isAny || notAbove && isAny
	case "^":
		return order >= 0 && sameMajor
	case "", "=":
		if !isAny {
			return order == 0
		}
	}
	isZero := c.version.Major() == 0 && c.version.Minor() == 0 && c.version.Patch() == 0
	return order >= 0 && (isZero && !c.anyMinor && !c.anyPatch || sameMajor && sameMinor)
}
