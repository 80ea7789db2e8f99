// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package scheduling

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// predicate is a predicate of a placement. All its parts must match.
type predicate struct {
	labels, claims labels.Selector
	expressions    []*expression
	of             clusterv1beta1.ClusterSelector
}

func (h *hub) newPredicates(p *manifest.Placement) ([]predicate, error) {
	var problems problem.List
	var all []predicate
	for i, of := range p.Spec.Predicates {
		s := of.RequiredClusterSelector
		made := predicate{of: s, labels: manifest.Compiled(s.LabelSelector), claims: claimSelector(s.ClaimSelector)}
		for j, text := range s.CelSelector.CelExpressions {
			e, err := h.compile(text)
			if costly := h.costly(); costly != nil {
				return nil, undecided(p, costly)
			}
			if err != nil {
				problems.Add(problem.Problem{
					Summary: "Invalid expression", Subject: p.ID(), Where: p.Source.String(),
					Detail: fmt.Sprintf("spec.predicates[%d].requiredClusterSelector.celSelector.celExpressions[%d] cannot be used: %s. Correct the "+
						"expression.", i, j, err),
				})
			}
			made.expressions = append(made.expressions, e)
		}
		all = append(all, made)
	}
	return all, problems.Err()
}

func claimSelector(s clusterv1beta1.ClusterClaimSelector) labels.Selector {
	return manifest.Compiled(metav1.LabelSelector{MatchExpressions: s.MatchExpressions})
}

func (h *hub) matches(p *predicate, c *cluster) (bool, error) {
	if !p.labels.Matches(labels.Set(c.Labels)) || !p.claims.Matches(labels.Set(c.claims)) {
		return false, nil
	}
	return h.holdAll(p.expressions, c)
}

// anyMatches reports whether one of the predicates matches, or none exists.
func (h *hub) anyMatches(all []predicate, c *cluster) (bool, error) {
	for i := range all {
		if ok, err := h.matches(&all[i], c); ok || err != nil {
			return ok, err
		}
	}
	return len(all) == 0, nil
}

// explainPredicates returns the requirements of the predicates, and the actual values.
func (h *hub) explainPredicates(all []predicate, c *cluster) (asked, found string) {
	var wants, finds []string
	for i := range all {
		want, where, have := h.unmet(&all[i], c)
		if len(all) > 1 {
			have = where + ": " + have
		}
		wants, finds = append(wants, want), append(finds, have)
	}
	return strings.Join(wants, "; or "), strings.Join(finds, "; ")
}

// unmet returns the first part of a predicate that does not match, its field, and the actual
// value.
func (h *hub) unmet(p *predicate, c *cluster) (want, where, have string) {
	for _, side := range []struct {
		what     string
		selector metav1.LabelSelector
		have     map[string]string
	}{
		{"label", p.of.LabelSelector, c.Labels},
		{"claim", metav1.LabelSelector{MatchExpressions: p.of.ClaimSelector.MatchExpressions}, c.claims},
	} {
		if want, key := unmetOf(side.selector, side.have); want != "" {
			return side.what + " " + want, side.what + " " + key, labelOf(side.have, key)
		}
	}
	for _, e := range p.expressions {
		if ok, said := h.evaluate(e, c); !ok {
			return "expression " + e.text, "expression", said
		}
	}
	return "", "", ""
}

// unmetOf returns the first requirement of a selector that is not met, and its key.
func unmetOf(s metav1.LabelSelector, have map[string]string) (want, key string) {
	for _, key := range slices.Sorted(maps.Keys(s.MatchLabels)) {
		if value, exists := have[key]; !exists || value != s.MatchLabels[key] {
			return key + " = " + s.MatchLabels[key], key
		}
	}
	for _, r := range s.MatchExpressions {
		one := metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{r}}
		if manifest.Compiled(one).Matches(labels.Set(have)) {
			continue
		}
		want := r.Key + " " + string(r.Operator)
		if len(r.Values) > 0 {
			want += " (" + strings.Join(r.Values, ", ") + ")"
		}
		return want, r.Key
	}
	return "", ""
}
