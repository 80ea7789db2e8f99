// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

type vocabulary struct {
	clusterTypes, targets *lexicon
	// either has the labels that a ConfigMap's are compared with, names included.
	either     *lexicon
	workspaces map[string]bool
	// wanted are the values of labels that policies ask of deployment targets.
	wanted map[string]map[string]bool
}

// lexicon is the labels of one sort of objects.
type lexicon struct {
	// what carries the labels: "cluster type".
	what string
	// values are the known values of each key.
	values map[string]map[string]bool
}

func newVocabulary(f *fleet.Fleet) *vocabulary {
	v := &vocabulary{
		clusterTypes: newLexicon("cluster type"),
		targets:      newLexicon("deployment target"),
		either:       newLexicon("cluster type or deployment target"),
		workspaces:   map[string]bool{},
	}
	names := newLexicon("")
	for _, ct := range f.ClusterTypes {
		v.clusterTypes.addAll(ct.Labels)
		v.either.addAll(ct.Labels)
		names.add(manifest.LabelClusterType, ct.Name)
	}
	for _, t := range f.Targets {
		v.targets.addAll(t.Labels)
		v.either.addAll(t.Labels)
		v.workspaces[t.Workspace] = true
		names.add(manifest.LabelDeploymentTarget, t.FullName)
		names.add(manifest.LabelWorkload, t.Workload)
	}
	wanted := newLexicon("scheduling policy")
	for _, p := range f.Policies {
		wanted.addAll(p.DeploymentTargets.MatchLabels)
		for _, e := range p.DeploymentTargets.MatchExpressions {
			if e.Operator == metav1.LabelSelectorOpIn {
				wanted.add(e.Key, e.Values...)
			}
		}
	}
	v.wanted = wanted.values
	maps.Copy(v.either.values, names.values) // names, whatever labels of these keys there are
	return v
}

func newLexicon(what string) *lexicon { return &lexicon{what, map[string]map[string]bool{}} }

func (l *lexicon) addAll(labels map[string]string) {
	for key, value := range labels {
		l.add(key, value)
	}
}

func (l *lexicon) add(key string, values ...string) {
	if l.values[key] == nil {
		l.values[key] = map[string]bool{}
	}
	for _, value := range values {
		l.values[key][value] = true
	}
}

// doubts says why a label with one of the values is probably a mistake; nothing if it occurs.
func (l *lexicon) doubts(key string, wanted ...string) []string {
	known, exists := l.values[key]
	if !exists {
		return []string{fmt.Sprintf("no %s has a label %s%s", l.what, key, nearest(key, l.values))}
	}
	if slices.ContainsFunc(wanted, func(value string) bool { return known[value] }) {
		return nil
	}
	var doubts []string
	for _, value := range wanted {
		doubts = append(doubts, fmt.Sprintf("no %s has the label %s = %s%s", l.what, key, value, nearest(value, known)))
	}
	return doubts
}

// ofSelector returns the doubts about the labels that a selector asks for.
func (l *lexicon) ofSelector(selector metav1.LabelSelector) []string {
	var doubts []string
	for _, key := range slices.Sorted(maps.Keys(selector.MatchLabels)) {
		doubts = append(doubts, l.doubts(key, selector.MatchLabels[key])...)
	}
	for _, e := range selector.MatchExpressions {
		switch e.Operator {
		case metav1.LabelSelectorOpIn:
			doubts = append(doubts, l.doubts(e.Key, e.Values...)...)
		case metav1.LabelSelectorOpExists:
			doubts = append(doubts, l.doubts(e.Key)...)
		default: // NotIn and DoesNotExist hold for labels that occur nowhere
		}
	}
	return doubts
}

// because ends a sentence with its doubts.
func because(doubts []string) string {
	if len(doubts) == 0 {
		return ""
	}
	return ": " + strings.Join(doubts, ", and ")
}
