// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package credential

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// leastHidden is the shortest value that Hide looks for. Many words contain shorter values.
const leastHidden = 4

// Hide returns the text with a digest in place of each credential of a configuration. config
// is a map, a list or a value. Cost: the length of the text times the number of credentials.
func Hide(text string, config any) string {
	values := valuesOf("", config, nil)
	slices.SortFunc(values, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	for _, value := range slices.Compact(values) {
		quoted := strconv.Quote(value)
		for _, written := range []string{value, quoted[1 : len(quoted)-1]} {
			text = strings.ReplaceAll(text, written, Digest(value))
		}
	}
	return text
}

// valuesOf appends the credentials of a configuration.
func valuesOf(name string, config any, values []string) []string {
	switch config := config.(type) {
	case map[string]any:
		for key, value := range config {
			values = valuesOf(key, value, values)
		}
	case []any:
		for _, value := range config {
			values = valuesOf(name, value, values)
		}
	default:
		if value := fmt.Sprint(config); len(value) >= leastHidden && Of(name, value) != "" {
			values = append(values, value)
		}
	}
	return values
}
