// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package scheduling_test

import (
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/scheduling"
)

func TestCheckExpression(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`managedCluster.metadata.labels["tier"] == "edge"`:                          "",
		`managedCluster.scores("load").exists(s, s.name == "free" && s.value > 20)`: "",
		`semver("1.30.2").isGreaterThan(semver("1.29.0"))`:                          "",
		`managedCluster.metadata.labels["tier"] = "edge"`:                           `is not: column 40: Syntax error: token recognition error at: '= '`,
		`managedCluster.metadata.labels.tier`:                                       "",
		`"edge"`: "its result has the type string, but must be true " +
			"or false",
		`cluster.metadata.name == "a"`: "column 1: undeclared reference to 'cluster'",
		"managedCluster.metadata.name == \"a\" &&\n  cluster.metadata.name == \"b\"": "line 2, column 3: undeclared reference to 'cluster'",
		`cluster == "a"`: "is not: column 1: undeclared reference to 'cluster'$",
		``:               "Syntax error",
	} {
		err := scheduling.CheckExpression(text)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error()+"$", want) {
			t.Errorf("%s: want %q, got %v", text, want, err)
		}
	}
}
