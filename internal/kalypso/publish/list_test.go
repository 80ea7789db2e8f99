// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package publish_test

import (
	"slices"
	"testing"
)

// An environment is listed once for each place, by the records that count on their branch: with all
// its waves, and also after a destroy that released its folders.
func TestList(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	wave := func(clusterType string) {
		settings := s.settings(both("blue"))
		settings.Fleet.ClusterTypes = []string{clusterType}
		_, m := s.resource().apply(t, settings)
		succeeded(t, m)
	}
	wave("large")
	wave("small")
	below := s.settings(both("blue"))
	below.Path = given("fleet")
	destroyed := s.resource()
	_, m := destroyed.apply(t, below)
	succeeded(t, m)
	succeeded(t, destroyed.destroy(t))
	dev := s.settings(fleetOf("dev", "blue", "large"))
	dev.Branch, dev.Path = given("dev"), given("clusters")
	dev.StartFrom = "prod" // copies the records of prod, which do not count there
	_, m = s.resource().apply(t, dev)
	succeeded(t, m)

	list := func(branch string) []string {
		t.Helper()
		found, m := s.publisher(t).List(t.Context(), s.url, branch)
		succeeded(t, m)
		var texts []string
		for _, one := range found {
			texts = append(texts, one.String())
		}
		return texts
	}
	prod := []string{"prod in " + s.url + "#prod:. (2 records)", "prod in " + s.url + "#prod:fleet (released)"}
	if got := list("prod"); !slices.Equal(got, prod) {
		t.Errorf("prod has %q, want %q", got, prod)
	}
	all := append([]string{"dev in " + s.url + "#dev:clusters"}, prod...)
	if got := list(""); !slices.Equal(got, all) {
		t.Errorf("all branches have %q, want %q", got, all)
	}
}
