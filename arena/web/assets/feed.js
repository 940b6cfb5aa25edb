// What is being played: one stream a page, closed while nobody looks; and pages that
// change with it.
"use strict";
(() => {
  const main = document.getElementById("main");
  let isLost = false;

  const note = document.createElement("p");
  note.className = "note connection";
  note.setAttribute("role", "status");
  main.before(note);
  const setLost = (now) => {
    if (now !== isLost) note.textContent = now ? "Connection lost; trying again. What is shown is as it was." : "";
    isLost = now;
  };

  // feed reads /live with a query; take gets each update. It connects again by
  // itself, and is told then what it has missed, or all there is.
  const feed = (query, take) => {
    let source = null, timer = 0;
    const open = () => {
      clearTimeout(timer);
      if (source || document.hidden) return;
      source = new EventSource("/live" + query);
      source.addEventListener("update", (e) => {
        setLost(false);
        const u = JSON.parse(e.data);
        u.offset = Date.parse(u.time) - Date.now();
        take(u);
      });
      source.addEventListener("open", () => setLost(false));
      source.addEventListener("error", () => {
        if (!source) return;
        setLost(true);
        if (source.readyState !== EventSource.CLOSED) return;
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

  // Parts of a page are replaced by what the server has now, where that differs.
  const served = new WeakMap(); // what the server sent, by element
  const text = (e) => served.get(e) ?? e.outerHTML;
  const swap = (old, now) => {
    if (text(old) === now.outerHTML) return;
    const focus = document.activeElement;
    if (old.contains(focus) && focus.matches("input, select, textarea")) return; // next time
    const part = document.adoptNode(now);
    served.set(part, part.outerHTML);
    const both = (selector, keep) => {
      const list = part.querySelectorAll(selector);
      old.querySelectorAll(selector).forEach((e, i) => { if (list[i]) keep(e, list[i]); });
    };
    both("details", (a, b) => { b.open = a.open; });
    const href = old.contains(focus) && focus.getAttribute("href");
    const lefts = [...old.querySelectorAll(".scroll")].map((e) => e.scrollLeft);
    old.replaceWith(part);
    part.querySelectorAll(".scroll").forEach((e, i) => { e.scrollLeft = lefts[i] || 0; });
    if (href) [...part.querySelectorAll("a[href]")].find((e) => e.getAttribute("href") === href)?.focus({ preventScroll: true });
  };
  const kind = (e) => e.tagName + (e.getAttribute("aria-labelledby") || "");
  const take = (page) => {
    const own = document.querySelectorAll("[data-fresh]"), fresh = page.querySelectorAll("[data-fresh]");
    if (own.length) {
      own.forEach((e, i) => { if (fresh[i]) swap(e, fresh[i]); });
      return;
    }
    const old = [...main.children], now = [...page.getElementById("main").children];
    if (old.length === now.length && old.every((e, i) => kind(e) === kind(now[i]))) old.forEach((e, i) => swap(e, now[i]));
    else main.replaceChildren(...now.map((e) => document.adoptNode(e)));
  };

  // refresh has the page be as the server has it, soon: at most every two seconds, and a
  // tenth of the time, and as seldom as the server asks where many look at once.
  let waiting = 0, next = 0, again = false, pause = 0;
  const refresh = () => {
    again = true;
    if (waiting) return;
    waiting = setTimeout(async () => {
      again = false;
      const begun = Date.now();
      try {
        const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
        // A page that takes long to make comes as it was before, and is made meanwhile.
        again ||= answer.ok && query?.startsWith("?event=") && answer.headers.get("Cache-Control") === "no-store";
        if (answer.ok) take(new DOMParser().parseFromString(await answer.text(), "text/html"));
      } catch { /* the stream says that the connection is lost */ }
      next = Date.now() + Math.max(2000, 10 * (Date.now() - begun), pause * (0.5 + Math.random()));
      waiting = 0;
      if (again) refresh();
    }, Math.max(200, next - Date.now()));
  };

  const query = main.dataset.follow;
  if (query === "every") setInterval(() => { if (!document.hidden) refresh(); }, 3000); // no stream tells of it
  else if (query) feed(query, (u) => {
    pause = u.pause || 0;
    next ||= Date.now() + pause * Math.random(); // not all at once
    if (query === "?" || u.reset || u.events || (u.games || []).some((g) => g.over || g.new)) refresh();
  });

  window.arena = Object.assign(window.arena || {}, { feed, refresh, lost: () => isLost });
})();
