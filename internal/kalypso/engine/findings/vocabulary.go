// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/fleet"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// vocabulary knows which labels occur in a fleet, to find probable typing errors.
type vocabulary struct {
	clusterTypes, targets, workspaces *lexicon
	// either has the labels that a ConfigMap's are compared with, names included.
	either *lexicon
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
		workspaces:   newLexicon("deployment target"),
		either:       newLexicon("cluster type or deployment target"),
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
		v.workspaces.add("", t.Workspace)
		names.add(manifest.LabelDeploymentTarget, t.FullName)
		names.add(manifest.LabelWorkload, t.Workload)
	}
	maps.Copy(v.either.values, names.values) // names, whatever labels of these keys there are
	return v
}

func newLexicon(what string) *lexicon { return &lexicon{what, map[string]map[string]bool{}} }

func (l *lexicon) addAll(labels map[string]string) {
	for key, value := range labels {
		l.add(key, value)
	}
}

func (l *lexicon) add(key, value string) {
	if l.values[key] == nil {
		l.values[key] = map[string]bool{}
	}
	l.values[key][value] = true
}

// listed joins doubts for a sentence. A doubt says that something occurs nowhere that a label
// asks for.
func listed(doubts []string) string { return strings.Join(doubts, ", and ") }

// doubts says why a label with one of the values is probably a mistake; nothing if it
// occurs. The key "" means the workspace.
func (l *lexicon) doubts(key string, wanted ...string) []string {
	known, exists := l.values[key]
	if !exists && key != "" {
		return []string{fmt.Sprintf("no %s has a label %s%s", l.what, key, nearest(key, l.values))}
	}
	if slices.ContainsFunc(wanted, func(value string) bool { return known[value] }) {
		return nil
	}
	var doubts []string
	for _, value := range wanted {
		label := fmt.Sprintf("has the label %s = %s", key, value)
		if key == "" {
			label = "is of the workspace " + value
		}
		doubts = append(doubts, fmt.Sprintf("no %s %s%s", l.what, label, nearest(value, known)))
	}
	return doubts
}

// nearest names the known word that was probably meant.
func nearest[V any](word string, known map[string]V) string {
	return wording.Hint(word, slices.Sorted(maps.Keys(known)))
}
