// A Battleships bot that places its ships at random and shoots beside its hits.
//
// The cell in column 4 and row 2 is "42" in requests, and the number 42 here. A step down is + 1
// and one to the right + 10. Digits go from 0 to 7, so a step off the grid never ends on a cell.

declare const process: { argv: string[]; env: Record<string, string | undefined> };

type Draw = (below: number) => number;
type Ship = { point: string; orientation: "horizontal" | "vertical" };
type Question = { cmd: "init" } | { cmd: "move"; hit: string[]; missed: string[] };

const SIZES = [2, 3, 4, 5];
const CELLS = [...Array(78).keys()].filter((cell) => cell % 10 < 8);

/** A fleet. Each ship is drawn by itself, and all again if two overlap. */
function place(draw: Draw): Record<number, Ship> {
  for (;;) {
    const fleet: Record<number, Ship> = {};
    const taken = new Set<number>();
    for (const size of SIZES) {
      const [along, across, horizontal] = [draw(9 - size), draw(8), draw(2) === 0];
      const start = horizontal ? 10 * along + across : 10 * across + along;
      for (let i = 0; i < size; i++) taken.add(start + i * (horizontal ? 10 : 1));
      fleet[size] = { point: text(start), orientation: horizontal ? "horizontal" : "vertical" };
    }
    if (taken.size === 2 + 3 + 4 + 5) return fleet;
  }
}

/** A fresh cell beside a hit, or else any fresh one. */
function shoot(hit: number[], missed: number[], draw: Draw): number {
  const fresh = CELLS.filter((cell) => !hit.includes(cell) && !missed.includes(cell));
  const beside = fresh.filter((cell) => [-10, -1, 1, 10].some((step) => hit.includes(cell + step)));
  const choice = beside.length > 0 ? beside : fresh;
  return choice[draw(choice.length)];
}

function text(cell: number): string {
  return String(cell).padStart(2, "0");
}

/** Returns a function that draws numbers below n, the same for the same seed (mulberry32). */
function luck(seed: string): Draw {
  let state = 0;
  for (const letter of seed) state = (Math.imul(state, 31) + letter.charCodeAt(0)) | 0;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % n;
  };
}

const request: Question = JSON.parse(process.argv[2]);
// All luck comes from BOT_SEED and the request, so that a game can be played again.
const draw = luck((process.env.BOT_SEED ?? "") + process.argv[2]);
const reply = request.cmd === "init"
  ? place(draw)
  : { move: text(shoot(request.hit.map(Number), request.missed.map(Number), draw)) };
console.log(JSON.stringify(reply));
