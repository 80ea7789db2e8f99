// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package credential

import "testing"

// Hide replaces the credentials of a configuration in a text, plain and quoted.
func TestHide(t *testing.T) {
	t.Parallel()
	config := map[string]any{
		"DB_PASSWORD": "hunter2(", "REGION": "north", "PIN_TOKEN": 735_312, "SHORT_PASSWORD": "abc",
		"users": []any{map[string]any{"password": "with \"quotes\"", "name": "north"}},
	}
	for text, want := range map[string]string{
		"error parsing regexp: `hunter2(`":    "error parsing regexp: `" + Digest("hunter2(") + "`",
		`got "with \"quotes\"", want "north"`: `got "` + Digest(`with "quotes"`) + `", want "north"`,
		"735312 is too large for abc":         Digest("735312") + " is too large for abc",
		"no such key REGION":                  "no such key REGION",
	} {
		if got := Hide(text, config); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
