"use strict";
// Draws boards, alike on every page: a style for each cell, and a word for screen readers. Text of
// a game is inserted as text, never as HTML.
const boards = (() => {
  const MISS = 1, HIT = 3, SUNK = 4;
  const WORDS = { s: "ship", m: "miss", h: "hit", x: "sunk" };
  const byId = (id) => document.getElementById(id);
  const plural = (count, one, more = `${one}s`) => `${count} ${count === 1 ? one : more}`;
  const key = (column, row) => `${column} ${row}`;

  const made = (name, className, ...parts) => {
    const one = Object.assign(document.createElement(name), { className });
    one.append(...parts);
    return one;
  };
  const heading = (scope, className, ...parts) => Object.assign(made("th", className, ...parts), { scope });

  // A table with these names of columns and rows, and a function that draws its cells. `marked` has
  // the number of each marked cell in its volley; 0 for a lone shot.
  function board(owner, columns, rows) {
    const table = made("table", "board");
    table.createCaption().append("The board of ", owner, ", columns across and rows down");
    table.caption.className = "aloud";
    table.createTHead().insertRow().append(
      made("td", ""), ...[...columns].map((name) => heading("col", "", name)));
    table.createTBody().append(...[...rows].map((name) =>
      made("tr", "", heading("row", "", name), ...[...columns].map(() => made("td", "")))));
    const cells = [...table.tBodies[0].rows].map((row) => [...row.cells].slice(1));
    const draw = (styles, marked) => cells.forEach((line, row) => line.forEach((cell, column) => {
      const style = styles.get(key(column, row)) || "";
      const word = WORDS[(/[mhx]/.exec(style) || /s/.exec(style) || [""])[0]] || "";
      const place = marked.get(key(column, row));
      cell.className = place === undefined ? style : `${style} last`;
      if (cell.textContent === `${word}${place || ""}`) return;
      cell.replaceChildren(...(word ? [made("span", "", word)] : []));
      if (place) cell.append(Object.assign(made("i", "", place), { ariaHidden: "true" }));
    }));
    return { table, draw };
  }

  // The cells of a ship that is given by its first cell, its length, and whether it lies across.
  const cellsOf = ([column, row, length, lies]) =>
    Array.from({ length }, (_, at) => (lies ? [column + at, row] : [column, row + at]));

  // Adds the outline of a ship to the styles of its cells, with `kind`, if given, in their place.
  function hull(styles, cells, kind) {
    const across = cells.length > 1 && cells[0][1] === cells[1][1];
    cells.forEach(([column, row], at) => {
      const back = at > 0 ? (across ? " W" : " N") : "";
      const on = at < cells.length - 1 ? (across ? " E" : " S") : "";
      const cell = key(column, row);
      styles.set(cell, `s ${kind || styles.get(cell) || ""}${back}${on}`);
    });
  }

  // Adds ships to the styles; a ship with all cells hit is sunk. Returns the number of sunk ships.
  function fleet(styles, ships) {
    const sunk = ships.filter((cells) => cells.every(([c, r]) => styles.get(key(c, r)) === "h"));
    for (const cells of ships) hull(styles, cells, sunk.includes(cells) && "x");
    return sunk.length;
  }

  return { MISS, HIT, SUNK, byId, plural, key, made, heading, board, cellsOf, hull, fleet };
})();
