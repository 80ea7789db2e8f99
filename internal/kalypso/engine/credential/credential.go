// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package credential recognizes credentials in the values of platform configuration and in
// files. The same rules find credentials and hide them.
package credential

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// span is a part of a text that is a credential.
type span struct {
	from, to int
	// what continues the sentence "The value …".
	what string
}

// Of says which credential a value of this name is or contains, as the end of a sentence:
// "contains a private key". It returns "" if it finds no credential.
func Of(name, value string) string {
	if what := In(value); what != "" {
		return what
	}
	if IsName(name) && !isReference(name, value) {
		return "is a credential, by its name"
	}
	return ""
}

// In says which credential a text contains. It recognizes a credential by its form, or by
// the name that the text gives to the credential. It returns "" if it finds no credential.
// Cost: linear, and low for texts without a word that is common for credentials.
func In(text string) string {
	text = text[:min(len(text), maxLooked)]
	for _, find := range []func(string) []span{tokensIn, settings} {
		if found := find(text); len(found) > 0 {
			return found[0].what
		}
	}
	return ""
}

// maxLooked bounds the bytes of a text that are searched. Kubernetes takes no larger object.
const maxLooked = 1 << 20

// Redact returns the text with digests in place of all credentials that In finds, and of
// parts that are too long to check. It keeps a digest that the text already has.
func Redact(text string) string {
	if len(text) > maxLooked {
		return Redact(text[:maxLooked]) + Digest(text[maxLooked:])
	}
	spans := append(tokensIn(text), settings(text)...)
	if len(spans) == 0 {
		return text
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	var b strings.Builder
	at := 0
	for i := 0; i < len(spans); {
		from, to := spans[i].from, spans[i].to
		for i++; i < len(spans) && spans[i].from < to; i++ {
			to = max(to, spans[i].to)
		}
		b.WriteString(text[at:from])
		b.WriteString(Digest(text[from:to]))
		at = to
	}
	return b.String() + text[at:]
}

// Shown returns the value of this name in a form that people may see.
func Shown(name, value string) string {
	if IsName(name) && !isReference(name, value) {
		return Digest(value)
	}
	return Redact(value)
}

// digestBytes is enough to show a change, and too little to guess a value that is not weak.
const digestBytes = 2

const digestStart = "(redacted "

// Digest represents a value that must not be shown.
func Digest(value string) string {
	sum := sha256.Sum256([]byte(value))
	return digestStart + hex.EncodeToString(sum[:digestBytes]) + "…)"
}

// leastHidden is the shortest value that Hide looks for. Many words contain shorter values.
const leastHidden = 4

// Hide returns the text with a digest in place of each credential of a configuration. config
// is a map, a list or a value. Cost: the length of the text times the number of credentials.
func Hide(text string, config any) string {
	values := valuesOf("", config, nil)
	slices.SortFunc(values, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	for _, value := range slices.Compact(values) {
		quoted := strconv.Quote(value)
		for _, written := range []string{value, quoted[1 : len(quoted)-1]} {
			text = strings.ReplaceAll(text, written, Digest(value))
		}
	}
	return text
}

// valuesOf appends the credentials of a configuration.
func valuesOf(name string, config any, values []string) []string {
	switch config := config.(type) {
	case map[string]any:
		for key, value := range config {
			values = valuesOf(key, value, values)
		}
	case []any:
		for _, value := range config {
			values = valuesOf(name, value, values)
		}
	default:
		if value := fmt.Sprint(config); len(value) >= leastHidden && Of(name, value) != "" {
			values = append(values, value)
		}
	}
	return values
}
