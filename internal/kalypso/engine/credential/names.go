// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package credential

import (
	"slices"
	"strings"
	"unicode"
)

// nameWords end the names of credentials, as one word or two.
var nameWords = map[string]bool{
	"password": true, "passwd": true, "pwd": true, "passphrase": true, "secret": true, "token": true,
	"apikey": true, "privatekey": true, "accesskey": true, "secretkey": true, "accountkey": true,
	"sharedkey": true, "encryptionkey": true, "signingkey": true,
}

// nameHints are parts of nameWords. A text without a hint has no name of a credential.
var nameHints = hints{"pass", "pwd", "secret", "token", "key"}

// IsName reports whether a name is the name of a credential itself: DB_PASSWORD, not
// PASSWORD_FILE. The index of a list element does not count: token[0].
func IsName(name string) bool {
	words := wordsOf(index().ReplaceAllString(name, ""))
	n := len(words)
	return n > 0 && nameWords[words[n-1]] || n > 1 && nameWords[words[n-2]+words[n-1]]
}

var index = lazily(`(\[\d+\])+$`)

// wordsOf returns the words of a name: DB_PASSWORD, db-password, db.password, dbPassword.
func wordsOf(name string) []string {
	var spaced strings.Builder
	before := ' '
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			spaced.WriteByte(' ')
		}
		spaced.WriteRune(r)
		before = r
	}
	return strings.FieldsFunc(strings.ToLower(spaced.String()), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// reference matches values that refer to a secret elsewhere, or that are not a secret:
// templates and variables, files, URLs, references into secret stores, encrypted or redacted
// texts, and the beginning of a structure.
var reference = lazily(`(?i)^(true|false|yes|no|on|off|null|none|~|[*]+|[\[{]|[\[{].*[:,\]}].*|<.*>|` +
	`\.{0,2}(/[\w.-]+)+/?|https?://.*|file:.*|vault:.*|ref\+.*|enc\[.*|@microsoft\.keyvault.*|\(redacted [0-9a-f]{4}…\))$`)

// properties are an anchor and a tag before a value in YAML.
var properties = lazily(`^((&|!)\S*(\s+|$))+`)

// replaced matches templates and variables, which are filled in later. It matches a whole
// template, or its beginning if it continues on other lines.
var replaced = lazily(`\{\{.*?(\}\}|$)|\$\{[^}]*(\}|$)|\$\([^)]*(\)|$)`)

// around matches the text that may surround an inserted value: only the name of a scheme.
var around = lazily(`(?i)^\W*((bearer|basic|token)\W*)?$`)

// objectName matches the names of Secrets and of their keys: words with short numbers. A random text has
// numbers between letters, or is longer.
var objectName = lazily(strings.ReplaceAll(`^W(?:[-_.](?:W|\d{1,3}))*$`, "W", `(?:[a-z]{1,20}|[A-Z]{1,20}|[a-z]+(?:[A-Z][a-z]+)+)\d{0,3}`))

// isReference reports whether a value of this name refers to a secret elsewhere, or is not a secret. The
// value of a name that ends in secret, or in secret key, may be the name of a Secret or of its key.
func isReference(name, value string) bool {
	value = strings.Trim(strings.TrimSpace(strings.TrimRight(strings.TrimSpace(value), ",")), `"'`)
	if replaced().MatchString(value) && around().MatchString(replaced().ReplaceAllString(value, "")) {
		return true
	}
	object, _, _ := strings.Cut(value, " #")
	return strings.TrimSpace(value) == "" || reference().MatchString(value) ||
		ofSecret().MatchString(name) && objectName().MatchString(strings.TrimSpace(object))
}

// ofSecret matches names that may hold the name of a Secret or of its key.
var ofSecret = lazily(`(?i)secret([_.-]?key)?(\[\d+\])*$`)

// hints are words in lower case.
type hints []string

// in reports whether the text contains one of the words, in upper or lower case.
func (h hints) in(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(h, func(word string) bool { return strings.Contains(text, word) })
}
