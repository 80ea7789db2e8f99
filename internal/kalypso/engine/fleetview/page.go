// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package fleetview shows what runs where: as a page that needs nothing but a browser,
// and as Markdown. It is pure: the same fleet gives the same bytes, whatever the order of
// its discrepancies. Environments and packages come in the order that they are in
// (deployments.Fleet).
package fleetview

import (
	"crypto/sha256"
	_ "embed" // page.html, page.css, page.js
	"encoding/base64"
	"strings"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/engine/deployments"
)

var (
	//go:embed page.html
	frame string
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// Page returns a fleet as one page of HTML that contains all it needs: style, script, and
// the fleet as JSON. The page loads nothing from elsewhere, and its policy enforces this:
// style and script run by their digests alone, and no text can become an element. Cost:
// linear in the fleet; the page contains shared values of packages once.
func Page(f deployments.Fleet) string {
	policy := "default-src 'none'; style-src " + digest(style) + "; script-src " + digest(script) +
		"; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
	// One pass, so that nothing in the fleet is taken for a place to be filled.
	return strings.NewReplacer("{{policy}}", policy, "{{style}}", style, "{{script}}", script, "{{data}}", string(encode(f))).Replace(frame)
}

// digest names an inline style or script in a policy.
func digest(content string) string {
	sum := sha256.Sum256([]byte(content))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
