// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

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
	if git.DefaultMaxFetch != 1<<30 {
		t.Error("the documentation says 1024 MiB")
	}
}
