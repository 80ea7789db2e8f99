// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Package fleetview shows what runs where: as a page that needs only a browser, and as
// Markdown. It is pure: the same fleet returns the same bytes, in any order of its
// discrepancies. Environments and packages keep their order (deployments.Fleet).
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

// Page returns a fleet as one page of HTML that contains its style, its script, and the
// fleet as JSON. The page loads nothing from elsewhere, and its policy enforces this: only
// style and script with these digests run, and no text can become an element. Cost: linear
// in the fleet. The page contains shared values of packages once.
func Page(f deployments.Fleet) string {
	policy := "default-src 'none'; style-src " + digest(style) + "; script-src " + digest(script) +
		"; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
	// One pass, so that no text of the fleet counts as a placeholder.
	return strings.NewReplacer("{{policy}}", policy, "{{style}}", style, "{{script}}", script, "{{data}}", string(encode(f))).Replace(frame)
}

// digest names an inline style or script in a policy.
func digest(content string) string {
	sum := sha256.Sum256([]byte(content))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
