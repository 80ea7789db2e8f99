// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package page

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/inventory"
	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/testkit/deployed"
)

func TestEnvironments(t *testing.T) {
	t.Parallel()
	p := open(t, deployed.Fleet(10))
	got := eval[[]string](p, `[...document.querySelectorAll("#environments .card")].map((card) => card.innerText.replace(/\s+/g, " "))`)
	if len(got) != 3 {
		t.Fatalf("there are %d cards", len(got))
	}
	for i, want := range [][]string{
		{"dev", "✖ unhealthy: kalypso/dev/store-west/store-west-1: health check failed", "10 packages of 4 workloads on 3 cluster types",
			"✔ 4 healthy", deployed.ID("dev", "head")[:10], "2026-11-20 09:00 UTC", "1 part could not be read"},
		{"prod", "✔ healthy", "7 packages of 3 workloads", "✔ 7 healthy"},
		{"stage", "not reported", "✖ 2 unhealthy"},
	} {
		for _, words := range want {
			if !strings.Contains(got[i], words) {
				t.Errorf("the card lacks %q: %s", words, got[i])
			}
		}
	}
	is(p, `document.getElementById("found").textContent`, "3 environments")
	is(p, `document.getElementById("time")`, any(nil))
	eval[any](p, `document.querySelectorAll("#environments .card")[1].querySelector("button").click()`)
	p.until(`document.querySelector("#matrix [aria-pressed=true]")?.value === "prod"`)
}

func TestMatrix(t *testing.T) {
	t.Parallel()
	p := open(t, deployed.Fleet(10))
	p.show("matrix")
	if got := eval[[]string](p, `[...document.querySelectorAll("#matrix thead th")].map((e) => e.textContent)`); !slices.Equal(got,
		[]string{"Workload", "cloud-west", "drone-west", "store-west"}) {
		t.Errorf("the columns are %q", got)
	}
	want := []string{
		"catalog catalog-team ✔ live 1.7.3", "payments payments-team ✔ live 1.6.3 ◔ live 1.6.3 ✖ live 1.6.3",
		"shop shop-team ✔ live 1.4.3 ◔ live 1.4.3 ✖ live 1.4.3", "telemetry telemetry-team ✔ live 1.5.3 ◔ live 1.5.3 ✖ live 1.5.3",
	}
	if got := p.rows("matrix"); !slices.Equal(got, want) {
		t.Errorf("the rows are %q", got)
	}
	eval[any](p, `document.querySelector('#matrix .choice button[value="prod"]').click()`)
	if got := p.rows("matrix"); len(got) != 3 || !strings.HasPrefix(got[2], "telemetry telemetry-team ✔ live 1.5.1") {
		t.Errorf("the rows of prod are %q", got)
	}
	is(p, `new URLSearchParams(location.hash.slice(1)).get("environment")`, "prod")
}

func TestFilter(t *testing.T) {
	t.Parallel()
	p := open(t, deployed.Fleet(10))
	p.show("matrix")
	p.filter("PAYMENTS store")
	if got := p.rows("matrix"); !slices.Equal(got, []string{"payments payments-team ✖ live 1.6.3"}) {
		t.Errorf("the rows are %q", got)
	}
	is(p, `document.getElementById("found").textContent`, "1 package of 10 match the filter")
	p.filter("unhealthy shop")
	if got := p.rows("matrix"); !slices.Equal(got, []string{"shop shop-team ✖ live 1.4.3"}) {
		t.Errorf("the unhealthy rows are %q", got)
	}
	p.show("history")
	p.filter("grace prod")
	if got := p.rows("history"); len(got) != 17 {
		t.Errorf("there are %d changes", len(got))
	}
	p.show("comparison")
	p.filter("log_level shop")
	if got := p.rows("comparison"); !slices.Equal(got, []string{"shop values.LOG_LEVEL cloud-west, drone-west, store-west debug info"}) {
		t.Errorf("the differences are %q", got)
	}
	p.filter("no such thing")
	is(p, `document.querySelector("#comparison .rows").textContent`, "Nothing matches the filter.")
	p.filter("")
}

