// Copyright (c) The terraform-provider-kalypso authors
// SPDX-License-Identifier: MPL-2.0

// Returns what text of the page has less contrast than WCAG 2.2 AA asks for (1.4.3), and
// which controls cannot be told from what is around them (1.4.11); or how much was looked at.
(() => {
  const parse = (colour) => { const n = colour.match(/[\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
  const luminance = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const ratio = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((m, n) => n - m); return (x + 0.05) / (y + 0.05); };
  const over = (top, under) => top.slice(0, 3).map((c, i) => c * top[3] + under[i] * (1 - top[3])).concat(1);
  function background(e) {
    const layers = [];
    for (; e; e = e.parentElement) {
      const colour = parse(getComputedStyle(e).backgroundColor);
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] === 1) break;
    }
    return layers.reduceRight((under, top) => over(top, under), [255, 255, 255, 1]);
  }
  const top = document.querySelector("dialog[open]") || document;
  const found = [];
  let looked = 0;
  for (const e of top.querySelectorAll("*")) {
    if (!e.checkVisibility({ visibilityProperty: true }) || e.closest(".skip")) continue;
    const style = getComputedStyle(e);
    const text = [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.textContent.trim()) || (e.tagName === "INPUT" && e.value);
    if (text && !/^(OPTION|SCRIPT|STYLE|TITLE)$/.test(e.tagName)) {
      looked++;
      const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
      const got = ratio(parse(style.color), background(e));
      if (got < (large ? 3 : 4.5)) found.push(`${got.toFixed(2)}: ${e.tagName}.${e.className} ${e.textContent.slice(0, 40)}`);
    }
    if (/^(INPUT|SELECT)$/.test(e.tagName)) {
      const got = ratio(parse(style.borderTopColor), background(e.parentElement));
      if (got < 3) found.push(`${got.toFixed(2)}: the edge of ${e.outerHTML.slice(0, 60)}`);
      const placeholder = e.placeholder ? ratio(parse(getComputedStyle(e, "::placeholder").color), background(e)) : 21;
      if (placeholder < 4.5) found.push(`${placeholder.toFixed(2)}: the placeholder of ${e.id}`);
    }
  }
  return found.length === 0 && looked > 5 ? ["looked at " + looked] : found;
})()
