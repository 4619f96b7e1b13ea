// What st.data_editor's grids lack: a quick hand loses no key, a click elsewhere no unfinished cell, and a pasted block
// that would be cut or misread goes to the server whole.
//
// A grid commits a cell a moment after Enter, and tells the server later still. A key that comes meanwhile would be
// typed into the closing cell, a click on a link would leave the page first: both wait here until the grid is ready.

const LONGEST_WAIT = 3000; // ms that a key waits at most
const UNTOLD = 300; // ms after a commit in which the server may not know of it
const LONGEST_RUN = 5000; // ms that a click waits for the server at most
const NUMBER = /^\s*[-+−]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?\s*$/;

const grids = new Map(); // widget key → { rows, columns, report } of each grid on the page

export default function ({ data, setTriggerValue }) {
  const report = (text) => setTriggerValue("pasted", text);
  grids.set(data.grid, { ...data, report });
  return () => grids.get(data.grid)?.report === report && grids.delete(data.grid);
}

const cellEditor = () => document.querySelector("#portal textarea, #portal input");
const gridOf = (element) => element?.closest?.('[data-testid="stDataFrame"]');

// ------------------------------------------------------------------------------------------------------- keys

let awaited = null; // what the grid has yet to do: open or close a cell's editor
let since = 0;
const waiting = []; // keys that were pressed meanwhile

function isReady() {
  const editor = cellEditor();
  if (awaited === "open") return editor !== null && document.activeElement === editor;
  return editor === null && gridOf(document.activeElement) !== null;
}

function closesEditor({ target, key, shiftKey }) {
  return cellEditor() === target && ((key === "Enter" && !shiftKey) || key === "Tab" || key === "Escape");
}

/** Note what the grid will do because of this key. */
function follow(event) {
  awaited = null;
  if (closesEditor(event)) {
    awaited = "close";
    committed = performance.now();
  } else if (gridOf(event.target) && (event.key.length === 1 || event.key === "Enter")) {
    awaited = "open";
  }
  since = performance.now();
  if (awaited || waiting.length) releaseSoon();
}

/** A key that closes waits longer: until the editor has taken in what was typed before it. */
function releaseSoon() {
  setTimeout(release, awaited === null && waiting.length && closesEditor(waiting[0]) ? 40 : 5);
}

/** Let one key through as soon as the grid is ready; the next one later, when the editor has taken this one in. */
function release() {
  if (awaited && !isReady() && performance.now() - since < LONGEST_WAIT) return releaseSoon();
  awaited = null;
  if (waiting.length) pressAgain(waiting.shift());
}

function pressAgain({ key, code, keyCode, shiftKey }) {
  const target = document.activeElement;
  const again = { key, code, keyCode, which: keyCode, shiftKey, bubbles: true, cancelable: true, composed: true };
  const event = new KeyboardEvent("keydown", again);
  if (target.dispatchEvent(event) && target === cellEditor()) {
    if (key.length === 1) document.execCommand("insertText", false, key);
    if (key === "Backspace") document.execCommand("delete");
  }
  follow(event);
}

window.addEventListener(
  "keydown",
  (event) => {
    const isShortcut = event.ctrlKey || event.metaKey || event.altKey;
    if (!event.isTrusted || isShortcut || event.isComposing || event.keyCode === 229 || event.key === "Shift") return;
    // A key that closes waits as well: in a row of quick keys the editor has not yet taken in the one before it.
    const mustWait = waiting.length > 0 || (awaited && !isReady()) || closesEditor(event);
    if (!mustWait) return follow(event);
    event.preventDefault();
    event.stopImmediatePropagation();
    if (waiting.push(event) === 1 && !awaited) releaseSoon();
  },
  true,
);

// ----------------------------------------------------------------------------------------------------- clicks

let unfinished = false; // the pointer went down elsewhere while a cell was being edited; the grid commits when it goes up
let committed = -Infinity;

const isElsewhere = (target) => !gridOf(target) && !document.getElementById("portal")?.contains(target);

window.addEventListener(
  "pointerdown",
  (event) => {
    unfinished = cellEditor() !== null && isElsewhere(event.target);
  },
  true,
);

window.addEventListener(
  "click",
  (event) => {
    if (unfinished) committed = performance.now();
    unfinished = false;
    const opensElsewhere = event.ctrlKey || event.metaKey || event.shiftKey;
    if (!event.isTrusted || opensElsewhere || !isElsewhere(event.target)) return;
    if (performance.now() - committed > UNTOLD) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    setTimeout(clickWhenTold, UNTOLD, event, performance.now());
  },
  true,
);

function clickWhenTold(event, start) {
  const isRunning = document.querySelector('[data-testid="stApp"]').dataset.testScriptState !== "notRunning";
  if (isRunning && performance.now() - start < LONGEST_RUN) return void setTimeout(clickWhenTold, 30, event, start);
  const { target, clientX, clientY } = event;
  (target.isConnected ? target : document.elementFromPoint(clientX, clientY))?.click();
}

// ----------------------------------------------------------------------------------------------------- pasting

/** Whether the grid itself pastes this as it is meant: plain numbers, from the selected cell on within the grid. */
function fits(text, { rows, columns }, selected) {
  const [column, row] = selected.dataset.testid.split("-").slice(2).map(Number); // column 0 holds the names
  const block = text.replace(/\r?\n$/, "").split(/\r?\n/).map((line) => line.split("\t"));
  const cells = block.flat();
  return (
    column > 0 &&
    row + block.length <= rows &&
    column - 1 + block[0].length <= columns &&
    block.every((line) => line.length === block[0].length) &&
    cells.every((cell) => NUMBER.test(cell)) &&
    (text.includes("\t") || !text.includes(",")) // without tabs, a comma may part cells
  );
}

window.addEventListener(
  "paste",
  (event) => {
    const frame = gridOf(document.activeElement);
    const key = frame?.closest('[class*="_grid_"]')?.className.match(/st-key-(\S+_grid_\d+)/)?.[1];
    const selected = frame?.querySelector('[data-testid^="glide-cell-"][aria-selected="true"]');
    const text = event.clipboardData?.getData("text/plain");
    committed = frame ? performance.now() : committed;
    if (!grids.has(key) || !selected || !text?.trim() || fits(text, grids.get(key), selected)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    grids.get(key).report(text);
  },
  true,
);
