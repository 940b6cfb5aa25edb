// Keeps the table of the fleet as it is now, while somebody looks.
"use strict";
(() => {
  const pause = 3000;
  const renew = async () => {
    if (!document.hidden) {
      try {
        const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
        if (answer.ok) {
          const page = new DOMParser().parseFromString(await answer.text(), "text/html");
          const now = page.getElementById("fleet");
          const old = document.getElementById("fleet");
          if (now && old && now.textContent !== old.textContent) {
            const left = old.querySelector(".scroll")?.scrollLeft ?? 0;
            old.replaceWith(now);
            const scroll = now.querySelector(".scroll");
            if (scroll) scroll.scrollLeft = left;
          }
        }
      } catch {
        // The server may be gone for a while.
      }
    }
    setTimeout(renew, pause);
  };
  setTimeout(renew, pause);
})();
