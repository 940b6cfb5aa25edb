// The list of games in a folder of files: shows those that the address asks for, as a
// server would.
"use strict";
(() => {
  const form = document.querySelector("[data-filter]");
  if (!form) return;
  form.hidden = false;
  const asked = new URLSearchParams(location.search);
  const place = (name) => {
    const field = form.elements[name];
    if (asked.get(name)) field.value = asked.get(name);
    return field.selectedIndex;
  };
  const bot = place("bot"), against = place("against"), side = place("side"), reason = place("reason");
  place("result");
  const result = form.elements.result.value, faults = form.elements.faults.checked = asked.get("faults") !== null;
  const faulty = form.dataset.filter.trim().split(" ");
  const outcome = { won: ["1-0", "0-1"], drawn: ["1/2-1/2", "1/2-1/2"], lost: ["0-1", "1-0"] }[result];
  let shown = 0;
  for (const row of document.querySelectorAll("tr[data-key]")) {
    const [first, second, why, ended] = row.dataset.key.split(" ");
    const as = (n) => { // the bot on side n, 0 or 1
      const [own, other] = n ? [second, first] : [first, second];
      return (!bot || +own === bot) && (!against || +other === against) && (!side || side === n + 1) && (!outcome || !bot || ended === outcome[n]);
    };
    const fits = (as(0) || as(1)) && (!reason || +why === reason) && (outcome || !result || ended === result) && (!faults || faulty.includes(why));
    row.hidden = !fits;
    if (fits) shown++;
  }
  if ([...asked.values()].some(Boolean)) document.querySelector("[data-total]").textContent = `${shown} ${shown === 1 ? "game" : "games"}.`;
})();
