// The replay of a game that is being played goes on with it.
"use strict";
(() => {
  const { feed, lost } = window.arena;

  // follow has a replay go on while its game is played.
  const follow = (replay) => {
    const data = replay.data;
    let offset = 0, at = 0, air = false, fresh = 0, seen = 0;

    feed(`?game=${encodeURIComponent(`${data.event}/${data.number}`)}`, (u) => {
      offset = u.offset;
      if (u.reset) seen++;
      const mine = (u.games || []).find((g) => g.event === data.event && g.number === data.number);
      const wasThere = air;
      air = u.air.includes(`${data.event}/${data.number}`);
      if (mine) {
        at = Date.parse(mine.at);
        const frames = mine.frames || [];
        if (!mine.brief && mine.from <= replay.last() + 1) {
          if (frames.length) replay.take(mine.from, frames);
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
