// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/publish/ownership"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/gittest"
)

// applications is a chain whose control plane registers the applications a and b.
type applications struct {
	*chain
	repos map[string]served
	// versions are the commits of the applications by version: "a1".
	versions map[string]string
}

func newApplications(t testing.TB) (s applications, provider string) {
	t.Helper()
	c, provider := newPromotingChain(t)
	s = applications{c, map[string]served{"a": servers["http"](t), "b": servers["http"](t)}, map[string]string{}}
	c.commit("apps", gittest.Revision{Files: map[string][]byte{
		"a.yaml": []byte(registrationYAML("a", s.repos["a"].url, "main", ".", "team")), "workload.yaml": nil,
		"b.yaml": []byte(registrationYAML("b", s.repos["b"].url, "main", ".", "team")),
	}})
	s.develops("a1", "b1")
	git := s.repos["a"].credential + s.repos["b"].credential
	return s, strings.Replace(provider, "{\n", "{\n"+git, 1)
}

// develops makes commits of applications, each with its version.
func (s applications) develops(versions ...string) {
	s.t.Helper()
	for _, version := range versions {
		name := version[:1]
		s.versions[version] = s.repos[name].commit(s.t, "main", map[string]string{"w.yaml": kalypsoObject("Workload", name, "version: "+version,
			"{deploymentTargets: [{name: dev, environment: dev}, {name: stage, environment: stage}]}")})
	}
}

// run checks the versions that environments run, by branch: "a1 b1". Their records have the
// commits of these versions.
func (s applications) run(want map[string]string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		for branch, versions := range want {
			files := s.repo.Files(s.t, branch)
			sources := map[string]string{}
			for path, text := range files {
				if instance, found := strings.CutPrefix(path, ".kalypso/"); found {
					record, err := ownership.ParseRecord(instance, []byte(text))
					if err != nil {
						return err
					}
					maps.Copy(sources, record.Release.Sources)
				}
			}
			for version := range strings.FieldsSeq(versions) {
				name := version[:1]
				if text := files["large/"+name+"-"+branch+"/reconciler.yaml"]; !strings.Contains(text, "version: "+version) {
					return fmt.Errorf("%s does not run %s:\n%s", branch, version, text)
				}
				if got := sources[s.repos[name].url+"#main"]; got != s.versions[version] {
					return fmt.Errorf("the record of %s has the commit %q of %s:\n%s", branch, got, version, sources)
				}
			}
		}
		return nil
	}
}

// Of two applications, one turns red in dev: neither its commit nor the newer commit of the
// other application goes on to stage with it. The older pair goes on, and so does the next pair
// that works.
func TestAccPromotion_applications(t *testing.T) {
	t.Parallel()
	acceptance(t)
	s, provider := newApplications(t)
	dev := provider + s.environmentHCL("dev", s.to("dev"))
	both := dev + s.environmentHCL("stage", s.to("stage", "dev"))
	green := func() { s.green(s.repo.Head(t, "dev"), "1m") }
	red := func() { s.red(s.repo.Head(t, "dev"), "1m") }
	// after has dev report, and then an application develop.
	after := func(report func(), versions ...string) func() {
		return func() { report(); s.develops(versions...) }
	}
	inSteps(t,
		resource.TestStep{Config: dev, Check: s.run(map[string]string{"dev": "a1 b1"})},
		resource.TestStep{PreConfig: after(green), Config: both, Check: s.run(map[string]string{"dev": "a1 b1", "stage": "a1 b1"})},
		resource.TestStep{PreConfig: after(func() {}, "b2"), Config: both, Check: s.run(map[string]string{"dev": "a1 b2", "stage": "a1 b1"})},
		resource.TestStep{PreConfig: after(green, "a2"), Config: dev, Check: s.run(map[string]string{"dev": "a2 b2"})},
		resource.TestStep{PreConfig: after(red, "b3"), Config: both, Check: s.run(map[string]string{"dev": "a2 b3", "stage": "a1 b2"})},
		resource.TestStep{PreConfig: after(red), Config: both, Check: s.run(map[string]string{"dev": "a2 b3", "stage": "a1 b2"})},
		resource.TestStep{PreConfig: after(func() {}, "a3"), Config: dev, Check: s.run(map[string]string{"dev": "a3 b3"})},
		resource.TestStep{PreConfig: after(green), Config: both, Check: s.run(map[string]string{"dev": "a3 b3", "stage": "a3 b3"})},
	)
}
