// The switch between light and dark works without this; here it is remembered.
(function () {
  "use strict";
  var key = "arena-scheme", root = document.documentElement;
  function read() {
    try { return localStorage.getItem(key); } catch (e) { return null; }
  }
  var chosen = read();
  if (chosen === "light" || chosen === "dark") root.dataset.scheme = chosen;
  document.addEventListener("DOMContentLoaded", function () {
    document.querySelectorAll("input[name=scheme]").forEach(function (input) {
      input.checked = input.value === (root.dataset.scheme || "auto");
      input.addEventListener("change", function () {
        if (input.value === "auto") delete root.dataset.scheme;
        else root.dataset.scheme = input.value;
        try { localStorage.setItem(key, input.value); } catch (e) { /* not remembered then */ }
      });
    });
  });
})();
