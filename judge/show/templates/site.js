"use strict";
// Makes tables sortable and filterable, and lights up the chart's line of a bot that is pointed at.
// Without this script, tables are shown whole and in their own order.

for (const table of document.querySelectorAll("table.figures")) {
  const body = table.tBodies[0];
  const headings = [...table.querySelectorAll("th[data-sort]")];
  const original = [...body.rows];
  for (const heading of headings) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const was = heading.getAttribute("aria-sort");
      const first = heading.dataset.sort === "up" ? "ascending" : "descending";
      const other = first === "ascending" ? "descending" : "ascending";
      const order = was === first ? other : first;
      for (const each of headings) each.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", order);
      const column = heading.cellIndex;
      const sign = order === "ascending" ? 1 : -1;
      const rows = original.map((row) => [value(row.cells[column]), row]);
      // Unknown values come last in both orders; equal values stay in the table's order.
      rows.sort(([a], [b]) => (a === null) - (b === null) || (a === null ? 0 : sign * compare(a, b)));
      body.append(...rows.map(([, row]) => row));
      table.classList.toggle("resorted", body.rows.length > 0 && original.some((row, at) => row !== body.rows[at]));
    });
  }
}

function value(cell) {
  const text = cell.textContent.trim();
  if (text === "–" || text === "") return null;
  const number = cell.matches(".n") ? parseFloat(text.replace(/,/g, "")) : NaN;
  return Number.isNaN(number) ? text : number;
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

for (const filters of document.querySelectorAll(".filters")) {
  filters.hidden = false;
  const inputs = [...filters.querySelectorAll("[data-filter]")];
  const table = document.getElementById(inputs[0].dataset.table);
  const count = filters.querySelector("output");
  const wanted = {
    name: (row, input) => row.querySelector("th").textContent.toLowerCase().includes(input.value.trim().toLowerCase()),
    forfeits: (row, input) => !input.checked || row.dataset.forfeits !== "0",
    result: (row, input) => !input.value || row.dataset.result.split(" ").includes(input.value),
  };
  const filter = () => {
    const rows = [...table.tBodies[0].rows];
    let shown = 0;
    for (const row of rows) {
      row.hidden = !inputs.every((input) => wanted[input.dataset.filter](row, input));
      shown += !row.hidden;
    }
    count.value = shown === rows.length ? "" : `${shown} of ${rows.length}`;
  };
  for (const input of inputs) input.addEventListener("input", filter);
  filter(); // a browser may bring back what was typed before
}

const lit = (place, on) => {
  for (const each of document.querySelectorAll(`.chart [data-bot="${place}"]`)) each.classList.toggle("lit", on);
};
for (const row of document.querySelectorAll("tr[data-bot]")) {
  for (const [event, on] of [["mouseenter", true], ["focusin", true], ["mouseleave", false], ["focusout", false]]) {
    row.addEventListener(event, () => lit(row.dataset.bot, on));
  }
}
