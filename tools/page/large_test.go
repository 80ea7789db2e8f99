// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package page

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/deployed"
)

// A page with 2,000 packages in each of three environments shows each view, finds a package, and
// brings all rows while somebody scrolls, without a press.
func TestLargeFleet(t *testing.T) {
	t.Parallel()
	p := open(t, deployed.Fleet(2000))
	for _, view := range []string{"comparison", "history", "matrix"} {
		p.show(view)
		p.until(fmt.Sprintf(`document.getElementById(%q).offsetHeight > 0`, view))
	}
	p.until(`(document.querySelector("#matrix .more")?.scrollIntoView(), document.querySelectorAll("#matrix tbody tr").length === 50)`)
	p.filter("payments")
	p.until(`document.querySelectorAll("#matrix tbody tr").length < 50`)
}

// The pictures of the guide.
func TestPictures(t *testing.T) {
	t.Parallel()
	p := open(t, deployed.Fleet(60), &emulation.MediaFeature{Name: "prefers-color-scheme", Value: "light"})
	for _, view := range []string{"environments", "matrix", "clusters", "comparison", "history"} {
		p.show(view)
		p.picture("fleet-" + view + "-light")
	}
}
