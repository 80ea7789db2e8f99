// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// version is a semantic version, of which the last numbers may be missing.
type version struct {
	Major, Minor, Patch            int64
	Prerelease, Metadata, Original string
}

// String returns the version with all numbers.
func (v *version) String() string {
	text := fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch)
	if v.Prerelease != "" {
		text += "-" + v.Prerelease
	}
	if v.Metadata != "" {
		text += "+" + v.Metadata
	}
	return text
}

// MarshalText returns the text of the version, for toJson and toYaml.
func (v *version) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// Compare returns -1, 0 or 1, as the version is smaller than, equal to or larger than the other
// one. Metadata does not count.
func (v *version) Compare(o *version) int {
	return cmp.Or(cmp.Compare(v.Major, o.Major), cmp.Compare(v.Minor, o.Minor), cmp.Compare(v.Patch, o.Patch),
		comparePrereleases(v.Prerelease, o.Prerelease))
}

// Equal reports whether the versions are equal.
func (v *version) Equal(o *version) bool { return v.Compare(o) == 0 }

// LessThan reports whether the version is smaller than the other one.
func (v *version) LessThan(o *version) bool { return v.Compare(o) < 0 }

// GreaterThan reports whether the version is larger than the other one.
func (v *version) GreaterThan(o *version) bool { return v.Compare(o) > 0 }

// comparePrereleases compares the parts of two prereleases. A release comes after its prereleases.
func comparePrereleases(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == "":
		return 1
	case b == "":
		return -1
	}
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		if order := compareParts(as[i], bs[i]); order != 0 {
			return order
		}
	}
	return cmp.Compare(len(as), len(bs))
}

// compareParts compares two parts of prereleases: numbers come before texts.
func compareParts(a, b string) int {
	x, noNumberA := strconv.ParseUint(a, 10, 64)
	y, noNumberB := strconv.ParseUint(b, 10, 64)
	switch {
	case noNumberA != nil && noNumberB != nil:
		return cmp.Compare(a, b)
	case noNumberA != nil:
		return 1
	case noNumberB != nil:
		return -1
	}
	return cmp.Compare(x, y)
}

// versionOf returns the expression of a version with such numbers. Its groups are the three
// numbers, the prerelease and the metadata.
func versionOf(number string) string {
	const parts = `([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)`
	return strings.ReplaceAll(`v?(N)(?:\.(N))?(?:\.(N))?(?:-`+parts+`)?(?:\+`+parts+`)?`, "N", number)
}

// wildcard is a number of a constraint, or one of the letters that match any number.
const wildcard = `[0-9]+|[xX*]`

var (
	wholeVersion    = regexp.MustCompile(`^` + versionOf(`[0-9]+`) + `$`)
	wholeConstraint = regexp.MustCompile(`^\s*(|=|!=|>|<|>=|=>|<=|=<|~|~>|\^)\s*` + versionOf(wildcard) + `\s*$`)
	rangeOfVersions = regexp.MustCompile(`\s*(` + versionOf(wildcard) + `)\s+-\s+(` + versionOf(wildcard) + `)\s*`)
)

// parseVersion is the function semver.
func parseVersion(text string) (*version, error) {
	match := wholeVersion.FindStringSubmatch(text)
	if match == nil {
		return nil, errors.New("Invalid Semantic Version") //nolint:revive,staticcheck // the text of Sprig.
	}
	v := &version{Prerelease: match[4], Metadata: match[5], Original: text}
	for i, number := range []*int64{&v.Major, &v.Minor, &v.Patch} {
		var err error
		if *number, err = strconv.ParseInt(cmp.Or(match[1+i], "0"), 10, 64); err != nil {
			return nil, fmt.Errorf("the version %q has a number that is too large: %w", text, err)
		}
	}
	return v, nil
}

// satisfies is the function semverCompare: it reports whether the version satisfies one of the
// alternatives, which || separates.
func satisfies(constraints, text string) (bool, error) {
	satisfied := false
	for alternative := range strings.SplitSeq(rangeOfVersions.ReplaceAllString(constraints, ">= $1, <= $7"), "||") {
		all := true
		for one := range strings.SplitSeq(alternative, ",") {
			c, err := parseConstraint(one)
			if err != nil {
				return false, err
			}
			v, err := parseVersion(text)
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
	version                      *version
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
	case strings.Contains("xX*", major):
		c.anyMajor = true
		major, minor, patch, prerelease = "0", "0", "0", ""
	case strings.Contains("xX*", minor): // also without a minor number
		c.anyMinor = true
		minor, patch = "0", "0"
	case patch != "" && strings.Contains("xX*", patch):
		c.anyPatch = true
		patch = "0"
	}
	number := major + "." + minor + "." + cmp.Or(patch, "0")
	if prerelease != "" {
		number += "-" + prerelease
	}
	var err error
	c.version, err = parseVersion(number)
	return c, err
}

// allows reports whether the version satisfies the constraint. A prerelease satisfies only
// constraints with a prerelease, and those that exclude one version.
func (c constraint) allows(v *version) bool {
	order, isAny := v.Compare(c.version), c.anyMajor || c.anyMinor || c.anyPatch
	if c.operator == "!=" && !isAny {
		return order != 0
	}
	if v.Prerelease != "" && c.version.Prerelease == "" {
		return false
	}
	sameMajor := v.Major == c.version.Major
	sameMinor := v.Minor == c.version.Minor || c.anyMinor
	notAbove := v.Major <= c.version.Major && (v.Minor <= c.version.Minor || c.anyMinor)
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
	isZero := c.version.Major == 0 && c.version.Minor == 0 && c.version.Patch == 0
	return order >= 0 && (isZero && !c.anyMinor && !c.anyPatch || sameMajor && sameMinor)
}
