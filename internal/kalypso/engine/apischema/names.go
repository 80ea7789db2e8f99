// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package apischema

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/validation/path"
	"k8s.io/apimachinery/pkg/util/validation"
)

// maxData is how many bytes the data of a ConfigMap or a Secret may have: MaxSecretSize of
// Kubernetes' core API.
const maxData = 1 << 20

// nameFaults returns the names and keys in an object that a server refuses, by the rules of
// Kubernetes' own validation. Lengths of names are another finding.
func nameFaults(object any) (faults []Fault) {
	note := func(what, at string, refusals []string) {
		if len(refusals) > 0 {
			faults = append(faults, Fault{What: fmt.Sprintf("%s at %s that clusters refuse (%s)", what, at, refusals[0])})
		}
	}
	group, _ := cutVersion(textAt(object, "apiVersion"))
	kind := textAt(object, "kind")
	if name := textAt(object, "metadata", "name"); name != "" && !strings.Contains(name, fluxVariable) {
		note("a name", "metadata.name", namingRule(group, kind)(name))
	}
	if namespace := textAt(object, "metadata", "namespace"); namespace != "" && !strings.Contains(namespace, fluxVariable) {
		note("a namespace", "metadata.namespace", withoutLength(validation.IsDNS1123Label)(namespace))
	}
	for _, field := range []string{"labels", "annotations"} {
		entries, path := at(object, []string{"metadata", field})
		keys, _ := entries.(map[string]any)
		for key := range keys {
			note("a key", path, validation.IsQualifiedName(strings.ToLower(key)))
		}
	}
	if group == "" && (kind == "ConfigMap" || kind == "Secret") {
		size := 0
		for _, field := range []string{"data", "binaryData", "stringData"} {
			entries, path := at(object, []string{field})
			data, _ := entries.(map[string]any)
			for key, value := range data {
				note("a key", path, validation.IsConfigMapKey(key))
				content, _ := value.(string)
				size += len(content)
			}
		}
		if size > maxData {
			faults = append(faults, Fault{What: fmt.Sprintf("data of more than %d bytes, which clusters refuse", maxData)})
		}
	}
	return faults
}

func textAt(object any, fields ...string) string {
	value, _ := at(object, fields)
	t, _ := value.(string)
	return t
}

// namingRule returns the rule for the names of a kind.
func namingRule(group, kind string) func(name string) []string {
	switch {
	case group == "rbac.authorization.k8s.io":
		return path.IsValidPathSegmentName
	case group == "" && kind == "Service":
		return withoutLength(validation.IsDNS1035Label)
	case group == "" && kind == "Namespace":
		return withoutLength(validation.IsDNS1123Label)
	default:
		return withoutLength(validation.IsDNS1123Subdomain)
	}
}

// withoutLength returns a rule that does not refuse names for their length.
func withoutLength(rule func(name string) []string) func(name string) []string {
	return func(name string) (refusals []string) {
		for _, refusal := range rule(name) {
			if !strings.HasPrefix(refusal, "must be no more than") {
				refusals = append(refusals, refusal)
			}
		}
		return refusals
	}
}
