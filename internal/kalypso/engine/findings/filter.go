// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/spelling"
)

// Rules say what becomes of findings. A rule is a code, or a code and a subject:
// "POLICY_IDLE", "POLICY_IDLE:SchedulingPolicy/legacy".
type Rules struct {
	// Ignore silences findings; FailOn makes them errors, unless they are silenced.
	Ignore, FailOn []string
}

// Apply returns the findings that are not silenced, and those of them that have
// to be errors, both in their order. Among them are findings about the rules themselves.
func (r Rules) Apply(f *fleet.Fleet, all []Finding) (kept, failing []Finding) {
	for _, found := range r.withUnmatched(f, all) {
		if slices.ContainsFunc(r.Ignore, found.matches) {
			continue
		}
		kept = append(kept, found)
		if slices.ContainsFunc(r.FailOn, found.matches) {
			failing = append(failing, found)
		}
	}
	return kept, failing
}

// withUnmatched returns the findings, and one for each rule whose subject does not exist,
// so that the rule can never match. A rule about an object that has no such finding now is
// right: the object may have one later, or in another environment.
func (r Rules) withUnmatched(f *fleet.Fleet, all []Finding) []Finding {
	var unmatched []Finding
	var known []string
	check := func(setting, rule string) {
		code, subject, _ := strings.Cut(rule, ":")
		if subject == "" || code == RuleUnmatched || strings.HasPrefix(subject, environmentPrefix) ||
			slices.ContainsFunc(all, func(found Finding) bool { return found.Subject == subject }) {
			return
		}
		if known == nil {
			known = f.Subjects()
		}
		if slices.Contains(known, subject) {
			return
		}
		hint := "Correct it, or remove it."
		if near := spelling.Nearest(subject, known); near != "" {
			hint = fmt.Sprintf("Did you mean %s?", near)
		}
		unmatched = append(unmatched, newFinding(RuleUnmatched, subject, fmt.Sprintf(
			"%s has %s, but the manifests hold no %s. %s", setting, rule, subject, hint)))
	}
	for _, rule := range r.Ignore {
		check("ignore_findings", rule)
	}
	for _, rule := range r.FailOn {
		check("fail_on", rule)
	}
	if unmatched == nil {
		return all
	}
	all = slices.Concat(all, unmatched)
	slices.SortStableFunc(all, inOrder)
	return all
}

// environmentPrefix begins the subject of an environment. One that is not known yet may
// well be named by a rule: that it is empty is what the rule is about.
const environmentPrefix = string(manifest.KindEnvironment) + "/"

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
