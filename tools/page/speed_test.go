// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package page

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/deployed"
)

// soon is the longest time in which a page with 2,000 packages in each of three
// environments opens, or reacts to a user.
const soon = time.Second

// The best of several tries counts, because the machine can be busy.
func TestSpeed(t *testing.T) { //nolint:paralleltest // others would be measured too
	const tries = 3
	fleet := deployed.Fleet(2000)
	best := map[string]time.Duration{}
	for range tries {
		p := open(t, fleet)
		note := func(what string, milliseconds float64) {
			took := time.Duration(milliseconds * float64(time.Millisecond))
			if before, known := best[what]; !known || took < before {
				best[what] = took
			}
		}
		note("load", eval[float64](p, `performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd`))
		for _, view := range []string{"matrix", "comparison", "history"} {
			note(view, eval[float64](p, fmt.Sprintf(`(() => { const from = performance.now(); document.getElementById("tab-%s").click(); `+
				`document.getElementById(%q).offsetHeight; return performance.now() - from; })()`, view, view)))
		}
		p.show("matrix")
		for _, words := range []string{"payments", "unhealthy"} {
			note("filter "+words, eval[float64](p, fmt.Sprintf(`new Promise((done) => {
			  const e = document.getElementById("filter"), from = performance.now();
			  e.value = %q;
			  e.dispatchEvent(new Event("input"));
			  new MutationObserver((_, o) => {
			    o.disconnect();
			    document.getElementById("matrix").offsetHeight;
			    done(performance.now() - from);
			  }).observe(document.getElementById("found"), { childList: true });
			})`, words)))
		}
		p.filter("")
		// All rows come by and by, without a press.
		p.until(`(document.querySelector("#matrix .more")?.scrollIntoView(), document.querySelectorAll("#matrix tbody tr").length === 50)`)
	}
	for what, took := range best {
		t.Logf("%s: %s", what, took.Round(time.Millisecond))
		if took > soon {
			t.Errorf("%s takes %s", what, took)
		}
	}
}

// The pictures of the guide.
func TestPictures(t *testing.T) {
	t.Parallel()
	p := open(t, deployed.Fleet(60), &emulation.MediaFeature{Name: "prefers-color-scheme", Value: "light"})
	for _, view := range []string{"environments", "matrix", "comparison", "history"} {
		p.show(view)
		p.picture("fleet-" + view + "-light")
	}
}
