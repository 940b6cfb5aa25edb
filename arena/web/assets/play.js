// A casual game: the forms of the page work without it; it moves by clicks,
// runs the clocks, and is told of the bot's moves and thoughts as they come.
"use strict";
(() => {
  const root = document.querySelector("[data-table]"), block = document.getElementById("table-data");
  if (!root || !block) return;
  const { Board, placeAfter, clockText, squareName } = window.arena;
  const one = (selector) => root.querySelector(selector);
  const board = new Board(one("svg.board")), url = root.dataset.url;
  let shown = 0, state = null, frames = [], places = [], chosen = -1, at = 0, sending = false, leaving = false;

  const say = (text) => { one("[data-status]").textContent = text; };

  const take = (u) => {
    at = Date.now() - u.since;
    if (u.frames) frames = frames.slice(0, u.from).concat(u.frames);
    places = places.slice(0, u.from);
    for (let n = places.length; n < frames.length; n++) places.push(placeAfter(places[n - 1], frames[n], board.cols * board.rows));
    const moved = !state || u.plies !== state.plies || u.over !== state.over;
    state = u;
    root.dataset.version = u.version;
    root.dataset.plies = u.plies;
    if (moved) {
      chosen = -1;
      draw();
    }
    marks();
    say(u.status);
    document.querySelectorAll("[data-seat]").forEach((e) => e.classList.toggle("to-move", !u.over && +e.dataset.seat === u.turn));
    one("[data-move-form]").hidden = !u.legal.length;
    one("[data-do=hint]").hidden = !u.legal.length;
    one("[data-do=undo]").hidden = !u.undo;
    one("[data-do=resign]").hidden = one("[data-leave]").hidden = one("[data-legal]").hidden = u.over;
    one("[data-again]").hidden = one("[data-steps]").hidden = !u.over;
    one("[data-choice]").hidden = true;
    if (u.lines.length) one("[data-thoughts]").replaceChildren(...u.lines.map((line) => Object.assign(document.createElement("li"), { textContent: line })));
    tick();
  };

  // draw shows a ply, the last one unless the game is over and stepped through.
  const draw = (n = frames.length - 1) => {
    const f = frames[n], place = places[n], last = frames.length - 1;
    shown = n;
    one("[data-shown]").textContent = n;
    one("[data-all]").textContent = last;
    [0, Math.max(0, n - 1), Math.min(last, n + 1), last].forEach((ply, i) => {
      const a = one("[data-steps]").querySelectorAll("a")[i];
      a.dataset.step = ply;
      a.href = "?ply=" + ply;
    });
    board.show(place.pieces, place.sides, f.l || []);
    const list = (side) => place.pieces.map((p, i) => (p !== "." && place.sides[i] === side ? `${state.names[p] || p} ${squareName(i, board.cols, board.rows)}` : "")).filter(Boolean).join(", ");
    board.describe(state.sides.map((name, i) => `${name}: ${list(String(i + 1)) || "none"}.`).join(" "));
    const title = board.svg.querySelector("title");
    if (title) title.textContent = `Board after ply ${n}`;
    const cell = (tag, text, name) => Object.assign(document.createElement(tag), { className: name || "", textContent: text });
    const rows = frames.slice(1).map((f, i) => {
      const tr = document.createElement("tr"), move = cell("th", "");
      move.scope = "row";
      move.append(cell("span", "", `disc disc-${f.w}`), f.m);
      tr.append(cell("td", i + 1, "num"), move, cell("td", f.s || "", "num"), cell("td", f.d || "", "num"), cell("td", f.t, "num"));
      return tr;
    });
    if (rows.length) {
      one(".moves tbody").replaceChildren(...rows);
      const scroll = one(".moves-scroll");
      scroll.scrollTop = scroll.scrollHeight;
    }
    one("[data-legal-form]").replaceChildren(...state.legal.map((m) => Object.assign(document.createElement("button"), { name: "move", value: m.m, textContent: m.m })));
  };

  // marks shows the chosen piece, where it can go, and the hint.
  const marks = () => {
    const targets = state.legal.filter((m) => m.f === chosen && m.t >= 0).map((m) => m.t);
    board.mark(".choosing", "chosen", chosen >= 0 ? [chosen] : []);
    board.mark(".targets", "target", chosen >= 0 ? [...new Set(targets)] : []);
    board.mark(".hinted", "hint", state.hint ? [state.hint.f, state.hint.t].filter((c) => c >= 0) : []);
  };

  const send = async (what, move) => {
    if (sending) return;
    sending = true;
    one("[data-choice]").hidden = true;
    try {
      const answer = await fetch(`${url}/${what}`, {
        method: "POST", headers: { Accept: "application/json" }, body: new URLSearchParams(move ? { move } : {}),
      });
      const type = answer.headers.get("Content-Type") || "";
      if (move && !one("[data-move-form]").hidden) one("[name=move]").select();
      if (!type.includes("json")) say(answer.status === 401 ? "This needs the password: load the page again." : "The server refused that.");
      else {
        const said = (await answer.json()).said;
        if (said) say(said);
        else if (what === "move") one("[name=move]").value = "";
      }
    } catch {
      say("The server does not answer.");
    } finally {
      sending = false;
    }
  };

  const pick = (cell) => {
    if (!state.legal.length) {
      if (!state.over) say("It is not your turn yet.");
      return;
    }
    const moves = state.legal.filter((m) => m.t === cell && (m.f === chosen || m.f < 0 && chosen < 0));
    if (moves.length === 1) {
      chosen = -1;
      marks();
      return send("move", moves[0].m);
    }
    if (moves.length > 1) {
      const choice = one("[data-choice]");
      choice.replaceChildren(...moves.map((m) => {
        const b = Object.assign(document.createElement("button"), { type: "button", textContent: m.m });
        b.addEventListener("click", () => send("move", m.m));
        return b;
      }));
      choice.hidden = false;
      choice.firstElementChild.focus();
      return;
    }
    const before = chosen, name = (c) => squareName(c, board.cols, board.rows);
    chosen = cell !== chosen && state.legal.some((m) => m.f === cell) ? cell : -1;
    marks();
    if (chosen >= 0) say(`${name(chosen)}: click where it goes.`);
    else if (before === cell) say("Your move.");
    else say(before >= 0 ? `${name(before)} cannot go to ${name(cell)}.` : `Nothing of yours on ${name(cell)} can move.`);
  };
  board.svg.addEventListener("click", (e) => {
    const cell = board.cell(e.clientX, e.clientY);
    if (cell >= 0) pick(cell);
  });

  root.addEventListener("submit", (e) => {
    const form = e.target;
    if (form.matches("[data-leave], [data-new]")) {
      leaving = true;
      return;
    }
    e.preventDefault();
    if (form.matches("[data-do]")) send(form.dataset.do);
    else send("move", (e.submitter && e.submitter.value) || form.elements.move.value.trim());
  });

  const step = (n) => {
    if (!state.over) return;
    draw(Math.max(0, Math.min(n, frames.length - 1)));
  };
  one("[data-steps]").addEventListener("click", (e) => {
    const a = e.target.closest("a");
    if (!a) return;
    e.preventDefault();
    step(+a.dataset.step);
  });
  document.addEventListener("keydown", (e) => {
    const to = { ArrowLeft: shown - 1, ArrowRight: shown + 1, Home: 0, End: frames.length - 1 }[e.key];
    if (to === undefined || !state.over || e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, select")) return;
    e.preventDefault();
    step(to);
  });

  const tick = () => {
    if (!state) return;
    state.left.forEach((left, side) => {
      const e = one(`[data-clock="${side}"]`);
      if (!e || left === null) return;
      const spent = !state.over && state.turn === side ? Date.now() - at : 0;
      e.textContent = clockText((left - spent) / 1000);
    });
  };
  setInterval(tick, 100);

  take(JSON.parse(block.textContent));
  let source = null;
  const open = () => {
    source = new EventSource(url + "/events");
    source.addEventListener("update", (e) => take(JSON.parse(e.data)));
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED && !leaving) say("This game is not there any more.");
    });
  };
  if (!state.over) open();
  addEventListener("pagehide", () => {
    if (source) source.close();
    if (state && !state.over && !leaving) navigator.sendBeacon(url + "/away");
  });
  addEventListener("pageshow", (e) => { if (e.persisted) location.reload(); });
})();
