// Games in the air: one stream a page, closed while nobody looks.
"use strict";
(() => {
  const { squareName } = window.arena;

  // feed reads /live with a query; take gets each update. It connects again by
  // itself, and is told then what it has missed, or all there is.
  const feed = (query, take) => {
    let source = null, timer = 0;
    const open = () => {
      clearTimeout(timer);
      if (source || document.hidden) return;
      source = new EventSource("/live" + query);
      source.addEventListener("update", (e) => {
        const u = JSON.parse(e.data);
        u.offset = Date.parse(u.time) - Date.now();
        take(u);
      });
      source.addEventListener("error", () => {
        if (!source || source.readyState !== EventSource.CLOSED) return;
        close();
        timer = setTimeout(open, 3000);
      });
    };
    const close = () => {
      clearTimeout(timer);
      if (source) source.close();
      source = null;
    };
    document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
    addEventListener("pagehide", close);
    addEventListener("pageshow", open);
    open();
  };

  const score = (m) => (m.mate !== undefined ? "#" + m.mate : m.score === undefined ? "" : (m.score < 0 ? "" : "+") + (m.score / 100).toFixed(2));
  const seconds = (s) => (s < 1 ? s.toFixed(3) : s < 60 ? s.toFixed(1) : Math.round(s)) + " s";

  // follow has a replay go on while its game is played.
  const follow = (replay) => {
    const data = replay.data;
    let offset = 0, at = 0, air = false, fresh = 0;

    // say tells a move in a sentence, as the server does for recorded ones.
    const say = (m, before) => {
      const cols = m.board.cols, rows = m.board.rows;
      const square = (s) => {
        const r = /^([a-z])([1-9][0-9]?)/.exec(s);
        if (!r) return null;
        const col = r[1].charCodeAt(0) - 97, row = rows - +r[2];
        return col < cols && row >= 0 ? [row * cols + col, s.slice(r[0].length)] : null;
      };
      const from = square(m.move), to = from && square(from[1]);
      let text = m.move;
      if (to && before) {
        const name = (p) => data.names[p] || p, piece = before.pieces[from[0]], taken = before.pieces[to[0]];
        text = `${piece === "." ? "" : name(piece) + " "}${squareName(from[0], cols, rows)} to ${squareName(to[0], cols, rows)}`;
        if (taken !== "." && before.sides[to[0]] === String(2 - m.side)) text += `, takes ${name(taken)}`;
        if (to[1]) text += ", " + to[1];
      }
      const s = score(m);
      return `Ply ${m.ply}, ${data.sides[m.side]}: ${text}${s ? ", score " + s : ""}, ${m.time.toFixed(1)} seconds.`;
    };

    const frame = (m, before) => ({
      p: m.board.pieces, o: m.board.sides, x: m.board.text, l: m.board.last, m: m.move, w: m.side, u: m.board.turn,
      t: seconds(m.time), ms: Math.round(m.time * 1000), s: score(m), e: m.eval, d: m.depth,
      k: m.board.left.some((l) => l !== null) ? m.board.left.map((l) => Math.round((l || 0) * 1000)) : undefined,
      y: say(m, before),
    });

    feed(`?game=${encodeURIComponent(`${data.event}/${data.number}`)}`, (u) => {
      offset = u.offset;
      const mine = (u.games || []).find((g) => g.event === data.event && g.number === data.number);
      const wasThere = air;
      air = u.air.includes(`${data.event}/${data.number}`);
      if (mine) {
        at = Date.parse(mine.at);
        const moves = mine.moves || [];
        if (!mine.brief && moves.every((m) => m.board) && mine.from <= replay.last()) {
          let before = replay.place(mine.from);
          const frames = moves.map((m) => {
            const f = frame(m, before);
            before = { pieces: f.p, sides: f.o };
            return f;
          });
          replay.take(mine.from + 1, frames);
          fresh += frames.length;
          document.querySelector("[data-replay]").dataset.at = mine.at; // shown since now
        } else if (!mine.over) return location.reload();
        if (mine.over && mine.reason !== "void") return finish();
      }
      if (air) replay.state("Being played.");
      else if (wasThere) replay.state(mine && mine.over ? "This attempt does not count; it is played again." : "No more in the air, and without a result.");
    });

    // finish shows the game as it is recorded: the same page as for who comes later.
    const finish = () => {
      if (!replay.following()) history.replaceState(null, "", replay.address(replay.ply()));
      else history.replaceState(null, "", location.pathname + (replay.address(0).includes("flip") ? "?flip=1" : ""));
      location.reload();
    };

    setInterval(() => {
      if (air && !document.hidden) replay.now((left) => left - Math.max(0, Date.now() + offset - at) / 1000);
    }, 100);
    // Charts and numbers are the server's.
    setInterval(() => {
      if (!fresh || document.hidden) return;
      fresh = 0;
      replay.refresh();
    }, 2000);
  };

  Object.assign(window.arena, { feed, follow, scoreText: score, secondsText: seconds });
})();
