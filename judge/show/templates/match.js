"use strict";
// The boards of one game of the match, step by step. Without this, the strip and the tables are
// there, and no boards.

const match = JSON.parse(document.getElementById("match").textContent);
const stage = document.getElementById("stepping");
const numbers = Object.keys(match.games).map(Number).sort((a, b) => a - b);
const MISS = 1, HIT = 3, SUNK = 4;
let game = 0;
let step = 0;

if (stage) {
  stage.hidden = false;
  for (const board of stage.querySelectorAll(".board")) build(board);
  for (const button of stage.querySelectorAll("[data-go]")) {
    button.addEventListener("click", () => {
      const [what, by] = button.dataset.go.split(" ");
      if (what === "game") turn(Number(by));
      else go(step + Number(by));
    });
  }
  document.getElementById("step").addEventListener("input", (event) => go(Number(event.target.value)));
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, .frame")) return;
    const keys = {
      ArrowLeft: () => go(step - 1),
      ArrowRight: () => go(step + 1),
      ArrowUp: () => turn(-1),
      ArrowDown: () => turn(1),
      Home: () => go(0),
      End: () => go(Infinity),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  addEventListener("hashchange", fromAddress);
  game = Number(stage.dataset.opened);
  step = Infinity;
  fromAddress();
}

function build(board) {
  const head = board.createTHead().insertRow();
  head.insertCell();
  for (let column = 0; column < match.columns; column++) head.append(heading("col", column));
  const body = board.createTBody();
  for (let row = 0; row < match.rows; row++) {
    const line = body.insertRow();
    line.append(heading("row", row));
    for (let column = 0; column < match.columns; column++) line.insertCell();
  }
}

function heading(scope, text) {
  const cell = document.createElement("th");
  cell.scope = scope;
  cell.textContent = text;
  return cell;
}

// "#game=12" and "#game=12&step=7"; another address changes nothing.
function fromAddress() {
  const found = new URLSearchParams(location.hash.slice(1));
  if (found.has("game") && match.games[found.get("game")]) {
    game = Number(found.get("game"));
    step = found.has("step") ? Number(found.get("step")) || 0 : Infinity;
  }
  draw();
}

function turn(by) {
  const at = numbers.indexOf(game) + by;
  if (at < 0 || at >= numbers.length) return;
  game = numbers[at];
  draw();
  keep();
}

function go(to) {
  step = to;
  draw();
  keep();
}

function keep() {
  history.replaceState(null, "", `#game=${game}&step=${step}`);
}

function draw() {
  const one = match.games[game];
  const last = one.fired.length - 1;  // the first step is the placing
  step = Math.min(Math.max(0, step), last);
  const fired = one.fired[step];
  const before = step ? one.fired[step - 1] : 0;
  document.getElementById("shown").textContent = `Game ${game}`;
  document.getElementById("told").textContent = step === last ? one.told : "";
  document.getElementById("at").textContent = `${match.unit} ${step} of ${last}`;
  const slider = document.getElementById("step");
  slider.max = last;
  slider.value = step;
  for (const block of document.querySelectorAll(".games li")) {
    const link = block.querySelector("a");
    block.classList.toggle("shown", link !== null && link.hash === `#game=${game}`);
  }
  for (const board of stage.querySelectorAll(".board")) {
    const seat = Number(board.dataset.seat);
    const shots = one.shots.slice(0, fired).map((shot, at) => [...shot, at >= before]).filter((shot) => shot[0] === seat);
    drawBoard(board, one.fleets[seat], shots);
  }
}

function drawBoard(board, fleet, shots) {
  const cell = (column, row) => board.tBodies[0].rows[row].cells[column + 1];
  for (const line of board.tBodies[0].rows) for (const one of line.querySelectorAll("td")) {
    one.className = "";
    one.textContent = "";
  }
  const hit = new Set(shots.filter((shot) => shot[3] >= HIT).map((shot) => `${shot[1]} ${shot[2]}`));
  let sunk = 0;
  for (const [column, row, length, lies] of fleet) {
    const cells = [...Array(length).keys()].map((at) => (lies ? [column + at, row] : [column, row + at]));
    const isSunk = cells.every((one) => hit.has(one.join(" ")));
    sunk += isSunk;
    cells.forEach((one, at) => {
      const back = at > 0 ? (lies ? " W" : " N") : "";
      const on = at < length - 1 ? (lies ? " E" : " S") : "";
      const struck = hit.has(one.join(" "));
      cell(...one).className = `s${isSunk ? " x" : struck ? " h" : ""}${back}${on}`;
      say(cell(...one), isSunk ? "sunk" : struck ? "hit" : "ship");
    });
  }
  let repeats = 0;
  for (const [, column, row, result, isNew] of shots) {
    const one = cell(column, row);
    if (result === MISS) {
      one.classList.add("m");
      say(one, "miss");
    }
    repeats += result === 0;
    if (isNew) one.classList.add("last");
  }
  const hits = shots.filter((shot) => shot[3] === HIT || shot[3] === SUNK).length;
  board.nextElementSibling.textContent =
    `Received ${shots.length} ${shots.length === 1 ? "shot" : "shots"}: ${hits} hit, ${shots.length - hits - repeats} missed, ` +
    `${repeats} repeated; ${sunk} of ${fleet.length} ships sunk`;
}

function say(cell, word) {
  const told = document.createElement("span");
  told.textContent = word;
  cell.replaceChildren(told);
}
