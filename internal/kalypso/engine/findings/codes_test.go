// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/findings"
)

// The table of the guide has a row for each code, with its severity, in the order of Codes.
func TestCodesInGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../../templates/guides/findings.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	var got, want [][2]string
	rows := regexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\| (error|warning|info) \\| .+\\. \\|$")
	for _, row := range rows.FindAllStringSubmatch(string(guide), -1) {
		got = append(got, [2]string{row[1], row[2]})
	}
	for _, code := range findings.Codes {
		want = append(want, [2]string{code.Name, code.Severity})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}
