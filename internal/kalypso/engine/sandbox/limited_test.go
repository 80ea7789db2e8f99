// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"reflect"
	"strings"
	"testing"
)

// The estimate of regexReplaceAll alone refuses a text that is too long, so the function never
// makes it.
func TestRegexReplaceAllRefusesBefore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		expression, text, replacement string
		refused                       bool
	}{
		"between all letters":   {"", "xxxxxxx", strings.Repeat("y", 16_000_000), true},
		"every letter":          {".", strings.Repeat("x", 500_000), strings.Repeat("y", 260), true},
		"the whole text":        {"x+", strings.Repeat("x", 500_000), strings.Repeat("$0", 100), true},
		"a group":               {"(x+)", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", strings.Repeat("$1", 600_000), true},
		"a few letters":         {"a", strings.Repeat("x", 500_000) + "a", strings.Repeat("y", 1000), false},
		"a long text":           {".", strings.Repeat("x", 1_000_000), "0123456789", false},
		"one letter of a few":   {"y", "xxxxxxx", strings.Repeat("y", 16_000_000), false},
		"no regular expression": {"(", "xxxxxxx", strings.Repeat("y", 16_000_000), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			size := replaced(arguments{reflect.ValueOf(c.expression), reflect.ValueOf(c.text), reflect.ValueOf(c.replacement)})
			if size > maxValue != c.refused {
				t.Errorf("got %d bytes", size)
			}
		})
	}
}
