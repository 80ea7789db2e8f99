// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/spelling"
)

// Rules say what becomes of findings. A rule is a code, or a code and a subject:
// "POLICY_IDLE", "POLICY_IDLE:SchedulingPolicy/legacy".
type Rules struct {
	// Ignore silences findings; FailOn makes them errors, unless they are silenced.
	Ignore, FailOn []string
}

// Apply returns the findings that are not silenced, and those of them that have
// to be errors, both in their order.
func (r Rules) Apply(all []Finding) (kept, failing []Finding) {
	for _, f := range all {
		if slices.ContainsFunc(r.Ignore, f.matches) {
			continue
		}
		kept = append(kept, f)
		if slices.ContainsFunc(r.FailOn, f.matches) {
			failing = append(failing, f)
		}
	}
	return kept, failing
}

func (f Finding) matches(rule string) bool { return rule == f.Code || rule == f.Code+":"+f.Subject }

// CheckRule says what is wrong with a rule, or nil: its code has to exist.
func CheckRule(rule string) error {
	code, subject, hasSubject := strings.Cut(rule, ":")
	if hasSubject && subject == "" {
		return fmt.Errorf("%q names no subject behind its colon; write a code, or a code and a subject such as %s:ClusterType/large", rule, ClusterTypeIdle)
	}
	names := make([]string, len(Codes))
	for i, c := range Codes {
		names[i] = c.Name
	}
	if slices.Contains(names, code) {
		return nil
	}
	meant := ""
	if near := spelling.Nearest(code, names); near != "" {
		meant = fmt.Sprintf(" Did you mean %s?", near)
	}
	return fmt.Errorf("%q is not the code of a finding.%s The codes are %s", code, meant, strings.Join(names, ", "))
}

// maxReported is how many findings a report tells in full.
const maxReported = 20

// Report returns findings as one text: up to 20, a line each, of as many codes as there
// are, since one that comes often may follow from another; then how many more there are
// of each code.
func Report(all []Finding) string {
	codes := map[string]bool{}
	for _, f := range all {
		codes[f.Code] = true
	}
	var b strings.Builder
	told, counts := map[string]int{}, map[string]int{}
	for _, f := range all {
		if len(all) > maxReported && told[f.Code] == max(maxReported/len(codes), 1) {
			counts[f.Code]++
			continue
		}
		told[f.Code]++
		fmt.Fprintf(&b, "- %s %s: %s\n", f.Code, f.Subject, f.Message)
	}
	if len(counts) > 0 {
		rest := 0
		var parts []string
		for _, c := range Codes {
			if n := counts[c.Name]; n > 0 {
				rest += n
				parts = append(parts, fmt.Sprintf("%d %s", n, c.Name))
			}
		}
		fmt.Fprintf(&b, "and %d more: %s.\n", rest, strings.Join(parts, ", "))
	}
	return strings.TrimSuffix(b.String(), "\n")
}
