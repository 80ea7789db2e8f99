// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// TestGuide computes the fleet of the guide about the semantics: a block of code
// below the name of a file is that file, and all others are manifests. What it shows is
// right for Flux, too.
func TestGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../templates/guides/semantics.md")
	if err != nil {
		t.Fatal(err)
	}
	in, want := engine.Input{Environment: "prod"}, map[string]string{}
	for _, block := range regexp.MustCompile("(?ms)(?:^`([^`\n]+)`:\n\n)?^```[a-z]+\n(.*?)^```$").FindAllStringSubmatch(string(guide), -1) {
		if file := block[1]; file != "" {
			want[file] = block[2]
		} else {
			in.Manifests = append(in.Manifests, manifest.Text{Name: "semantics.md", Text: block[2]})
		}
	}
	result, err := engine.Compute(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	got := files(result)
	for file, text := range got {
		got[file] = strings.TrimSuffix(text, "\n") + "\n"
	}
	for file, text := range want {
		delivers(t, file, text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-guide +computed):\n%s", diff)
	}
}
