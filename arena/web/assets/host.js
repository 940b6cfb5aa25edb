// A host's league: its clock, the address for commands, files that are dropped, and the
// projector. What it changes in the page are texts alone: parts are replaced meanwhile.
"use strict";
(() => {
  const all = (selector) => document.querySelectorAll(selector);

  // The host's clock goes on, also where this machine's is wrong.
  let offset = 0, told = "";
  const span = (ms) => {
    const s = Math.floor(ms / 1000), m = Math.floor(s / 60), h = Math.floor(m / 60), d = Math.floor(h / 24);
    return d > 1 ? `${d} days` : h > 0 ? `${h} h ${m % 60} min` : m > 0 ? `${m} min ${s % 60} s` : `${s} s`;
  };
  const tick = () => {
    const clock = document.querySelector("[data-clock][datetime]");
    if (clock && clock.dateTime !== told) {
      told = clock.dateTime;
      offset = Math.max(offset || -Infinity, Date.parse(told) - Date.now()); // pages are as old as they are
    }
    const now = new Date(Date.now() + offset);
    all("[data-clock][datetime]").forEach((e) => { e.textContent = now.toISOString().slice(0, 19).replace("T", " ") + " UTC"; });
    all("[data-until]").forEach((e) => {
      const left = Date.parse(e.dataset.until) - now;
      e.textContent = left > 0 ? ` (${span(left)} to go)` : "";
    });
  };
  tick();
  setInterval(() => { if (!document.hidden) tick(); }, 1000);
  const origin = () => all("[data-origin]").forEach((e) => { e.textContent = location.origin; });
  origin();
  new MutationObserver(origin).observe(document.getElementById("main"), { childList: true });

  // A file may be dropped anywhere on the page that has the form.
  const form = document.querySelector("[data-drop]");
  if (form) {
    const input = form.querySelector("input[type=file]"), most = Number(form.dataset.most);
    const check = () => {
      const file = input.files[0];
      input.setCustomValidity(file && file.size > most ? `This file has ${file.size} bytes; at most ${most} are taken.` : "");
    };
    input.addEventListener("change", () => { check(); input.reportValidity(); });
    const dragging = (e, on) => {
      if (!e.dataTransfer || ![...e.dataTransfer.types].includes("Files")) return;
      e.preventDefault();
      document.body.classList.toggle("dragging", on);
    };
    addEventListener("dragover", (e) => dragging(e, true));
    addEventListener("dragleave", (e) => { if (!e.relatedTarget) dragging(e, false); });
    addEventListener("drop", (e) => {
      dragging(e, false);
      if (!e.dataTransfer.files.length) return;
      input.files = e.dataTransfer.files;
      check();
      if (input.reportValidity()) form.requestSubmit();
    });
  }

  // The projector turns its pages.
  const screen = document.querySelector("[data-screen]");
  if (!screen) return;
  const slides = [...screen.querySelectorAll("[data-slide]")], turn = 12000;
  let at = 0, timer = 0;
  const show = (n) => {
    at = (n + slides.length) % slides.length;
    slides.forEach((s, i) => { s.hidden = i !== at; });
  };
  const go = () => { timer = setInterval(() => show(at + 1), turn); };
  addEventListener("keydown", (e) => {
    if (e.key === "ArrowRight") show(at + 1);
    else if (e.key === "ArrowLeft") show(at - 1);
    else if (e.key === " ") {
      e.preventDefault();
      if (timer) { clearInterval(timer); timer = 0; } else go();
    }
  });
  screen.classList.add("turning");
  show(0);
  go();
})();
