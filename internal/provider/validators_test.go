// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestTextChecks(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		check     validator.String
		good, bad []string
	}{
		"dnsLabel": {dnsLabel, []string{"a", "a-1", strings.Repeat("a", 63)},
			[]string{"", "A", "a.b", "-a", "a_b", "..", strings.Repeat("a", 64)}},
		"dnsSubdomain":     {dnsSubdomain, []string{"a.b-c"}, []string{"", "A", "a..b", "a/b"}},
		"labelKey":         {labelKey, []string{"a", "example.com/a_B.c"}, []string{"", "a b", "/a", "-"}},
		"labelValue":       {labelValue, []string{"", "a", "A_b.c"}, []string{"a b", "-", strings.Repeat("a", 64)}},
		"filledLabelValue": {filledLabelValue, []string{"kaizen-app-team"}, []string{"", "a team"}},
		"promotedID": {promotedID, []string{strings.Repeat("0a", 20), strings.Repeat("ab", 20), "v1.4.0", "1", "release/7",
			strings.Repeat("1", maxPromotedID)}, []string{"", "HEAD", "main", "v1 4", "v1\n", "ü1", strings.Repeat("1", maxPromotedID+1)}},
		"namedCommit": {namedCommit, []string{strings.Repeat("0a", 20), strings.Repeat("0A", 20), "v1.4.0", "20261128"},
			[]string{"", "main", "0a0a0a0", strings.Repeat("ab", 10)}},
		"repoPath":  {repoPath, []string{"", ".", "./a/b", "a/"}, []string{"..", "a/../b", "/a", "a//b", ".git/x"}},
		"gitBranch": {gitBranch, []string{"main", "release/1.0"}, []string{"", "a..b", "a b", "-a", "a.lock"}},
		"gitURL": {gitURL, []string{"https://example.com/a", "ssh://git@example.com/a", "git@example.com:a/b.git"},
			[]string{"", "example.com", "https://", "a b"}},
		"jsonSchema": {jsonSchema, []string{"{}", `{"type":"object"}`}, []string{"", "{", `{"type":"text"}`}},
		"templateSyntax": {templateSyntax, []string{"", "a: {{ .Namespace | upper }}"},
			[]string{"{{", "{{ nothing }}", "{{ end }}", "{{ now }}"}},
		"urlPrefix": {urlPrefix, []string{"https://example.com/team/", "ssh://git@example.com", "git@example.com:team/"},
			[]string{"", "example.com", "ftp://example.com", "@", "https://user:secret@example.com", "https://t0ken@example.com"}},
		"pemText":      {pemText, []string{"-----BEGIN X-----\n-----END X-----\n"}, []string{"", "~/.ssh/id_rsa"}},
		"certificates": {certificates, nil, []string{"", "-----BEGIN X-----\n-----END X-----\n"}},
		"knownHosts": {knownHosts, []string{"# ours\nexample.com " + hostKey, "@revoked * " + hostKey, "[example.com]:2222 " + hostKey},
			[]string{"", "# none", "example.com ssh-ed25519 junk"}},
		"signaturePart": {signaturePart, []string{"Platform Team", "a@example.com"}, []string{"", " ", "a <b>", "a\nb"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			errors := func(value types.String) int {
				var resp validator.StringResponse
				test.check.ValidateString(t.Context(), validator.StringRequest{Path: path.Root("x"), ConfigValue: value}, &resp)
				for _, err := range resp.Diagnostics.Errors() {
					if err.Summary() == "" || err.Detail() == "" {
						t.Errorf("an error without words: %v", err)
					}
				}
				return resp.Diagnostics.ErrorsCount()
			}
			for _, text := range test.good {
				if errors(types.StringValue(text)) != 0 {
					t.Errorf("%q is refused", text)
				}
			}
			for _, text := range test.bad {
				if errors(types.StringValue(text)) != 1 {
					t.Errorf("%q is accepted", text)
				}
			}
			if errors(types.StringNull())+errors(types.StringUnknown()) != 0 {
				t.Error("null or unknown is refused")
			}
		})
	}
}

// Validators never report an unknown value as missing, empty or contradicting.
func TestObjectValidators_unknown(t *testing.T) {
	t.Parallel()
	object := func(attributes map[string]attr.Value) types.Object {
		attributeTypes := map[string]attr.Type{}
		for name, value := range attributes {
			attributeTypes[name] = value.Type(t.Context())
		}
		return types.ObjectValueMust(attributeTypes, attributes)
	}
	strs := types.StringType
	selector := func(labels types.Map, all types.Bool) types.Object {
		return object(map[string]attr.Value{
			"match_labels": labels, "match_expression": types.ListNull(strs), "match_all": all,
		})
	}
	tests := map[string]struct {
		validator validator.Object
		value     types.Object
	}{
		"selector":             {explicitSelector{}, types.ObjectUnknown(nil)},
		"selector's labels":    {explicitSelector{}, selector(types.MapUnknown(strs), types.BoolValue(true))},
		"selector's match_all": {explicitSelector{}, selector(types.MapNull(strs), types.BoolUnknown())},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var resp validator.ObjectResponse
			test.validator.ValidateObject(t.Context(), validator.ObjectRequest{Path: path.Root("x"), ConfigValue: test.value}, &resp)
			if resp.Diagnostics.HasError() {
				t.Errorf("unexpected error: %v", resp.Diagnostics)
			}
		})
	}
}
