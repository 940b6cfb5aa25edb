// The replay of a game that is being played goes on with it.
"use strict";
(() => {
  const { squareName, feed, lost, scoreText: score, secondsText: seconds } = window.arena;

  // follow has a replay go on while its game is played.
  const follow = (replay) => {
    const data = replay.data;
    let offset = 0, at = 0, air = false, fresh = 0, seen = 0;

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
      if (u.reset) seen++;
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
      // It may have ended while the connection was lost: the page of now knows.
      if (u.reset && seen > 1 && !air) return location.reload();
      if (air) replay.state("Being played.");
      else if (wasThere) replay.state("Not being played now; it is played again when the event goes on.");
    });

    // finish shows the game as it is recorded: the same page as for who comes later.
    const finish = () => {
      if (!replay.following()) history.replaceState(null, "", replay.address(replay.ply()));
      else history.replaceState(null, "", location.pathname + (replay.address(0).includes("flip") ? "?flip=1" : ""));
      location.reload();
    };

    setInterval(() => {
      if (lost()) replay.state("Connection lost; trying again.");
      else if (air && !document.hidden) replay.now((left) => left - Math.max(0, Date.now() + offset - at) / 1000);
    }, 100);
    // Charts and numbers are the server's.
    setInterval(() => {
      if (!fresh || document.hidden) return;
      fresh = 0;
      replay.refresh();
    }, 2000);
  };

  window.arena.follow = follow;
})();
