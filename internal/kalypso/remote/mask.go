// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package remote

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Masker takes secrets out of everything that is shown: messages, logs and texts of servers.
// All clients of a run share one Masker, so that no client shows a secret of another client.
// Many goroutines may use it at the same time.
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
	for _, secret := range secrets {
		if secret != "" && !slices.Contains(m.forms, secret) {
			m.forms = append(m.forms, forms(secret)...)
		}
	}
	slices.SortStableFunc(m.forms, func(a, b string) int { return len(b) - len(a) }) // a secret may be part of another secret
	pairs := make([]string, 0, 2*len(m.forms))
	for _, form := range m.forms {
		pairs = append(pairs, form, "***")
	}
	m.replacer = strings.NewReplacer(pairs...)
}

// Mask returns a text without the secrets, as they are, with the escapes of URLs, or in base64.
func (m *Masker) Mask(text string) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.replacer.Replace(text)
}

// forms returns the texts in which a secret may occur.
func forms(secret string) []string {
	all := []string{secret, url.QueryEscape(secret), url.PathEscape(secret)}
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		encoded := encoding.EncodeToString([]byte(secret))
		all = append(all, encoded, url.QueryEscape(encoded))
	}
	slices.Sort(all)
	return slices.Compact(all)
}
