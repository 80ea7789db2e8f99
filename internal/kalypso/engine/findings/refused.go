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
			n.noteReason(code, f.What, at, fmt.Sprintf("%s with %s", identityOf(o), f.What))
		}
	}
	if len(o.Namespace) > maxLabel {
		n.noteReason(NameTooLong, "namespace", at, fmt.Sprintf("%s in a namespace whose name has more than %d characters, though it is a DNS label", identityOf(o), maxLabel))
	}
	if len(o.Name) <= minLimit {
		return
	}
	if limit, known := nameLimits[o.Resource]; known && len(o.Name) > limit.most {
		n.noteReason(NameTooLong, o.Resource, at, fmt.Sprintf("%s, whose name may have %d characters, since %s, and has %d", identityOf(o), limit.most, limit.why, len(o.Name)))
	}
}

// unusable names the CustomResourceDefinitions by which nothing can be checked.
func unusable(schemas *apischema.Schemas) []Finding {
	var found []Finding
	for _, name := range schemas.Unusable() {
		found = append(found, newFinding(ManifestDoubtful, "CustomResourceDefinition/"+name,
			"Its schema cannot be used, so that rendered objects of its kind are not checked: it is too large, or no structural schema, which a cluster would refuse. Take the one that a cluster has (kubectl get crd), or remove it."))
	}
	return found
}
