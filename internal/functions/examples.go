// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/rendering"
)

// example shows what a function does: what the template gives.
type example struct{ function, template, result string }

// fails begins the result of a template that gives an error, with the end of its message.
const fails = "fails: "

// groups are the examples by the names of their tables.
var groups = map[string][]example{
	"own": own, "language": language, "texts": texts, "numbers": numbers, "lists": lists, "maps": dicts,
	"choices": choices, "encodings": encodings, "patterns": patterns, "must": must,
}

// aliases are further names of functions. Those with must have no row of their own, see
// mustNames.
var aliases = map[string]string{
	"biggest": "max", "osBase": "base", "osClean": "clean", "osDir": "dir", "osExt": "ext", "osIsAbs": "isAbs",
	"trimall": "trimAll", "tuple": "list",
}

// mustNames returns the names of all functions with must, and those of their namesakes.
func mustNames() map[string]string {
	names := map[string]string{}
	for _, name := range rendering.Functions() {
		if rest, ok := strings.CutPrefix(name, "must"); ok {
			names[name] = strings.ToLower(rest[:1]) + rest[1:]
		}
	}
	return names
}
