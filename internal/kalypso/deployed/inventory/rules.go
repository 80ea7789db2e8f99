// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package inventory

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/tree"
)

// Rules say which environments are compared, in which order, and which differences are left
// out.
type Rules struct {
	// Chains are environments in their order. Each is compared with the next one. If Chains
	// is nil, every pair of environments is compared.
	Chains [][]string
	// Ignore are patterns of rows that are left out (see CheckPattern).
	Ignore []string
}

// CheckPattern returns why a pattern is not valid, or nil. A pattern is
// <workload>/<cluster type>/<what>, as in a Row. Each part may contain *, and the last parts may
// be missing.
func CheckPattern(text string) error {
	parts := strings.Split(text, "/")
	for _, part := range parts {
		if !tree.IsPattern(part) {
			return fmt.Errorf("the part %q is not valid. Write a name, in which * matches any characters", part)
		}
	}
	if len(parts) > 3 {
		return errors.New("the pattern has too many parts. Write <workload>/<cluster type>/<what>")
	}
	return nil
}

// matches reports whether a pattern matches a difference.
func matches(rule, workload, clusterType, what string) bool {
	names := []string{workload, clusterType, what}
	for i, part := range strings.Split(rule, "/") {
		if i >= len(names) || !tree.Matches(part, names[i]) {
			return false
		}
	}
	return true
}

func (r Rules) ignores(row Row) bool {
	return slices.ContainsFunc(r.Ignore, func(rule string) bool { return matches(rule, row.Workload, row.ClusterType, row.What) })
}

// rank returns the position of an environment in the chains. Environments outside all chains
// come last.
func (r Rules) rank(environment string) int {
	all := slices.Concat(r.Chains...)
	if at := slices.Index(all, environment); at >= 0 {
		return at
	}
	return len(all)
}

// Compare orders the names of environments: first by the chains, then by name.
func (r Rules) Compare(a, b string) int {
	return cmp.Or(cmp.Compare(r.rank(a), r.rank(b)), strings.Compare(a, b))
}

// Pairs reports whether two environments are compared.
func (r Rules) Pairs(a, b string) bool {
	return r.Chains == nil || slices.ContainsFunc(r.Chains, func(chain []string) bool {
		i, j := slices.Index(chain, a), slices.Index(chain, b)
		return i >= 0 && j >= 0 && (i-j == 1 || j-i == 1)
	})
}
