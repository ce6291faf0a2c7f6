"use strict";
(() => {
  const every = (selector, root = document) => [...root.querySelectorAll(selector)];
  document.documentElement.classList.add("js");

  // -- filters ---------------------------------------------------------------------------------
  const form = document.getElementById("filters");
  const output = document.getElementById("shown");
  const text = document.getElementById("filter-text");
  const chosen = ["rule", "reach", "outcome"].map((name) => [name, document.getElementById(`filter-${name}`)]);
  const items = every("[data-filter]").map((item) => ({
    item,
    kind: item.dataset.filter,
    words: (item.dataset.text || item.textContent).toLowerCase(),
    has: Object.fromEntries(chosen.map(([name]) => [name, (item.dataset[name] || "").split(" ")])),
  }));

  function filter() {
    const wanted = text.value.trim().toLowerCase().split(/[\s,]+/).filter(Boolean);
    const counts = new Map();
    for (const { item, kind, words, has } of items) {
      const shown = wanted.every((word) => words.includes(word))
        && chosen.every(([name, select]) => !select.value || has[name].includes(select.value));
      item.classList.toggle("off", !shown);
      const count = counts.get(kind) || [0, 0];
      counts.set(kind, [count[0] + shown, count[1] + 1]);
    }
    const active = wanted.length || chosen.some(([, select]) => select.value);
    const parts = [...counts].filter(([kind]) => kind !== "cells").map(([kind, [n, all]]) => `${n} of ${all} ${kind}`);
    output.textContent = active ? `Shown: ${parts.join(", ")}.` : "";
  }

  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("change", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter));
  filter();

  // -- to what a link names, though it be folded or filtered away --------------------------------
  function reveal(id) {
    const target = id && document.getElementById(id);
    if (!target) return;
    const hidden = target.closest(".off:not(td)");
    if (hidden) {
      form.reset();
      filter();
    }
    let focus = target;
    for (let box = target.closest("details"); box; box = box.parentElement.closest("details")) {
      box.open = true;
      if (focus === target && target.parentElement === box) focus = box.querySelector("summary");
    }
    if (focus.tabIndex < 0 && !focus.hasAttribute("tabindex")) focus.tabIndex = -1;
    focus.focus({ preventScroll: true });
    focus.scrollIntoView({ block: "start" });
  }

  const named = () => reveal(decodeURIComponent(location.hash.slice(1)));
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    // where the address stays the same nothing else tells
    if (link && link.hash === location.hash) named();
  });
  addEventListener("hashchange", named);
  if (location.hash) named();

  // -- a picture that is wider than its box shows its middle first ------------------------------
  const centre = (box) => { box.scrollLeft = (box.scrollWidth - box.clientWidth) / 2; };
  every(".picture .scroll").forEach(centre);
  document.addEventListener("toggle", (event) => every(".picture .scroll", event.target).forEach(centre), true);

  // -- in a matrix one cell can be tabbed to, the arrow keys move --------------------------------
  for (const table of every("[data-grid]")) {
    const rows = every("tbody tr", table).map((row) => [...row.cells].slice(1).map((cell) => cell.querySelector("a")));
    const links = rows.flat().filter(Boolean);
    if (table.tHead.rows[0].cells.length > 7) table.classList.add("tall");
    links.forEach((link, number) => { link.tabIndex = number ? -1 : 0; });
    table.addEventListener("focusin", (event) => {
      if (!links.includes(event.target)) return;
      links.forEach((link) => { link.tabIndex = link === event.target ? 0 : -1; });
    });
    table.addEventListener("keydown", (event) => {
      if (event.altKey || event.metaKey) return;
      let y = rows.findIndex((row) => row.includes(event.target));
      if (y < 0) return;
      let x = rows[y].indexOf(event.target);
      const step = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
      let next = null;
      if (step) {
        do {
          x += step[0];
          y += step[1];
          next = rows[y] && rows[y][x];
        } while (rows[y] && x >= 0 && x < rows[y].length && !next);
      } else if (event.key === "Home" || event.key === "End") {
        const from = event.ctrlKey ? links : rows[y].filter(Boolean);
        next = from[event.key === "Home" ? 0 : from.length - 1];
      } else {
        return;
      }
      event.preventDefault();
      if (next) next.focus();
    });
  }
})();
