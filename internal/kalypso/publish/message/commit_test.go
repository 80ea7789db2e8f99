// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package message_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/forge"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/message"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

func TestCommit(t *testing.T) {
	t.Parallel()
	commit := strings.Repeat("c1", 20)
	for name, test := range map[string]struct {
		text    string
		desired ownership.Wanted
		run     forge.Run
		want    string
	}{
		"the default": {want: "dev: +1\n\nBy a test.\n\nKalypso-Environment: dev\n"},
		"a text": {text: "OPS-7 {summary} of {environment} [skip ci]\n\nSee {other}.\n",
			want: "OPS-7 +1 of dev [skip ci]\n\nSee {other}.\n\nBy a test.\n\nKalypso-Environment: dev\n"},
		"its own trailers": {text: "OPS-7 {summary}\n\nWhy: a story\nin two lines.\n\nChange-Id: I01\nSigned-off-by: Ann <ann@example.com>\n",
			want: "OPS-7 +1\n\nWhy: a story\nin two lines.\n\nBy a test.\n\nChange-Id: I01\nSigned-off-by: Ann <ann@example.com>\n" +
				"Kalypso-Environment: dev\n"},
		"with everything": {desired: ownership.Wanted{Release: record.Release{Commit: commit}},
			run: forge.Run{Name: "run 7", URL: "https://ci.example/7"},
			want: "dev: +1\n\nBy a test.\n\nKalypso-Environment: dev\nKalypso-Promoted-Commit: " + commit +
				"\nKalypso-Run: https://ci.example/7\n"},
		"a release that is not a commit": {desired: ownership.Wanted{Release: record.Release{Commit: "v1"}},
			want: "dev: +1\n\nBy a test.\n\nKalypso-Environment: dev\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.desired.Environment = "dev"
			got := message.Commit(test.desired, test.text, "+1", "By a test.", test.run)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if url := record.RunOf(got); url != test.run.URL {
				t.Errorf("the run is %q", url)
			}
		})
	}
}
