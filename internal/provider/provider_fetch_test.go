// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/git"
)

func TestProvider_maxFetchMistakes(t *testing.T) {
	t.Parallel()
	expectMistakes(t, map[string]mistake{
		"nothing": {"provider \"kalypso\" { max_fetch_mib = 0 }\n" + inert, `max_fetch_mib must be a whole number from 1 to 1048576: "0" is not`},
		"lines":   {"provider \"kalypso\" { max_diff_lines = 100001 }\n" + inert, "max_diff_lines must be a whole number from 0 to 100000"},
		"a text":  {"provider \"kalypso\" { max_fetch_mib = \"all\" }\n" + inert, `max_fetch_mib must be a whole number from 1 to 1048576: "all" is not`},
	})
}

func TestMaxFetch(t *testing.T) {
	t.Parallel()
	ten := "10"
	for name, test := range map[string]struct {
		configured  *string
		environment string
		want        int64
		fails       bool
	}{
		"neither":         {nil, "", 0, false},
		"configured":      {&ten, "20", 10 << 20, false},
		"environment":     {nil, "20", 20 << 20, false},
		"no number":       {nil, "20 MiB", 0, true},
		"none":            {nil, "0", 0, true},
		"less than none":  {nil, "-1", 0, true},
		"more than there": {nil, "99999999999999999999", 0, true},
		"overflowing":     {nil, fmt.Sprint(int64(1) << 60), 0, true},
	} {
		var diags diag.Diagnostics
		got := maxFetch(test.configured, func(string) string { return test.environment }, &diags)
		if got != test.want || diags.HasError() != test.fails {
			t.Errorf("%s: %d, %v", name, got, diags)
		}
	}
	if git.DefaultMaxFetch != 1<<30 {
		t.Error("the documentation says 1024 MiB")
	}
}
