// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Rules decide how findings are treated. A rule is a code, or a code and a subject:
// "POLICY_IDLE", "POLICY_IDLE:SchedulingPolicy/legacy".
type Rules struct {
	// Ignore silences findings; FailOn makes them errors, unless they are silenced.
	Ignore, FailOn []string
}

// Apply returns the findings that are not silenced, and those of them that have
// to be errors, both in their order.
func (r Rules) Apply(all []Finding) (kept, failing []Finding) {
	for _, found := range slices.SortedStableFunc(slices.Values(all), inOrder) {
		if r.Silences(found) {
			continue
		}
		kept = append(kept, found)
		if slices.ContainsFunc(r.FailOn, found.matches) {
			failing = append(failing, found)
		}
	}
	return kept, failing
}

// Same reports whether rules are the same, without regard to their order.
func (r Rules) Same(other Rules) bool {
	return slices.Equal(wording.Sorted(r.Ignore), wording.Sorted(other.Ignore)) &&
		slices.Equal(wording.Sorted(r.FailOn), wording.Sorted(other.FailOn))
}

// Silences reports whether the rules silence a finding.
func (r Rules) Silences(f Finding) bool { return slices.ContainsFunc(r.Ignore, f.matches) }

// FailsOn reports whether fail_on names a finding of this code.
func (r Rules) FailsOn(code string) bool {
	return slices.ContainsFunc(r.FailOn, func(rule string) bool { return rule == code || strings.HasPrefix(rule, code+":") })
}

func (f Finding) matches(rule string) bool { return rule == f.Code || rule == f.Code+":"+f.Subject }

// CheckRule returns why a rule is not valid, or nil: its code has to exist.
func CheckRule(rule string) error {
	code, subject, hasSubject := strings.Cut(rule, ":")
	if hasSubject && subject == "" {
		return fmt.Errorf("%q names no subject behind its colon; write a code, or a code and a subject such as %s:ClusterType/large", rule,
			ClusterTypeIdle)
	}
	names := make([]string, len(Codes))
	for i, c := range Codes {
		names[i] = c.Name
	}
	if slices.Contains(names, code) {
		return nil
	}
	return fmt.Errorf("%q is not the code of a finding%s. The codes are %s", code, wording.Hint(code, names), strings.Join(names, ", "))
}
