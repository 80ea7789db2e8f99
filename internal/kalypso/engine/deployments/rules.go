// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployments

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/pattern"
)

// Rules say which environments are compared, in which order, and which differences are not
// discrepancies.
type Rules struct {
	// Chains are environments in their order. Each is compared with the next one. If Chains
	// is nil, every pair of environments is compared.
	Chains [][]string
	// Ignore are patterns of differences that are allowed (see CheckPattern).
	Ignore []string
}

// The parts of a source that can differ, by their names in patterns.
const (
	sourceRepo   = "repo"
	sourceBranch = "branch"
	sourcePath   = "path"
)

// CheckPattern returns why a pattern is not valid, or nil. A pattern is
// <kind>/<workload>/<what>. Each part may contain *, and the last parts may be missing.
// <what> is the key of a value, or for a source repo, branch or path.
func CheckPattern(text string) error {
	parts := strings.Split(text, "/")
	for _, part := range parts {
		if !pattern.IsValid(part) {
			return fmt.Errorf("the part %q is not valid. Write a name, in which * stands for any characters", part)
		}
	}
	kind, what := DiscrepancyKind(parts[0]), ""
	if len(parts) > 2 {
		what = parts[2]
	}
	switch {
	case !slices.Contains(kinds, kind):
		return fmt.Errorf("%q is not a kind of discrepancies. Write one of workload, source, version and value", parts[0])
	case len(parts) > 3, len(parts) == 3 && kind != OtherSource && kind != OtherValue:
		return fmt.Errorf("the pattern has too many parts. Write %s/<workload>", kind)
	case kind == OtherSource && what != "" && !slices.ContainsFunc([]string{sourceRepo, sourceBranch, sourcePath}, func(part string) bool {
		return pattern.Matches(what, part)
	}):
		return fmt.Errorf("a source has no %q. Write repo, branch or path", what)
	}
	return nil
}

// ignores reports whether a discrepancy of a kind is ignored. what is the part that differs;
// empty for all parts.
func (r Rules) ignores(kind DiscrepancyKind, workload, what string) bool {
	return slices.ContainsFunc(r.Ignore, func(rule string) bool {
		parts := strings.Split(rule, "/")
		names := []string{string(kind), workload, what}
		if len(parts) == len(names) && what == "" {
			return false
		}
		for i, part := range parts {
			if !pattern.Matches(part, names[i]) {
				return false
			}
		}
		return true
	})
}

// Idle returns the patterns of Ignore that match no workload, or no value of a workload, in
// the compared environments. They are probably misspelled. It returns nil if a part of an
// environment is unknown.
func (r Rules) Idle(environments []Environment) []string {
	idle := slices.Clone(r.Ignore)
	compared := false
	for _, e := range environments {
		if !slices.ContainsFunc(environments, func(o Environment) bool { return o.Name != e.Name && r.Pairs(e.Name, o.Name) }) {
			continue
		}
		if e.Missing != "" || len(e.Unreadable) > 0 {
			return nil
		}
		compared = true
		idle = slices.DeleteFunc(idle, func(rule string) bool {
			return slices.ContainsFunc(e.Packages, func(p Package) bool { return names(rule, p) })
		})
	}
	if !compared {
		return nil
	}
	return idle
}

// names reports whether a pattern matches a package's workload and, for a pattern about a
// value, one of its values. It also reports true if the pattern may match an unknown part of
// the package.
func names(rule string, p Package) bool {
	parts := strings.Split(rule, "/")
	if len(parts) > 1 && !p.Partial.Workload {
		if !pattern.Matches(parts[1], p.Name()) {
			return false
		}
	}
	if len(parts) < 3 || DiscrepancyKind(parts[0]) != OtherValue || p.Partial.Values {
		return true
	}
	for key := range p.Values {
		if pattern.Matches(parts[2], key) {
			return true
		}
	}
	return false
}

// source returns a source of a workload as one line, without the ignored parts. It returns a
// star if all parts are ignored, and "" if the source is unknown.
func (r Rules) source(workload string, s Source) string {
	if s.String() == "" {
		return ""
	}
	if r.ignores(OtherSource, workload, sourceRepo) {
		s.Repo = ""
	}
	if s.isBranch() && r.ignores(OtherSource, workload, sourceBranch) {
		s.Ref = ""
	}
	if r.ignores(OtherSource, workload, sourcePath) {
		s.Path = ""
	}
	return cmp.Or(s.String(), "*")
}

// maybeVersion matches the refs of an Application that may be tags or ranges of tags, which
// an Application does not distinguish from branches.
var maybeVersion = regexp.MustCompile(`^[v~^<>= ]*[0-9]+(\.|$)`)

// isBranch reports whether Ref may be a branch: it is not the version of a chart, a tag or a
// commit.
func (s Source) isBranch() bool {
	switch {
	case s.Chart, s.Tag, s.Kind == application && maybeVersion.MatchString(s.Ref):
		return false
	case strings.HasPrefix(s.Ref, "refs/"):
		return strings.HasPrefix(s.Ref, "refs/heads/")
	}
	return len(s.Ref) < 40 || strings.Trim(s.Ref, "0123456789abcdef") != ""
}

// rank returns the position of an environment in the chains. Environments outside all chains
// come last.
func (r Rules) rank(environment string) int {
	at := 0
	for _, chain := range r.Chains {
		for _, name := range chain {
			if name == environment {
				return at
			}
			at++
		}
	}
	return at
}

// Compare orders the names of environments: first by the chains, then by name.
func (r Rules) Compare(a, b string) int {
	return cmp.Or(cmp.Compare(r.rank(a), r.rank(b)), strings.Compare(a, b))
}

// Pairs reports whether two environments are compared.
func (r Rules) Pairs(a, b string) bool {
	return r.Chains == nil || slices.ContainsFunc(r.Chains, func(chain []string) bool {
		for i := range len(chain) - 1 {
			if chain[i] == a && chain[i+1] == b || chain[i] == b && chain[i+1] == a {
				return true
			}
		}
		return false
	})
}
