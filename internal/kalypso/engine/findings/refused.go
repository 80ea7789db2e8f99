// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"
	"regexp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/output"
)

// nameLimit is how long the names of a kind may be, and why.
type nameLimit struct {
	most int
	why  string
}

// nameLimits are the kinds, with their groups, whose names have to fit into less than the
// 253 characters of a normal name. The limits come from the validation of Kubernetes and
// the controllers of Flux.
var nameLimits = map[string]nameLimit{
	"Namespace":        {maxLabel, "it is a DNS label"},
	"Service":          {maxLabel, "it is a DNS label"},
	"Job.batch":        {maxLabel, "it becomes a label of its pods"},
	"CronJob.batch":    {maxOfSeries, "it begins the names of its jobs, which become labels of their pods"},
	"StatefulSet.apps": {maxOfSeries, "it begins the names of its revisions, which become labels of its pods"},
	"Kustomization.kustomize.toolkit.fluxcd.io": {maxLabel, "it becomes a label of all that is applied"},
	"HelmRelease.helm.toolkit.fluxcd.io":        {maxLabel, "it becomes a label of all that is applied"},
}

// The maximum length of a label, and of the name of an object that begins the names of
// labels.
const (
	maxLabel    = 63
	maxOfSeries = 52
)

// refused records why a cluster would refuse an object, or would not do what the object is
// meant to do.
func (n *inspection) refused(o *output.Identity, at place) {
	for _, f := range o.Faults {
		code := ObjectInvalid
		switch {
		case f.IsTooLong:
			code = NameTooLong
		case f.IsRemoved:
			code = APIRemoved
		}
		id := identityOf(o).String()
		n.note(fault{sort: sort{code: code, reason: f.What}, object: id, what: id + " with " + f.What + cure(o, f.What)}, at)
	}
	for _, f := range longNames(o) {
		f.object = identityOf(o).String()
		n.note(f, at)
	}
}

// notText matches the fault of a ConfigMap whose template writes a list or a mapping as it is.
var notText = regexp.MustCompile(`^a (list|mapping) at data[.\[].* instead of text$`)

// cure names the function that the template lacks, in parentheses; empty if it is not known.
func cure(o *output.Identity, fault string) string {
	if o.Resource != "ConfigMap" || !notText.MatchString(fault) {
		return ""
	}
	return " (the function stringify writes it as text)"
}

// longNames returns the errors in the lengths of an object's name and namespace.
func longNames(o *output.Identity) (faults []fault) {
	if len(o.Namespace) > maxLabel {
		faults = append(faults, fault{
			sort: sort{code: NameTooLong, reason: "namespace"},
			what: fmt.Sprintf("%s in a namespace whose name has more than %d characters, though it is a DNS label", identityOf(o), maxLabel),
		})
	}
	if limit, known := nameLimits[o.Resource]; known && len(o.Name) > limit.most {
		faults = append(faults, fault{
			sort: sort{code: NameTooLong, reason: o.Resource},
			what: fmt.Sprintf("%s, whose name may have %d characters, since %s, and has %d", identityOf(o), limit.most, limit.why, len(o.Name)),
		})
	}
	return faults
}
