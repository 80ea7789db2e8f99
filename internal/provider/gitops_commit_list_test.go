// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// A record of a wave, of an environment and a path.
func waveRecord(environment, path, clusterType string) []byte {
	return fmt.Appendf(nil, "environment: %s\nbranch: prod\npath: %s\ncluster_types: true\nfolders:\n\n  %s: owned\n", environment, path,
		clusterType)
}

// listed asks the provider what a list block shows: the names of the results, and the messages.
func listed(t *testing.T, values map[string]string, limit int64, isWhole bool) (names []string, results []tfprotov6.ListResourceResult,
	said string) {
	t.Helper()
	server, ok := planDirectly(t, "provider \"kalypso\" {}\n").Server.(tfprotov6.ListResourceServer)
	if !ok {
		t.Fatal("the provider lists nothing")
	}
	config := identityOf(t, values).IdentityData
	const name = "kalypso_gitops_commit"
	validated, err := server.ValidateListResourceConfig(t.Context(), &tfprotov6.ValidateListResourceConfigRequest{TypeName: name,
		Config: config})
	if err != nil {
		t.Fatal(err)
	}
	diagnostics := validated.Diagnostics
	if len(diagnostics) == 0 {
		stream, err := server.ListResource(t.Context(), &tfprotov6.ListResourceRequest{TypeName: name, Config: config, Limit: limit,
			IncludeResource: isWhole})
		if err != nil {
			t.Fatal(err)
		}
		for result := range stream.Results {
			diagnostics = append(diagnostics, result.Diagnostics...)
			if result.Identity != nil {
				names, results = append(names, result.DisplayName), append(results, result)
			}
		}
	}
	var b strings.Builder
	for _, d := range diagnostics {
		fmt.Fprintf(&b, "%s: %s\n", d.Summary, d.Detail)
	}
	return names, results, b.String()
}

// A list has each environment of each place once, and what it gives can be imported.
func TestGitOpsCommit_list(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	r.repo.CommitFiles(t, "prod", map[string][]byte{
		".kalypso/0000000000000001": waveRecord("prod", ".", "a"),
		".kalypso/0000000000000002": waveRecord("prod", ".", "b"),
		".kalypso/0000000000000003": waveRecord("stage", "stage", "a"),
		"a/README.md":               []byte("# a\n"),
	}, "records")
	want := []string{"prod in " + r.url + "#prod:. (2 records)", "stage in " + r.url + "#prod:stage"}
	names, results, said := listed(t, map[string]string{"repo": r.url, "branch": ""}, 0, true)
	if !slices.Equal(names, want) || said != "" {
		t.Fatalf("listed %q, want %q; %s", names, want, said)
	}
	if names, _, _ := listed(t, map[string]string{"repo": r.url, "branch": "prod"}, 1, false); !slices.Equal(names, want[:1]) {
		t.Errorf("one result is %q, want %q", names, want[:1])
	}

	d := planDirectly(t, "provider \"kalypso\" {}\n")
	imported, err := d.Server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: "kalypso_gitops_commit",
		Identity: results[0].Identity})
	if err != nil || len(imported.Diagnostics) > 0 {
		t.Fatalf("%v %+v", err, imported)
	}
	schema := d.Schemas.ResourceSchemas["kalypso_gitops_commit"].ValueType()
	attributes := func(wire *tfprotov6.DynamicValue) map[string]tftypes.Value {
		t.Helper()
		value, err := wire.Unmarshal(schema)
		var values map[string]tftypes.Value
		if err != nil || value.As(&values) != nil {
			t.Fatalf("%s: %v", value, err)
		}
		delete(values, "instance_id") // each import makes another one
		return values
	}
	got, wanted := attributes(results[0].Resource), attributes(imported.ImportedResources[0].State)
	for name, value := range wanted {
		if !got[name].Equal(value) {
			t.Errorf("%s of the result is %s, and an import gives %s", name, got[name], value)
		}
	}
}

// A list says what cannot be read, and what is wrong in its block.
func TestGitOpsCommit_listErrors(t *testing.T) {
	t.Parallel()
	r := transports["file"](t)
	r.repo.CommitFiles(t, "prod", map[string][]byte{"a/README.md": []byte("# a\n")}, "no records")
	for want, values := range map[string]map[string]string{
		"":                    {"repo": r.url, "branch": ""},
		`has no branch "dev"`: {"repo": r.url, "branch": "dev"},
		"nowhere":             {"repo": "nowhere", "branch": ""},
		"a b":                 {"repo": r.url, "branch": "a b"},
		"does not exist":      {"repo": r.url + "-gone", "branch": ""},
	} {
		if names, _, said := listed(t, values, 0, false); len(names) > 0 || !strings.Contains(said, want) || (want == "") != (said == "") {
			t.Errorf("%v lists %q and says %q, want %q", values, names, said, want)
		}
	}
}
