// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package credential recognizes credentials, in the values of platform configuration and
// in files. There is one set of rules: a credential that they find is not shown either.
package credential

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// span is a part of a text that is a credential.
type span struct {
	from, to int
	// what ends the sentence "The value …".
	what string
}

// Of says which credential a value of that name is or contains, as the end of a sentence:
// "holds a private key". It is empty if there seems to be none.
func Of(name, value string) string {
	if what := In(value); what != "" {
		return what
	}
	if IsName(name) && !isReference(value) {
		return "is a credential, by its name"
	}
	return ""
}

// In says which credential a text contains, by the form of the credential or by the name
// that the text gives it. It is empty if there seems to be none. Cost: linear, and little
// for texts without a word that is common for credentials.
func In(text string) string {
	text = text[:min(len(text), maxLooked)]
	if what := Token(text); what != "" {
		return what
	}
	if found := settings(text); len(found) > 0 {
		return found[0].what
	}
	return ""
}

// Token is In by the form of the credential alone.
func Token(text string) string {
	if found := tokensIn(text); len(found) > 0 {
		return found[0].what
	}
	return ""
}

// maxLooked is how many bytes of a text are looked at; Kubernetes takes no larger object.
const maxLooked = 1 << 20

// Redact returns the text with digests in place of all credentials that In finds. It also
// replaces parts that are too long to check. It keeps a digest that the text already has.
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

// Shown returns the value of that name as a person may see it.
func Shown(name, value string) string {
	if IsName(name) && !isReference(value) {
		return Digest(value)
	}
	return Redact(value)
}

// digestBytes is enough to see a change, and too little to find out a value that
// is not a weak one.
const digestBytes = 2

const digestStart = "(redacted "

// Digest stands for a value that is not shown.
func Digest(value string) string {
	sum := sha256.Sum256([]byte(value))
	return digestStart + hex.EncodeToString(sum[:digestBytes]) + "…)"
}
