// The boards of an event, live: a place for each game at once.
"use strict";
(() => {
  const root = document.querySelector("[data-grid]");
  if (!root) return;
  const { Board, placeAfter, remark, clockText, feed, lost, refresh } = window.arena;
  const one = (selector, within = root) => within.querySelector(selector);
  const tiles = one("[data-tiles]"), template = one("template[data-tile]"), event = root.dataset.event;
  const hold = 5000; // how long a result stays before the next game takes its place

  // The evaluation can be hidden, and stays so.
  const button = one("[data-eval]"), key = "arena-eval";
  const evaluation = (on) => {
    root.classList.toggle("no-eval", !on);
    button.setAttribute("aria-pressed", String(on));
  };
  let on = true;
  try { on = localStorage.getItem(key) !== "off"; } catch { /* as if never chosen */ }
  evaluation(on);
  button.addEventListener("click", () => {
    on = !on;
    evaluation(on);
    try { localStorage.setItem(key, on ? "on" : "off"); } catch { /* not remembered then */ }
  });
  root.querySelectorAll("[data-scripted]").forEach((e) => { e.hidden = false; });
  if (!root.hasAttribute("data-feed")) return;

  const games = new Map(); // by number
  const places = new Map(); // by slot: {tile, board, game}
  let offset = 0;

  const place = (slot) => {
    let p = places.get(slot);
    if (!p) {
      const tile = template.content.firstElementChild.cloneNode(true);
      p = { slot, tile, board: new Board(one("svg.board", tile)), game: null };
      places.set(slot, p);
      const after = [...places.values()].filter((q) => q.slot > slot).sort((a, b) => a.slot - b.slot)[0];
      tiles.insertBefore(tile, after ? after.tile : null);
    }
    return p;
  };

  const draw = (p) => {
    const g = p.game, tile = p.tile, f = g.frame;
    tile.dataset.number = g.number;
    tile.setAttribute("aria-label", `Game ${g.number}`);
    one("a.board-row", tile).href = g.url;
    one("a.board-row", tile).setAttribute("aria-label", `Game ${g.number}, move by move`);
    one("[data-number-text]", tile).textContent = `#${g.number}${g.stage ? " " + g.stage : ""}`;
    [g.first, g.second].forEach((name, side) => {
      const player = one(`[data-side="${side}"]`, tile), who = one("[data-name]", player);
      const bdi = document.createElement("bdi");
      bdi.className = "name";
      bdi.textContent = name;
      who.replaceChildren(bdi);
      player.classList.toggle("to-move", Boolean(!g.over && f && f.u === side));
      player.classList.toggle("won", Boolean(g.over) && g.result === (side ? "0-1" : "1-0"));
    });
    if (f) {
      const b = placeAfter(undefined, f, p.board.cols * p.board.rows);
      p.board.show(b.pieces, b.sides, f.l || [], b.text);
      one("title", tile).textContent = `Game ${g.number} after ply ${g.plies}`;
    }
    const e = f && f.e !== undefined ? f.e : 0.5, bar = one(".evalbar .first", tile);
    bar.setAttribute("height", 100 * e);
    bar.setAttribute("y", 100 - 100 * e);
    one("[data-last]", tile).textContent = g.over && g.reason === "void" ? "This attempt does not count; it is played again."
      : g.over ? `${g.result} ${g.reason}${g.detail ? ": " + g.detail : ""}`
      : f && f.m ? `${g.plies}. ${remark(f)}` : "";
    tile.classList.toggle("over", Boolean(g.over));
    clocks(p);
  };

  const clocks = (p) => {
    const g = p.game;
    if (!g || !g.frame) return;
    g.frame.k.forEach((left, side) => {
      const e = one(`[data-side="${side}"] [data-clock]`, p.tile);
      e.hidden = left === null;
      if (left === null) return;
      const thinking = !g.over && g.frame.u === side ? Math.max(0, Date.now() + offset - g.at) : 0;
      e.textContent = clockText((left - thinking) / 1000);
    });
  };

  // arrange puts games into their places. One that is over stays for a while; another
  // attempt at it, or one that is played in its place, does not wait for that.
  const arrange = () => {
    const now = Date.now();
    const rests = (g) => g && games.get(g.number) === g && (!g.over || now - g.overAt < hold);
    for (const g of games.values()) {
      if (!g.frame || g.over) continue;
      const p = place(g.slot);
      if (p.game === g || rests(p.game)) continue;
      p.game = g;
      draw(p);
    }
    for (const g of games.values()) {
      if (g.over && now - g.overAt > 12 * hold) games.delete(g.number);
    }
    for (const [slot, p] of places) {
      if (p.game && games.get(p.game.number) === p.game) continue;
      p.tile.remove();
      places.delete(slot);
    }
    one("[data-nobody]").hidden = places.size > 0;
  };

  const recent = (g) => {
    const list = one("[data-recent]"), li = document.createElement("li"), a = document.createElement("a");
    if (!list.querySelector("a")) list.replaceChildren();
    a.href = g.url;
    a.textContent = `#${g.number}`;
    if ([...list.querySelectorAll("a")].some((x) => x.textContent === a.textContent)) return;
    const name = (text) => Object.assign(document.createElement("bdi"), { className: "name", textContent: text });
    const result = Object.assign(document.createElement("strong"), { textContent: g.result });
    const reason = Object.assign(document.createElement("span"), { className: g.blame ? "meta fault" : "meta", textContent: g.reason + (g.detail ? ": " + g.detail : "") });
    li.append(a, " ", name(g.first), " – ", name(g.second), " ", result, " ", reason);
    list.prepend(li);
    while (list.children.length > 8) list.lastElementChild.remove();
    one("[data-said]").textContent = `Game ${g.number}: ${g.first} against ${g.second}, ${g.result}, ${g.reason}.`;
  };

  const all = one("[data-progress]");
  let begun = false;
  feed(`?event=${encodeURIComponent(event)}`, (u) => {
    offset = u.offset;
    if (u.reset) games.clear();
    if (!begun) tiles.replaceChildren(); // as they were when the page was made
    begun = true;
    const air = new Set(u.air);
    for (const g of u.games || []) {
      if (g.event !== event) continue;
      if (g.over && g.reason !== "void" && g.result) recent(g);
      let known = games.get(g.number);
      if (!known || g.new) {
        if (g.over) continue; // it has no place
        known = { number: g.number };
        games.set(g.number, known);
      }
      Object.assign(known, {
        slot: g.slot, url: g.url, stage: g.stage, first: g.first, second: g.second, at: Date.parse(g.at), plies: g.plies,
        over: g.over, result: g.result, reason: g.reason, detail: g.detail, frame: g.frames ? g.frames[0] : known.frame,
      });
      if (g.over && !known.overAt) known.overAt = Date.now();
      for (const p of places.values()) if (p.game === known) draw(p);
    }
    for (const g of games.values()) if (!g.over && !air.has(`${event}/${g.number}`)) games.delete(g.number);
    for (const e of u.events || []) {
      if (e.event !== event) continue;
      all.textContent = `${e.played} of ${e.total || e.planned} games played${e.running ? "" : "; the run has ended"}`;
      refresh(); // the standings
    }
    const problems = one("[data-problems]");
    problems.hidden = !(u.problems || []).length;
    problems.textContent = (u.problems || []).join("; ");
    arrange();
  });
  setInterval(() => {
    if (document.hidden || lost()) return;
    arrange();
    places.forEach(clocks);
  }, 100);
})();
