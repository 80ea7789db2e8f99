// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/rendering"
)

// example is a template that calls a function, with the result of the template.
type example struct{ function, template, result string }

// fails is the beginning of the result of a template that fails. The end of the error's
// message follows.
const fails = "fails: "

// groups has the examples by the names of their tables.
var groups = map[string][]example{
	"own": own, "language": language, "texts": texts, "numbers": numbers, "lists": lists, "maps": dicts,
	"choices": choices, "encodings": encodings, "patterns": patterns, "must": must,
}

// aliases maps the other names of functions to their first names. The names with must are in
// mustNames.
var aliases = map[string]string{
	"biggest": "max", "osBase": "base", "osClean": "clean", "osDir": "dir", "osExt": "ext", "osIsAbs": "isAbs",
	"trimall": "trimAll", "tuple": "list",
}

// mustNames maps the names of all functions with must to the names without must.
func mustNames() map[string]string {
	names := map[string]string{}
	for _, name := range rendering.Functions() {
		if rest, ok := strings.CutPrefix(name, "must"); ok {
			names[name] = strings.ToLower(rest[:1]) + rest[1:]
		}
	}
	return names
}
