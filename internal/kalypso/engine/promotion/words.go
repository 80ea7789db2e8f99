// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package promotion

import (
	"strings"
	"time"
	"unicode"
)

// maxShown is how many characters of a foreign text a sentence shows.
const maxShown = 100

// shown prepares a foreign text for a sentence: one line, not too long.
func shown(text string) string {
	letters := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?")))
	if len(letters) > maxShown {
		return string(letters[:maxShown-1]) + "…"
	}
	return string(letters)
}

// shortID is how many digits of a commit id people look at.
const shortID = 7

// short shortens the id of a commit, and no other one.
func short(id string) string {
	if len(id) >= 40 && strings.Trim(id, "0123456789abcdef") == "" {
		return id[:shortID]
	}
	return shown(id)
}

// title names a commit with its subject.
func (c SourceCommit) title() string {
	if c.Subject == "" {
		return short(c.ID)
	}
	return short(c.ID) + " (" + shown(c.Subject) + ")"
}

// carried names the commits that a step carries.
func (s *step) carried() string {
	ids := map[string]bool{}
	for _, r := range s.Carried {
		ids[short(r.Commit)] = true
	}
	return names(ids)
}

// minute writes a time in UTC; at the minute that it names it is over.
func minute(t time.Time) string {
	return t.Add(time.Minute-1).UTC().Format("2006-01-02 15:04") + " UTC"
}

// duration writes a duration without the parts that are zero: "2h".
func duration(d time.Duration) string {
	text := d.String()
	for _, part := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, part) {
			text = text[:len(text)-2]
		}
	}
	return text
}
