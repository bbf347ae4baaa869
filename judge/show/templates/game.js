// Steps through the game whose record is in this page. Each view is computed from the record alone,
// not from the view before.
(() => {
  const { byId, made, plural } = boards;
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const {
    record, names, fired, last, many, dialects, again, placed, unit, salvos, grids, board, marks, volleys,
    sunkLengths, snapshot, fleetReply, evidenceOf, shotsOf,
  } = sheet;
  // Characters without a visible shape, which the judge's commands escape too.
  const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;
  const SIDES = "ABCDEFGHI";

  // Boards

  const fogged = record.seats.map(() => false);

  function draw(seat, step) {
    const count = fired[step];
    grids[seat].draw(board(seat, count, fogged[seat]), marks(seat, step));
    const list = document.querySelector(`.tally[data-seat="${seat}"]`);
    if (list) tally(list, sunkLengths(seat, count, fogged[seat]));
    const at = record.shots.slice(0, count).filter((shot) => shot[1] === seat);
    const hits = at.filter((shot) => shot[4] >= boards.HIT).length;
    const turns = salvos ? fired.filter((end, i) =>
      i && end <= count && record.shots.slice(fired[i - 1], end).some((shot) => shot[1] === seat)).length : 0;
    document.querySelector(`.count[data-seat="${seat}"]`).textContent =
      `Received ${salvos ? `${plural(turns, "volley")}, ` : ""}${plural(at.length, "shot")}: ${plural(hits, "hit")}, ` +
      plural(at.length - hits, "miss", "misses");
  }

  function tally(list, lengths) {
    for (const item of list.children) {
      const found = lengths.indexOf(Number(item.dataset.length));
      if (found >= 0) lengths.splice(found, 1);
      item.classList.toggle("sunk", found >= 0);
      item.lastElementChild.textContent =
        `${item.dataset.length} cells, ${found >= 0 ? "sunk" : "afloat"}`;
    }
  }

  // Moves: what went in and came out

  // The bots' runs in a step: each with its seat, its number for `judge replay --move`, its time,
  // what went in and what came out.
  function runs(step) {
    const found = [];
    const failed = (seat, number) => {
      const run = evidenceOf(seat);
      if (run) {
        // A program that runs for several moves has an exchange for each answer.
        const [asked, , ms] = (run.exchanges || []).slice(-1)[0] ||
          [run.argv[run.argv.length - 1], "", run.wall_ms];
        found.push({
          seat, number, ms, in: asked, out: run.stdout,
          note: `${run.stdout ? "" : "It printed nothing. "}${run.signal || run.exit !== null
            ? `Ended by ${run.signal || `exit ${run.exit}`}` : "It was still running"}; ` +
            "the game was lost by this run.",
        });
      }
    };
    if (step === 0) {
      record.seats.forEach(({ fleet, ms }, seat) => {
        const number = SIDES[seat];
        if (!fleet) failed(seat, number);
        else if (placed) found.push({ seat, number, ms, in: dialects[seat] && '{"cmd":"init"}', out: dialects[seat] && fleetReply(fleet) });
      });
    }
    const round = unit === "Round";
    for (const [seat, from, to] of volleys(step)) {
      const [, , column, row, , ms] = record.shots[from];
      found.push({
        seat, number: round ? `${step}${SIDES[seat]}` : step, ms,
        in: dialects[seat] && snapshot(seat, fired[step - 1]),
        out: dialects[seat] && to - from === 1 && JSON.stringify({ move: `${column}${row}` }),
      });
    }
    for (const row of step ? rows[step] || [] : []) {
      if (row.dataset.seat) failed(Number(row.dataset.seat), step);
    }
    return found;
  }

  // Escapes the characters without a visible shape, except line feeds and tabs.
  const escaped = (code) =>
    code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  const visible = (text) => [...text].map((one) =>
    UNSEEN.test(one) && !"\n\t".includes(one) ? escaped(one.codePointAt(0)) : one).join("");
  const number = (ms) => ms.toLocaleString("en", { maximumFractionDigits: ms < 1000 ? 1 : 0 });

  function showRuns(step) {
    const found = runs(step);
    byId("runs").replaceChildren(...found.map((run) => {
      const part = byId("run").content.cloneNode(true);
      const fill = (selector, text) => {
        const box = part.querySelector(selector);
        if (text) box.textContent = visible(text);
        else { box.previousElementSibling.remove(); box.remove(); }
      };
      const whose = part.querySelector("h3");
      whose.textContent = names[run.seat];
      whose.classList.toggle("aloud", found.length === 1); // then the sentence above says it
      const time = part.querySelector(".time");
      const share = run.ms / record.limits.timeout_ms;
      part.querySelector(".meter").classList.toggle("over", share > 1);
      part.querySelector(".meter i").style.width = `${Math.min(100, 100 * share)}%`;
      time.lastElementChild.textContent =
        `${number(run.ms || 0)} ms of ${number(record.limits.timeout_ms)} ms`;
      if (!record.started) time.remove(); // the game comes from a log without times
      const isBot = record.seats[run.seat].digest !== null;
      if (!isBot) part.querySelector("h4").textContent = "A bot would have been told";
      fill(".in", run.in);
      fill(".out", run.out);
      fill(".again", again[run.seat] && `judge replay ${fileName()} --move ${run.number}`);
      part.querySelector(".note").textContent = visible(run.note || "");
      return part;
    }));
  }

  // The list of moves

  const rows = [];
  for (const row of byId("moves").querySelector("tbody").rows) {
    const step = Number(row.querySelector("a").hash.slice("#move=".length));
    (rows[step] ||= []).push(row);
  }

  // What a step did, in a sentence. A volley is summed up, or told shot by shot with `inFull`.
  function sentence(step, inFull) {
    const here = rows[step] || [];
    if (!here.length) return step ? "The game is over" : "The fleets are placed";
    const fired = volleys(step);
    return here.map((row) => {
      const [by, ...cells] = [...row.cells].slice(1).map((cell) => cell.textContent.trim());
      const [at, where, did] = many ? cells : ["", ...cells];
      if (!where) return `${by} ${did}`;
      const [, from, to] = fired.shift();
      if (to - from === 1) return `${by} shoots${at && ` at ${at}`} ${where}: ${did}`;
      return `${by} fires ${to - from} shots: ${inFull ? shotsOf(from, to).join("; ") : did}`;
    }).join("; ");
  }

  // Lists the shots of a volley below the sentence.
  function showVolley(step) {
    const [[, from, to] = []] = volleys(step);
    byId("volley").hidden = !(to - from > 1);
    byId("volley").replaceChildren(...(to - from > 1 ? shotsOf(from, to) : []).map((text, i) => {
      const result = record.shots[from + i][4];
      return made("li", "", made("i", `dot ${"w..hx"[result].replace(".", "m")}`), text);
    }));
  }

  function markRow(step) {
    const frame = byId("moves");
    all("tr.current", frame).forEach((row) => {
      row.classList.remove("current");
      row.querySelector("a").removeAttribute("aria-current");
    });
    for (const row of rows[step] || []) {
      row.classList.add("current");
      row.querySelector("a").setAttribute("aria-current", "step");
    }
    const row = (rows[step] || [])[0];
    frame.scrollTop = row ? row.offsetTop - frame.clientHeight / 2 : 0;
  }

  // The shown step

  const scrub = byId("scrub"), playButton = document.querySelector('[data-go="play"]');
  let step = last, timer = 0;

  function show(to) {
    step = Math.max(0, Math.min(last, to));
    record.seats.forEach((_, seat) => draw(seat, step));
    const said = sentence(step);
    byId("step").textContent = `${unit} ${step} of ${last}`;
    byId("now").textContent = said;
    byId("where").textContent = `${step} / ${last}`;
    scrub.value = step;
    scrub.setAttribute("aria-valuetext", `${step} of ${last}: ${said}`);
    document.querySelector(".lanes .head:not(path)").style.left = `${last ? (100 * step) / last : 0}%`;
    showVolley(step);
    showRuns(step);
    markRow(step);
    if (!timer) tell();
  }

  // Tells a screen reader of the step.
  function tell() {
    byId("said").textContent = `${unit} ${step} of ${last}: ${sentence(step, true)}`;
  }

  // Goes to a step, and puts the step into the page's address.
  function go(to) {
    document.body.classList.add("stepped");
    show(to);
    history.replaceState(null, "", `#move=${step}`);
  }

  function fromAddress() {
    const wanted = /^#move=(\d{1,6})$/.exec(location.hash);
    if (wanted) show(Number(wanted[1]));
    return Boolean(wanted);
  }

  function fileName() {
    let name = location.pathname.split("/").pop();
    try { name = decodeURIComponent(name); } catch { /* it stays as it is written */ }
    if (!name) return "PAGE.html";
    if (name.startsWith("-")) name = `./${name}`;
    if (/^[\w.+/][\w.+/-]*$/.test(name)) return name;
    if (!UNSEEN.test(name)) return `'${name.replace(/'/g, "'\\''")}'`;
    // Quoted for bash, with the bytes of special and unseen characters in octal.
    const octal = (text) => [...new TextEncoder().encode(text)]
      .map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
    return `$'${[...name].map((one) => UNSEEN.test(one) || "'!\\".includes(one) ? octal(one) : one).join("")}'`;
  }

  // Playing

  function pause() {
    clearTimeout(timer);
    timer = 0;
    playButton.setAttribute("aria-label", "Play");
    playButton.classList.remove("playing");
    playButton.querySelector("path").setAttribute("d", "M4 2l9 6-9 6z");
    tell();
  }

  function play() {
    if (timer) return pause();
    const next = () => {
      timer = setTimeout(next, Number(byId("speed").value));
      go(step + 1);
      if (step === last) pause();
    };
    timer = setTimeout(next, 0);
    playButton.setAttribute("aria-label", "Pause");
    playButton.classList.add("playing");
    playButton.querySelector("path").setAttribute("d", "M4 3v10M12 3v10");
    if (step === last) go(0);
  }

  const GO = {
    first: () => go(0), back: () => go(step - 1), on: () => go(step + 1), last: () => go(last), play,
  };
  const KEYS = { Home: "first", ArrowLeft: "back", ArrowRight: "on", End: "last", " ": "play" };

  function halted(action) {
    if (timer && action !== "play") pause();
    GO[action]();
  }

  for (const button of all("[data-go]")) {
    button.addEventListener("click", () => halted(button.dataset.go));
  }
  scrub.addEventListener("input", () => { if (timer) pause(); go(Number(scrub.value)); });

  document.addEventListener("keydown", (event) => {
    const on = event.target;
    if (event.ctrlKey || event.altKey || event.metaKey || on.matches("select, textarea")) return;
    if (event.key === " " && on.matches("button, a, input[type=checkbox]")) return;
    if (event.key === "f" || event.key === "F") {
      const fog = !fogged.every(Boolean);
      all("[data-fog]").forEach((box) => { box.checked = fog; });
      fogged.fill(fog);
      show(step);
    } else if (KEYS[event.key]) {
      event.preventDefault();
      halted(KEYS[event.key]);
    }
  });

  for (const box of all("[data-fog]")) {
    box.addEventListener("change", () => {
      fogged[Number(box.dataset.fog)] = box.checked;
      show(step);
    });
  }

  const strip = document.querySelector(".strip"), lanes = document.querySelector(".lanes");
  function seek(event) {
    const { left, width } = lanes.getBoundingClientRect();
    if (timer) pause();
    go(Math.round(((event.clientX - left) / width) * last));
  }
  strip.addEventListener("pointerdown", (event) => {
    strip.setPointerCapture(event.pointerId);
    seek(event);
  });
  strip.addEventListener("pointermove", (event) => { if (event.buttons & 1) seek(event); });

  for (const button of all("[data-all]")) {
    const end = button.parentElement.nextElementSibling;
    end.scrollTop = end.scrollHeight;
    button.hidden = false;
    button.addEventListener("click", () => {
      const [seat, stream] = button.dataset.all.split(" ");
      const gap = button.parentElement, begin = gap.previousElementSibling;
      begin.textContent = visible(evidenceOf(Number(seat))[stream]);
      end.remove();
      gap.remove();
      begin.focus();
    });
  }

  window.addEventListener("hashchange", fromAddress);
  window.addEventListener("beforeprint", () => { if (timer) pause(); });
  if (!fromAddress()) show(last);
})();
