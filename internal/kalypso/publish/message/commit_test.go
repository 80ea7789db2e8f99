// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package message_test

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
)

// The run is told by the last line of a message, and only where that is a web page.
func TestRunOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"dev: +1 package\n\nWritten by Terraform.\n\nKalypso-Environment: dev\n" +
			"Kalypso-Run: https://ci.example/runs/7\n": "https://ci.example/runs/7",
		"dev\n\nKalypso-Run: https://ci.example/runs/7":                     "https://ci.example/runs/7",
		"dev\n\nKalypso-Run: https://ci.example/runs/7\nReviewed-by: Ann\n": "",
		"dev\n\nKalypso-Run: javascript:alert(1)\n":                         "",
		"dev\n\nKalypso-Run: https://user:hunter2@ci.example/\n":            "https://ci.example/",
		"dev\n": "",
		"":      "",
	} {
		if got := message.RunOf(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
