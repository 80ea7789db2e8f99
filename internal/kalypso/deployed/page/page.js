// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

"use strict";
(() => {
  // ---- What is shown: the JSON of a Fleet (deployed/inventory/inventory.go).
  const { time, environments, comparisons } = JSON.parse(document.getElementById("data").textContent);
  const key = (...parts) => parts.join("\u0000");
  const byName = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  const sorted = (values) => [...new Set(values)].sort(byName);
  const packages = environments.flatMap((e) => e.packages.map((p) => ({ ...p, environment: e.name })));
  const changes = environments.flatMap((e) => e.history.map((c) => ({ ...c, environment: e.name })));
  const clusters = environments.flatMap((e) => e.clusters.map((c) => ({ ...c, environment: e.name })));
  // A value that differs in the same way on several cluster types is one difference.
  function differencesOf({ rows }) {
    const all = new Map();
    for (const row of rows) {
      const same = key(row.workload, row.what, row.left, row.right);
      const difference = all.get(same) || { ...row, clusterTypes: [] };
      if (row.cluster_type) difference.clusterTypes.push(row.cluster_type);
      all.set(same, difference);
    }
    return [...all.values()];
  }
  const missingOf = (environment) => environments.find((e) => e.name === environment)?.missing;
  const workloadOf = (p) => p.workload || p.deployment_target;
  const workloadOfTarget = new Map(packages.map((p) => [p.deployment_target, workloadOf(p)]));

  // ---- Elements. Nothing is ever parsed as HTML: what is a string becomes text.
  const $ = (selector, inside = document) => inside.querySelector(selector);
  function h(name, attributes = {}, ...children) {
    const e = document.createElement(name);
    for (const [attribute, value] of Object.entries(attributes)) {
      if (typeof value === "function") e.addEventListener(attribute, value);
      else if (value === true) e.setAttribute(attribute, "");
      else if (value !== false && value !== null && value !== undefined) e.setAttribute(attribute, value);
    }
    e.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
    return e;
  }
  const code = (value) => h("code", {}, h("bdi", {}, value));
  const name = (value) => h("bdi", {}, value);
  const short = (commit) => (/^[0-9a-f]{40,}$/i.test(commit) ? h("code", { title: commit }, commit.slice(0, 10)) : code(commit));
  const when = (time) => (time ? h("time", { datetime: time }, time.slice(0, 16).replace("T", " ") + " UTC") : null);
  const count = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
  const isAddress = (value) => /^https?:\/\/[^\s@]+$/i.test(value);
  const address = (value, shown = value) => (isAddress(value) ? h("a", { href: value, rel: "noopener noreferrer" }, name(shown)) : code(shown));
  const states = { __proto__: null, success: ["✔", "healthy"], failure: ["✖", "unhealthy"], pending: ["◔", "in progress"], "": ["·", "not reported"] };
  const stateOf = (health) => states[health] || states[""];
  const kindOf = (health) => (states[health] && health) || "unknown";
  const health = (state, reason) => h("span", { class: kindOf(state) }, stateOf(state).join(" "), reason ? [": ", name(reason)] : "");
  const fact = (term, ...values) => {
    const all = values.flat(Infinity).filter((value) => value !== null && value !== "");
    return all.length === 0 ? [] : [h("dt", {}, term), h("dd", {}, all)];
  };
  const between = (all, separator = ", ") => all.flatMap((e, i) => (i ? [separator, e] : [e]));

  // rows fills a place with what makes of each item, some at a time: more of them come when
  // the end is seen, when the button is pressed, and all of them before printing.
  const watching = new Map();
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) watching.get(entry.target)?.();
  }, { rootMargin: "400px" });
  function rows(place, items, make, at, noun) {
    let next = 0;
    const button = h("button", { class: "more", type: "button", click: () => more(at, true) });
    const stop = () => { seen.unobserve(button); watching.delete(button); button.remove(); };
    function more(most, focus) {
      const first = next;
      place.append(...items.slice(next, next + most).map(make));
      next = Math.min(items.length, next + most);
      if (next === items.length) stop();
      else button.textContent = `Show more of ${count(items.length, noun)}`;
      if (focus) place.children[first]?.querySelector("button, a")?.focus();
    }
    watching.set(button, () => more(at));
    button.all = () => more(items.length);
    more(at);
    if (next < items.length) seen.observe(button);
    return next < items.length ? button : "";
  }
  const forget = (place) => {
    for (const button of place.querySelectorAll(".more")) { seen.unobserve(button); watching.delete(button); }
    place.replaceChildren();
    return place;
  };
  const table = (label, body, ...heads) => h("div", { class: "table", tabindex: "0", role: "region", "aria-label": label },
    h("table", {}, h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))), body));

  // ---- What is chosen. It stands in the address too, so that a view can be passed on.
  const names = environments.map((e) => e.name);
  const first = comparisons.find((c) => c.rows.length > 0) || comparisons[0];
  const [left, right] = first ? [first.left, first.right] : names;
  const chosen = {
    view: "environments", filter: "", environment: names[0] || "", left: left || "", right: right || left || "",
    what: "", clusterEnvironment: "", state: "", historyEnvironment: "", workload: "", target: "",
  };
  const started = { ...chosen };
  for (const [setting, value] of new URLSearchParams(location.hash.slice(1))) if (Object.hasOwn(chosen, setting)) chosen[setting] = value;
  function remember() {
    const differs = Object.entries(chosen).filter(([setting, value]) => value !== started[setting]);
    try { history.replaceState(null, "", "#" + new URLSearchParams(differs)); } catch { /* a frame without an address */ }
  }
  function choose(change) {
    Object.assign(chosen, change);
    remember();
    show();
  }

  // ---- The filter: every word has to stand in what is said of a thing.
  let words = [];
  const searched = new WeakMap();
  function matches(thing, of) {
    if (words.length === 0) return true;
    let all = searched.get(thing);
    if (all === undefined) searched.set(thing, all = of(thing).join("\n").toLowerCase());
    return words.every((word) => all.includes(word));
  }
  const packageWords = (p) => [p.environment, p.cluster_type, p.deployment_target, p.workload, p.workspace, p.namespace, p.version, p.build, p.commit, stateOf(p.health)[1], p.health_reason,
    p.changed?.commit, p.changed?.author, ...p.sources.flatMap((s) => [s.repo, s.ref, s.path])];
  const differenceWords = (d) => [d.workload, ...d.clusterTypes, d.what, d.left, d.right];
  const clusterWords = (c) => [c.environment, c.cluster_type, c.name, clusterState(c)[1], c.health_reason];
  const changeWords = (c) => [c.environment, c.commit, c.author, c.subject, ...c.releases, ...c.added, ...c.changed, ...c.removed];
  const found = (shown, all, noun) => {
    $("#found").textContent = words.length ? `${count(shown, noun)} of ${all.toLocaleString("en")} match the filter` : count(all, noun);
  };

  // ---- Controls
  const pick = (label, setting, options, every) => h("label", {}, label + " ",
    h("select", { "data-setting": setting, change: (e) => choose({ [setting]: e.target.value }) },
      every ? h("option", { value: "" }, every) : null,
      options.map((option) => h("option", { value: option, selected: option === chosen[setting] }, option))));
  const press = (setting, options, label) => h("div", { class: "choice", role: "group", "aria-label": label },
    options.map((option) => h("button", {
      type: "button", "aria-pressed": String(option === chosen[setting]), "data-setting": setting, value: option, click: () => choose({ [setting]: option }),
    }, name(option))));
  const notices = (all) => (all.length === 0 ? "" : h("details", {}, h("summary", {}, `${count(all.length, "part")} could not be read`), h("ul", {}, all.map((line) => h("li", {}, name(line))))));

  // ---- Environments at a glance
  // tally counts things by their state, the worst first.
  const tally = (things, state, kind = (t) => kindOf(t.health)) => ["failure", "pending", "", "success"].map((health) => [health, things.filter((t) => kindOf(t.health) === kindOf(health))])
    .filter(([, some]) => some.length > 0)
    .map(([health, some]) => h("span", { class: `count ${kind(some[0])}` }, `${state(some[0])[0]} ${some.length.toLocaleString("en")} ${state(some[0])[1]}`));
  function showEnvironments(place) {
    const shown = environments.filter((e) => words.length === 0 || packages.some((p) => p.environment === e.name && matches(p, packageWords)) || e.name.toLowerCase().includes(words[0]));
    place.append(...shown.map((e) => {
      const own = packages.filter((p) => p.environment === e.name);
      return h("article", { class: `card ${kindOf(e.health)}`, "aria-labelledby": `environment-${environments.indexOf(e)}` },
        h("h3", { id: `environment-${environments.indexOf(e)}` }, name(e.name)),
        e.missing ? h("p", { class: "muted" }, `There is no ${e.missing}.`) : "",
        h("dl", {},
          fact("Health", health(e.health, e.health_reason)),
          fact("Packages", e.missing ? "" : `${count(own.length, "package")} of ${count(sorted(own.map(workloadOf)).length, "workload")} on ${count(sorted(own.map((p) => p.cluster_type)).length, "cluster type")}`),
          fact("Of these", between(tally(own, (p) => stateOf(p.health)))),
          fact("Clusters", between(tally(e.clusters, clusterState, clusterKind))),
          fact("Release", between(e.releases.map(short))),
          fact("Head", e.head && short(e.head), e.time && [" ", when(e.time)])),
        notices([...e.unreadable, ...own.flatMap((p) => p.unreadable.map((line) => `${p.cluster_type}/${p.deployment_target}: ${line}`))]),
        h("p", { class: "choice" }, h("button", { type: "button", click: () => choose({ view: "matrix", environment: e.name }) }, "Matrix"),
          e.clusters.length ? h("button", { type: "button", click: () => choose({ view: "clusters", clusterEnvironment: e.name, state: "" }) }, "Clusters") : ""));
    }));
    if (environments.length === 0) place.append(h("p", {}, "There is no environment."));
    found(shown.length, environments.length, "environment");
  }

  // ---- Matrix
  const label = (p) => p.version || [...new Set(p.sources.map((s) => s.ref).filter(Boolean))].join(", ");
  const targetName = (p) => (p.workload && p.deployment_target.startsWith(p.workload + "-") && p.deployment_target.slice(p.workload.length + 1)) || p.deployment_target;
  function cellButton(p) {
    const [sign, state] = stateOf(p.health);
    return h("button", { type: "button", tabindex: "-1", click: () => showPackage(p), "aria-label": `${p.deployment_target} on ${p.cluster_type}: ${[label(p), state].filter(Boolean).join(", ")}` },
      h("span", { class: kindOf(p.health), "aria-hidden": "true" }, sign + " "), name(targetName(p)), label(p) ? [" ", h("span", { class: "muted" }, name(label(p)))] : "");
  }
  function showMatrix(place, controls) {
    controls.append(press("environment", names, "Environment"));
    const own = packages.filter((p) => p.environment === chosen.environment);
    const shown = own.filter((p) => matches(p, packageWords));
    found(shown.length, own.length, "package");
    if (shown.length === 0) { place.append(h("p", {}, own.length ? "Nothing matches the filter." : `There is no ${missingOf(chosen.environment) || "package"}.`)); return; }
    const columns = sorted(shown.map((p) => p.cluster_type));
    const lines = new Map();
    for (const p of shown) {
      const line = lines.get(workloadOf(p)) || lines.set(workloadOf(p), { workload: workloadOf(p), workspaces: new Set(), cells: new Map() }).get(workloadOf(p));
      if (p.workspace) line.workspaces.add(p.workspace);
      line.cells.set(p.cluster_type, [...(line.cells.get(p.cluster_type) || []), p]);
    }
    const items = [...lines.values()].sort((a, b) => byName(a.workload, b.workload));
    const body = h("tbody", {});
    const box = table(`Workloads of ${chosen.environment} by cluster type`, body, "Workload", ...columns.map(name));
    box.tabIndex = -1; // its buttons are what keys reach
    const more = rows(body, items, (line) => h("tr", {},
      h("th", { scope: "row" }, name(line.workload), line.workspaces.size ? h("span", { class: "muted" }, name([...line.workspaces].join(", "))) : ""),
      columns.map((column) => h("td", {}, (line.cells.get(column) || []).map(cellButton)))), Math.max(20, Math.ceil(4000 / (columns.length + 1))), "workload");
    body.addEventListener("keydown", walk);
    body.addEventListener("focusin", (e) => { if (e.target.tagName === "BUTTON") stop(body, e.target); });
    stop(body, $("button", body));
    place.append(h("p", { class: "muted" }, "Arrow keys go from package to package, Enter opens one."), box, more);
  }
  // stop makes a button the one of a table that the tab key comes to.
  function stop(body, button) {
    for (const other of body.querySelectorAll('button[tabindex="0"]')) other.tabIndex = -1;
    if (button) button.tabIndex = 0;
  }
  function walk(e) {
    const cell = e.target.closest("td");
    if (!cell || e.ctrlKey || e.altKey || e.metaKey) return;
    const row = cell.parentElement, buttons = [...row.querySelectorAll("button")], here = buttons.indexOf(e.target);
    let to = null;
    if (e.key === "ArrowRight") to = buttons[here + 1];
    else if (e.key === "ArrowLeft") to = buttons[here - 1];
    else if (e.key === "Home") to = buttons[0];
    else if (e.key === "End") to = buttons.at(-1);
    else if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      const own = [...cell.querySelectorAll("button")], down = e.key === "ArrowDown";
      to = own[own.indexOf(e.target) + (down ? 1 : -1)];
      for (let next = row; !to && (next = down ? next.nextElementSibling : next.previousElementSibling);) {
        const there = next.cells[cell.cellIndex].querySelectorAll("button");
        to = down ? there[0] : there[there.length - 1];
      }
    } else return;
    e.preventDefault();
    to?.focus();
  }

  // ---- One package
  function showPackage(p) {
    const dialog = $("#package"), values = p.values && Object.entries(p.values), path = `${p.cluster_type}/${p.deployment_target}`;
    const own = changes.filter((c) => c.environment === p.environment && [c.added, c.changed, c.removed].some((all) => all.includes(path)));
    dialog.replaceChildren(h("div", {},
      h("header", {}, h("h2", { id: "package-title" }, name(p.deployment_target), " on ", name(p.cluster_type), " in ", name(p.environment)), h("button", { type: "button", click: () => dialog.close() }, "Close")),
      h("dl", {},
        fact("Workload", p.workload && name(p.workload)), fact("Workspace", p.workspace && name(p.workspace)), fact("Namespace", p.namespace && code(p.namespace)),
        fact("Version", p.version && name(p.version)), fact("Build", p.build && name(p.build)), fact("Source commit", p.commit && short(p.commit)),
        fact("Health", health(p.health, p.health_reason)),
        fact("Changed", p.changed && [short(p.changed.commit), " ", when(p.changed.time) || "", p.changed.author ? [" by ", name(p.changed.author)] : ""])),
      p.sources.length ? [h("h3", {}, "Sources"), h("ul", {}, p.sources.map((s) => h("li", {}, s.kind, " ", s.repo ? address(s.repo) : "",
        s.path ? [", ", code(s.path)] : "", s.ref ? [" at ", code(s.ref)] : "")))] : "",
      values ? [h("h3", {}, "Configuration"), values.length ? h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Key"), h("th", { scope: "col" }, "Value"))),
        h("tbody", {}, values.map(([k, v]) => h("tr", {}, h("th", { scope: "row" }, code(k)), h("td", {}, h("pre", { class: "code" }, name(v))))))) : h("p", {}, "It is empty.")] : "",
      own.length ? [h("h3", {}, "History"), h("ul", {}, own.slice(0, 50).map((c) => h("li", {}, when(c.time) || "", " ", short(c.commit), " ", name(c.subject), c.author ? [" by ", name(c.author)] : "")))] : "",
      notices(p.unreadable)));
    dialog.showModal();
  }

  // ---- Clusters, those that need a look first
  const clusterState = (c) => (kindOf(c.health) === "unknown" ? ["○", "silent"] : stateOf(c.health));
  const clusterKind = (c) => (kindOf(c.health) === "unknown" ? "silent" : kindOf(c.health));
  const urgency = (c) => ["failure", "unknown", "pending", "success"].indexOf(kindOf(c.health));
  function showClusters(place, controls) {
    controls.append(pick("Environment", "clusterEnvironment", names, "all"), pick("State", "state", sorted(clusters.map((c) => clusterState(c)[1])), "all"));
    const all = clusters.filter((c) => (!chosen.clusterEnvironment || c.environment === chosen.clusterEnvironment) && (!chosen.state || clusterState(c)[1] === chosen.state));
    const shown = all.filter((c) => matches(c, clusterWords)).sort((a, b) => urgency(a) - urgency(b));
    found(shown.length, all.length, "cluster");
    if (shown.length === 0) { place.append(h("p", {}, clusters.length ? "Nothing matches the filter." : "No cluster reports, and none is expected.")); return; }
    const body = h("tbody", {});
    place.append(table("Clusters", body, "Cluster", "Cluster type", "Environment", "State", "Report"), rows(body, shown, (c) => h("tr", {},
      h("th", { scope: "row" }, name(c.name)), h("td", {}, c.cluster_type ? name(c.cluster_type) : h("span", { class: "muted" }, "all")), h("td", {}, name(c.environment)),
      h("td", { class: `count ${clusterKind(c)}` }, clusterState(c).join(" ")), h("td", { class: "value" }, name(c.health_reason))), 200, "cluster"));
  }

  // ---- Comparison
  function showComparison(place, controls) {
    const comparison = comparisons.find((c) => c.left === chosen.left && c.right === chosen.right);
    const mirrored = comparisons.find((c) => c.left === chosen.right && c.right === chosen.left);
    const differences = comparison ? differencesOf(comparison) : mirrored ? differencesOf(mirrored).map((d) => ({ ...d, left: d.right, right: d.left })) : [];
    controls.append(pick("Left", "left", names), pick("Right", "right", names), pick("What differs", "what", sorted([chosen.what, ...differences.map((d) => d.what)]).filter(Boolean), "all"));
    const missing = environments.filter((e) => e.missing && (e.name === chosen.left || e.name === chosen.right));
    if (missing.length > 0 || (chosen.left !== chosen.right && !comparison && !mirrored)) {
      $("#found").textContent = "Not compared";
      place.append(...missing.map((e) => h("p", {}, name(e.name), ` has no ${e.missing}: it is not compared.`)), missing.length ? "" : h("p", {}, "The setting compare does not pair these two."));
      return;
    }
    const all = differences.filter((d) => !chosen.what || d.what === chosen.what);
    const shown = all.filter((d) => matches(d, differenceWords));
    found(shown.length, all.length, "difference");
    if (shown.length === 0) {
      place.append(h("p", {}, chosen.left === chosen.right ? "Choose two environments." : all.length ? "Nothing matches the filter." : "Nothing differs."));
      return;
    }
    const body = h("tbody", {});
    const side = (value) => (value === "" ? h("span", { class: "muted" }, "nothing") : h("span", { class: "code value" }, name(value)));
    const box = table(`Differences between ${chosen.left} and ${chosen.right}`, body, "Workload", "What differs", "Cluster types", name(chosen.left), name(chosen.right));
    place.append(box, rows(body, shown, (d) => h("tr", {}, h("th", { scope: "row" }, name(d.workload)), h("td", {}, code(d.what)),
      h("td", {}, d.clusterTypes.length ? name(d.clusterTypes.join(", ")) : h("span", { class: "muted" }, "all")), h("td", {}, side(d.left)), h("td", {}, side(d.right))), 200, "difference"));
  }

  // ---- History
  const targetOf = (path) => path.slice(path.indexOf("/") + 1);
  const concerns = (c, of, value) => !value || [c.added, c.changed, c.removed].some((all) => all.some((path) => of(path) === value));
  function showHistory(place, controls) {
    const paths = changes.flatMap((c) => [...c.added, ...c.changed, ...c.removed]);
    const workload = (path) => workloadOfTarget.get(targetOf(path)) || targetOf(path);
    const targets = sorted(paths.map(targetOf)).filter((target) => !chosen.workload || (workloadOfTarget.get(target) || target) === chosen.workload);
    controls.append(pick("Environment", "historyEnvironment", names, "all"), pick("Workload", "workload", sorted(paths.map(workload)), "all"), pick("Deployment target", "target", targets, "all"));
    const all = changes.filter((c) => (!chosen.historyEnvironment || c.environment === chosen.historyEnvironment) && concerns(c, workload, chosen.workload) && concerns(c, targetOf, chosen.target))
      .sort((a, b) => byName(b.time, a.time));
    const shown = all.filter((c) => matches(c, changeWords));
    found(shown.length, all.length, "change");
    if (shown.length === 0) { place.append(h("p", {}, all.length ? "Nothing matches the filter." : "No change is known.")); return; }
    const part = (sign, what, list) => (list.length === 0 ? "" : h("details", { open: list.length <= 3 }, h("summary", {}, `${sign} ${list.length.toLocaleString("en")} ${what}`),
      h("ul", {}, list.slice(0, 500).map((path) => h("li", {}, code(path))), list.length > 500 ? h("li", {}, `and ${list.length - 500} more`) : "")));
    const list = h("div", {});
    place.append(list, rows(list, shown, (c) => h("article", { class: "entry" },
      h("h3", {}, name(c.subject || c.commit)),
      h("p", {}, name(c.environment), " · ", when(c.time) || "", " · ", name(c.author), " · ", short(c.commit), c.releases.length ? [" · release ", between(c.releases.map(short))] : "",
        c.run ? [" · ", isAddress(c.run) ? address(c.run, "run") : name(c.run)] : ""),
      part("+", "added", c.added), part("~", "changed", c.changed), part("−", "removed", c.removed)), 60, "change"));
  }

  // ---- All together
  const views = { environments: showEnvironments, matrix: showMatrix, clusters: showClusters, comparison: showComparison, history: showHistory };
  if (!Object.hasOwn(views, chosen.view)) chosen.view = "environments";
  function fill(view) {
    const panel = document.getElementById(view), controls = $(".controls", panel);
    const focused = controls?.contains(document.activeElement) ? document.activeElement : null;
    controls?.replaceChildren();
    views[view](forget($(".rows, .cards", panel)), controls);
    if (focused) {
      const again = [...controls.querySelectorAll(`[data-setting="${focused.dataset.setting}"]`)];
      (again.find((e) => e.tagName === "SELECT" || e.value === focused.value) || again[0])?.focus();
    }
  }
  function show() {
    for (const tab of document.querySelectorAll("[role=tab]")) {
      const view = tab.getAttribute("aria-controls"), selected = view === chosen.view;
      tab.setAttribute("aria-selected", String(selected));
      tab.tabIndex = selected ? 0 : -1;
      document.getElementById(view).hidden = !selected;
    }
    fill(chosen.view);
  }

  const tabs = [...document.querySelectorAll("[role=tab]")];
  for (const [i, tab] of tabs.entries()) {
    tab.addEventListener("click", () => choose({ view: tab.getAttribute("aria-controls") }));
    tab.addEventListener("keydown", (e) => {
      const to = { ArrowRight: i + 1, ArrowLeft: i - 1 + tabs.length, Home: 0, End: tabs.length - 1 }[e.key];
      if (to === undefined) return;
      e.preventDefault();
      tabs[to % tabs.length].focus();
      tabs[to % tabs.length].click();
    });
  }

  const filter = $("#filter");
  let waiting = 0;
  const takeFilter = () => { words = filter.value.toLowerCase().split(/\s+/).filter(Boolean); };
  filter.value = chosen.filter;
  filter.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { takeFilter(); choose({ filter: filter.value }); }, 80);
  });
  document.addEventListener("keydown", (e) => {
    if (e.key === "/" && !e.ctrlKey && !e.metaKey && !e.altKey && !/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && !$("#package").open) {
      e.preventDefault();
      filter.focus();
      filter.select();
    } else if (e.key === "Escape" && e.target === filter && filter.value) {
      e.preventDefault();
      filter.value = "";
      filter.dispatchEvent(new Event("input"));
    }
  });

  const colours = $("#colours");
  const kept = "kalypso-colours";
  const paint = (value) => {
    if (value) document.documentElement.dataset.colours = value;
    else delete document.documentElement.dataset.colours;
  };
  try { colours.value = localStorage.getItem(kept) || ""; } catch { /* nothing is kept here */ }
  paint(colours.value);
  colours.addEventListener("change", () => {
    paint(colours.value);
    try { localStorage.setItem(kept, colours.value); } catch { /* it holds as long as the page */ }
  });

  window.addEventListener("beforeprint", () => {
    for (const view of Object.keys(views)) {
      fill(view);
      for (const button of document.querySelectorAll(`#${view} .more`)) button.all();
    }
  });
  if (time) $("h1").after(h("span", { id: "time", class: "muted" }, "as of ", when(time)));
  takeFilter();
  show();
})();
