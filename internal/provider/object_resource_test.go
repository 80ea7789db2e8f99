// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework-validators/objectvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// Every text arrives in the manifest as it is.
func TestObject_texts(t *testing.T) {
	t.Parallel()
	r := &objectResource{"template", manifest.KindTemplate.Row()}
	for _, text := range []string{"", "no", "1e3", "2026-11-27", "a: b\n  c\n", " x",
		"\u0085", "\u2028\ufeff", "\x7f", "\ue000", "😀\U000f0000", `"\u0041`} {
		var diags diag.Diagnostics
		config := map[string]any{"name": "t", "type": "config", "manifests": []any{text}}
		objects, err := manifest.Decode([]manifest.Text{{Text: r.encode(config, &diags)}})
		if err != nil || diags.HasError() || len(objects) != 1 {
			t.Fatalf("%q: %v, %v", text, err, diags)
		}
		if got := manifest.Of[*manifest.Template](objects)[0].Manifests[0]; got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// What the provider refuses, Terraform shows, wherever it is. Terraform itself refuses a
// misspelled name in a block.
func TestAccObject_mistakes(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, "provider \"kalypso\" {\n  git { password = \"secret\" }\n}"+inert)
	w.fails(t, planning, `The argument "url_prefix" is required`)
	w.fails(t, w.written(t, `
resource "kalypso_gitops_repo" "test" {
  name   = "dev"
  repo   = "::"
  branch = "dev"
}
resource "kalypso_scheduling_policy" "test" {
  name = "edge"
  deployment_target_selector {
    workspce = "team"
    match_expressions {
      key      = "edge"
      operator = "Exists"
    }
  }
  cluster_type_selector {
    match_lables = { edge = "true" }
  }
}
data "kalypso_control_plane" "test" {
  environment = "dev"
  directory   = "."
  branch      = "dev"
}
output "test" { value = provider::kalypso::render([], "prod") }
`, planning...), "repo must be the URL", `"repo" must be specified when "branch"`, "at least 1 elements",
		`An argument named "workspce" is not expected here`, `An argument named "match_lables" is not expected here`,
		`Blocks of type "match_expressions" are not expected here`)
}

// An attribute that has to be set but is not required in the schema says so in its
// description. From that sentence, scripts/generate-docs lists it as required, though no
// schema can.
func TestObject_saysWhatHasToBeSet(t *testing.T) {
	t.Parallel()
	found := 0
	check := func(in, description string, needed bool) {
		if says := strings.HasSuffix(description, " Has to be set."); says != needed {
			t.Errorf("%s: its description says that it has to be set: %t; it is checked: %t", in, says, needed)
		}
		if needed {
			found++
		}
	}
	var walk func(in string, validators []validator.Object, of schema.NestedBlockObject)
	walk = func(in string, validators []validator.Object, of schema.NestedBlockObject) {
		var needed []string
		for _, v := range validators {
			if names, ok := strings.CutPrefix(v.Description(t.Context()), "must have "); ok {
				needed = append(needed, strings.Split(names, ", ")...)
			}
		}
		for name, attribute := range of.Attributes {
			check(in+"."+name, attribute.GetMarkdownDescription(), slices.Contains(needed, name))
		}
		for name, inner := range of.Blocks {
			at := in + "." + name
			switch inner := inner.(type) {
			case schema.SingleNestedBlock:
				isRequired := slices.Contains(inner.Validators, objectvalidator.IsRequired())
				check(at, inner.MarkdownDescription, isRequired || slices.Contains(needed, name))
				walk(at, inner.Validators, schema.NestedBlockObject{Attributes: inner.Attributes, Blocks: inner.Blocks})
			case schema.ListNestedBlock:
				check(at, inner.MarkdownDescription, slices.Contains(needed, name))
				walk(at, inner.NestedObject.Validators, inner.NestedObject)
			default:
				t.Errorf("%s: a %T", at, inner)
			}
		}
	}
	for kind, model := range objectResources() {
		walk(string(kind), nil, model.block())
	}
	if found == 0 {
		t.Error("nothing has to be set anywhere, so the test proves nothing")
	}
}
