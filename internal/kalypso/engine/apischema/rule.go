// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package apischema

import (
	"encoding/base64"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
)

// rule is a check of a text that Kubernetes makes when it decodes an object. The published
// schemas describe the check only in prose.
type rule struct {
	expected string
	holds    func(value string) bool
}

var (
	quantityRule = &rule{"a quantity (as 500m or 1.5Gi)", func(value string) bool {
		_, err := resource.ParseQuantity(value)
		return err == nil
	}}
	base64Rule = &rule{"text in base64", func(value string) bool {
		_, err := base64.StdEncoding.DecodeString(value)
		return err == nil
	}}
	// Length is another finding: see Fault.IsTooLong.
	labelRule = &rule{"a label's value (letters, digits, -, _ and . between letters or digits)", func(value string) bool {
		return len(validation.IsValidLabelValue(value)) == 0
	}}
)
