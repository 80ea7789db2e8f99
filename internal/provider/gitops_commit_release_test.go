// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/promotion"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
)

// expectRelease checks the only record in the branch prod, and the tracking file.
func expectRelease(t *testing.T, r gitServer, want promotion.Release, tracked string) resource.TestCheckFunc {
	return func(s *terraform.State) error {
		for path, text := range r.repo.Files(t, "prod") {
			instance, found := strings.CutPrefix(path, ".kalypso/")
			if !found {
				continue
			}
			if record, err := ownership.ParseRecord(instance, []byte(text)); err != nil || !record.Release.Same(want) {
				return fmt.Errorf("the record has the release %+v, want %+v; error %w", record.Release, want, err)
			}
		}
		return expectTracking(t, r, tracked)(s)
	}
}

// The release goes into the record, and its commit into the file for Kalypso's workflow. Without
// release, both have the commit of the BaseRepo.
func TestAccGitOpsCommit_release(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	other, source := strings.Repeat("ab", 20), strings.Repeat("cd", 20)
	release := func(commit, sources string) string {
		return fmt.Sprintf("release = { commit = %s, sources = { %s } }", commit, sources)
	}
	const later = "resource \"terraform_data\" \"later\" {\n  input = \"v1.4.0\"\n}\n"
	inSteps(t,
		resource.TestStep{ // not known at plan
			Config: later + promotedHCL(r, promoted, release("terraform_data.later.output", "")),
			Check:  expectRelease(t, r, promotion.Release{Commit: "v1.4.0"}, "v1.4.0"),
		},
		resource.TestStep{
			Config:           promotedHCL(r, promoted, release(fmt.Sprintf("%q", other), fmt.Sprintf("\"x#main\" = %q", source))),
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, summary("no package changes; +0 ~1 -0 other files; 1 of 1 source changed")),
			Check:            expectRelease(t, r, promotion.Release{Commit: other, Sources: map[string]string{"x#main": source}}, other),
		},
		resource.TestStep{
			Config:           promotedHCL(r, promoted, release(fmt.Sprintf("%q", other), "")),
			ConfigPlanChecks: planned(plancheck.ResourceActionUpdate, summary("no package changes; 1 of 1 source changed")),
			Check:            expectRelease(t, r, promotion.Release{Commit: other}, other),
		},
		resource.TestStep{ // nothing is verified any more, and the hold keeps what is there
			Config: promotedHCL(r, promoted, release("null", "")+"\n  hold = true"),
			Check:  expectRelease(t, r, promotion.Release{Commit: other}, other),
		},
		resource.TestStep{Config: promotedHCL(r, promoted, ""), Check: expectRelease(t, r, promotion.Release{Commit: promoted}, promoted)},
	)
	below := transports["file"](t)
	inSteps(t, resource.TestStep{
		Config: promotedHCL(below, promoted, "path = \"clusters\""),
		Check:  expectRelease(t, below, promotion.Release{Commit: promoted}, ""),
	})
}
