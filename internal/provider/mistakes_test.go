// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Terraform reports every mistake of a configuration in one run, each at its own line: each line of the files that
// ends with "# mistake" has one. Terraform validates resources only if the provider's block is right.
func TestAccMistakes_together(t *testing.T) {
	t.Parallel()
	for file, least := range map[string]int{"provider.tf": 5, "all.tf": 25} {
		w := newWorkspace(t, readFile(t, "testdata/mistakes/"+file)+inert)
		out, _, _ := w.run("validate", "-json") // which fails
		var told struct {
			Diagnostics []struct {
				Severity string
				Range    struct{ Start struct{ Line int } }
			}
		}
		if err := json.Unmarshal([]byte(out), &told); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		lines := strings.Split(readFile(t, w.dir+"/main.tf"), "\n")
		var want, got []string
		for _, line := range lines {
			if strings.HasSuffix(line, "# mistake") {
				want = append(want, line)
			}
		}
		for _, d := range told.Diagnostics {
			if d.Severity == "error" {
				got = append(got, lines[max(d.Range.Start.Line, 1)-1])
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" || len(want) < least {
			t.Errorf("%d mistakes (-want +got):\n%s\n%s", len(want), diff, out)
		}
	}
}
