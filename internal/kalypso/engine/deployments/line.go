// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package deployments

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// maxLine is how many characters of a value a line shows.
const maxLine = 200

// line lists the first texts of a set as one line; empty for an empty set.
func (s set) line() string {
	lines := slices.Sorted(maps.Keys(s))
	for i, text := range lines {
		lines[i] = oneLine(text)
	}
	return wording.First(lines, maxListed)
}

// oneLine returns a text as one line. It quotes a text that is empty or has several lines,
// and cuts a long one.
func oneLine(text string) string {
	if runes := []rune(text); len(runes) > maxLine {
		text = string(runes[:maxLine]) + "…"
	}
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}

// String returns the source as one line: "https://host/shop#main:live". Sources of the same
// folder have the same line.
func (s Source) String() string {
	line := s.Repo
	if s.Ref != "" {
		line += "#" + s.Ref
	}
	if folder := path.Clean(strings.TrimLeft(s.Path, "/")); s.Path != "" && folder != "." {
		line += ":" + folder
	}
	return line
}
