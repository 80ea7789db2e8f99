// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package wording_test

import (
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"region", "purpose", "performance-test", "a"}
	for word, want := range map[string]string{
		"regoin":           "region",
		"REGION":           "region",
		"performance_test": "performance-test",
		"edge":             "",
		"b":                "",
		"":                 "",
	} {
		if got := wording.Nearest(word, known); got != want {
			t.Errorf("Nearest(%q) is %q, want %q", word, got, want)
		}
	}
	if got := wording.Nearest("region", nil); got != "" {
		t.Errorf("among no words the nearest is %q", got)
	}
}
