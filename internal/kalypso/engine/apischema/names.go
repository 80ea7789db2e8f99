// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package apischema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/credential"
)

// maxData is how many bytes the data of a ConfigMap or a Secret may have: MaxSecretSize of
// Kubernetes' core API.
const maxData = 1 << 20

// nameFaults returns the names and keys in an object that a server refuses, by the rules of
// Kubernetes' own validation, and the names that are too long for what a controller makes of them.
func nameFaults(object any) (faults []Fault) {
	note := func(what, at string, refusals []string) {
		if len(refusals) > 0 {
			faults = append(faults, Fault{IsTooLong: strings.HasPrefix(refusals[0], tooLong),
				What: fmt.Sprintf("%s at %s that clusters refuse (%s)", what, credential.Redact(at), refusals[0])})
		}
	}
	group, _ := cutVersion(textAt(object, "apiVersion"))
	kind := textAt(object, "kind")
	if name := textAt(object, "metadata", "name"); name != "" && !strings.Contains(name, fluxVariable) {
		note("a name", "metadata.name", namingRule(group, kind)(name))
	}
	if namespace := textAt(object, "metadata", "namespace"); namespace != "" && !strings.Contains(namespace, fluxVariable) {
		note("a namespace", "metadata.namespace", validation.IsDNS1123Label(namespace))
	}
	for _, field := range []string{"labels", "annotations"} {
		entries, _ := at(object, []string{"metadata", field})
		keys, _ := entries.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			name := key
			if field == "annotations" {
				name = strings.ToLower(key) // as Kubernetes does, for annotations alone
			}
			_, path := at(object, []string{"metadata", field, key})
			note("a key", path, validation.IsQualifiedName(name))
		}
	}
	if group == "" && (kind == "ConfigMap" || kind == "Secret") {
		size := 0
		for _, field := range []string{"data", "binaryData", "stringData"} {
			entries, _ := at(object, []string{field})
			data, _ := entries.(map[string]any)
			for _, key := range slices.Sorted(maps.Keys(data)) {
				_, path := at(object, []string{field, key})
				note("a key", path, validation.IsConfigMapKey(key))
				content, _ := data[key].(string)
				size += len(content)
			}
		}
		if size > maxData {
			faults = append(faults, Fault{What: fmt.Sprintf("data of more than %d bytes, which clusters refuse", maxData)})
		}
	}
	return faults
}

// selectorFaults returns that the selector of a workload does not match its own template.
func selectorFaults(object any) []Fault {
	if group, _ := cutVersion(textAt(object, "apiVersion")); group != "apps" {
		return nil
	}
	asked, _ := at(object, []string{"spec", "selector"})
	written, _ := at(object, []string{"spec", "template", "metadata", "labels"})
	text, err := json.Marshal([]any{asked, written})
	var s metav1.LabelSelector
	have := labels.Set{}
	if asked == nil || err != nil || bytes.Contains(text, []byte(fluxVariable)) || json.Unmarshal(text, &[]any{&s, &have}) != nil {
		return nil // the schema says what is wrong
	}
	if selector, err := metav1.LabelSelectorAsSelector(&s); err != nil || selector.Matches(have) {
		return nil
	}
	return []Fault{{What: "a selector at spec.selector that does not match the labels at spec.template.metadata.labels"}}
}

func textAt(object any, fields ...string) string {
	value, _ := at(object, fields)
	t, _ := value.(string)
	return t
}

// tooLong begins what a rule says about a name that is too long.
const tooLong = "must be no more than "

func namingRule(group, kind string) func(name string) []string {
	switch {
	case group == "rbac.authorization.k8s.io":
		return content.IsPathSegmentName
	case group == "" && kind == "Service":
		return validation.IsDNS1035Label
	case group == "" && kind == "Namespace":
		return validation.IsDNS1123Label
	}
	return func(name string) []string {
		limit, isLimited := lengths[strings.TrimPrefix(group+"/"+kind, "/")]
		if isLimited && len(name) > limit.most {
			return []string{fmt.Sprintf("%s%d characters, because it %s", tooLong, limit.most, limit.why)}
		}
		return validation.IsDNS1123Subdomain(name)
	}
}

// lengths are how long the names of some kinds may be, and why. Other names may have 253 characters.
// The lengths come from the validation of Kubernetes and the controllers of Flux.
var lengths = map[string]struct {
	most int
	why  string
}{
	"batch/Job":        {validation.DNS1123LabelMaxLength, "becomes a label of its pods"},
	"batch/CronJob":    {52, "begins the names of its jobs, which become labels of their pods"},
	"apps/StatefulSet": {52, "begins the names of its revisions, which become labels of its pods"},
	"kustomize.toolkit.fluxcd.io/Kustomization": {validation.DNS1123LabelMaxLength, "becomes a label of everything that it applies"},
	"helm.toolkit.fluxcd.io/HelmRelease":        {validation.DNS1123LabelMaxLength, "becomes a label of everything that it applies"},
}
