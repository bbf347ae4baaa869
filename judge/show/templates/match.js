// Shows the boards of one game of the match, step by step. Without this script the page has the
// strip and the tables, but no boards.

const match = JSON.parse(boards.byId("match").textContent);
const stage = boards.byId("stepping");
const numbers = Object.keys(match.games).map(Number).sort((a, b) => a - b);
const sides = [];
let game = 0;
let step = 0;

if (stage) {
  stage.hidden = false;
  const names = (count) => [...Array(count).keys()];
  for (const side of stage.querySelectorAll(".side")) {
    const owner = side.querySelector("bdi").cloneNode(true);
    sides.push(boards.board(owner, names(match.columns), names(match.rows)));
    side.querySelector("h3").after(sides[sides.length - 1].table);
  }
  for (const button of stage.querySelectorAll("[data-go]")) {
    button.addEventListener("click", () => {
      const [what, by] = button.dataset.go.split(" ");
      if (what === "game") turn(Number(by));
      else go(step + Number(by));
    });
  }
  boards.byId("step").addEventListener("input", (event) => go(Number(event.target.value)));
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

// Goes to the "#game=12" or "#game=12&step=7" of the address; any other address changes nothing.
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
  boards.byId("shown").textContent = `Game ${game}`;
  boards.byId("told").textContent = step === last ? one.headline : "";
  boards.byId("at").textContent = `${match.unit} ${step} of ${last}`;
  const slider = boards.byId("step");
  slider.max = last;
  slider.value = step;
  for (const block of document.querySelectorAll(".games li")) {
    const link = block.querySelector("a");
    block.classList.toggle("shown", link !== null && link.hash === `#game=${game}`);
  }
  sides.forEach(({ table, draw }, seat) => {
    const at = one.shots.slice(0, fired).map((shot, place) => [...shot, place >= before])
      .filter(([target]) => target === seat);
    const styles = new Map(), last = new Map();
    for (const [, column, row, result, isNew] of at) {
      const cell = boards.key(column, row);
      if (!styles.has(cell)) styles.set(cell, result === boards.MISS ? "m" : "h");
      if (isNew) last.set(cell, 0);
    }
    const fleet = one.fleets[seat].map(boards.cellsOf);
    const sunk = boards.fleet(styles, fleet);
    draw(styles, last);
    const hits = at.filter((shot) => shot[3] >= boards.HIT).length;
    const repeats = at.filter((shot) => !shot[3]).length;
    table.nextElementSibling.textContent =
      `Received ${boards.plural(at.length, "shot")}: ${hits} hit, ${at.length - hits - repeats} missed, ` +
      `${repeats} repeated; ${sunk} of ${fleet.length} ships sunk`;
  });
}
