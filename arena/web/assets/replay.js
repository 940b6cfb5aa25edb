// The replay page: everything works without it, by links; it makes stepping
// quick, plays the game, and follows one that is being played.
"use strict";
(() => {
  const root = document.querySelector("[data-replay]"), block = document.getElementById("replay-data");
  if (!root || !block) return;
  const data = JSON.parse(block.textContent);
  const { Board, placeAfter, remark, clockText, squareName } = window.arena;
  const one = (selector) => root.querySelector(selector), all = (selector) => [...root.querySelectorAll(selector)];
  const board = new Board(one("svg.board"));
  let ply = data.ply, timer = 0, following = data.live && ply === data.frames.length - 1;

  // Positions from the changes that each frame tells.
  const places = [];
  const extend = () => {
    for (let n = places.length; n < data.frames.length; n++) places.push(placeAfter(places[n - 1], data.frames[n], board.cols * board.rows));
  };

  const describe = (place) => data.sides.map((side, i) => {
    const list = [];
    place.pieces.forEach((p, cell) => {
      if (p !== "." && place.sides[cell] === String(i + 1)) list.push(`${data.names[p] || p} ${squareName(cell, board.cols, board.rows)}`);
    });
    return `${side[0].toUpperCase()}${side.slice(1)}: ${list.join(", ") || "none"}.`;
  }).join(" ");

  // A page in a folder of files has its plies as fragments: see still.go.
  const still = root.hasAttribute("data-still");
  const plyOf = (href) => {
    const url = new URL(href, location.href), hash = /^#ply-(\d+)$/.exec(url.hash);
    return still ? hash && hash[1] : url.searchParams.get("ply");
  };
  const address = (n) => {
    if (still) return "#ply-" + n;
    const q = new URLSearchParams();
    q.set("ply", n);
    if (board.flip) q.set("flip", "1");
    return "?" + q;
  };

  const link = (selector, n) => all(selector).forEach((a) => a.setAttribute("href", address(n)));

  const show = (n, quiet) => {
    extend();
    ply = Math.max(0, Math.min(n, data.frames.length - 1));
    const f = data.frames[ply], last = data.frames.length - 1;
    board.show(places[ply].pieces, places[ply].sides, f.l || [], places[ply].text);
    board.describe(describe(places[ply]));
    all("[data-field]").forEach((e) => {
      const [what, side] = e.dataset.field.split("-");
      if (what === "ply") e.textContent = ply;
      else if (what === "plies") e.textContent = last;
      else if (what === "clock") {
        if (f.k) e.textContent = clockText(f.k[+side] / 1000);
      } else if (what === "now") {
        let m = ply;
        while (m > 0 && data.frames[m].w !== +side) m--;
        if (data.nomove && data.nomove.side === +side && ply === last) e.textContent = data.nomove.text;
        else e.textContent = m > 0 ? remark(data.frames[m]) : "–";
      }
    });
    all("[data-turn]").forEach((e) => e.classList.toggle("to-move", +e.dataset.turn === f.u && (ply < last || Boolean(data.live))));
    let m = ply;
    while (m > 0 && data.frames[m].e === undefined) m--;
    const e = data.frames[m].e === undefined ? 0.5 : data.frames[m].e;
    const bar = one(".evalbar .first");
    if (bar) bar.setAttribute("height", 100 * e), bar.setAttribute("y", board.flip ? 0 : 100 - 100 * e);
    const cursor = one(".chart .cursor");
    if (cursor) cursor.setAttribute("d", ply ? `M${ply - 0.5} 0v100` : "M0 0v100");
    all(".moves [aria-current]").forEach((row) => row.removeAttribute("aria-current"));
    const row = one(`.moves tr[data-ply="${ply}"]`), list = one(".moves-scroll");
    if (row) {
      row.setAttribute("aria-current", "true");
      if (list) list.scrollTop = row.offsetTop - list.clientHeight / 2;
    } else if (list) list.scrollTop = 0;
    link("[data-go=first]", 0);
    link("[data-go=prev]", Math.max(0, ply - 1));
    link("[data-go=next]", Math.min(last, ply + 1));
    link("[data-go=last]", last);
    const range = one("[data-range]");
    if (range) {
      range.max = last;
      range.value = ply;
      range.setAttribute("aria-valuetext", `ply ${ply} of ${last}`);
    }
    all("[data-mark]").forEach((a) => a.toggleAttribute("aria-current", +a.dataset.mark === ply));
    const said = one("[data-said]");
    if (said) said.textContent = f.y;
    if (!quiet && !following) history.replaceState(null, "", address(ply));
    talk();
  };

  // The dialogue of the ply, where the server has it and somebody looks.
  const details = one("[data-dialogue]");
  let asks = 0;
  const talk = async () => {
    if (!details || !details.open || details.dataset.ply === String(ply)) return;
    const mine = ++asks;
    await new Promise((done) => setTimeout(done, 150));
    if (mine !== asks) return;
    try {
      const answer = await fetch(`${details.dataset.dialogue}?ply=${ply}`);
      const text = answer.ok ? await answer.text() : "The dialogue could not be loaded.";
      if (mine !== asks) return;
      details.querySelector("pre").textContent = text || "Nothing was said at this ply.";
      details.dataset.ply = ply;
    } catch {
      details.querySelector("pre").textContent = "The dialogue could not be loaded.";
    }
  };
  if (details) details.addEventListener("toggle", talk);

  const step = (n) => {
    stop();
    following = data.live && n >= data.frames.length - 1;
    show(n);
  };

  const jump = (direction) => {
    const plies = data.marks.map((m) => m.p).filter((p) => (direction < 0 ? p < ply : p > ply));
    if (plies.length) step(direction < 0 ? Math.max(...plies) : Math.min(...plies));
    else say(direction < 0 ? "No fault, swing or mistake before this ply." : "No fault, swing or mistake after this ply.");
  };

  const say = (text) => {
    const said = one("[data-said]");
    if (said) said.textContent = text;
  };

  const turn = () => {
    board.flip = !board.flip;
    // Coordinates, goals and trees are the server's: turned by moving them about.
    one(".replay-board").classList.toggle("turned");
    flipGround();
    show(ply);
  };

  // flipGround turns what does not move: each element to the opposite place.
  const flipGround = () => {
    const svg = board.svg, width = 2 * board.left + 40 * board.cols + 20 * board.widest, height = 6 + 40 * board.rows;
    svg.querySelectorAll(":scope > path").forEach((path) => {
      const t = path.getAttribute("transform") || "";
      if (path.classList.contains("sign")) {
        const [, x, y] = t.match(/translate\((\S+) (\S+)\)/);
        path.setAttribute("transform", `translate(${width - 40 - x} ${height - 40 - y})`);
      } else if (t) path.removeAttribute("transform");
      else path.setAttribute("transform", `rotate(180 ${width / 2} ${height / 2})`);
    });
    svg.querySelectorAll(":scope > use").forEach((use) => {
      use.setAttribute("x", width - 40 - use.getAttribute("x"));
      use.setAttribute("y", height - 40 - use.getAttribute("y"));
    });
    const texts = [...svg.querySelectorAll(".coordinates text")];
    const files = texts.slice(0, board.cols), ranks = texts.slice(board.cols);
    for (const list of [files, ranks]) {
      const names = list.map((t) => t.textContent).reverse();
      list.forEach((t, i) => { t.textContent = names[i]; });
    }
    all("[data-flip]").forEach((a) => a.setAttribute("aria-pressed", String(board.flip)));
    const seats = one("[data-seats]");
    if (seats) seats.classList.toggle("swapped");
  };

  // Playing.
  const speed = one("[data-speed]"), playButton = one("[data-play]");
  const delay = () => {
    const value = speed ? speed.value : "1s";
    if (value === "1s") return 1000;
    const next = data.frames[ply + 1];
    return Math.max(30, Math.min(next && next.ms ? next.ms : 1000, 600000) / +value);
  };
  const tick = () => {
    timer = setTimeout(() => {
      if (ply >= data.frames.length - 1) return stop();
      show(ply + 1, true);
      if (ply >= data.frames.length - 1) return stop();
      tick();
    }, delay());
  };
  const stop = () => {
    if (!timer) return;
    clearTimeout(timer);
    timer = 0;
    if (playButton) playButton.textContent = "Play", playButton.setAttribute("aria-pressed", "false");
    history.replaceState(null, "", address(ply));
  };
  const play = () => {
    if (timer) return stop();
    if (ply >= data.frames.length - 1) show(0, true);
    following = false;
    playButton.textContent = "Pause";
    playButton.setAttribute("aria-pressed", "true");
    tick();
  };

  const help = one("[data-help]");
  const keys = {
    ArrowLeft: () => step(ply - 1), ArrowRight: () => step(ply + 1),
    ArrowUp: () => step(0), ArrowDown: () => step(data.frames.length - 1),
    Home: () => step(0), End: () => step(data.frames.length - 1),
    " ": play, f: turn, "[": () => jump(-1), "]": () => jump(1),
    "?": () => help && (help.open ? help.close() : help.showModal()),
  };
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input:not([type=range]), textarea, select")) return;
    if (e.target.closest("input[type=range]") && e.key.startsWith("Arrow")) return;
    if (help && help.open && e.key !== "?") return;
    // The button of a closed list of keys has the focus until a frame is drawn.
    if (e.key === " " && e.target.closest("a, button, summary") && !(help && help.contains(e.target))) return;
    if (e.target.closest("pre") && /^(Arrow|Home|End)/.test(e.key)) return;
    const act = keys[e.key];
    if (!act) return;
    e.preventDefault();
    act();
  });

  root.addEventListener("click", (e) => {
    if (e.ctrlKey || e.metaKey || e.shiftKey || e.button) return;
    const a = e.target.closest("a[href], [data-play], [data-help-open]");
    if (!a) return;
    if (a.matches("[data-play]")) return play();
    if (a.matches("[data-help-open]")) return keys["?"]();
    if (a.matches("[data-flip]")) return e.preventDefault(), turn();
    const to = a.matches("[data-ply-link]") && plyOf(a.getAttribute("href"));
    if (!to) return;
    e.preventDefault();
    step(+to);
  });
  // The chart is dragged along; it may be replaced while a game is played.
  root.addEventListener("pointerdown", (e) => {
    const chart = e.target.closest(".chart svg");
    if (!chart || e.button) return;
    e.preventDefault();
    const plies = chart.viewBox.baseVal.width;
    const drag = (e) => {
      const box = chart.getBoundingClientRect();
      step(Math.max(1, Math.min(plies, Math.ceil((e.clientX - box.left) / box.width * plies))));
    };
    drag(e);
    addEventListener("pointermove", drag);
    addEventListener("pointerup", () => removeEventListener("pointermove", drag), { once: true });
  });
  root.addEventListener("click", (e) => { if (e.target.closest(".chart svg")) e.preventDefault(); }, true);
  const range = one("[data-range]");
  if (range) range.addEventListener("input", () => step(+range.value));
  if (speed) speed.addEventListener("change", () => { if (timer) clearTimeout(timer), tick(); });
  all("[data-scripted]").forEach((e) => { e.hidden = false; });
  const asked = () => plyOf(location.href);
  addEventListener("popstate", () => {
    if (asked() !== null) show(+asked(), true);
  });

  // A page of a folder of files is asked for a ply by its address alone.
  root.classList.add("scripted");
  if (asked() !== null && +asked() !== ply) ply = +asked();
  if ((new URLSearchParams(location.search).get("flip") === "1") !== (board.flip)) {
    board.flip = !board.flip;
    flipGround();
  }
  show(ply, true);

  if (data.live) window.arena.follow({
    data,
    // take replaces the frames from one on, and shows the last where that was shown.
    take(from, frames) {
      data.frames.length = places.length = Math.min(from, data.frames.length);
      data.frames.push(...frames);
      extend();
      frames.forEach((f, i) => { if (from + i) row(from + i, f); });
      all(`.moves tr[data-ply]`).forEach((r) => { if (+r.dataset.ply >= data.frames.length) r.remove(); });
      show(following ? data.frames.length - 1 : ply, true);
    },
    last: () => data.frames.length - 1,
    ply: () => ply,
    // now sets the clock of the side that thinks.
    now(left) {
      const f = data.frames[data.frames.length - 1];
      if (ply !== data.frames.length - 1) return;
      const e = one(`[data-field="clock-${f.u}"]`);
      if (e && f.k) e.textContent = clockText(left(f.k[f.u] / 1000));
    },
    state(text) {
      const e = one("[data-state]");
      if (e) e.textContent = text;
    },
    address,
    following: () => following,
    refresh: async () => {
      const answer = await fetch(address(ply));
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const part of [".replay-chart", "[data-numbers]"]) {
        const fresh = page.querySelector(part), old = one(part);
        if (fresh && old) old.replaceWith(document.adoptNode(fresh));
        else if (fresh) one(".replay-grid").after(document.adoptNode(fresh));
      }
      show(ply, true);
    },
  });

  // row writes a move into the list.
  function row(n, f) {
    let tr = one(`.moves tr[data-ply="${n}"]`);
    if (!tr) {
      tr = document.createElement("tr");
      tr.dataset.ply = n;
      const body = one(".moves tbody"), none = body.querySelector("td[colspan]");
      if (none) none.parentElement.remove();
      body.append(tr);
    }
    const cell = (tag, text, name) => {
      const c = document.createElement(tag);
      if (name) c.className = name;
      c.textContent = text;
      return c;
    };
    const move = cell("th", "");
    move.scope = "row";
    const a = cell("a", f.m);
    a.href = address(n);
    a.dataset.plyLink = "";
    move.append(cell("span", "", `disc disc-${f.w}`), a);
    tr.replaceChildren(cell("td", n, "num"), move, cell("td", f.s || "", "num"), cell("td", f.d || "", "num"), cell("td", f.t, "num"));
  }
})();
