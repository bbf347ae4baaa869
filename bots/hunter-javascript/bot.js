// hunter in JavaScript: follows lines of hits, forgets sunk ships, and searches no finer than it must.
//
// A hit is settled if every way to lay the sunk ships on the hits uses it; all others are open. It
// shoots first at the ends of lines of open hits, then around single ones. With nothing to follow it
// searches every n-th diagonal, n being the smallest ship afloat, which none can slip through.
//
// A cell, "42" for column 4 and row 2, is kept as the number 42: one down is + 1, one to the right
// is + 10, and as no digit is 8 or 9 a step off the grid never lands on it again.
"use strict";

const SIZES = [2, 3, 4, 5];
const STEPS = [-10, -1, 1, 10]; // left, up, down, right
const CELLS = [...Array(78).keys()].filter((cell) => cell % 10 < 8);

/** Every way for a ship of this size to lie, as a list of lists of cells. */
const lines = (size) =>
  CELLS.flatMap((start) => [1, 10].map((step) => [...Array(size).keys()].map((i) => start + i * step)))
    .filter((line) => line.every((cell) => CELLS.includes(cell)));

/** A fleet, each legal one as likely: every ship drawn by itself, and all anew on an overlap. */
function place(pick) {
  for (;;) {
    const fleet = SIZES.map((size) => pick(lines(size)));
    if (new Set(fleet.flat()).size === fleet.flat().length) {
      return Object.fromEntries(fleet.map((ship) => [ship.length, {
        point: text(ship[0]),
        orientation: ship[1] - ship[0] === 1 ? "vertical" : "horizontal",
      }]));
    }
  }
}

/** Every way to lay sunk ships of these sizes on the hits: for each the cells that they take. */
function layings(hit, [size, ...others]) {
  if (size === undefined) return [[]];
  return lines(size)
    .filter((line) => line.every((cell) => hit.includes(cell)))
    .flatMap((line) => layings(hit.filter((cell) => !line.includes(cell)), others).map((rest) => [...line, ...rest]));
}

/** The end of a line, or else beside an open hit, or else on a diagonal, or else any fresh cell. */
function shoot(hit, missed, destroyed, pick) {
  const fresh = CELLS.filter((cell) => !hit.includes(cell) && !missed.includes(cell));
  const ways = layings(hit, destroyed);
  const open = hit.filter((cell) => !ways.every((way) => way.includes(cell)));
  const beside = (cell, step) => open.includes(cell + step);
  const smallest = Math.min(...SIZES.filter((size) => !destroyed.includes(size)));
  const choices = [
    fresh.filter((cell) => STEPS.some((step) => beside(cell, step) && beside(cell, 2 * step))),
    fresh.filter((cell) => STEPS.some((step) => beside(cell, step))),
    fresh.filter((cell) => (Math.floor(cell / 10) + (cell % 10)) % smallest === 0),
    fresh,
  ];
  return pick(choices.find((choice) => choice.length > 0));
}

/** A repeatable stand-in for Math.random (mulberry32), its state mixed from a text. */
function seeded(seed) {
  let state = 0;
  for (const letter of seed) state = (Math.imul(state, 31) + letter.charCodeAt(0)) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const text = (cell) => String(cell).padStart(2, "0");

const { cmd, hit = [], missed = [], destroyed = [] } = JSON.parse(process.argv[2]);
// With a seed all luck comes from it and from how far the game is, so that it can be repeated.
const seed = process.env.BOT_SEED;
const random = seed ? seeded(`${seed} ${cmd} ${hit.length + missed.length}`) : Math.random;
const pick = (choice) => choice[Math.floor(random() * choice.length)];
const reply = cmd === "init"
  ? place(pick)
  : { move: text(shoot(hit.map(Number), missed.map(Number), destroyed.map(Number), pick)) };
console.log(JSON.stringify(reply));
