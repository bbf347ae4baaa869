"use strict";
// The boards of a game that is played, as its marks come in. All text goes in as text.
const boards = (() => {
  const WORDS = { m: "miss", h: "hit", x: "sunk" };
  const made = (name, className, ...parts) => {
    const one = Object.assign(document.createElement(name), { className });
    one.append(...parts);
    return one;
  };
  const heading = (scope, text) => Object.assign(made("th", "", text), { scope });
  const key = (column, row) => `${column} ${row}`;
  let game = null;
  let sides = [];

  function side(seat) {
    const name = game.names[seat];
    const grid = made("table", "board");
    grid.createCaption().append("The board of ", made("bdi", "", name));
    grid.caption.className = "aloud";
    grid.createTHead().insertRow().append(made("td", ""), ...game.columns.map((text) => heading("col", text)));
    grid.createTBody().append(...game.rows.map((text) =>
      made("tr", "", heading("row", text), ...game.columns.map(() => made("td", "")))));
    const count = made("p", "count");
    const box = made("section", "side", made("h3", "", made("bdi", "", name)), grid, count);
    box.ariaLabel = name;
    const cells = [...grid.tBodies[0].rows].map((row) => [...row.cells].slice(1));
    return { box, count, cells, marks: new Map(), last: [] };
  }

  function style(mark) {
    return mark === "x" ? "s x" : mark;
  }

  function fill(cell, className, word) {
    cell.className = className;
    if (cell.textContent !== word) cell.replaceChildren(...(word ? [made("span", "", word)] : []));
  }

  function mark([seat, column, row, what]) {
    const { cells, marks } = sides[seat];
    marks.set(key(column, row), what);
    fill(cells[row][column], style(what), WORDS[what]);
  }

  // Where the last shots fell, on each board.
  function point(last) {
    for (const one of sides) {
      for (const cell of one.last) cell.classList.remove("last");
      one.last = [];
    }
    for (const [seat, column, row] of last) {
      const cell = sides[seat].cells[row][column];
      cell.classList.add("last");
      sides[seat].last.push(cell);
    }
  }

  function unveil({ ships, winner }) {
    ships.forEach((fleet, seat) => fleet.forEach((ship) => {
      const { cells, marks } = sides[seat];
      const hit = ship.map(([column, row]) => "hx".includes(marks.get(key(column, row)) || "-"));
      const sunk = hit.every(Boolean);
      ship.forEach(([column, row, joints], at) => {
        const cell = cells[row][column];
        const last = cell.classList.contains("last") ? " last" : "";
        const what = sunk ? "x" : hit[at] ? "h" : "";
        fill(cell, `s ${[...joints].join(" ")} ${what}${last}`, what ? WORDS[what] : "ship");
      });
    }));
    sides.forEach(({ box }, seat) => box.classList.toggle("won", seat === winner));
  }

  function status() {
    sides.forEach(({ box, count }, seat) => {
      box.classList.toggle("up", game.up.includes(seat));
      box.classList.toggle("gone", game.gone.includes(seat));
      const hits = game.hits[seat];
      count.textContent = hits ? `hit ${hits === 1 ? "once" : `${hits} times`}` : "not hit";
    });
  }

  // Show another game, or the same one anew; none where there is none.
  function show(next, root) {
    game = next;
    sides = game ? game.names.map((_, seat) => side(seat)) : [];
    root.replaceChildren(...sides.map(({ box }) => box));
    if (!game) return;
    game.boards.forEach((cells, seat) => cells.forEach((cell) => mark([seat, ...cell])));
    point(game.last);
    if (game.over) unveil(game.over);
    status();
  }

  function move(what) {
    if (!game) return; // what is told of a game that is not there any more
    Object.assign(game, what);
    for (const one of what.marks || []) mark(one);
    if (what.last) point(what.last);
    if (what.over) unveil(what.over);
    status();
  }

  return { show, move, made };
})();
