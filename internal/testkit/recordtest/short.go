// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package recordtest

import (
	"maps"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/record"
)

// Instance returns the id of an instance from its digit.
func Instance(digit string) string { return strings.Repeat(digit, 16) }

// Parse reads a record from a text such as "2 part prod at us: a b=released": the digit of
// the instance, whether it has cluster_types, its environment (dev), its path (.), and its lines.
func Parse(text string) record.Record {
	head, lines, _ := strings.Cut(text, ":")
	words := strings.Fields(head)
	r := record.Record{Instance: Instance(words[0]), Environment: "dev", Branch: "dev", Path: ".", Provider: "1.0.0",
		Release: record.Release{Commit: "c1"}, Folders: map[string]record.Line{}}
	for i := 1; i < len(words); i++ {
		switch words[i] {
		case "part":
			r.IsPart = true
		case "at":
			i++
			r.Path = words[i]
		default:
			r.Environment = words[i]
		}
	}
	for _, line := range strings.Fields(lines) {
		key, value, isReleased := strings.Cut(line, "=")
		r.Folders[key] = record.Owned
		if isReleased {
			r.Folders[key] = record.Line(value)
		}
	}
	return r
}

// Short is the text that Parse reads.
func Short(r record.Record) string {
	text := r.Instance[:1]
	if r.IsPart {
		text += " part"
	}
	if r.Environment != "dev" {
		text += " " + r.Environment
	}
	if r.Path != "." {
		text += " at " + r.Path
	}
	text += ":"
	for _, key := range slices.Sorted(maps.Keys(r.Folders)) {
		text += " " + key
		if r.Folders[key] != record.Owned {
			text += "=" + string(r.Folders[key])
		}
	}
	return text
}
