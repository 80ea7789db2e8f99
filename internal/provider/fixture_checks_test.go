// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/direct"
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

// unconfigured is a provider for what needs no configuration: schemas and functions. It is
// made once, since its schemas take time.
var unconfigured = sync.OnceValue(func() tfprotov6.ProviderServer { return providerserver.NewProtocol6(New("test")())() })

// planDirectly plans everything in a configuration without Terraform.
func planDirectly(t testing.TB, config string) *direct.Plan {
	t.Helper()
	return planDirectlyWith(t, protoV6ProviderFactories, config)
}

// planDirectlyWith is planDirectly with another provider.
func planDirectlyWith(t testing.TB, providers factories, config string) *direct.Plan {
	t.Helper()
	server, err := providers["kalypso"]()
	if err != nil {
		t.Fatal(err)
	}
	return direct.New(t, server, config)
}

// expectDirectly is planDirectly without an error, with checks of the known values.
func expectDirectly(t testing.TB, config string, checks ...statecheck.StateCheck) *direct.Plan {
	t.Helper()
	return planDirectly(t, config).Expect(t, checks...)
}

// block writes a block of HCL.
func block(name string, lines ...string) string {
	return name + " {\n" + strings.Join(lines, "\n") + "\n}"
}

// mistake is a configuration that has to be refused, with words of the error.
type mistake struct{ config, want string }

// expectMistakes plans every configuration directly and wants its error.
func expectMistakes(t *testing.T, mistakes map[string]mistake) {
	t.Helper()
	for name, m := range mistakes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			planDirectly(t, m.config).Fails(t, m.want)
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
