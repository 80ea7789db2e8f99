// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package gitlabtest_test

import (
	"net/http"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/forgetest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitlabtest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
)

// A request that GitLab's documentation does not know fails the test that makes it.
func TestRefuses(t *testing.T) {
	t.Parallel()
	const requests = "/api/v4/projects/octo%2Fplatform%2Fgitops/merge_requests"
	forgetest.Refuses(t, func(t testing.TB) *forgetest.Server { return gitlabtest.Start(t, gitmem.New(t)) },
		func(r *http.Request, token string) { r.Header.Set("Private-Token", token) },
		map[string]forgetest.Case{
			"a misspelled field": {"POST", requests, `{"title": "t", "source_branch": "a", "target_branch": "b", "desciption": "d"}`,
				"there is no field desciption"},
			"a missing field":         {"POST", requests, `{"title": "t", "source_branch": "a"}`, "target_branch is missing"},
			"a field of another type": {"PUT", requests + "/1/merge", `{"auto_merge": "yes"}`, "auto_merge must not be yes"},
			"a misspelled parameter":  {"GET", requests + "?source_branche=a", "", "there is no parameter source_branche"},
			"an unknown state":        {"GET", requests + "?state=open", "", "state must not be open"},
			"an unknown operation":    {"DELETE", requests + "/1", "", "has no DELETE"},
		})
}
