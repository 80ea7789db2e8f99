// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/manifest"
)

// chooser returns the schema of a document of any kind. The versions are the apiVersions of
// the kinds. Documents of other kinds are not ours, so the schema accepts them.
func chooser(versions map[string]string) schema {
	kinds := slices.Sorted(maps.Keys(versions))
	var rules []any
	rule := func(condition, then schema) {
		condition["type"] = "object"
		rules = append(rules, schema{"if": condition, "then": then})
	}
	ourKinds := []string{"Assignment", "AssignmentPackage"} // Kalypso's results, which the reader leaves out
	for _, kind := range kinds {
		fields := schema{"kind": schema{"const": kind}}
		if group, _, _ := strings.Cut(versions[kind], "/"); strings.Contains(group, "open-cluster-management") {
			// Other projects have kinds of the same names.
			fields["apiVersion"] = schema{"type": []string{"string", "null"},
				"pattern": "^(" + strings.ReplaceAll(group, ".", `\.`) + "/.*)?$"}
		}
		if versions[kind] == manifest.APIVersion {
			ourKinds = append(ourKinds, kind, kind+"List")
		}
		rule(schema{"required": []string{"kind"}, "properties": fields}, schema{"$ref": kind + ".json"})
	}
	const kalypso = "[Kk][Aa][Ll][Yy][Pp][Ss][Oo]"
	rule(schema{"required": []string{"apiVersion"}, "properties": schema{"apiVersion": schema{"type": "string", "pattern": kalypso}}},
		schema{"required": []string{"kind"}, "properties": schema{"kind": schema{"enum": ourKinds}}})
	missing := func(field string) schema { return schema{"properties": schema{field: schema{"enum": []any{nil, ""}}}} }
	isKustomization := schema{"allOf": []any{missing("kind"), missing("apiVersion"), has("resources", schema{"not": schema{"const": nil}})}}
	rule(schema{"not": isKustomization}, schema{"required": []string{"kind"}, "not": missing("kind")})
	rule(schema{"required": []string{"kind"}, "properties": schema{"kind": schema{"not": schema{"pattern": "^(ConfigMap|.*List)?$",
		"type": []string{"string", "null"}}}}},
		schema{"required": []string{"apiVersion"}, "not": missing("apiVersion")})
	rule(schema{"required": []string{"kind"}, "properties": schema{
		"kind":       schema{"type": "string", "pattern": "List$"},
		"apiVersion": schema{"type": []string{"string", "null"}, "pattern": "^(v1|.*" + kalypso + ".*)?$"}}},
		schema{"required": []string{"items"}, "properties": schema{"items": schema{"type": "array"}}})
	rule(schema{"required": []string{"kind"}, "properties": schema{"kind": schema{"const": "List"}}},
		schema{"properties": schema{"items": schema{"items": schema{"$ref": "#"}}}})
	return schema{"$schema": draft, "title": "Kalypso", "type": []string{"object", "null"}, "allOf": rules,
		"properties": schema{"kind": schema{"examples": kinds}}}
}
