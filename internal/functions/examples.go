// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package main

// example shows what a function does: what the template gives.
type example struct{ function, template, result string }

// fails begins the result of a template that gives an error, with the end of its message.
const fails = "fails: "

// groups are the examples by the names of their tables.
var groups = map[string][]example{
	"own": own, "language": language, "texts": texts, "numbers": numbers, "lists": lists, "maps": dicts,
	"choices": choices, "encodings": encodings, "patterns": patterns, "must": must,
}
