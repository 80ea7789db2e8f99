// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package problem_test

import (
	"errors"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/problem"
)

// A sentence begins with a capital letter, unless what it begins with can only be a name.
func TestSentence(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"there is nothing":                 "There is nothing.",
		"the folder large is there.":       "The folder large is there.",
		"écrit":                            "Écrit.",
		"https://git.example/a is gone":    "https://git.example/a is gone.",
		"large/web has to be a folder":     "large/web has to be a folder.",
		"git@example.com asks":             "git@example.com asks.",
		"base_url is not an address":       "base_url is not an address.",
		"packages[0] is null":              "packages[0] is null.",
		"limits.protect keeps it":          "limits.protect keeps it.",
		" client_key: it is missing there": "client_key: it is missing there.",
	} {
		if got := problem.Sentence(errors.New(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
