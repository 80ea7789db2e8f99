// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package scheduling

import (
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// selector selects clusters by labels and by claims, which must both match.
type selector struct{ labels, claims labels.Selector }

func newSelector(byLabels metav1.LabelSelector, byClaims clusterv1beta1.ClusterClaimSelector) selector {
	return selector{manifest.Compiled(byLabels), manifest.Compiled(metav1.LabelSelector{MatchExpressions: byClaims.MatchExpressions})}
}

func (s selector) matches(c *cluster) bool {
	return s.labels.Matches(labels.Set(c.labels)) && s.claims.Matches(labels.Set(c.claims))
}

// predicate is a predicate of a placement.
type predicate struct {
	selector
	of clusterv1beta1.ClusterSelector
}

func newPredicates(p *manifest.Placement) []predicate {
	var all []predicate
	for _, of := range p.Spec.Predicates {
		s := of.RequiredClusterSelector
		all = append(all, predicate{newSelector(s.LabelSelector, s.ClaimSelector), s})
	}
	return all
}

// anyMatches reports whether one of the predicates matches. Without predicates, every cluster does.
func anyMatches(all []predicate, c *cluster) bool {
	return len(all) == 0 || slices.ContainsFunc(all, func(p predicate) bool { return p.matches(c) })
}

// explainPredicates returns the requirements of the predicates, and the actual values.
func explainPredicates(all []predicate, c *cluster) (asked, found string) {
	var wants, finds []string
	for _, p := range all {
		what, missed := p.missed(c)
		have := missed.Found
		if len(all) > 1 {
			have = what + " " + missed.Key + ": " + have
		}
		wants, finds = append(wants, what+" "+missed.Text), append(finds, have)
	}
	return strings.Join(wants, "; or "), strings.Join(finds, "; ")
}

// missed returns the first requirement that a cluster misses, and whether it is about a
// label or a claim.
func (p predicate) missed(c *cluster) (what string, missed Requirement) {
	all := Requirements(p.of.LabelSelector, c.labels)
	if i := slices.IndexFunc(all, func(r Requirement) bool { return !r.Holds }); i >= 0 {
		return "label", all[i]
	}
	all = Requirements(metav1.LabelSelector{MatchExpressions: p.of.ClaimSelector.MatchExpressions}, c.claims)
	return "claim", all[slices.IndexFunc(all, func(r Requirement) bool { return !r.Holds })]
}

// None represents a missing label or claim. No label has this value.
const None = "(none)"

// Requirement is one requirement of a selector, and the value that labels have for it.
type Requirement struct {
	Key string
	// Text is the whole requirement, such as "edge = true".
	Text string
	// Found is the actual value.
	Found string
	Holds bool
	// IsExpression is true for a part of matchExpressions.
	IsExpression bool
}

// Requirements takes a selector apart. Kubernetes decides which parts hold for the labels.
func Requirements(s metav1.LabelSelector, have map[string]string) []Requirement {
	var all []Requirement
	add := func(r Requirement, part metav1.LabelSelector) {
		r.Found, r.Holds = labelOf(have, r.Key), manifest.Compiled(part).Matches(labels.Set(have))
		all = append(all, r)
	}
	for _, key := range slices.Sorted(maps.Keys(s.MatchLabels)) {
		value := s.MatchLabels[key]
		add(Requirement{Key: key, Text: key + " = " + value}, metav1.LabelSelector{MatchLabels: map[string]string{key: value}})
	}
	for _, e := range s.MatchExpressions {
		text := e.Key + " " + string(e.Operator)
		if len(e.Values) > 0 {
			text += " (" + strings.Join(e.Values, ", ") + ")"
		}
		add(Requirement{Key: e.Key, Text: text, IsExpression: true},
			metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{e}})
	}
	return all
}

func labelOf(labels map[string]string, key string) string {
	if value, exists := labels[key]; exists {
		return value
	}
	return None
}
