// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
)

// theCommit is the address of the fixture fleet's commit.
const theCommit = "kalypso_gitops_commit.prod"

// saying matches an error that contains these words, with any line breaks of Terraform.
func saying(words string) *regexp.Regexp {
	fields := strings.Fields(words)
	for i, field := range fields {
		fields[i] = regexp.QuoteMeta(field)
	}
	return regexp.MustCompile(strings.Join(fields, `[\s│]+`))
}

// mistake is a configuration that has to be refused, with words of the error.
type mistake struct{ config, want string }

// expectMistakes plans every configuration directly and wants its error.
func expectMistakes(t *testing.T, mistakes map[string]mistake) {
	t.Helper()
	for name, m := range mistakes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			planDirectly(t, m.config).fails(t, m.want)
		})
	}
}

// packageFiles are the files of a branch, records aside.
func packageFiles(t *testing.T, r gitServer, branch string) map[string]string {
	files := r.repo.Files(t, branch)
	maps.DeleteFunc(files, func(path, _ string) bool { return strings.HasPrefix(path, ".kalypso/") })
	return files
}

// expectPaths is expectFiles of the branch prod after a step.
func expectPaths(t *testing.T, r gitServer, want ...string) resource.TestCheckFunc {
	return check(func() error {
		t.Helper()
		expectFiles(t, r, "prod", want...)
		return nil
	})
}

// checks lists state checks.
func checks(all ...statecheck.StateCheck) []statecheck.StateCheck { return all }

// check makes a test of the state after a step.
func check(test func() error) resource.TestCheckFunc {
	return func(*terraform.State) error { return test() }
}
