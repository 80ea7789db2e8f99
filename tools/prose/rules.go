// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package prose has words and phrases that readers have to read twice. Its test refuses
// them in all texts for people: Markdown, templates of pages, comments and string literals.
// CONTRIBUTING.md, "How we write", has the style.
package prose

import (
	"fmt"
	"regexp"
	"strings"
)

// Rule is one word or phrase that the project does not use.
type Rule struct {
	// Phrase is a regular expression. Upper and lower case are the same.
	Phrase string
	// Instead says what to write.
	Instead string
	// Except is a regular expression. A hit inside one of its matches is allowed.
	Except string
	// Bad is a sentence that the rule refuses, for the test of the rules.
	Bad string

	phrase, except *regexp.Regexp
}

// Rules are all words and phrases that the project does not use.
var Rules = compile([]Rule{
	{Phrase: `\b(is|are|was|were) none\b`, Except: `\bthere (is|are|was|were) none\b`, Instead: `"does not exist", "has no …"`,
		Bad: "The branch is none of ours."},
	{Phrase: `\b(is|are) no\b`, Except: `\b(there|here) (is|are) no\b|\b(is|are) no (longer|more)\b`, Instead: `"is not a …"`,
		Bad: "x is no URL."},
	{Phrase: `\bbut for\b`, Instead: `"except"`, Bad: "All but for one."},
	{Phrase: `\b(stands?|stood)\b`, Except: `\bstands? for\b`, Instead: `"is", "has", "contains"`, Bad: "It stands in the record."},
	{Phrase: `\bmend(s|ed|ing)?\b`, Instead: `"fix"`, Bad: "Mend the file."},
	{Phrase: `\b(tells?|telling)\b`, Except: `\btells? (you|it|them|people|users|readers|kubernetes|terraform|git|flux|the|a|an|another) `,
		Instead: `"reports", "says", "shows"`, Bad: "The plan tells what changes."},
	{Phrase: `\bto tell\b`, Except: `\bto tell (you|users|terraform|the) `, Instead: `"to report", "to distinguish"`,
		Bad: "Nothing is there to tell."},
	{Phrase: `\b(go|goes|going|went|gone) by (what|it|the|that|them)\b`, Instead: `"uses", "follows"`, Bad: "A destroy goes by what was " +
		"applied."},
	{Phrase: `\bto go by\b`, Instead: `"to use"`, Bad: "There is no history to go by."},
	{Phrase: `\b(who|what|which)soever\b|\bwho(m)?ever\b`, Instead: `a noun: "the user who …"`, Bad: "Whoever pushes."},
	{Phrase: `\b(nobody|somebody|anybody|everybody)'s\b`, Instead: `a noun: "foreign", "another owner's"`, Bad: "What is nobody's stays."},
	{Phrase: `\bwhat there is\b`, Instead: `a noun`, Bad: "It reads what there is."},
	{Phrase: `\bhardly meant\b`, Instead: `"probably a mistake"`, Bad: "It is hardly meant."},
	{Phrase: `\bupon\b`, Instead: `"on"`, Bad: "A delta upon a base."},
	{Phrase: `\b(thus|hence|thereby|whereby|therein|thereof|wherein|albeit|lest)\b`, Instead: `"so", "because"`, Bad: "Thus it fails."},
	{Phrase: `\bbe it\b`, Instead: `"even if"`, Bad: "A change, be it small."},
	{Phrase: `\bin so many words\b`, Instead: `"explicitly"`, Bad: "Say it in so many words."},
	{Phrase: `\bdoes? not wash\b|\bwash(es)? it\b`, Instead: `"does not clear"`, Bad: "A commit does not wash it."},
	{Phrase: `\bin what (it|they|two|environments)\b`, Instead: `"how they differ"`, Bad: "It shows in what they differ."},
	{Phrase: `\b(is|are) not (this|the|that) [a-z]+'s to\b|'s to (write|remove|change|say)\b`, Instead: `"cannot write to …"`,
		Bad: "X is not this resource's to write."},
	{Phrase: `\bdoubtful\b`, Except: "MANIFEST_DOUBTFUL", Instead: `"probably a mistake"`, Bad: "A doubtful value."},
	{Phrase: `\bof (itself|its own accord)\b`, Instead: `"itself", "about itself"`, Bad: "What a commit says of itself."},
	{Phrase: `\bcredentials of the environment\b`, Instead: `"credentials from environment variables"`, Bad: "The credentials of the " +
		"environment."},
	{Phrase: `\bnor (has|is|do|does|are|can|did)\b`, Instead: `a sentence with "not either"`, Bad: "Nor does it write."},
	{Phrase: `\b(whose|who's) turn it is\b`, Instead: `"the order of …"`, Bad: "It says whose turn it is."},
})

func compile(rules []Rule) []Rule {
	for i := range rules {
		r := &rules[i]
		r.phrase = phrase(r.Phrase)
		if r.Except != "" {
			r.except = phrase(r.Except)
		}
	}
	return rules
}

// phrase compiles a phrase, whose words may be on two lines.
func phrase(text string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)` + strings.ReplaceAll(text, " ", `\s+`))
}

// refuses returns where the rule refuses a text, as pairs of byte offsets.
func (r *Rule) refuses(text string) (hits [][]int) {
	var allowed [][]int
	if r.except != nil {
		allowed = r.except.FindAllStringIndex(text, -1)
	}
next:
	for _, hit := range r.phrase.FindAllStringIndex(text, -1) {
		for _, a := range allowed {
			if a[0] <= hit[0] && hit[1] <= a[1] {
				continue next
			}
		}
		hits = append(hits, hit)
	}
	return hits
}

// Check returns a line for each word or phrase in a text that the project does not use.
// The text begins on the given line of the named file.
func Check(file string, line int, text string) (problems []string) {
	for _, r := range Rules {
		for _, hit := range r.refuses(text) {
			at := line + strings.Count(text[:hit[0]], "\n")
			said := strings.Join(strings.Fields(text[hit[0]:hit[1]]), " ")
			problems = append(problems, fmt.Sprintf("%s:%d: do not write %q, write %s", file, at, said, r.Instead))
		}
	}
	return problems
}
