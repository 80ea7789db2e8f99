// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
)

// missing says which expressions of a manifest, or of what was rendered from it, write what
// does not exist, and what lacks it.
func (w *worker) missing(manifest, rendered string) string {
	var places []string
	for _, m := range w.executor.Missing(cmp.Or(rendered, manifest), w.boxed) {
		places = append(places, fmt.Sprintf("%s has no value, since %s", m, lacking(m.Expression)))
	}
	where, most := "", maxValues
	if rendered != "" {
		where = "in what the template renders, "
	}
	if len(places) == 0 {
		places = []string{"the template writes something that does not exist, or null"}
	} else if len(places) > most {
		places = append(places[:most], fmt.Sprintf("and %d more", len(places)-most))
	}
	return fmt.Sprintf(`%s%s. So the output contains "<no value>". Set what is missing, or use default in the template`, where, strings.Join(places, "; "))
}

// ofData matches an expression that reads a value of the data: .Manifests.branch.
var ofData = regexp.MustCompile(`^\$?\.(Manifests|Labels|ClusterTypeLabels|ConfigData)\.([\w.]+)$`)

// lacking says what lacks the value that an expression reads.
func lacking(expression string) string {
	match := ofData.FindStringSubmatch(expression)
	if match == nil {
		return "what it reads does not exist, or is null"
	}
	switch key := match[2]; match[1] {
	case "Manifests":
		return fmt.Sprintf("the deployment target has no %s in its manifests", key)
	case "Labels":
		return fmt.Sprintf("the deployment target has no label %s", key)
	case "ClusterTypeLabels":
		return fmt.Sprintf("the cluster type has no label %s", key)
	default:
		return fmt.Sprintf("no ConfigMap that applies sets %s, or it is null", key)
	}
}