func TestComparison(t *testing.T) {
	t.Parallel()
	p := open(t, deployed.Fleet(10))
	p.show("comparison")
	first := p.rows("comparison")
	for _, want := range []string{
		"payments workload all cloud-west, drone-west, store-west nothing",
		"telemetry version all 1.5.3 (build 4001) 1.5.1 (build 4001)", "telemetry sources.ref all v1.5.3 v1.5.1",
		"shop values.REPLICAS cloud-west, drone-west, store-west 1 3",
	} {
		if !slices.Contains(first, want) {
			t.Errorf("the differences lack %q: %q", want, first)
		}
	}
	p.choose("left", "prod")
	p.choose("right", "dev") // the other way round
	if got := p.rows("comparison"); len(got) != len(first) ||
		!slices.Contains(got, "telemetry version all 1.5.1 (build 4001) 1.5.3 (build 4001)") {
		t.Errorf("the other way round they are %q", got)
	}
	p.choose("right", "stage")
	p.choose("what", "version")
	if got := p.rows("comparison"); !slices.Equal(got, []string{"catalog version all 1.7.1 (build 4003) 1.7.2 (build 4003)",
		"telemetry version all 1.5.1 (build 4001) 1.5.2 (build 4001)"}) {
		t.Errorf("the versions are %q", got)
	}
	p.choose("left", "stage")
	is(p, `document.querySelector("#comparison .rows").textContent`, "Choose two environments.")
}

// Clusters that failed or are silent come first.
func TestClusters(t *testing.T) {
	t.Parallel()
	p := open(t, deployed.Fleet(10))
	p.show("clusters")
	is(p, `document.getElementById("found").textContent`, "18 clusters")
	if got := p.rows("clusters"); !slices.Equal(got[:2], []string{
		"store-west-1 store-west dev ✖ unhealthy kalypso/dev/store-west/store-west-1: health check failed",
		"drone-west-2 drone-west dev ○ silent",
	}) {
		t.Errorf("the first clusters are %q", got[:2])
	}
	p.choose("clusterEnvironment", "dev")
	p.choose("state", "in progress")
	if got := p.rows("clusters"); len(got) != 1 || !strings.HasPrefix(got[0], "drone-west-1 drone-west dev ◔ in progress") {
		t.Errorf("the clusters in progress are %q", got)
	}
	p.choose("state", "")
	p.filter("silent drone")
	is(p, `document.querySelectorAll("#clusters tbody tr").length`, 1)
}

// A missing environment is not compared, whatever the other side has. A page shows its time
// if the time is known.
func TestMissing(t *testing.T) {
	t.Parallel()
	all := deployed.Fleet(10)
	all.Environments[1].Missing, all.Environments[1].Packages = inventory.NoBranch, nil
	all.Environments[2].Missing, all.Environments[2].Packages = inventory.NoFolder, nil
	all = inventory.NewFleet(all.Environments, inventory.Rules{})
	all.Time = "2026-11-20T09:30:00Z"
	p := open(t, all)
	is(p, `document.getElementById("time").textContent`, "as of 2026-11-20 09:30 UTC")
	for i, want := range []string{"There is no branch.", "There is no folder."} {
		card := eval[string](p, fmt.Sprintf(`document.querySelectorAll("#environments .card")[%d].innerText`, i+1))
		if !strings.Contains(card, want) || strings.Contains(card, "0 packages") {
			t.Errorf("the card says %s", card)
		}
	}
	p.show("comparison")
	p.choose("right", "prod")
	is(p, `document.querySelector("#comparison .rows").textContent`, "prod has no branch: it is not compared.")
	is(p, `document.getElementById("found").textContent`, "Not compared")
	p.choose("left", "stage")
	is(p, `[...document.querySelectorAll("#comparison .rows p")].map((e) => e.textContent).join("|")`, "prod has no branch: "+
		"it is not compared.|stage has no folder: it is not compared.")
	p.show("matrix")
	eval[any](p, `document.querySelector('#matrix .choice button[value="stage"]').click()`)
	is(p, `document.querySelector("#matrix .rows").textContent`, "There is no folder.")
}

