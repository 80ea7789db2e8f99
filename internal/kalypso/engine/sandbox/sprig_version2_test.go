// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package sandbox

import (
	"os"
	"strings"
	"testing"
)

// TestAsSprig2 compares results with those that Sprig 2.22 gave. Each line of the file has an
// expression and its result.
func TestAsSprig2(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/sprig-2.22.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		expression, want, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		got, err := execute(t, "{{ "+expression+" }}")
		if err != nil {
			got = "(fails)"
		}
		if got != want {
			t.Errorf("%s gives %q and the error %v, want %q", expression, got, err, want)
		}
	}
}
