// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package rendering

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/sandbox"
)

// missing returns the error of a program with these actions that have written a value that does
// not exist. It says which object lacks the value. Without actions, the program has written the
// text itself.
func missing(all []sandbox.MissingValue) error {
	var e sandbox.Error
	line := 0
	var places []string
	for _, m := range all[:min(len(all), maxValues)] {
		place := fmt.Sprintf("column %d", m.Column)
		if m.Line != line {
			place, line = fmt.Sprintf("line %d, %s", m.Line, place), m.Line
		}
		e.Line = cmp.Or(e.Line, m.Line)
		places = append(places, fmt.Sprintf("%s: {{ %s }} has no value, since %s", place, m.Expression, lacking(m.Expression)))
	}
	if len(places) == 0 {
		places = []string{"the template writes a value that does not exist, or null"}
	} else if len(all) > maxValues {
		places = append(places, fmt.Sprintf("and %d more", len(all)-maxValues))
	}
	e.Text = strings.Join(places, "; ") + `. So the output contains "<no value>". Set what is missing, or use default in the template`
	return e
}

// ofData matches an expression that reads a value of the data: .Manifests.branch, or
// index .Labels "app".
var ofData = regexp.MustCompile(`^(?:index |get )?\$?\.(Manifests|Labels|ClusterTypeLabels|ConfigData)(?:\.([\w.]+)| "([^"]+)")$`)

// lacking says which object lacks the value of an expression.
func lacking(expression string) string {
	match := ofData.FindStringSubmatch(expression)
	if match == nil {
		return "the value does not exist, or is null"
	}
	key, hint := match[2]+match[3], ""
	if strings.Contains(match[2], ".") {
		hint = fmt.Sprintf(" (a key with a dot needs {{ index .%s %q }})", match[1], key)
	}
	switch match[1] {
	case "Manifests":
		return fmt.Sprintf("the deployment target has no %s in its manifests%s", key, hint)
	case "Labels":
		return fmt.Sprintf("the deployment target has no label %s%s", key, hint)
	case "ClusterTypeLabels":
		return fmt.Sprintf("the cluster type has no label %s%s", key, hint)
	default:
		return fmt.Sprintf("no ConfigMap that applies sets %s, or it is null%s", key, hint)
	}
}