// On a phone, no name of a view is broken, and all of them are on the screen.
func TestNarrow(t *testing.T) {
	t.Parallel()
	p := open(t, deployed.Fleet(10))
	for _, width := range []int64{420, 320} {
		_, err := chromedp.Call(p.ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 800,
			DeviceScaleFactor: 1})
		p.must(err)
		p.until(fmt.Sprintf("innerWidth === %d", width))
		broken := eval[[]string](p, `[...document.querySelectorAll("[role=tab]")].filter((tab) => {
		  const text = document.createRange();
		  text.selectNodeContents(tab);
		  return text.getClientRects().length !== 1 || tab.getBoundingClientRect().right > innerWidth;
		}).map((tab) => tab.textContent)`)
		if len(broken) > 0 {
			t.Errorf("at %d pixels, these are broken: %q", width, broken)
		}
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	p := open(t, deployed.Fleet(10))
	p.show("history")
	is(p, `document.getElementById("found").textContent`, "150 changes")
	is(p, `document.querySelectorAll("#history .entry").length`, 60)
	p.choose("historyEnvironment", "stage")
	all := p.rows("history")
	if len(all) != 50 || !strings.HasPrefix(all[0], "stage: +0 ~1 -0 packages stage · 2026-11-19 07:00 UTC · Ada Lovelace "+
		"· "+deployed.ID("stage", "head")[:10]+" · release ") || !strings.Contains(all[0], "· run ~ 1 changed cloud-west/shop-live") {
		t.Errorf("there are %d changes, the first of them %q", len(all), all[0])
	}
	p.choose("workload", "payments")
	of := p.rows("history")
	if len(of) == 0 || len(of) >= len(all) {
		t.Errorf("there are %d changes of payments", len(of))
	}
	for _, one := range of {
		if !strings.Contains(one, "payments-live") {
			t.Errorf("it is not about payments: %s", one)
		}
	}
	p.choose("target", "payments-live")
	if got := p.rows("history"); !slices.Equal(got, of) {
		t.Errorf("of its only target there are %d changes, not %d", len(got), len(of))
	}
	is(p, `/^https:\/\/ci\.example\.com\/runs\/\d+$/.test(document.querySelector("#history .entry a").href)`, true)
}

// What few fleets have is shown, too: what of an environment could not be read, and
// packages that were removed.
func TestRare(t *testing.T) {
	t.Parallel()
	fleet := deployed.Fleet(10)
	dev := &fleet.Environments[0]
	dev.Unreadable = []string{"Sources on git.example.com are not followed: it is down."}
	dev.History[0].Removed = []string{"edge-west/shop-live"}
	p := open(t, fleet)
	is(p, `document.querySelectorAll("#environments .card")[0].textContent.includes("Sources on git.example.com are not followed: `+
		`it is down.")`, true)
	p.show("history")
	p.filter("edge-west")
	if got := p.rows("history"); len(got) != 1 || !strings.Contains(got[0], "− 1 removed edge-west/shop-live") {
		t.Errorf("the removed package is in %q", got)
	}
}

// Everything can be done with the keyboard.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	p := open(t, deployed.Fleet(10))
	p.keys(kb.Tab)
	is(p, `document.activeElement.className`, "skip")
	p.keys("/")
	is(p, `document.activeElement.id`, "filter")
	p.keys("shop")
	p.until(`document.getElementById("found").textContent.includes("match the filter")`)
	p.keys("/") // is a letter in the filter
	is(p, `document.getElementById("filter").value`, "shop/")
	p.keys(kb.Escape)
	is(p, `document.getElementById("filter").value`, "")
	p.until(`document.getElementById("found").textContent === "3 environments"`)
	p.keys(kb.Tab + kb.Tab)
	is(p, `document.activeElement.id`, "tab-environments")
	p.keys(kb.ArrowRight)
	is(p, `document.activeElement.id + " " + document.activeElement.ariaSelected + " " + document.getElementById("matrix").hidden`,
		"tab-matrix true false")
	p.keys(strings.Repeat(kb.Tab, 4)) // three environments, then the matrix is one stop
	here := `document.activeElement.getAttribute("aria-label")`
	is(p, here, "catalog-live on cloud-west: 1.7.3, healthy")
	p.keys(kb.ArrowDown + kb.ArrowRight + kb.ArrowRight)
	is(p, here, "payments-live on store-west: 1.6.3, unhealthy")
	p.keys(kb.ArrowDown + kb.Home + kb.ArrowDown + kb.End)
	is(p, here, "telemetry-live on store-west: 1.5.3, unhealthy")
	p.keys(kb.Enter)
	p.until(`document.getElementById("package").open`)
	text := eval[string](p, `document.getElementById("package").innerText.replace(/\s+/g, " ")`)
	for _, want := range []string{
		"telemetry-live on store-west in dev", "Namespace dev-store-west-telemetry-live", "Build 4001",
		"GitRepository https://git.example.com/telemetry/deployments, ./dev/overlays at v1.5.3",
		"DATABASE_URL mysql://telemetry.store-west.example.com:8806", "limits.yaml cpu: 500m memory: 512Mi", "by ", "History",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the package lacks %q: %s", want, text)
		}
	}
	p.keys("/")
	is(p, `document.getElementById("package").contains(document.activeElement)`, true)
	p.keys(kb.Escape)
	p.until(`!document.getElementById("package").open`)
	is(p, here, "telemetry-live on store-west: 1.5.3, unhealthy") // if it was opened
	// Every control has a name.
	if nameless := eval[[]string](p, `[...document.querySelectorAll("button, input, select, a, [role=region], dialog")].filter((e) => `+
		`!(e.innerText || e.ariaLabel || e.labels?.length || e.getAttribute("aria-labelledby"))).map((e) => e.outerHTML)`); len(nameless) > 0 {
		t.Errorf("these have no name: %q", nameless)
	}
}

