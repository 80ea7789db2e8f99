// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package credential

import (
	"regexp"
	"strings"
	"sync"
)

// tokens are credentials with a known form. A URL or connection string is not a credential
// if its password is a variable or a placeholder.
var tokens = []struct {
	what string
	// hint is a part of every such credential, for a fast search.
	hint hints
	// form matches the credential as its first group, or as a whole.
	form func() *regexp.Regexp
}{
	{"contains a private key", hints{"private key"},
		lazily(`-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\z)`)},
	{"contains a URL with a password", hints{"://"}, lazily(`\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/:@"'{}$<>]*:([^\s/:@"'{}$<>*]+)@`)},
	{"contains an access key of AWS", hints{"akia"}, lazily(`\bAKIA[A-Z0-9]{16}\b`)},
	{"contains a token of GitHub", hints{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"},
		lazily(`\b(gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})`)},
	{"contains a token of GitLab", hints{"glpat-"}, lazily(`\bglpat-[A-Za-z0-9_-]{20,}`)},
	{"contains a token of Slack", hints{"xox"}, lazily(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`)},
	{"contains an API key of Google", hints{"aiza"}, lazily(`\bAIza[A-Za-z0-9_-]{35}\b`)},
	{"contains a secret key of Stripe", hints{"k_live_"}, lazily(`\b[rs]k_live_[A-Za-z0-9]{16,}`)},
	{"contains a JSON Web Token", hints{"eyj"}, lazily(`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`)},
	{"contains a connection string with a key", hints{"accountkey=", "sharedaccess"},
		lazily(`(?i)\b(?:AccountKey|SharedAccessKey|SharedAccessSignature)=([A-Za-z0-9+/%=]{16,})`)},
	{"contains a connection string with a password", hints{"password", "pwd"}, lazily(`(?i);\s*(?:password|pwd)\s*=\s*([^\s;"'{}$<>*]+)`)},
}

// lazily compiles an expression when it is first needed. Terraform starts the provider three
// times for a plan, and most of these processes search no text.
func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// anyToken contains a part of every token, so that one pass is enough for most texts.
var anyToken = func() (all hints) {
	for _, t := range tokens {
		all = append(all, t.hint...)
	}
	return all
}()

// tokensIn returns the tokens in a text, grouped by sort.
func tokensIn(text string) []span {
	if !anyToken.in(text) {
		return nil
	}
	var found []span
	for _, t := range tokens {
		if !t.hint.in(text) {
			continue
		}
		for _, match := range t.form().FindAllStringSubmatchIndex(text, -1) {
			at := match[len(match)-2:]
			if !strings.HasPrefix(text[at[0]:], digestStart) {
				found = append(found, span{at[0], at[1], t.what})
			}
		}
	}
	return found
}
