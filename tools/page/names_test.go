// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kalypso-gitops/terraform-provider-kalypso/internal/kalypso/deployed/inventory"
)

// bad are texts that an unsafe page would show as HTML instead of text.
var bad = []string{
	`<script>window.hurt = 1</script>`, `</script><script>window.hurt = 1</script>`, `<!--<script>`,
	`--><img src=x onerror="window.hurt = 1">`,
	`{{data}}{{script}}`, `"'&lt;&#60;\u003cscript\u003e`, `javascript:window.hurt = 1`, `${window.hurt = 1}`, `__proto__`, `constructor`,
}

// Every text of a fleet stays text in every place of the page.
func TestNames(t *testing.T) {
	t.Parallel()
	var environments []inventory.Environment
	var rows []inventory.Row
	for i, text := range bad {
		environments = append(environments, everywhere(text, i))
		rows = append(rows, inventory.Row{Workload: text, ClusterType: text, What: text, Left: text, Right: text})
	}
	all := inventory.NewFleet(environments, inventory.Rules{})
	all.Comparisons = []inventory.Comparison{{Left: bad[0], Right: bad[1], Rows: rows}}
	p := open(t, all)
	names := slices.Sorted(slices.Values(bad))
	shown := func(view, what string) {
		t.Helper()
		if got := eval[[]string](p, what); !slices.Equal(slices.Sorted(slices.Values(got)), names) {
			t.Errorf("%s shows %q", view, got)
		}
	}
	texts := func(selector string) string {
		return fmt.Sprintf(`[...document.querySelectorAll(%q)].map((e) => e.textContent)`, selector)
	}
	shown("environments", texts("#environments h3"))
	p.show("comparison")
	eval[any](p, fmt.Sprintf(`(() => { for (const [setting, value] of [["left", %q], ["right", %q]]) { const e = `+
		`document.querySelector('[data-setting=' + setting + ']'); e.value = value; e.dispatchEvent(new Event("change")); } })()`, bad[0],
		bad[1]))
	shown("comparison", texts("#comparison tbody th"))
	shown("comparison", texts("#comparison tbody td:last-child"))
	p.show("clusters")
	shown("clusters", texts("#clusters tbody th"))
	shown("clusters", texts("#clusters tbody td:last-child"))
	p.show("history")
	shown("history", texts("#history h3"))
	shown("history", texts("#history li"))
	p.show("matrix")
	for i, name := range slices.Sorted(slices.Values(bad)) {
		eval[any](p, fmt.Sprintf(`document.querySelectorAll("#matrix .choice button")[%d].click()`, i))
		is(p, `document.querySelector("#matrix thead th:last-child").textContent`, name)
		is(p, `document.querySelector("#matrix tbody th").firstChild.textContent`, name)
		eval[any](p, `document.querySelector("#matrix td button").click()`)
		is(p, `document.querySelector("#package tbody pre").textContent`, name)
		is(p, `[...document.querySelectorAll("#package li")].every((e) => e.textContent.includes(document.querySelector("#package tbody `+
			`pre").textContent))`, true)
		eval[any](p, `document.getElementById("package").close()`)
	}
	is(p, `typeof window.hurt`, "undefined")
	is(p, `document.querySelectorAll("script").length`, 2)
	is(p, `document.querySelectorAll("img, iframe, object, embed, link").length`, 0)
	is(p, `[...document.querySelectorAll("a")].filter((a) => !/^(https?:|file:.*#)/.test(a.href)).length`, 0)
}

// The policy holds: what is not the page's own does not run, and nothing is fetched.
func TestPolicy(t *testing.T) {
	t.Parallel()
	p := open(t, inventory.Fleet{Environments: []inventory.Environment{everywhere("dev", 0)}})
	for what, attempt := range map[string]string{
		"an inline script": `(() => { const s = document.createElement("script"); try { s.text = "window.hurt = 1"; ` +
			`} catch { s.append("window.hurt = 1"); } try { document.body.append(s); } catch {} })()`,
		"HTML":      `(() => { try { document.body.innerHTML += "<p id=hurt>x</p>"; } catch { return; } window.hurt = 1; })()`,
		"a request": `fetch("https://example.com/").then(() => { window.hurt = 1; }, () => null)`,
		"a picture": `new Promise((done) => { const i = new Image(); i.onload = () => { window.hurt = 1; done(); }; i.onerror = () ` +
			`=> done(); i.src = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=="; })`,
	} {
		eval[any](p, attempt)
		if eval[string](p, `typeof window.hurt`) != "undefined" {
			t.Errorf("the policy lets %s through", what)
		}
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if len(p.wrong) < 3 || slices.ContainsFunc(p.wrong, func(wrong string) bool {
		return strings.HasPrefix(wrong, "request") && !strings.Contains(wrong, "data:image")
	}) {
		t.Errorf("the browser reports %q", p.wrong)
	}
	p.wrong = nil
}

// everywhere is an environment that has a text in every place.
func everywhere(text string, i int) inventory.Environment {
	at := fmt.Sprintf("2026-11-20T09:%02d:00Z", i)
	health := inventory.Health{State: inventory.Unhealthy, Reason: text}
	change := inventory.Change{
		Commit: text, Author: text, Subject: text, Time: at, Releases: []string{text}, Changed: []string{text}, Run: text,
	}
	return inventory.Environment{
		Name: text, Head: text, Time: at, Releases: []string{text}, Health: health, History: []inventory.Change{change},
		Unreadable: []string{text}, Clusters: []inventory.Cluster{{Name: text, ClusterType: text, Health: health}},
		Packages: []inventory.Package{{
			ClusterType: text, DeploymentTarget: text, ID: text, Workload: text, Workspace: text, Namespace: text,
			Sources: []inventory.Source{{Kind: text, Repo: text, Ref: text, Path: text}}, Values: map[string]string{text: text},
			Version: text, Build: text, Commit: text,
			Changed: &inventory.LastChange{Commit: text, Author: text, Subject: text, Time: at}, Health: health, Unreadable: []string{text},
		}},
	}
}
