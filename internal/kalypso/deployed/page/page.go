// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package page shows what runs where as a page that needs only a browser. It is pure:
// the same fleet returns the same bytes.
package page

import (
	"crypto/sha256"
	_ "embed" // page.html, page.css, page.js
	"encoding/base64"
	"strings"
	"unicode"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/inventory"
)

var (
	//go:embed page.html
	frame string
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// Page returns a fleet as one page of HTML that contains its style, its script, and the
// fleet as JSON. The page loads nothing from elsewhere, and its policy enforces this: only
// style and script with these digests run. No text can become an element: Fleet.JSON writes
// <, > and & as escapes. Cost: linear in the fleet.
func Page(f inventory.Fleet) string {
	policy := "default-src 'none'; style-src " + digest(style) + "; script-src " + digest(script) +
		"; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
	// One pass, so that no text of the fleet counts as a placeholder.
	return strings.NewReplacer("{{policy}}", policy, "{{style}}", style, "{{script}}", script, "{{data}}", seen(f.JSON())).Replace(frame)
}

// seen returns a text without invisible characters, and without characters that reverse the
// direction of the text around them.
func seen(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, text)
}

// digest names an inline style or script in a policy.
func digest(content string) string {
	sum := sha256.Sum256([]byte(content))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
