// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package ocm

import (
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// None represents a missing label or claim. No label has this value.
const None = "(none)"

// Requirement is one requirement of a selector.
type Requirement struct {
	Key string
	// Text is the whole requirement, such as "edge = true".
	Text string
	// IsExpression is true for a part of matchExpressions.
	IsExpression bool

	part labels.Selector
}

// Requirements takes a decoded selector apart.
func Requirements(s metav1.LabelSelector) []Requirement {
	var all []Requirement
	for _, key := range slices.Sorted(maps.Keys(s.MatchLabels)) {
		value := s.MatchLabels[key]
		all = append(all, Requirement{Key: key, Text: key + " = " + value,
			part: manifest.Compiled(metav1.LabelSelector{MatchLabels: map[string]string{key: value}})})
	}
	for _, e := range s.MatchExpressions {
		text := e.Key + " " + string(e.Operator)
		if len(e.Values) > 0 {
			text += " (" + strings.Join(e.Values, ", ") + ")"
		}
		all = append(all, Requirement{Key: e.Key, Text: text, IsExpression: true,
			part: manifest.Compiled(metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{e}})})
	}
	return all
}

// Of returns the value that labels or claims have for the requirement, and whether the requirement
// holds, which Kubernetes decides.
func (r Requirement) Of(have map[string]string) (found string, holds bool) {
	return valueOf(have, r.Key), r.part.Matches(labels.Set(have))
}

func valueOf(have map[string]string, key string) string {
	if value, exists := have[key]; exists {
		return value
	}
	return None
}

// selector selects clusters by labels and by claims, which must both match.
type selector struct{ labels, claims []Requirement }

func newSelector(byLabels metav1.LabelSelector, byClaims clusterv1beta1.ClusterClaimSelector) selector {
	return selector{Requirements(byLabels), Requirements(metav1.LabelSelector{MatchExpressions: byClaims.MatchExpressions})}
}

// missed returns the first requirement that a cluster misses, whether it is about a label or a claim,
// and the actual value. matches is true if the cluster misses none.
func (s selector) missed(c *cluster) (what string, missed Requirement, found string, matches bool) {
	for _, r := range s.labels {
		if found, holds := r.Of(c.labels); !holds {
			return "label", r, found, false
		}
	}
	for _, r := range s.claims {
		if found, holds := r.Of(c.claims); !holds {
			return "claim", r, found, false
		}
	}
	return "", Requirement{}, "", true
}

func (s selector) matches(c *cluster) bool {
	_, _, _, matches := s.missed(c)
	return matches
}

func newPredicates(p *manifest.Placement) []selector {
	var all []selector
	for _, of := range p.Spec.Predicates {
		all = append(all, newSelector(of.RequiredClusterSelector.LabelSelector, of.RequiredClusterSelector.ClaimSelector))
	}
	return all
}

// meetsPredicates reports whether one of the predicates matches. Without predicates, every cluster does.
func meetsPredicates(p *plan, c *cluster) bool {
	return len(p.predicates) == 0 || slices.ContainsFunc(p.predicates, func(s selector) bool { return s.matches(c) })
}

// explainPredicates returns the requirements that the cluster misses, one of each predicate, and
// the actual values.
func explainPredicates(p *plan, c *cluster) (asked, found string) {
	var wants, finds []string
	for _, s := range p.predicates {
		what, missed, have, _ := s.missed(c)
		if len(p.predicates) > 1 {
			have = what + " " + missed.Key + ": " + have
		}
		wants, finds = append(wants, what+" "+missed.Text), append(finds, have)
	}
	return strings.Join(wants, "; or "), strings.Join(finds, "; ")
}
