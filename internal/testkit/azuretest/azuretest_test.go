// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package azuretest_test

import (
	"net/http"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/azuretest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/forgetest"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gitmem"
)

// A request that the description of Azure Repos does not know fails the test that makes it.
func TestRefuses(t *testing.T) {
	t.Parallel()
	const requests = "/octo/Platform%20Team/_apis/git/repositories/gitops/pullrequests"
	const version = "?api-version=7.1"
	forgetest.Refuses(t, func(t testing.TB) *forgetest.Server { return azuretest.Start(t, gitmem.New(t)) },
		func(r *http.Request, token string) {
			r.SetBasicAuth("", token)
			r.Header.Set("X-TFS-FedAuthRedirect", "Suppress")
		},
		map[string]forgetest.Case{
			"a misspelled field": {"POST", requests + version, `{"title": "t", "sourceRef": "a"}`, "there is no field sourceRef"},
			"a misspelled field in one": {"PATCH", requests + "/1" + version, `{"completionOptions": {"mergeStrategie": "squash"}}`,
				"mergeStrategie"},
			"a misspelled field of many": {"POST", requests + version, `{"labels": [{"label": "a"}]}`, "there is no field labels[].label"},
			"a field of another type":    {"POST", requests + version, `{"isDraft": "yes"}`, "isDraft must not be yes"},
			"an unknown state":           {"PATCH", requests + "/1" + version, `{"status": "closed"}`, "status must not be closed"},
			"a misspelled parameter":     {"GET", requests + version + "&searchCriteria.sourceRef=a", "", "there is no parameter"},
			"no version":                 {"GET", requests, "", "api-version is missing"},
			"an unknown operation":       {"DELETE", requests + "/1" + version, "", "has no DELETE"},
		})
}
