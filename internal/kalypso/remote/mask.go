// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package remote

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Masker takes secrets out of everything that is shown: messages, logs and texts of servers.
// All clients of a run share one Masker, so that no client shows a secret of another client.
// Many goroutines may use it at the same time. A nil Masker knows no secrets.
type Masker struct {
	mu       sync.RWMutex
	forms    []string // of all secrets, the longest first
	replacer *strings.Replacer
}

// NewMasker returns a masker that knows some secrets.
func NewMasker(secrets ...string) *Masker {
	m := &Masker{replacer: strings.NewReplacer()}
	m.Add(secrets...)
	return m
}

// Add adds secrets, such as a token that a server has issued. Empty and known secrets have no
// effect.
func (m *Masker) Add(secrets ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := len(m.forms)
	for _, secret := range secrets {
		if secret != "" && !slices.Contains(m.forms, secret) {
			m.forms = append(m.forms, forms(secret)...)
		}
	}
	if len(m.forms) == known {
		return
	}
	slices.SortStableFunc(m.forms, func(a, b string) int { return len(b) - len(a) }) // a secret may be part of another secret
	pairs := make([]string, 0, 2*len(m.forms))
	for _, form := range m.forms {
		pairs = append(pairs, form, "***")
	}
	m.replacer = strings.NewReplacer(pairs...)
}

// Mask returns a text without the secrets. It also removes secrets with the escapes of URLs,
// or in base64, alone or within a longer text, as in the header of HTTP's basic
// authentication.
func (m *Masker) Mask(text string) string {
	if m == nil {
		return text
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.replacer.Replace(text)
}

// shortest is the smallest number of characters of a base64 part that is masked: shorter parts
// occur in every text.
const shortest = 4

// forms returns the texts in which a secret may occur.
func forms(secret string) []string {
	all := []string{secret, url.QueryEscape(secret), url.PathEscape(secret)}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		encoded := encoding.EncodeToString([]byte(secret))
		all = append(all, encoded, url.QueryEscape(encoded))
		for before := range 3 { // bytes before it in a group of three
			if part := within(encoding, secret, before); len(part) >= shortest {
				all = append(all, part, url.QueryEscape(part))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// within returns the part of a secret in the base64 of a text that has the secret after so
// many bytes. The characters at both ends are missing, because they depend on the neighbouring
// bytes.
func within(encoding *base64.Encoding, secret string, before int) string {
	text := make([]byte, before, before+len(secret))
	encoded := encoding.WithPadding(base64.NoPadding).EncodeToString(append(text, secret...))
	if (before+len(secret))%3 != 0 {
		encoded = encoded[:len(encoded)-1]
	}
	first := (before*8 + 5) / 6 // the first character that has only bits of the secret
	return encoded[min(first, len(encoded)):]
}

// MaxWords is how many bytes of a server's text a message shows.
const MaxWords = 1000

// Words prepares the text of a server for a message: it removes web pages and control
// characters, and shortens the text.
func Words(text string) string {
	if lower := strings.ToLower(text); strings.Contains(lower, "<html") || strings.Contains(lower, "<!doctype") {
		return "(a web page)"
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	text = strings.Join(lines, "\n")
	if len(text) > MaxWords {
		text = strings.ToValidUTF8(text[:MaxWords], "") + "…"
	}
	return text
}
