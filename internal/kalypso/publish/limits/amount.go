// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package limits

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// Amount is a number of packages, or a share of the current packages, in the form of
// Kubernetes' maxUnavailable.
type Amount struct{ value intstr.IntOrString }

// ParseAmount reads a count ("25") or a share in whole per cent ("10%"). Errors: any other
// text, a negative number, a share above 100%.
func ParseAmount(text string) (*Amount, error) {
	a := Amount{intstr.Parse(text)}
	ofHundred, err := intstr.GetScaledValueFromIntOrPercent(&a.value, 100, false)
	if err != nil || ofHundred < 0 {
		return nil, fmt.Errorf("%q is neither a count such as \"25\" nor a share in whole per cent such as \"10%%\"", text)
	}
	if a.value.Type == intstr.String && ofHundred > 100 {
		return nil, fmt.Errorf("%q is more than all packages; a share is at most \"100%%\"", text)
	}
	return &a, nil
}

// String returns the amount in its original form.
func (a *Amount) String() string { return a.value.String() }

// of returns how many of that many packages the amount is, rounded down.
func (a *Amount) of(all int) int {
	n, _ := intstr.GetScaledValueFromIntOrPercent(&a.value, all, false) // ParseAmount has read it
	return n
}
