// Follows the games: the server sends the whole state, and then the changes. After a cut it sends
// the whole state again.
(() => {
  const { byId, made, key } = boards;
  const AGAIN = 2000; // milliseconds between two tries to reach the server
  const MOST_EVENTS = 12;
  const MOST_SAID = 50;
  const TYPE = [4.2, 3.4, 2.6, 2.2, 1.9, 1.6, 1.3, 1.1, 0.9]; // type on a projector, in rem
  const FEWEST_ROWS = 6; // of the table, on a projector
  const GAP = 20; // pixels between boards, on a projector
  const MUCH = 1.15; // boards that get this many times larger have the text below them
  const narrow = matchMedia("(max-width: 40rem)");
  const asked = new URLSearchParams(location.search);
  const isBig = asked.has("big");
  const chosen = /^\d{1,9}$/.test(asked.get("game") || "") ? asked.get("game") : "";
  document.body.classList.toggle("big", isBig);
  let game = null;
  let sides = [];
  let since = 0; // when the present turn began
  let isOver = false;
  let unlisted = 0; // bots that the server has left out of the table

  const name = (text) => made("bdi", "", text);
  const person = (about) => (about ? [made("small", "about-bot", about)] : []);
  const link = (href, text) => Object.assign(made("a", "", text), { href });
  const isContest = () => !byId("progress").hidden;
  const place = (number) => `?game=${number}${isBig ? "&big" : ""}`;
  byId("whole").hidden = !chosen;
  byId("big").href = chosen ? `?game=${chosen}&big` : "?big";

  function connection(text, isLost = false) {
    byId("connection").textContent = text;
    byId("connection").classList.toggle("is-lost", isLost);
    fill();
  }

  // The game

  function happened(said) {
    const list = byId("events");
    for (const text of said) list.prepend(made("li", "", text));
    while (list.children.length > MOST_EVENTS) list.lastElementChild.remove();
    byId("news-at").hidden = !list.children.length;
  }

  const inAList = (parts) => parts.flatMap((part, at) =>
    at ? [at === parts.length - 1 ? " and " : ", ", part] : [part]);

  // Whose turn it is, or how the game ended. Once a contest is over, only that is said.
  function heading() {
    if (isOver && isContest()) return [byId("connection").dataset.over];
    if (!game) return [chosen ? "This game is not to be seen any more" : byId("playing").dataset.comes];
    if (game.over) {
      const page = game.over.page && !isOver ? [" ", link(`games/${game.number}`, "Step through it")] : [];
      return [game.over.ending, ...page];
    }
    const up = game.up.map((seat) => name(game.names[seat]));
    if (!up.length) return ["Ships are being placed"];
    if (game.up.every((seat) => game.gone.includes(seat))) return [...inAList(up), " is gone, and its turn waits"];
    return [...inAList(up), up.length > 1 ? " are to shoot" : " is to shoot"];
  }

  function side(text) {
    const { table, draw } = boards.board(name(text), game.columns, game.rows);
    const about = made("small", "");
    const count = made("p", "count");
    const state = made("span", "state");
    const top = made("summary", "", made("h3", "owner", name(text), about), state, count);
    const box = made("details", "side", top, table);
    const one = { box, about, count, draw, state, top, isChosen: false, marks: new Map() };
    top.addEventListener("click", (event) => {
      if (narrow.matches) one.isChosen = true;
      else event.preventDefault();
    });
    return one;
  }

  function mark([seat, column, row, what]) {
    sides[seat].marks.set(key(column, row), what);
  }

  // The styles of a seat's board (hits, misses, ships after the game), and the last cells shot at.
  function drawn({ marks }, seat) {
    const styles = new Map([...marks].map(([cell, what]) => [cell, what === "x" ? "s x" : what]));
    if (game.over) {
      const ships = game.over.ships[seat].map(boards.cellsOf);
      for (const cells of ships) for (const [column, row] of cells) {
        const cell = key(column, row);
        if (styles.has(cell)) styles.set(cell, "h");
      }
      boards.fleet(styles, ships);
    }
    const last = game.last.filter(([target]) => target === seat);
    return [styles, new Map(last.map(([, column, row]) => [key(column, row), 0]))];
  }

  // The seats shot at last or, before any shot, the first seat that is not up.
  function aimed() {
    if (game.last.length) return game.last.map(([target]) => target);
    return [...sides.keys()].filter((seat) => !game.up.includes(seat)).slice(0, 1);
  }

  function state(one, label, seat) {
    const isWon = Boolean(game.over) && seat === game.over.winner;
    const words = [[isWon, "won"], [game.gone.includes(seat), "gone"], [game.up.includes(seat), "up"]];
    const [, word] = words.find(([holds]) => holds) || [];
    for (const [, each] of words) one.classList.toggle(each, each === word);
    label.textContent = word === "up" ? "to shoot" : word || "";
  }

  const count = (number, unit) =>
    made("span", "points", made("b", "", number), ` ${unit[Number(number !== 1)]}`);

  // The score of a seat; in a match the games won come first.
  function score(seat) {
    const label = made("span", "state");
    const won = game.match ? [count(game.match.won[seat], ["game won", "games won"])] : [];
    const one = made("li", "", name(game.names[seat]), label, ...won, count(game.score[seat], game.unit));
    state(one, label, seat);
    if (one.classList.contains("up")) label.textContent = ""; // the heading says so
    return one;
  }

  function draw() {
    const aim = game ? aimed() : [];
    sides.forEach((one, seat) => {
      one.draw(...drawn(one, seat));
      state(one.box, one.state, seat);
      one.about.textContent = game.about[seat];
      const hits = [...one.marks.values()].filter((what) => what !== "m").length;
      one.count.textContent = hits ? `hit ${hits === 1 ? "once" : `${hits} times`}` : "not hit";
      one.box.classList.toggle("aim", aim.includes(seat));
      if (!narrow.matches || !one.isChosen) one.box.open = !narrow.matches || aim.includes(seat);
      one.top.tabIndex = narrow.matches ? 0 : -1;
    });
    const match = game && game.match;
    const ahead = (one, other) => (match ? match.won[other] - match.won[one] : 0) || game.score[other] - game.score[one];
    byId("score").replaceChildren(...[...sides.keys()].sort(ahead).map(score));
    byId("score").classList.toggle("of-match", Boolean(match));
    byId("match").textContent = match ? match.said : "";
    byId("match").hidden = !match;
    byId("playing").replaceChildren(...heading());
    byId("playing").classList.toggle("ended", Boolean(game && game.over));
    tick();
  }

  // Shows the time left for the present turn. The turn of a player who is gone waits.
  function tick() {
    const limits = game ? game.up.filter((seat) => !game.gone.includes(seat)).map((seat) => game.limits[seat]).filter(Boolean) : [];
    byId("clock").hidden = !limits.length;
    const left = Math.max(0, Math.ceil(Math.min(...limits) - (performance.now() - since) / 1000));
    byId("clock").textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} left`;
  }

  function showGame(next) {
    game = next;
    since = performance.now() - 1000 * (game ? game.waited : 0);
    sides = game ? game.names.map(side) : [];
    document.body.classList.toggle("playing", Boolean(game));
    byId("boards").replaceChildren(...sides.map(({ box }) => box));
    byId("boards-at").hidden = !game;
    if (game) game.boards.forEach((cells, seat) => cells.forEach((cell) => mark([seat, ...cell])));
    draw();
    byId("events").replaceChildren();
    happened(game ? game.said : []);
  }

  function move(what) {
    if (game) { // else the change is of a game that is gone
      if (what.marks || String(what.up) !== String(game.up)) since = performance.now();
      Object.assign(game, what);
      (what.marks || []).forEach(mark);
      draw();
    }
    happened(what.said);
  }

  // Fits the page to a projector: the largest boards with a column of text beside them or a band of
  // text below, then the largest type that fits the text; the table's last rows may be hidden.
  function fill() {
    if (!isBig) return;
    if (game) {
      const head = sides.length > 4 ? 28 : 46;
      const [columns, rows] = [game.columns.length + 1, game.rows.length + 0.8];
      const cell = (across, width, height) => {
        const down = Math.ceil(sides.length / across);
        return Math.min((width - (across - 1) * GAP) / across / columns, (height / down - head - GAP) / rows);
      };
      const largest = (width, height) => sides.map((_, seat) => [cell(seat + 1, width, height), seat + 1])
        .reduce((one, other) => (other[0] > one[0] ? other : one));
      const [width, height] = [innerWidth - 24, innerHeight - 24];
      const beside = largest(width - 24 - Math.max(300, 0.23 * width), height);
      const below = largest(width, height - Math.max(200, 0.25 * height));
      const isBelow = below[0] > MUCH * beside[0];
      document.body.classList.toggle("below", isBelow);
      const [size, across] = isBelow ? below : beside;
      const sizes = { "--across": across, "--cell": `${size}px`, "--columns": columns, "--head": `${head}px` };
      for (const [property, value] of Object.entries(sizes)) byId("boards").style.setProperty(property, value);
    }
    const parts = [...document.querySelectorAll(":is(.masthead, .summary, .lobby, .beside, .stands) > *, .score li")];
    const fits = () => parts.every((one) =>
      one.scrollWidth <= one.clientWidth && one.getBoundingClientRect().bottom <= innerHeight - 12);
    const lines = [...byId("standings").rows].slice(1);
    const fitsWith = (size, fewest) => {
      document.body.style.setProperty("--type", `${size}rem`);
      for (let shown = lines.length; ; shown -= 1) {
        lines.forEach((line, row) => { line.hidden = row >= shown; });
        tellMore(lines.length - shown);
        if (fits()) return true;
        if (shown <= fewest) return false;
      }
    };
    const types = game ? TYPE.slice(2) : TYPE;
    if (!types.some((size) => fitsWith(size, FEWEST_ROWS))) fitsWith(types.at(-1), 0);
  }

  // Says how many bots the table lacks: hidden ones, and those that the server left out.
  function tellMore(hidden) {
    byId("more").textContent = `and ${unlisted + hidden} more`;
    byId("more").hidden = !(unlisted + hidden);
  }

  // What stands beside it

  const parts = {
    lobby({ waiting, next, about }) {
      byId("waiting").replaceChildren(...waiting.map((text) => made("li", "", name(text))));
      byId("next").textContent = next;
      byId("about").textContent = about;
      byId("lobby-title").textContent = about ? "Join the next game" : "The next game";
      byId("lobby-at").hidden = !next;
      byId("commands").hidden = !about;
    },
    door(door) {
      const { hostname } = location;
      const own = /^(localhost|127\..*|\[::1\])$/.test(hostname);
      const host = door && (door.host || (own ? door.machine : hostname));
      byId("commands").replaceChildren(...(door ? door.commands : []).map((text) =>
        made("li", "", made("code", "", text.replace("HOST", host)))));
    },
    games({ playing, more, over }) {
      byId("games").replaceChildren(
        ...playing.map(([number, text]) => made("li", "", link(place(number), text))),
        ...(more ? [made("li", "note", `and ${more} more`)] : []),
        ...over.map(([number, text, hasPage]) =>
          made("li", "note", hasPage ? link(`games/${number}`, text) : text)));
      byId("games-at").hidden = playing.length + over.length < 2;
    },
    standings({ headings, rows, about, more }) {
      const isName = (column) => column === 1;
      const head = made("thead", "", made("tr", "", ...headings.map((text, column) =>
        Object.assign(made("th", isName(column) ? "" : "n", text), { scope: "col" }))));
      const body = made("tbody", "", ...rows.map((row, at) => made("tr", "", ...row.map((text, column) =>
        isName(column)
          ? Object.assign(made("th", "", name(text), ...person(about[at])), { scope: "row" })
          : made("td", "n", text)))));
      byId("standings").replaceChildren(head, body);
      byId("standings-at").hidden = !rows.length;
      unlisted = more;
      tellMore(0);
    },
    chat(lines) {
      const list = byId("chat");
      const talk = list.parentElement;
      const isAtEnd = talk.scrollHeight - talk.scrollTop - talk.clientHeight < 40;
      list.append(...lines.map(([who, text]) =>
        made("li", "", who === null ? made("em", "", "the host") : made("strong", "", name(who)), ": ", made("bdi", "", text))));
      while (list.children.length > MOST_SAID) list.firstElementChild.remove();
      byId("chat-at").hidden = !list.children.length;
      if (isAtEnd) talk.scrollTop = talk.scrollHeight;
    },
    contest(contest) {
      byId("progress").textContent = contest ? contest.progress : "";
      byId("progress").hidden = !contest;
      byId("contest-at").hidden = !contest || !contest.title;
      if (!contest) return;
      byId("contest-title").textContent = contest.title;
      byId("stands").textContent = contest.stands;
      byId("bracket-at").hidden = !contest.bracket.length;
      const width = { 4: "of-four", 5: "of-five", 6: "of-six" }[contest.bracket.length];
      byId("bracket").className = `bracket ${width || (contest.bracket.length > 6 ? "all-below" : "")}`;
      byId("bracket").replaceChildren(...contest.bracket.map((round) =>
        made("li", "", made("h3", "", round.name), made("ol", "", ...round.matches.map((match) =>
          made("li", "", made("div", "meeting", ...match.map(meeting))))))));
      byId("notes").replaceChildren(...contest.notes.map((text) => made("p", "note", text)));
    },
  };

  function meeting(side) {
    if (!side) return made("div", "side", made("small", ""), made("span", "open", "bye"));
    const [seed, text, score, isWinner, about] = side;
    return made("div", `side${isWinner ? " won" : ""}`, made("small", "", seed || ""),
      text === null ? made("span", "open", "–") : made("span", "",
        made(isWinner ? "strong" : "span", "", name(text)), ...person(about)),
      ...(score ? [made("span", "score", score)] : []));
  }

  function change(what) {
    for (const [part, value] of Object.entries(what)) {
      if (part in parts) parts[part](value);
    }
    if ("game" in what) showGame(what.game);
    for (const one of what.move || []) move(one);
    const said = (what.move || []).flatMap((one) => one.said);
    if (said.length) byId("aloud").textContent = said.slice(-3).join(". ");
    fill();
  }

  // The connection

  function follow() {
    const events = new EventSource(`events${chosen ? `?game=${chosen}` : ""}`);
    events.addEventListener("state", ({ data }) => {
      isOver = false;
      byId("chat").replaceChildren();
      change(JSON.parse(data));
      connection("");
    });
    events.addEventListener("change", ({ data }) => change(JSON.parse(data)));
    events.addEventListener("end", () => {
      isOver = true;
      byId("lobby-at").hidden = true;
      if (game) game.up = [];
      draw();
      connection(isContest() ? "" : byId("connection").dataset.over);
      // The server is gone, and with it the pages of games.
      for (const one of document.querySelectorAll('a[href^="games/"]')) one.replaceWith(one.textContent);
      events.close();
      setTimeout(follow, AGAIN);
    });
    events.addEventListener("error", () => {
      if (!isOver) connection("The server does not answer; this page goes on as soon as it does.", true);
      if (events.readyState !== EventSource.CLOSED || isOver) return;
      setTimeout(follow, AGAIN);
    });
  }
  setInterval(tick, 1000);
  addEventListener("resize", fill);
  narrow.addEventListener("change", draw);
  follow();
})();
