// A game in a folder of files: makes the page that a server would have of the moves and
// changes that the file tells, and of the parts that all games of a kind share.
"use strict";
(() => {
  const root = document.querySelector("[data-still]"), block = document.getElementById("still-data");
  const shared = window.arena && window.arena.shared;
  if (!root || !block || !shared) return;
  const d = JSON.parse(block.textContent);
  const el = (name, attributes, ...children) => {
    const e = document.createElement(name);
    for (const key in attributes || {}) e.setAttribute(key, attributes[key]);
    e.append(...children);
    return e;
  };

  // The page: what is shared goes below the head.
  const plain = root.querySelector("[data-plain]"), box = el("template");
  box.innerHTML = shared;
  const part = (selector) => box.content.querySelector(selector);
  const bots = [...root.querySelectorAll(".game-head h1 a")];
  for (const side of [0, 1]) {
    const seat = part(`.player-${side}`), last = seat.lastElementChild;
    part(`.player-${side} .who bdi`).textContent = bots[side].textContent;
    if (d.frames[0].k && d.frames[0].k[side] !== null) last.after(el("span", { class: "clock", "data-field": `clock-${side}` }));
    else if (d.controls[side]) last.after(el("span", { class: "clock-control meta" }, d.controls[side]));
    part(`[data-numbers] thead th:nth-child(${side + 2}) a`).replaceWith(bots[side].cloneNode(true));
  }
  [...box.content.querySelectorAll("[data-numbers] tbody tr")].forEach((row, i) => {
    for (const side of [0, 1]) row.cells[side + 1].textContent = d.numbers[i][side];
  });
  const opening = plain.querySelector(".opening"), marks = [...plain.querySelectorAll("h3, .marks-list, h3 ~ .meta")];
  if (opening) part(".replay-moves h2").after(opening);
  part(".replay-moves").append(...marks);
  plain.replaceWith(box.content);

  // The frames, as replay.js wants them.
  const time = (ms) => {
    const s = ms / 1000;
    if (s < 1) return s.toFixed(3) + " s";
    if (s < 60) return s.toFixed(1) + " s";
    return `${Math.floor(s / 60)} min ${String(Math.floor(s % 60)).padStart(2, "0")} s`;
  };
  const expects = (score) => {
    if (score[0] === "#") return score[1] === "-" ? 0 : 1;
    return 1 / (1 + Math.pow(10, -score / 4));
  };
  const kinds = Object.fromEntries((d.marks || []).filter((m) => m.k !== "fault").map((m) => [m.p, m.k]));
  const frames = d.frames, body = root.querySelector(".moves tbody");
  frames[0].y = "The beginning.";
  if (frames.length > 1) body.replaceChildren(...[...body.rows].filter((row) => row.className === "fault"));
  frames.forEach((f, i) => {
    if (!i) return;
    const turn = f.w = frames[i - 1].u, ms = f.ms || 0;
    f.u ??= 1 - turn;
    if (!f.l) f.l = (f.c || []).filter((_, n) => n % 2 === 0);
    if (f.s) f.e = turn ? 1 - expects(f.s) : expects(f.s);
    f.t = time(ms);
    f.y = `Ply ${i}, ${d.sides[turn]}: ${f.m}${f.s ? ", score " + f.s : ""}, ${(ms / 1000).toFixed(1)} seconds.`;
    const link = el("a", { "data-ply-link": "", href: `#ply-${i}` }, f.m);
    const name = el("th", { scope: "row" }, el("span", { class: `disc disc-${turn}`, "aria-hidden": "true" }), link);
    if (f.g) name.append(el("b", { class: "glyph" }, f.g));
    const number = (text) => el("td", { class: "num" }, text);
    body.append(el("tr", { "data-ply": i, class: kinds[i] || "" }, number(String(i)), name, number(f.s || ""), number(f.d ? String(f.d) : ""), number(f.t)));
  });
  if (d.nomove) body.append(el("tr", { class: "fault" }, el("td"), el("th", { scope: "row", colspan: "4" }, el("span", { class: `disc disc-${d.nomove.side}`, "aria-hidden": "true" }), d.nomove.text)));

  // The chart, as chart.go draws it.
  const chart = () => {
    const n = frames.length - 1, wide = n + (d.nomove ? 1 : 0);
    const longest = Math.max(1, ...frames.slice(1).map((f) => f.ms || 0)), deepest = Math.max(1, ...frames.slice(1).map((f) => f.d || 0));
    const score = ["", ""], depth = ["", ""], bars = ["", ""];
    const to = (line, x, y) => line + (line ? "L" : "M") + x + " " + y.toFixed(1);
    for (let i = 1; i <= n; i++) {
      const f = frames[i], x = i - 0.5;
      if (f.e !== undefined) score[f.w] = to(score[f.w], x, 44 * (1 - f.e));
      if (f.ms) bars[f.w] += `M${i - 0.9} ${(72 - 22 * f.ms / longest).toFixed(1)}V72h.8V${(72 - 22 * f.ms / longest).toFixed(1)}z`;
      if (f.d) depth[f.w] = to(depth[f.w], x, 78 + 22 * (1 - f.d / deepest));
    }
    const path = (name, line) => (line ? `<path class="${name}" d="${line}"/>` : "");
    let all = [[0, 44], [50, 22], [78, 22]].map(([top, high]) => path("band", `M0 ${top}h${wide}v${high}h-${wide}z`)).join("") + path("zero", `M0 22h${wide}`);
    ["first", "second"].forEach((side, i) => { all += path("series-" + side, score[i]) + path("series-" + side, depth[i]) + path("bar-" + side, bars[i]); });
    for (const m of d.marks || []) all += path("mark-" + m.k, `M${m.k === "fault" ? n + 0.5 : Math.max(m.p, 1) - 0.5} 0v100`);
    const section = el("section", { class: "replay-chart", "aria-label": "Course of the game" });
    section.innerHTML = `<h2>Course of the game</h2><p class="legend meta"><span class="key key-first"></span> <span class="key key-second"></span></p><div class="chart"><ul class="bands meta"><li>Score</li><li>Time</li><li>Depth</li></ul><svg viewBox="0 0 ${wide} 100" preserveAspectRatio="none"><g role="img" aria-label="Score, time and depth; the list of moves has the numbers">${all}<path class="cursor" d="M0 0v100"/></g></svg></div>`;
    section.querySelectorAll(".key").forEach((key, side) => { key.textContent = bots[side].textContent; });
    root.querySelector(".replay-grid").after(section);
  };
  if (frames.length > 1) chart();

  const data = { ply: frames.length - 1, live: false, sides: d.sides, names: d.names, frames, marks: d.marks || [], nomove: d.nomove };
  root.append(el("script", { type: "application/json", id: "replay-data" }, JSON.stringify(data)));
})();
