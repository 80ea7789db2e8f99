// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package manifest

import (
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation"
)

// rule says what is wrong with a name, by Kubernetes' rules; nothing where it is fine.
type rule func(string) []string

// checkName reports a name that its rule refuses.
func (d *document) checkName(n *yaml.Node, path, name string, r rule) {
	if faults := r(name); len(faults) > 0 {
		d.report(n, "Invalid name", "%s is %s, but %s. Change the name.", path, quote(name), strings.Join(faults, "; "))
	}
}

// labels returns a mapping of labels, checked by Kubernetes' rules.
func (f *fields) labels(name string) map[string]string {
	return f.texts(name, func(path string, e entry, value string) {
		if faults := validation.IsQualifiedName(e.key); len(faults) > 0 {
			f.doc.report(e.at, "Invalid label", "The key %s in %s cannot be a label: %s. Change the key.", quote(e.key), path, strings.Join(faults, "; "))
		}
		if faults := validation.IsValidLabelValue(value); len(faults) > 0 && isText(e.value) {
			f.doc.report(e.value, "Invalid label", "%s is %s, which cannot be a label's value: %s. Change the value.",
				field(path, e.key), quote(value), strings.Join(faults, "; "))
		}
	})
}

// choice returns a required string that has to be one of the known ones.
func (f *fields) choice(name string, known []string) string {
	s := f.required(name, "one of "+strings.Join(known, ", "))
	for _, k := range known {
		if s == k {
			return s
		}
	}
	if s != "" {
		f.doc.report(f.at(name), "Unknown value", "%s is %s. %sKnown values: %s.",
			field(f.path, name), quote(s), didYouMean(s, known), strings.Join(known, ", "))
	}
	return s
}
