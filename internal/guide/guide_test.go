// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package guide_test

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/guide"
)

func TestFill(t *testing.T) {
	t.Parallel()
	tables := map[string]string{"a": "A\n", "b": "B\n"}
	var got strings.Builder
	err := guide.Fill(strings.NewReader("x\n<!-- table: b -->\ny\n<!-- table: a -->\n"), &got, tables)
	if err != nil || got.String() != "x\nB\ny\nA\n" {
		t.Errorf("got %q, %v", got.String(), err)
	}
	for _, page := range []string{"<!-- table: a -->\n", "<!-- table: a -->\n<!-- table: b -->\n<!-- table: c -->\n",
		"<!-- table: a -->\n<!-- table: a -->\n<!-- table: b -->\n"} {
		var got strings.Builder
		if err := guide.Fill(strings.NewReader(page), &got, tables); err == nil || got.Len() > 0 {
			t.Errorf("%q became %q", page, got.String())
		}
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	want := "| a | b |\n|---|---|\n| 1 | x \\| y |\n"
	if got := guide.Table([][]string{{"a", "b"}, {"1", "x | y"}}); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
