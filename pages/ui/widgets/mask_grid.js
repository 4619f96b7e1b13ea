// A grid of buttons: rows are queries, columns are keys; a pressed button means "may look".
//
// A click is painted at once and then reported with a number that counts up. An answer of the server that
// knows less than this number is late and must not take newer clicks back; a new version always counts,
// because Python itself has changed the mask.

const grids = new WeakMap(); // one for each table on the page; it outlives the runs of the script

export default function ({ parentElement, data, setStateValue }) {
  const table = parentElement.querySelector("table");
  if (!grids.has(table)) grids.set(table, createGrid(table, parentElement.querySelector("p")));
  grids.get(table)(data, (mask) => setStateValue("mask", mask));
}

function createGrid(table, reading) {
  const frame = table.parentElement;
  let data = { allowed: [], version: null };
  let report;
  let cells = []; // what is painted: cells[row][column], true = allowed
  let seq = 0;
  let buttons = new Map(); // "row,column" → button; row or column -1 are the names
  let active = [0, 0]; // the one button that the Tab key reaches
  let described = null; // the button whose sentence stands under the grid
  let stroke = null; // a drag: { value, at, before }

  const rows = () => cells.keys();
  const columns = () => cells[0].keys();
  const place = (button) => [Number(button.dataset.row), Number(button.dataset.column)];
  const isCell = (button) => button && place(button).every((position) => position >= 0);

  function receive(newData, newReport) {
    const resized =
      newData.allowed.length !== cells.length || newData.allowed[0].length !== cells[0].length;
    if (newData.version !== data.version || newData.seq >= seq) {
      cells = newData.allowed.map((row) => [...row]);
      seq = newData.seq;
      stroke = null;
    }
    data = newData;
    report = newReport;
    if (resized) build();
    draw();
    fit();
  }

  function build() {
    const element = (name, ...children) => {
      const made = document.createElement(name);
      made.append(...children);
      return made;
    };
    const button = (row, column) => {
      const made = element("button");
      Object.assign(made, { type: "button", tabIndex: -1 });
      Object.assign(made.dataset, { row, column });
      buttons.set(`${row},${column}`, made);
      return made;
    };
    const name = (scope, row, column) => {
      const made = element("th", button(row, column));
      made.scope = scope;
      made.firstChild.append(element("span"));
      return made;
    };
    buttons = new Map();
    described = null;
    const corner = element("td", element("span"), element("span"));
    const head = element("tr", corner, ...columns().map((column) => name("col", -1, column)));
    const body = [...rows()].map((row) =>
      element("tr", name("row", row, -1), ...columns().map((column) => element("td", button(row, column)))),
    );
    table.replaceChildren(element("thead", head), element("tbody", ...body));
    frame.style.setProperty("--columns", cells[0].length);
    focusable(Math.min(active[0], cells.length - 1), Math.min(active[1], cells[0].length - 1));
  }

  // Words: labels are what visitors typed, so they only ever become text.
  function sentence([row, column]) {
    const kind = row < 0 ? "column" : column < 0 ? "row" : cells[row][column] ? "allowed" : "blocked";
    const slots = { query: data.query_labels[row], key: data.key_labels[column] };
    const words = data.words[kind].replace(/\{(query|key)\}/g, (_, slot) => slots[slot]);
    // A note explains what Python sent; it says nothing about a cell painted since.
    const note = cells[row]?.[column] === data.allowed[row]?.[column] && data.notes[row]?.[column];
    return note ? `${words} – ${note}` : words;
  }

  function draw() {
    table.setAttribute("aria-label", data.label);
    const [keys, queries] = table.querySelectorAll("thead td span");
    keys.textContent = data.words.keys;
    queries.textContent = data.words.queries;
    for (const button of buttons.values()) drawButton(button);
    describe(described);
  }

  function drawButton(button) {
    const [row, column] = place(button);
    const words = sentence([row, column]);
    button.setAttribute("aria-label", words);
    button.title = words;
    if (isCell(button)) {
      button.setAttribute("aria-pressed", cells[row][column]);
    } else {
      const label = row < 0 ? data.key_labels[column] : data.query_labels[row];
      button.firstChild.textContent = label;
      button.parentElement.setAttribute("aria-label", label);
    }
  }

  function describe(button) {
    described = button;
    reading.textContent = button ? sentence(place(button)) : data.words.hint;
  }

  function paint(places, value) {
    seq += 1;
    for (const [row, column] of places) {
      cells[row][column] = value;
      drawButton(buttons.get(`${row},${column}`));
    }
    describe(described);
  }

  const send = () => report({ version: data.version, seq, allowed: cells });

  table.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return; // the end of a drag
    const [row, column] = place(button);
    const places = (row < 0 ? [...rows()] : [row]).flatMap((r) =>
      (column < 0 ? [...columns()] : [column]).map((c) => [r, c]),
    );
    paint(places, !places.every(([r, c]) => cells[r][c]));
    send();
  });

  // Dragging: nothing is painted until the pointer reaches a second cell, so a tap stays a click and a finger
  // that starts to scroll leaves no mark.
  table.addEventListener("pointerdown", (event) => {
    const button = event.target.closest("button");
    if (!isCell(button) || !event.isPrimary || event.button !== 0) return;
    const [row, column] = place(button);
    stroke = { value: !cells[row][column], at: [row, column], before: null };
  });
  table.addEventListener("pointermove", (event) => {
    if (!stroke) return;
    const button = table.getRootNode().elementFromPoint(event.clientX, event.clientY)?.closest("button");
    if (!isCell(button) || !table.contains(button)) return;
    const [from, to] = [stroke.at, place(button)];
    const steps = Math.max(Math.abs(to[0] - from[0]), Math.abs(to[1] - from[1]));
    if (steps === 0) return;
    if (!stroke.before) {
      stroke.before = cells.map((row) => [...row]);
      table.setPointerCapture(event.pointerId);
    }
    const between = (axis, step) => Math.round(from[axis] + ((to[axis] - from[axis]) * step) / steps);
    stroke.at = to;
    describe(button);
    paint(
      Array.from({ length: steps + 1 }, (_, step) => [between(0, step), between(1, step)]),
      stroke.value,
    );
  });
  table.addEventListener("pointerup", () => endStroke());
  table.addEventListener("pointercancel", () => {
    if (stroke?.before) {
      cells = stroke.before;
      draw();
    }
    endStroke();
  });
  function endStroke() {
    if (stroke?.before) send();
    stroke = null;
  }

  // One tab stop for the whole grid; the arrow keys walk in it.
  function focusable(row, column) {
    buttons.get(String(active))?.setAttribute("tabindex", -1);
    active = [row, column];
    buttons.get(String(active)).setAttribute("tabindex", 0);
  }
  table.addEventListener("focusin", (event) => {
    focusable(...place(event.target));
    describe(event.target);
  });
  table.addEventListener("keydown", (event) => {
    const [row, column] = active;
    const last = [cells.length - 1, cells[0].length - 1];
    const whole = event.ctrlKey || event.metaKey;
    const target = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      Home: [whole ? 0 : row, 0],
      End: [whole ? last[0] : row, last[1]],
    }[event.key];
    if (!target) return;
    event.preventDefault();
    buttons.get(String(target))?.focus();
  });

  table.addEventListener("pointerover", (event) => {
    const button = event.target.closest("button");
    if (button) describe(button);
  });
  table.addEventListener("pointerleave", () => describe(table.querySelector("button:focus")));
  table.addEventListener("focusout", () => describe(null));

  // Names stand upright when one of them is wider than its column; a finger scrolls a grid that is too wide.
  function fit() {
    const scrolled = frame.scrollLeft;
    frame.classList.remove("upright", "scrolls");
    const names = [...table.querySelectorAll("thead th span")];
    frame.classList.toggle("scrolls", frame.scrollWidth > frame.clientWidth);
    frame.classList.toggle("upright", names.some((name) => name.scrollWidth > name.clientWidth));
    frame.scrollLeft = scrolled;
  }
  new ResizeObserver(fit).observe(frame);

  return receive;
}