//go:embed contrast.js
var contrast string

// Text can be read in both schemes, as WCAG 2.2 AA asks: by the system's wish, and by the
// page's own switch.
func TestColours(t *testing.T) {
	t.Parallel()
	for _, system := range []string{"light", "dark"} {
		for _, chosen := range []string{"", "light", "dark"} {
			t.Run(system+", chosen "+chosen, func(t *testing.T) {
				t.Parallel()
				p := open(t, deployed.Fleet(10), &emulation.MediaFeature{Name: "prefers-color-scheme", Value: system})
				eval[any](p, fmt.Sprintf(`(() => { const e = document.getElementById("colours"); e.value = %q; e.dispatchEvent(new `+
					`Event("change")); })()`, chosen))
				shown := chosen
				if chosen == "" {
					shown = system
				}
				is(p, `getComputedStyle(document.body).backgroundColor`,
					map[string]string{"light": "rgb(255, 255, 255)", "dark": "rgb(13, 17, 23)"}[shown])
				for _, view := range []string{"environments", "matrix", "clusters", "comparison", "history", "package"} {
					if view == "package" {
						p.show("matrix")
						eval[any](p, `document.querySelector("#matrix td button").click()`)
					} else {
						p.show(view)
					}
					if poor := eval[[]string](p, contrast); len(poor) > 1 || len(poor) == 1 && !strings.HasPrefix(poor[0], "looked at") {
						t.Errorf("%s: %s", view, strings.Join(poor, "\n"))
					} else if len(poor) == 0 {
						t.Errorf("%s: nothing was looked at", view)
					}
				}
			})
		}
	}
}

// The switch is remembered, as far as a browser lets a file remember.
func TestColoursKept(t *testing.T) {
	t.Parallel()
	p := open(t, deployed.Fleet(10), &emulation.MediaFeature{Name: "prefers-color-scheme", Value: "light"})
	eval[any](p, `(() => { const e = document.getElementById("colours"); e.value = "dark"; e.dispatchEvent(new Event("change")); })()`)
	p.must(chromedp.Do(p.ctx, chromedp.Reload()))
	is(p, `document.getElementById("colours").value + " " + document.documentElement.dataset.colours`, "dark dark")
	eval[any](p, `localStorage.clear()`)
}

// On paper there is everything, and nothing to press.
func TestPrint(t *testing.T) {
	t.Parallel()
	p := open(t, deployed.Fleet(600), &emulation.MediaFeature{Name: "prefers-color-scheme", Value: "dark"})
	printed, err := chromedp.Call(p.ctx, page.PrintToPDF, page.PrintToPDFParams{})
	p.must(err)
	if len(printed.Data) < 10_000 {
		t.Errorf("the print has %d bytes", len(printed.Data))
	}
	is(p, `document.querySelectorAll("#history .entry").length`, 150)
	is(p, `document.querySelectorAll(".more").length`, 0)
	_, err = chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	p.must(err)
	is(p, `[...document.querySelectorAll("main section")].every((e) => e.offsetHeight > 50)`, true)
	is(p, `[...document.querySelectorAll(".tools, .tabs, .controls")].every((e) => e.offsetHeight === 0)`, true)
	is(p, `getComputedStyle(document.body).backgroundColor`, "rgb(255, 255, 255)")
}
