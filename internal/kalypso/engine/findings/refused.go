// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/apischema"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/output"
)

// nameLimit is how long the names of a kind may be, and why.
type nameLimit struct {
	most int
	why  string
}

// nameLimits are the kinds, with their groups, whose names become what has less room than
// the 253 characters that a name may have: from the validation of Kubernetes and the
// controllers of Flux. The shortest is minLimit.
var nameLimits = map[string]nameLimit{
	"Namespace":        {maxLabel, "it is a DNS label"},
	"Service":          {maxLabel, "it is a DNS label"},
	"Job.batch":        {maxLabel, "it becomes a label of its pods"},
	"CronJob.batch":    {minLimit, "it begins the names of its jobs, which become labels of their pods"},
	"StatefulSet.apps": {minLimit, "it begins the names of its revisions, which become labels of its pods"},
	"Kustomization.kustomize.toolkit.fluxcd.io": {maxLabel, "it becomes a label of all that is applied"},
	"HelmRelease.helm.toolkit.fluxcd.io":        {maxLabel, "it becomes a label of all that is applied"},
}

const (
	maxLabel = 63
	minLimit = 52
)

// refused notes why a cluster would refuse an object, or not do with it what is meant.
func (n *inspection) refused(o *output.Object, at place) {
	if o.Verdict != nil {
		for _, f := range o.Verdict.Faults {
			code := ObjectInvalid
			if f.IsTooLong {
				code = NameTooLong
			}
			n.note(fault{sort: sort{code: code, reason: f.What}, what: fmt.Sprintf("%s with %s", identityOf(o), f.What), by: o.Verdict.By}, at)
		}
	}
	if len(o.Namespace) > maxLabel {
		n.note(fault{sort: sort{code: NameTooLong, reason: "namespace"}, what: fmt.Sprintf("%s in a namespace whose name has more than %d characters, though it is a DNS label", identityOf(o), maxLabel)}, at)
	}
	if len(o.Name) <= minLimit {
		return
	}
	if limit, known := nameLimits[o.Resource]; known && len(o.Name) > limit.most {
		n.note(fault{sort: sort{code: NameTooLong, reason: o.Resource}, what: fmt.Sprintf("%s, whose name may have %d characters, since %s, and has %d", identityOf(o), limit.most, limit.why, len(o.Name))}, at)
	}
}

// doubtfulDefinitions names the CustomResourceDefinitions by which nothing can be checked,
// or not what is meant.
func doubtfulDefinitions(schemas *apischema.Schemas) []Finding {
	var found []Finding
	for _, d := range schemas.Doubts() {
		message := ""
		switch name := apischema.NameOf(d.Definition); d.Reason {
		case apischema.Unusable:
			message = fmt.Sprintf("The schema of %s cannot be used, so that rendered objects of its kind are not checked: it is too large, or no structural schema, which a cluster would refuse. Take the one that a cluster has (kubectl get crd), or remove it.", name)
		case apischema.NoSchema:
			message = fmt.Sprintf("%s has no schema for rendered objects of its kind, so nothing is checked: clusters take apiextensions.k8s.io/v1 with spec.versions[].schema.openAPIV3Schema. Take the one that a cluster has (kubectl get crd), or remove it.", name)
		case apischema.Twice:
			message = fmt.Sprintf("%s is there twice, differently: also in %s. Rendered objects of its kind are checked by the first. Remove the one that the clusters do not have.", name, d.Other.Source)
		}
		found = append(found, newFinding(ManifestDoubtful, d.Definition.ID(), message))
	}
	return found
}
