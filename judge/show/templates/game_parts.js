// Makes the parts of the page that need a script: boards, the list of moves, and the controls that
// step through the game.
(() => {
  const { record, names, fired, last, many, incidents, unit, salvos, volleys, shipAt, cellName, grids } = sheet;
  const { byId, made, heading, plural, SUNK, HIT, MISS, key } = boards;
  const lower = unit.toLowerCase();

  const player = (seat) => made("bdi", "", names[seat]);

  // Beside the boards

  function tally(seat) {
    const lengths = (record.seats[seat].fleet || []).map((ship) => ship.length).sort((a, b) => b - a);
    if (!lengths.length) return [];
    const list = made("ul", "tally", ...lengths.map((length) => {
      const item = made("li", "", ...Array.from({ length }, () => made("i", "")), made("span", "aloud"));
      item.dataset.length = length;
      return item;
    }));
    list.dataset.seat = seat;
    list.ariaLabel = `Ships of ${names[seat]}`;
    return [list];
  }

  document.querySelectorAll(".side > header").forEach((header, seat) => {
    const box = Object.assign(document.createElement("input"), { type: "checkbox" });
    box.dataset.fog = seat;
    header.append(made("label", "fog no-print", box, " Fog"));
    grids.push(boards.board(player(seat), sheet.columns, sheet.rows));
    header.after(grids[seat].table, ...tally(seat));
  });

  // The list of moves

  function shotSeen([, target, column, row, result]) {
    const cell = cellName(column, row);
    if (result === SUNK) {
      const { length } = shipAt(target, key(column, row));
      return { target, cell, did: `hit, sinks the ${length}`, style: "x", sunk: `the ${length}` };
    }
    const [did, style] = { [HIT]: ["hit", "h"], [MISS]: ["miss", "m"] }[result] || ["wasted, shot at before", "w"];
    return { target, cell, did, style, sunk: "" };
  }

  function volleySeen(step, [seat, from, to]) {
    const shots = record.shots.slice(from, to).map(shotSeen);
    const row = { step, seat, shots, ms: record.shots[from][5] || null, lost: false };
    if (shots.length === 1) return { ...row, did: shots[0].did, style: shots[0].style };
    const count = (styles) => shots.filter((shot) => styles.includes(shot.style)).length;
    const hits = count("hx"), misses = count("m"), wasted = count("w");
    const sunk = shots.map((shot) => shot.sunk).filter(Boolean);
    const did = [
      hits && plural(hits, "hit"), misses && plural(misses, "miss", "misses"), wasted && `${wasted} wasted`,
      sunk.length && `sinks ${sunk.join(" and ")}`,
    ];
    return { ...row, hits, did: did.filter(Boolean).join(", "), style: sunk.length ? "x" : hits ? "h" : "m" };
  }

  const rows = fired.flatMap((_, step) => [
    ...incidents.filter(([at]) => at === step)
      .map(([, seat, did, ms, lost]) => ({ step, seat, shots: [], did, style: "f", ms, lost })),
    ...volleys(step).map((volley) => volleySeen(step, volley)),
  ]);

  function cells(shots) {
    if (shots.length < 2) return shots.map((shot) => shot.cell);
    return [made("span", "volley", ...shots.flatMap(({ cell, style }) => {
      const isHit = "hx".includes(style);
      return [made("b", isHit ? `v${style}` : "", cell, ...(isHit ? [made("span", "aloud", " hit")] : [])), " "];
    }))];
  }

  function line(row) {
    const link = Object.assign(made("a", "", row.step), { href: `#move=${row.step}` });
    const targets = [...new Set(row.shots.map((shot) => shot.target))];
    const found = made("tr", "",
      heading("row", "n", link), made("td", "", player(row.seat)), ...(many ? [made("td", "", ...targets.map(player))] : []),
      made("td", "", ...cells(row.shots)), made("td", "", made("i", `dot ${row.style}`), row.did),
      made("td", "n", row.ms === null ? "" : row.ms.toFixed(1)));
    if (row.lost) found.dataset.seat = row.seat;
    return found;
  }

  const table = made("table", "figures");
  table.createTHead().insertRow().append(
    heading("col", "n", unit), heading("col", "", "By"), ...(many ? [heading("col", "", "At")] : []),
    heading("col", "", salvos ? "Shots" : "Cell"), heading("col", "", "Result"), heading("col", "n", "ms"));
  table.createTBody().append(...rows.map(line));
  byId("moves").append(table);

  // The strip: a dot for a miss or a wasted shot, a bar for a hit, a longer bar with a head for a
  // sunk ship, a block for an incident. The more shots of a volley hit, the longer is its bar.

  function top({ style, shots, hits }) {
    if (style === "m" || style === "w") return null;
    if (style !== "f" && shots.length > 1) return Math.round(100 - (60 * (hits - 1)) / (shots.length - 1)) / 10;
    return style === "h" ? 9 : 4;
  }

  function drawn(name, attributes) {
    const one = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [what, value] of Object.entries(attributes)) one.setAttribute(what, value);
    return one;
  }

  function lane(seat) {
    const paths = new Map();
    const add = (kind, path) => paths.set(kind, (paths.get(kind) || "") + path);
    for (const row of rows.filter((one) => one.seat === seat)) {
      const from = top(row);
      add(row.style, from === null ? `M${row.step} 15h0` : `M${row.step} ${from}v${16 - from}`);
      if (row.style === "x") add("head", `M${row.step} ${from}h0`);
    }
    const picture = drawn("svg", { viewBox: `0 0 ${Math.max(last, 1)} 20`, preserveAspectRatio: "none" });
    picture.append(...[...paths].map(([kind, d]) => drawn("path", { class: kind, d })));
    return picture;
  }

  // The controls, and the view of a move

  const icon = (path) => `<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="${path}"/></svg>`;
  const button = (go, title, label, path) =>
    `<button type="button" data-go="${go}" title="${title}" aria-label="${label}"${go === "play" ? ' class="main"' : ""}>${icon(path)}</button>`;

  byId("controls").innerHTML = `
    <div class="strip" aria-hidden="true">
    <div class="lanes"><div class="head"></div></div>
    <div class="lane-names"></div>
    </div>
    <input type="range" id="scrub" min="0" max="${last}" value="${last}" step="1" aria-label="${unit}">
    <div class="buttons">
    ${button("first", "To the start (Home)", "To the start", "M3 3v10M13 3L6 8l7 5z")}
    ${button("back", `A ${lower} back (←)`, `A ${lower} back`, "M11 3L4 8l7 5z")}
    ${button("play", "Play or pause (space)", "Play", "M4 2l9 6-9 6z")}
    ${button("on", `A ${lower} on (→)`, `A ${lower} on`, "M5 3l7 5-7 5z")}
    ${button("last", "To the end (End)", "To the end", "M13 3v10M3 3l7 5-7 5z")}
    <output id="where" aria-hidden="true"></output>
    <label class="speed">Speed <select id="speed">
    <option value="1000">1 a second</option>
    <option value="400" selected>2.5 a second</option>
    <option value="150">7 a second</option>
    <option value="50">20 a second</option>
    </select></label>
    </div>`;
  byId("controls").querySelector(".lanes").prepend(...names.map((_, seat) => lane(seat)));
  byId("controls").querySelector(".lane-names").append(...names.map((_, seat) => player(seat)));

  byId("now-at").innerHTML = `
    <p class="label" id="step"></p>
    <h2 id="now"></h2>
    <ol id="volley"></ol>
    <div id="runs"></div>
    <template id="run">
    <div class="run">
    <h3></h3>
    <p class="time"><span class="meter" aria-hidden="true"><i></i></span> <span></span></p>
    <h4>Went in</h4><pre tabindex="0" class="in" aria-label="What went in"></pre>
    <h4>Came out</h4><pre tabindex="0" class="out" aria-label="What came out"></pre>
    <p class="note"></p>
    <h4>Run it again</h4><pre tabindex="0" class="again copy" aria-label="Run it again"></pre>
    </div>
    </template>`;

  for (const part of document.querySelectorAll(".controls, .now, .legend, .moves")) part.hidden = false;
})();
