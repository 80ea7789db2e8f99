// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// Rules decide how findings are treated. A rule is a code, or a code and a subject:
// "POLICY_IDLE", "POLICY_IDLE:SchedulingPolicy/legacy".
type Rules struct {
	// Ignore silences findings; FailOn makes them errors, unless they are silenced.
	Ignore, FailOn []string
}

// Apply returns the findings that are not silenced, and those of them that have
// to be errors, both in their order. Among them are findings about the rules themselves.
func (r Rules) Apply(f *fleet.Fleet, all []Finding) (kept, failing []Finding) {
	for _, found := range r.withUnmatched(f, all) {
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

// withUnmatched returns the findings, and one for each subject of a rule that does not exist
// here. The rule may be right for another environment. One about an object that has no such
// finding now is right: the object may have one later.
func (r Rules) withUnmatched(f *fleet.Fleet, all []Finding) []Finding {
	known := f.Subjects()
	for _, found := range all {
		known = append(known, found.Subject)
	}
	var subjects []string
	for _, rule := range slices.Concat(r.Ignore, r.FailOn) {
		code, subject, _ := strings.Cut(rule, ":")
		if code != RuleUnmatched && !strings.HasPrefix(subject, environmentPrefix) && !isAmong(known, code, subject) {
			subjects = append(subjects, subject)
		}
	}
	all = slices.Clone(all)
	for _, subject := range wording.Sorted(subjects) {
		all = append(all, unmatched(subject, known))
	}
	slices.SortStableFunc(all, inOrder)
	return all
}

// isAmong reports whether a rule has no subject, or one that is known. A subject about a single text or
// value has its key behind the name of the object, and the object has to be known.
func isAmong(known []string, code, subject string) bool {
	return subject == "" || slices.ContainsFunc(known, func(k string) bool {
		return subject == k || (code == TextBreaksOut || code == Credential) && strings.HasPrefix(subject, k+"/")
	})
}

// unmatched is about the subject of a rule that does not exist here. It says the same of all
// that no name is near to, so that a report has one line for them.
func unmatched(subject string, known []string) Finding {
	kind, name, _ := strings.Cut(subject, "/")
	var names []string
	for _, k := range known {
		if ofKind, isOne := strings.CutPrefix(k, kind+"/"); isOne {
			names = append(names, ofKind)
		}
	}
	return Finding{Severity: SeverityInfo, Code: RuleUnmatched, Subject: subject, Message: fmt.Sprintf("A rule of ignore_findings or fail_on "+
		"names it, and the manifests do not hold it%s. The rule may be meant for another environment.", wording.Hint(name, names))}
}

// environmentPrefix begins the subject of an environment. A rule may name an environment
// that is not known yet, because the rule may be about an empty environment.
const environmentPrefix = string(manifest.KindEnvironment) + "/"

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
