// The game whose record is in this page, and what can be derived from it.
const sheet = (() => {
  const { MISS, HIT, SUNK, key } = boards;
  const read = (id) => JSON.parse(boards.byId(id).textContent);
  const record = read("record");
  const derived = read("derived");
  const { names, sank, dialects } = derived;
  const told = derived.told || record.shots.map((shot) => shot[4]);
  // The number of shots fired until the end of each step.
  const fired = [];
  for (const [shots, steps] of derived.fires) {
    for (let i = 0; i < steps; i++) fired.push((fired[fired.length - 1] || 0) + shots);
  }

  // Boards

  const ships = record.seats.map((seat) => (seat.fleet || []).map((ship) =>
    boards.cellsOf([ship.column, ship.row, ship.length, ship.orientation === "horizontal"])));

  const shipAt = (seat, at) => ships[seat].find((cells) => cells.some((cell) => key(...cell) === at));

  // The styles of a board's cells after the first `count` shots of the game.
  function board(seat, count, fog) {
    const styles = new Map();
    for (let i = 0; i < count; i++) {
      const [, target, column, row, result] = record.shots[i];
      const at = key(column, row);
      if (target !== seat || styles.has(at)) continue;
      styles.set(at, (fog ? told[i] : result) === MISS ? "m" : "h");
    }
    if (!fog && ships[seat].length) boards.fleet(styles, ships[seat]);
    else {
      for (let i = 0; i < count; i++) {
        if (i in sank && record.shots[i][1] === seat) boards.hull(styles, sank[i][1], "x");
      }
    }
    return styles;
  }

  // The cells of a board that a step shot at, each with its number in the volley; 0 if alone.
  function marks(seat, step) {
    const found = new Map();
    for (const [, from, to] of volleys(step)) {
      for (let i = from; i < to; i++) {
        const [, target, column, row] = record.shots[i];
        const at = key(column, row);
        if (target === seat && !found.has(at)) found.set(at, to - from > 1 ? i - from + 1 : 0);
      }
    }
    return found;
  }

  // The volleys of a step, each as its seat, its first shot and the shot after its last.
  function volleys(step) {
    const found = [];
    for (let i = step ? fired[step - 1] : 0; i < fired[step]; i++) {
      const seat = record.shots[i][0], before = found[found.length - 1];
      if (before && before[0] === seat) before[2] = i + 1;
      else found.push([seat, i, i + 1]);
    }
    return found;
  }

  function sunkLengths(seat, count, fog) {
    const lengths = [], seen = new Set();
    for (let i = 0; i < count; i++) {
      const [, target, column, row, result] = record.shots[i];
      const at = key(column, row);
      if (target !== seat || seen.has(at)) continue;
      seen.add(at);
      if (fog) {
        if (i in sank && sank[i][0] !== null) lengths.push(sank[i][0]);
      } else if (result === SUNK) {
        lengths.push(shipAt(seat, at).length);
      }
    }
    return lengths;
  }

  // Moves

  // The request to a bot after the first `count` shots, byte for byte.
  function snapshot(seat, count) {
    const dialect = dialects[seat];
    const moves = [], hit = new Set(), missed = new Set(), destroyed = [];
    for (let i = 0; i < count; i++) {
      const [who, , column, row] = record.shots[i];
      const result = told[i] === SUNK && dialect !== "engine" ? HIT : told[i];
      moves.push(`${who}${column}${row}${result}`);
      if (who !== seat) continue;
      (told[i] === MISS ? missed : hit).add(`${column}${row}`);
      if (!(i in sank) || sank[i][0] === null) continue;
      if (!destroyed.includes(sank[i][0])) destroyed.push(sank[i][0]);
    }
    const sorted = { hit: [...hit].sort(), missed: [...missed].sort() };
    return JSON.stringify(
      dialect === "engine"
        ? { ...sorted, destroyed: destroyed.map(String), moves, cmd: "move", you: seat }
        : { cmd: "move", moves, ...sorted, destroyed, you: seat });
  }

  const fleetReply = (fleet) => JSON.stringify(Object.fromEntries(
    record.rules.fleet.map((length) => {
      const ship = fleet.find((one) => one.length === length);
      return [length, { point: `${ship.column}${ship.row}`, orientation: ship.orientation }];
    })));

  const evidenceOf = (seat) => (record.outcome.evidence || []).find((one) => one.seat === seat);

  // The name of a cell in the list of moves.
  const cellName = (column, row) =>
    derived.cell.replace("{column}", derived.columns[column]).replace("{row}", derived.rows[row]);

  // What each of these shots did.
  function shotsOf(from, to) {
    return record.shots.slice(from, to).map(([, target, column, row, result]) => {
      const at = names.length > 2 ? `${names[target]} ` : "";
      const did = { 0: "wasted", [MISS]: "miss", [HIT]: "hit" }[result] ||
        `hit, sinks the ${shipAt(target, key(column, row)).length}`;
      return `${at}${cellName(column, row)} ${did}`;
    });
  }

  return {
    ...derived, record, told, fired, last: fired.length - 1, many: names.length > 2, board, marks, volleys, sunkLengths,
    snapshot, fleetReply, evidenceOf, shotsOf, shipAt, cellName, grids: [],
  };
})();
