// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// SchedulingPolicy says which deployment targets go on which cluster types.
type SchedulingPolicy struct {
	Meta
	// Workspace narrows the deployment targets to one workspace unless it is empty.
	Workspace         string
	DeploymentTargets metav1.LabelSelector
	ClusterTypes      metav1.LabelSelector
	// Placement names the Placement that decides among the cluster types; empty for all of them.
	Placement string
	// PerTarget has the Placement decide for each deployment target on its own.
	PerTarget bool
}

// The annotations of a scheduling policy. Kalypso's own API has no fields for them.
const (
	annotationPrefix    = "kalypso-gitops.io/"
	annotationPlacement = annotationPrefix + "placement"
	annotationScope     = annotationPrefix + "placement-scope"
	scopeTarget         = "deployment-target"
)

func decodeSchedulingPolicy(_ *document, m Meta, root *fields) Object {
	s := spec(m, root)
	defer s.done()
	p := &SchedulingPolicy{Meta: m}

	targets := s.requiredMapping("deploymentTargetSelector", "a mapping with a labelSelector, which may be empty")
	p.Workspace = targets.text("workspace")
	p.DeploymentTargets = labelSelector(targets)
	targets.done()

	clusterTypes := s.requiredMapping("clusterTypeSelector", "a mapping with a labelSelector, which may be empty")
	p.ClusterTypes = labelSelector(clusterTypes)
	clusterTypes.done()
	p.annotations(annotations(root))
	return p
}

// annotations reads the policy's annotations. It ignores those of others, but reports a
// misspelled one of ours, because the policy would place everywhere.
func (p *SchedulingPolicy) annotations(f *fields) {
	p.Placement = f.text(annotationPlacement)
	if p.Placement != "" {
		f.doc.checkName(f.at(annotationPlacement), field(f.path, annotationPlacement), p.Placement)
	}
	if f.has(annotationScope) {
		p.PerTarget = f.choice(annotationScope, []string{scopeTarget}) == scopeTarget
		if p.Placement == "" {
			f.doc.report(f.at(annotationScope), "Missing field", "%s says how a placement decides, but the policy names none. Add the annotation "+
				"%s, or remove this one.",
				field(f.path, annotationScope), annotationPlacement)
		}
	}
	ours := []string{annotationPlacement, annotationScope}
	for _, e := range f.entries {
		if strings.HasPrefix(e.key, annotationPrefix) && !slices.Contains(ours, e.key) {
			f.doc.report(e.at, "Unknown field", "There is no annotation %s. %sKnown annotations: %s.",
				quote(e.key), wording.DidYouMean(e.key, ours), listing(ours))
		}
	}
}

// labelSelector reads a selector; a missing one is empty and matches everything.
func labelSelector(parent *fields) metav1.LabelSelector {
	return selector(parent.mapping("labelSelector"))
}

func selector(f *fields) metav1.LabelSelector {
	defer f.done()
	read := metav1.LabelSelector{MatchLabels: f.labels("matchLabels")}
	for _, i := range f.list("matchExpressions") {
		read.MatchExpressions = append(read.MatchExpressions, requirement(f.doc, i))
	}
	return read
}

// Compiled returns a decoded selector in the form that matches labels. Decoding refuses every
// selector that Kubernetes refuses.
func Compiled(s metav1.LabelSelector) labels.Selector {
	compiled, err := metav1.LabelSelectorAsSelector(&s)
	if err != nil {
		panic("a selector that was not decoded: " + err.Error())
	}
	return compiled
}

var operators = []string{
	string(metav1.LabelSelectorOpIn), string(metav1.LabelSelectorOpNotIn),
	string(metav1.LabelSelectorOpExists), string(metav1.LabelSelectorOpDoesNotExist),
}

// requirement reads one of a selector's matchExpressions.
func requirement(d *document, i item) metav1.LabelSelectorRequirement {
	f := d.fields(i.node, i.path)
	defer f.done()
	r := metav1.LabelSelectorRequirement{
		Key:      f.required("key", "the key of a label"),
		Operator: metav1.LabelSelectorOperator(f.choice("operator", operators)),
	}
	for _, value := range f.list("values") {
		r.Values = append(r.Values, d.text(value.node, value.path))
	}
	if f.has("values") && f.at("values").Kind != yaml.SequenceNode { // reported by list
		return r
	}
	if r.Key == "" || !slices.Contains(operators, string(r.Operator)) {
		return r
	}
	if _, err := metav1.LabelSelectorAsSelector(&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{r}}); err != nil {
		d.report(i.node, "Invalid selector", "%s cannot be used, with the operator %s: %s. In and NotIn need values, Exists and DoesNotExist "+
			"take none.",
			i.path, r.Operator, err)
	}
	return r
}

func (p *SchedulingPolicy) encode(to *envelope) {
	if p.Placement != "" {
		to.Metadata.Annotations = map[text]text{annotationPlacement: text(p.Placement)}
		if p.PerTarget {
			to.Metadata.Annotations[annotationScope] = scopeTarget
		}
	}
	type selectorSpec struct {
		Workspace     text `yaml:"workspace,omitempty"`
		LabelSelector any  `yaml:"labelSelector"`
	}
	to.Spec = struct {
		DeploymentTargetSelector selectorSpec `yaml:"deploymentTargetSelector"`
		ClusterTypeSelector      selectorSpec `yaml:"clusterTypeSelector"`
	}{
		selectorSpec{text(p.Workspace), encodeAPI(reflect.ValueOf(p.DeploymentTargets))},
		selectorSpec{LabelSelector: encodeAPI(reflect.ValueOf(p.ClusterTypes))},
	}
}
