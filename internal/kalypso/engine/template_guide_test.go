// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package engine_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine"
)

// TestTemplateGuide checks the examples in the guide about templates. A comment before
// each block says what the block is:
//
//   - <!-- template --> is rendered, as a manifest of the platform configuration of
//     examples/template-tests;
//   - after it, <!-- gives --> is the file, <!-- fails --> a part of the error, and
//     <!-- finding: CODE --> a part of the message;
//   - <!-- from: FILE --> is a part of that file.
//
// Templates without finding have no output that clusters would refuse.
func TestTemplateGuide(t *testing.T) {
	t.Parallel()
	guide := read(t, root+"templates/guides/templates.md")
	blocks := regexp.MustCompile("(?ms)(?:^<!-- ([a-z]+)(?:: ([^\n]+))? -->\n)?\n?^```([a-z]*)\n(.*?)^```$").FindAllStringSubmatch(guide, -1)
	var shown template
	for _, block := range append(blocks, []string{"", "template", "", "", ""}) {
		kind, of, language, text := block[1], block[2], block[3], block[4]
		switch kind {
		case "template":
			shown.end(t)
			shown = template{source: text}
			shown.render(t)
		case "gives":
			if diff := cmp.Diff(text, strings.TrimSuffix(shown.file, "\n")+"\n"); diff != "" {
				t.Errorf("%s\n(-guide +rendered):\n%s", shown.source, diff)
			}
			shown.told = true
		case "fails":
			if shown.err == nil || !strings.Contains(shown.err.Error(), strings.TrimSpace(text)) {
				t.Errorf("%s\ngives %q and the error %v, want %s", shown.source, shown.file, shown.err, text)
			}
			shown.told = true
		case "finding":
			isShown := func(f string) bool {
				return strings.HasPrefix(f, of+": ") && strings.Contains(f, strings.TrimSpace(text))
			}
			if !slices.ContainsFunc(shown.findings, isShown) {
				t.Errorf("%s\nhas the findings %q, want %s: %s", shown.source, shown.findings, of, text)
			}
			shown.told, shown.findings = true, nil
		case "from":
			if !strings.Contains(read(t, root+of), text) {
				t.Errorf("this is not in %s:\n%s", of, text)
			}
		default:
			if language != "shell" {
				t.Errorf("no comment says what this is:\n%s", text)
			}
		}
	}
}

// template is a template that the guide shows, with its result.
type template struct {
	source, file string
	err          error
	// findings are the codes and messages of the output that clusters would refuse.
	findings []string
	// told reports whether the guide shows the result.
	told bool
}

func (s *template) render(t *testing.T) {
	t.Helper()
	object, err := yaml.Marshal(map[string]any{
		"apiVersion": "scheduler.kalypso.io/v1alpha1",
		"kind":       "Template",
		"metadata":   map[string]any{"name": "data"},
		"spec":       map[string]any{"type": "config", "manifests": []string{s.source}},
	})
	if err != nil {
		t.Fatal(err)
	}
	in := fleetIn(t, "examples/template-tests/fleet/[^d]*.yaml",
		"examples/templates/flux-kustomization/*.yaml", "examples/templates/namespace/*.yaml", "examples/templates/platform-config/schema.yaml")
	result, err := engine.Compute(t.Context(), with(in, string(object)))
	if s.err = err; err != nil {
		return
	}
	s.file = files(result)["store/shop-checkout/platform-config.yaml"]
	for _, f := range foundIn(t, result) {
		if f.Code != "OBJECT_INCOMPLETE" { // the guide shows parts of objects
			s.findings = append(s.findings, f.Code+": "+f.Message)
		}
	}
}

// end expects that the guide has shown the result of the template.
func (s *template) end(t *testing.T) {
	t.Helper()
	if s.source != "" && !s.told && s.err != nil {
		t.Errorf("%s\nfails: %v", s.source, s.err)
	}
	if len(s.findings) > 0 {
		t.Errorf("%s\nhas findings that the guide does not show: %q", s.source, s.findings)
	}
}
