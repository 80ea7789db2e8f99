// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package findings

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/wording"
)

// maxReported is how many groups of findings a report shows in full.
const maxReported = 20

// Report returns findings as one text in the order of Codes: a possible cause comes before its
// effects. Findings with the same code and the same cause share a line. The text has up to 20
// lines, but at least one of each code, and then the number of the other findings.
func Report(all []Finding) string {
	groups := grouped(all)
	codes := map[string]bool{}
	for _, g := range groups {
		codes[g.Code] = true
	}
	var lines []string
	told, rest := map[string]int{}, 0
	for _, g := range groups {
		if len(groups) > maxReported && told[g.Code] == max(maxReported/len(codes), 1) {
			rest += 1 + len(g.others)
			continue
		}
		told[g.Code]++
		line := fmt.Sprintf("- %s %s: %s", g.Code, g.Subject, g.Message)
		if len(g.others) > 0 {
			line += fmt.Sprintf(" The same holds for %d more: %s.", len(g.others), wording.First(g.others, wording.MaxListed))
		}
		lines = append(lines, line)
	}
	if rest > 0 {
		lines = append(lines, fmt.Sprintf("and %s.", wording.Count(rest, "more finding")))
	}
	return strings.Join(lines, "\n")
}

// group is findings that differ in the name of their subject alone: the first of them, and
// the names of the others.
type group struct {
	Finding
	others []string
}

func grouped(all []Finding) []group {
	var groups []group
	index := map[string]int{}
	for _, f := range slices.SortedStableFunc(slices.Values(all), inOrder) {
		cause := f.cause()
		i, known := index[cause]
		if !known {
			index[cause] = len(groups)
			groups = append(groups, group{Finding: f})
			continue
		}
		_, name, _ := strings.Cut(f.Subject, "/")
		groups[i].others = append(groups[i].others, name)
	}
	return groups
}

var aside = regexp.MustCompile(` \([^)]*\)`)

// cause is the same for findings of one code that say the same of different subjects: the
// message without the name of the subject, and without places and hints in parentheses.
func (f Finding) cause() string {
	kind, name, _ := strings.Cut(f.Subject, "/")
	words := strings.Fields(aside.ReplaceAllString(f.Message, ""))
	for i, word := range words {
		if name != "" && strings.Trim(word, ".,:;()") == name {
			words[i] = strings.Replace(word, name, "/", 1)
		}
	}
	return f.Code + " " + kind + " " + strings.Join(words, " ")
}

// CausesOf returns the findings that may be the cause of those that fail: those whose codes come
// before the first code that fails, in the order of Codes.
func CausesOf(failing, kept []Finding) []Finding {
	if len(failing) == 0 {
		return nil
	}
	first := len(Codes)
	for _, f := range failing {
		first = min(first, rank(f.Code))
	}
	return slices.DeleteFunc(slices.Clone(kept), func(f Finding) bool { return rank(f.Code) >= first })
}
