// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package consequence

import (
	"cmp"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/yamlnode"
)

// refused returns the fields whose change the API server refuses.
func refused(old, now *object) []string {
	switch {
	case old.resource == "Job.batch" && yamlnode.At(old.node, "spec", "ttlSecondsAfterFinished") != nil:
		return nil // the cluster has deleted it by itself, unless it runs
	case (old.resource == "ConfigMap" || old.resource == "Secret") && !old.is("immutable"):
		return slices.DeleteFunc(differingFields(fixed, old, now), func(field string) bool { return field != "type" })
	}
	return differingFields(fixed, old, now)
}

// moved returns the fields by which an object delivers from or to another place.
func moved(old, now *object) []string { return differingFields(ends, old, now) }

// differingFields returns the fields of a table that differ, as paths.
func differingFields(table map[string]string, old, now *object) (all []string) {
	for field := range strings.FieldsSeq(table[old.resource]) {
		name, or, _ := strings.Cut(field, "=")
		at := strings.TrimRight(name, "+?")
		was, is := old.value(at, or), now.value(at, or)
		mayBeSet := name != at && (was == nil || strings.HasSuffix(name, "?") && is == nil)
		if !mayBeSet && !reflect.DeepEqual(was, is) && !mayChange(at, old, was, is) {
			all = append(all, at)
		}
	}
	return all
}

// mayChange reports whether the API server lets a field change in this way.
func mayChange(field string, old *object, was, is any) bool {
	switch {
	case field == "spec.completions":
		return old.text("spec", "completionMode") == "Indexed"
	case field == "spec.resources.requests.storage":
		before, err := resource.ParseQuantity(fmt.Sprint(was))
		after, invalid := resource.ParseQuantity(fmt.Sprint(is))
		return err != nil || invalid != nil || after.Cmp(before) > 0
	}
	return false
}

// value returns a field as the server compares it; nil if the object does not have it.
func (o *object) value(field, or string) any {
	steps := strings.Split(field, ".")
	if field == "spec.template" && o.is("spec", "suspend") {
		steps = append(steps, "spec", "containers") // the rest may change until the Job starts
	}
	var value any
	if n := yamlnode.At(o.node, steps...); n != nil && n.Decode(&value) != nil {
		return nil
	}
	switch last := steps[len(steps)-1]; {
	case field == "spec.sources":
		return sources(value)
	case field == "spec.releaseName" && value == nil:
		return strings.TrimPrefix(o.text("spec", "targetNamespace")+"-"+o.name, "-")
	case value == nil && strings.HasPrefix(or, "metadata."):
		value = o.text(strings.Split(or, ".")...)
	case value == nil && or != "":
		value = or
	case last == "path" && o.resource != "PersistentVolume":
		value = path.Clean(fmt.Sprint(value))
	}
	if or != "" && value != nil {
		return fmt.Sprint(value)
	}
	return plain(value, steps[len(steps)-1])
}

// sources returns the repositories and folders of an Application with several sources.
func sources(value any) (all []string) {
	list, _ := value.([]any)
	for _, element := range list {
		source, _ := element.(map[string]any)
		all = append(all, fmt.Sprint(source["repoURL"], source["path"], source["chart"]))
	}
	return all
}

// plain returns a value without what the server ignores or adds: nulls, the ways to write an amount, and the
// kind and the mode of a claim in a StatefulSet.
func plain(value any, name string) any {
	switch value := value.(type) {
	case map[string]any:
		all := map[string]any{}
		for key, each := range value {
			if each = plain(each, key); each != nil {
				all[key] = each
			}
			if amount, err := resource.ParseQuantity(fmt.Sprint(each)); err == nil && (name == "requests" || name == "limits") {
				all[key] = amount.String()
			}
		}
		return all
	case []any:
		all := make([]any, len(value))
		for i, each := range value {
			if all[i] = plain(each, ""); name == "volumeClaimTemplates" {
				all[i] = claim(all[i])
			}
		}
		return all
	}
	return value
}

func claim(value any) any {
	all, isMapping := value.(map[string]any)
	spec, hasSpec := all["spec"].(map[string]any)
	if isMapping && hasSpec {
		delete(all, "apiVersion")
		delete(all, "kind")
		spec["volumeMode"] = cmp.Or[any](spec["volumeMode"], "Filesystem")
	}
	return all
}
