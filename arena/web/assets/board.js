// Boards that change on a page: positions as a list of letters, drawn with the
// symbols that the page has. No rules are known here.
"use strict";
(() => {
  const NS = "http://www.w3.org/2000/svg";
  const size = 40, top = 3;

  const el = (name, attributes) => {
    const e = document.createElementNS(NS, name);
    for (const key in attributes) e.setAttribute(key, attributes[key]);
    return e;
  };

  // A board around a server-drawn SVG.
  class Board {
    constructor(svg) {
      this.svg = svg;
      this.cols = +svg.dataset.cols;
      this.rows = +svg.dataset.rows;
      this.left = +svg.dataset.left;
      this.flip = svg.dataset.flip === "1";
      this.indent = (svg.dataset.indent || "").split(" ").map(Number); // half squares, a row each
      this.widest = Math.max(...this.indent);
    }

    // shift is by how much a row is moved to the right, as those of Hex are.
    shift(row) {
      const own = this.indent[row] || 0;
      return (this.flip ? this.widest - own : own) * size / 2;
    }

    at(cell) {
      let col = cell % this.cols, row = Math.floor(cell / this.cols);
      const shift = this.shift(row);
      if (this.flip) {
        col = this.cols - 1 - col;
        row = this.rows - 1 - row;
      }
      return [this.left + shift + col * size, top + row * size];
    }

    // cell is the inverse, of a point of the screen; -1 beside the squares.
    cell(x, y) {
      const p = new DOMPoint(x, y).matrixTransform(this.svg.getScreenCTM().inverse());
      let row = Math.floor((p.y - top) / size);
      if (row < 0 || row >= this.rows) return -1;
      if (this.flip) row = this.rows - 1 - row;
      let col = Math.floor((p.x - this.left - this.shift(row)) / size);
      if (col < 0 || col >= this.cols) return -1;
      if (this.flip) col = this.cols - 1 - col;
      return row * this.cols + col;
    }

    // show draws pieces and owners, a letter a cell, and the cells of the last move; or
    // the rows of a board that has no squares.
    show(pieces, sides, last, text) {
      const lines = this.svg.querySelector(".text");
      if (lines) {
        if (text) lines.replaceChildren(...text.map((row, i) => {
          const line = el("text", { x: 3, y: 17 + 18 * i, "text-anchor": "start" });
          line.textContent = row;
          return line;
        }));
        return;
      }
      const group = this.svg.querySelector(".pieces"), list = [];
      if (!group) return;
      for (let i = 0; i < pieces.length; i++) {
        if (pieces[i] === ".") continue;
        const [x, y] = this.at(i), side = sides[i] === "2" ? "second" : "first";
        const id = "piece-" + pieces[i];
        if (document.getElementById(id)) {
          list.push(el("use", { class: side, href: "#" + id, x, y }));
          continue;
        }
        const g = el("g", { class: side });
        g.append(el("circle", { cx: x + size / 2, cy: y + size / 2, r: 15 }));
        const text = el("text", { x: x + size / 2, y: y + size / 2 + 7 });
        text.textContent = pieces[i];
        g.append(text);
        list.push(g);
      }
      group.replaceChildren(...list);
      this.mark(".marks", "last", last);
    }

    // mark outlines cells in a group, which is made where there is none.
    mark(selector, name, cells) {
      let group = this.svg.querySelector(selector);
      if (!group) {
        group = el("g", { class: selector.slice(1) });
        this.svg.append(group);
      }
      group.replaceChildren(...cells.map((i) => {
        const [x, y] = this.at(i);
        return el("path", { class: name, d: `M${x + 1.5} ${y + 1.5}h37v37h-37z` });
      }));
    }

    describe(text) {
      const desc = this.svg.querySelector("desc");
      if (desc) desc.textContent = text;
    }
  }

  // placeAfter returns a position: the one before, if any, with what a frame changes.
  const placeAfter = (before, frame, cells) => {
    const pieces = before ? [...before.pieces] : Array(cells).fill("."), sides = before ? [...before.sides] : [...pieces];
    const c = frame.c || [];
    for (let i = 0; i < c.length; i += 2) {
      sides[c[i]] = c[i + 1] ? c[i + 1][0] : ".";
      pieces[c[i]] = c[i + 1] ? c[i + 1].slice(1) : ".";
    }
    return { pieces, sides, text: frame.x || (before ? before.text : undefined) };
  };

  // remark tells a frame's move with what its bot said of it.
  const remark = (f) => [f.m, f.s, f.d && `depth ${f.d}`, f.t].filter(Boolean).join(" · ");

  const name = (cell, cols, rows) => String.fromCharCode(97 + cell % cols) + (rows - Math.floor(cell / cols));

  // clock writes seconds as a clock does.
  const clock = (seconds) => {
    const s = Math.max(0, seconds);
    if (s < 10) return s.toFixed(1);
    const whole = Math.floor(s), m = Math.floor(whole / 60), two = (n) => String(n).padStart(2, "0");
    return m >= 60 ? `${Math.floor(m / 60)}:${two(m % 60)}:${two(whole % 60)}` : `${m}:${two(whole % 60)}`;
  };

  window.arena = Object.assign(window.arena || {}, { Board, placeAfter, remark, squareName: name, clockText: clock });
})();
