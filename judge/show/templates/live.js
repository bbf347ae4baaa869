// Follows the games: the server tells all that there is to see, and then what changes. After a cut
// it is all told anew.
(() => {
  const { byId, made, key } = boards;
  const AGAIN = 2000; // milliseconds until the server is looked for again
  const MOST_EVENTS = 12;
  const MOST_SAID = 50;
  const asked = new URLSearchParams(location.search);
  const isBig = asked.has("big");
  const chosen = /^\d{1,9}$/.test(asked.get("game") || "") ? asked.get("game") : "";
  document.body.classList.toggle("big", isBig);
  let game = null;
  let sides = [];
  let isOver = false;

  const name = (text) => made("bdi", "", text);
  const link = (href, text) => Object.assign(made("a", "", text), { href });
  const place = (number) => `?game=${number}${isBig ? "&big" : ""}`;
  byId("shown").href = isBig ? "?big" : "./";
  byId("big").href = chosen ? `?game=${chosen}&big` : "?big";

  function connection(text, isLost = false) {
    byId("connection").textContent = text;
    byId("connection").classList.toggle("is-lost", isLost);
  }

  // The game

  function happened(said) {
    const list = byId("events");
    for (const text of said) list.prepend(made("li", "", text));
    while (list.children.length > MOST_EVENTS) list.lastElementChild.remove();
  }

  function ended() {
    byId("ending").hidden = !game || !game.over;
    if (!game || !game.over) return;
    const more = game.over.page ? [" ", link(`games/${game.number}`, "Step through it")] : [];
    byId("ending").replaceChildren(game.over.ending, ...more);
  }

  function side(text) {
    const { table, draw } = boards.board(name(text), game.columns, game.rows);
    const count = made("p", "count");
    const box = made("section", "side", made("h3", "", name(text)), table, count);
    box.ariaLabel = text;
    return { box, count, draw, marks: new Map() };
  }

  function mark([seat, column, row, what]) {
    sides[seat].marks.set(key(column, row), what);
  }

  // The board of a seat: what was hit and missed, and once the game is over its ships.
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

  function draw() {
    sides.forEach((one, seat) => {
      one.draw(...drawn(one, seat));
      one.box.classList.toggle("up", game.up.includes(seat));
      one.box.classList.toggle("gone", game.gone.includes(seat));
      one.box.classList.toggle("won", Boolean(game.over) && seat === game.over.winner);
      const hits = game.hits[seat];
      one.count.textContent = hits ? `hit ${hits === 1 ? "once" : `${hits} times`}` : "not hit";
    });
  }

  function showGame(next) {
    game = next;
    sides = game ? game.names.map(side) : [];
    byId("boards").replaceChildren(...sides.map(({ box }) => box));
    if (game) game.boards.forEach((cells, seat) => cells.forEach((cell) => mark([seat, ...cell])));
    draw();
    byId("legend").hidden = !game;
    const players = game ? game.names.flatMap((text, seat) => seat ? [" – ", name(text)] : [name(text)]) : [];
    byId("playing").replaceChildren(...(game ? players : [chosen ? "This game is not to be seen any more" : "No game yet"]));
    byId("events").replaceChildren();
    if (game) happened(game.said);
    ended();
  }

  function move(what) {
    if (game) { // else it is told of a game that is not there any more
      Object.assign(game, what);
      (what.marks || []).forEach(mark);
      draw();
    }
    happened(what.said);
    if (what.over) ended();
  }

  // What stands beside it

  const parts = {
    lobby({ waiting, about }) {
      byId("waiting").replaceChildren(...waiting.map((text) => made("li", "", name(text))));
      byId("about").textContent = about || (waiting.length ? "" : "Nobody waits.");
      byId("about").hidden = !byId("about").textContent;
    },
    games({ playing, more, over }) {
      byId("games").replaceChildren(
        ...playing.map(([number, text]) => made("li", "", link(place(number), text))),
        ...(more ? [made("li", "note", `and ${more} more`)] : []),
        ...over.map(([number, text, hasPage]) =>
          made("li", "note", hasPage ? link(`games/${number}`, text) : text)));
      byId("games-at").hidden = !playing.length && !over.length;
    },
    standings({ headings, rows }) {
      const isName = (column) => column === 1;
      const head = made("thead", "", made("tr", "", ...headings.map((text, column) =>
        Object.assign(made("th", isName(column) ? "" : "n", text), { scope: "col" }))));
      const body = made("tbody", "", ...rows.map((row) => made("tr", "", ...row.map((text, column) =>
        isName(column)
          ? Object.assign(made("th", "", name(text)), { scope: "row" })
          : made("td", "n", text)))));
      byId("standings").replaceChildren(head, body);
      byId("standings-at").hidden = !rows.length;
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
      byId("contest-at").hidden = !contest;
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
    const [seed, text, score, isWinner] = side;
    return made("div", `side${isWinner ? " won" : ""}`, made("small", "", seed || ""),
      text === null ? made("span", "open", "–") : made(isWinner ? "strong" : "span", "", name(text)),
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
  }

  // The connection

  function follow() {
    const events = new EventSource(`events${chosen ? `?game=${chosen}` : ""}`);
    events.addEventListener("state", ({ data }) => {
      isOver = false;
      connection("");
      byId("chat").replaceChildren();
      change(JSON.parse(data));
    });
    events.addEventListener("change", ({ data }) => change(JSON.parse(data)));
    events.addEventListener("end", () => {
      isOver = true;
      connection(byId("connection").dataset.over);
      // The pages of games have gone with the server.
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
  follow();
})();
