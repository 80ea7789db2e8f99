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

// noValue is the text that a template writes for a value that does not exist.
var noValue = []byte("<no value>")

// missingError says which expressions of a source write a value that does not exist, and
// which object lacks the value. line is the line of the first expression, counted from 1; 0
// if it is unknown.
type missingError struct {
	line int
	text string
}

// Error returns the error in prose. The text begins with the place, in lower case, if the
// place is known.
func (e *missingError) Error() string { return e.text }

// missing returns the error of a program with these actions that have written a value that does
// not exist. Without actions, the program has written the text itself.
func missing(all []sandbox.MissingValue) error {
	e, line := &missingError{}, 0
	var places []string
	for _, m := range all[:min(len(all), maxValues)] {
		place := fmt.Sprintf("column %d", m.Column)
		if m.Line != line {
			place, line = fmt.Sprintf("line %d, %s", m.Line, place), m.Line
		}
		e.line = cmp.Or(e.line, m.Line)
		places = append(places, fmt.Sprintf("%s: {{ %s }} has no value, since %s", place, m.Expression, lacking(m.Expression)))
	}
	if len(places) == 0 {
		places = []string{"the template writes a value that does not exist, or null"}
	} else if len(all) > maxValues {
		places = append(places, fmt.Sprintf("and %d more", len(all)-maxValues))
	}
	e.text = strings.Join(places, "; ") + `. So the output contains "<no value>". Set what is missing, or use default in the template`
	return e
}

// ofData matches an expression that reads a value of the data: .Manifests.branch.
var ofData = regexp.MustCompile(`^\$?\.(Manifests|Labels|ClusterTypeLabels|ConfigData)\.([\w.]+)$`)

// lacking says which object lacks the value of an expression.
func lacking(expression string) string {
	match := ofData.FindStringSubmatch(expression)
	if match == nil {
		return "the value does not exist, or is null"
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
