"use strict";
// The rows of a table by a column: most first, and the other way at the next click.
for (const button of document.querySelectorAll("th button")) {
  button.onclick = () => {
    const head = button.parentNode, body = head.closest("table").tBodies[0], at = head.cellIndex;
    const text = (row) => row.cells[at].textContent;
    const isNumber = !head.classList.contains("t") && !head.classList.contains("s");
    const now = head.getAttribute("aria-sort");
    const up = now ? now === "descending" : !isNumber;
    for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const value = (row) => (text(row) === "" ? -Infinity : Number(text(row)));
    const order = (a, b) => (isNumber ? value(a) - value(b) : text(a).localeCompare(text(b))) * (up ? 1 : -1);
    [...body.rows].sort(order).forEach((row) => body.append(row));
  };
}
// Rows whose file or entry has these letters; the address keeps them.
const filter = document.querySelector("input");
const show = () => {
  const wanted = filter.value.toLowerCase();
  for (const row of document.querySelectorAll("tbody tr")) {
    row.hidden = wanted !== "" && !row.dataset.name.toLowerCase().includes(wanted);
  }
};
filter.oninput = () => {
  history.replaceState(null, "", "#" + encodeURIComponent(filter.value));
  show();
};
const fromAddress = () => {
  filter.value = decodeURIComponent(location.hash.slice(1));
  show();
};
window.onhashchange = fromAddress;
fromAddress();
