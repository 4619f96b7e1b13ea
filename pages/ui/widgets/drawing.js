// The browser's half of drawing.py: draws Plotly figures in place, reports clicked cells.

const NARROW = 640; // px a figure wants that does not say; with less room, the figure for narrow screens is drawn
const pictures = new WeakMap(); // Streamlit's element -> our Picture in it
let loading; // plotly.js, loaded once for all pictures

// Streamlit calls this at first, after each change of the data, and after each change of the theme.
export default function (component) {
  const element = component.parentElement;
  if (!pictures.has(element)) pictures.set(element, new Picture(element, component.key));
  const picture = pictures.get(element);
  const call = picture.update(component);
  return () => {
    // When calls overlap, Streamlit also cleans up after one that a newer one has replaced.
    if (!picture.isCurrent(call)) return;
    picture.remove();
    pictures.delete(element);
  };
}

// The script that Streamlit loads for its own charts lies beside the page's main script.
function loadPlotly(chunk) {
  loading ??= (async () => {
    if (!window.Plotly) {
      const main = document.querySelector('script[type=module][src*="static/js/"]');
      await import(new URL(chunk, main.src).href);
    }
    if (typeof window.Plotly?.react !== "function") throw new Error("that script brings no Plotly");
    return window.Plotly;
  })();
  return loading;
}

// A text that Plotly shows as it is, as figures.literal in Python.
function literal(text) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/\$/g, "&#36;");
}

function make(tag, className, parent, attributes = {}) {
  const element = document.createElement(tag);
  element.className = className;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent.append(element);
  return element;
}

// A matrix that has less room than it wants gets narrower cells, and numbers that fit into them.
function fitted({ data, layout }, width) {
  const { margin, meta } = layout;
  if (!meta?.least || width >= meta.width) return data;
  const share = (width - margin.l - margin.r) / (meta.width - margin.l - margin.r);
  return data.map((trace) => {
    if (trace.mode !== "text") return trace;
    // A trace of numbers says in its meta which sizes fill the cells as they were.
    const size = trace.textfont.size.map((given, i) => Math.max(9, Math.min(given, Math.floor(trace.meta[i] * share))));
    return { ...trace, textfont: { ...trace.textfont, size } };
  });
}

// Text in lines of at most so many pixels; what is one word stays one.
function wrapped(text, width, font) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = font;
  return text.split("\n").filter(Boolean).flatMap((line) => {
    const lines = [];
    for (const word of line.split(" ")) {
      const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
      if (lines.length && pen.measureText(longer).width <= width) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    return lines;
  });
}

// A label as words: <br> is a pause, other tags and entities are Plotly's markup.
function plain(markup) {
  const parsed = new DOMParser().parseFromString(String(markup).replace(/<br\s*\/?>/gi, ", "), "text/html");
  return parsed.body.textContent;
}

class Picture {
  constructor(parent, id) {
    this.calls = 0;
    this.clicks = 0; // number of the last click
    this.waiting = []; // clicks that the server has not answered yet
    this.cursor = null; // {panel, row, column} of the keyboard
    this.root = make("div", "drawing", parent);
    this.plot = make("div", "drawing-plot", this.root, { "aria-describedby": `${id}-help` });
    this.graph = make("div", "drawing-graph", this.plot, { "aria-hidden": "true" });
    this.ring = make("div", "drawing-cursor", this.plot);
    this.said = make("div", "drawing-said", this.root, { role: "status" });
    this.help = make("div", "drawing-said", this.root, { id: `${id}-help`, hidden: "" });
    this.tools = make("div", "drawing-tools", this.root);
    this.buttons = ["png", "svg"].map((format) => {
      const button = make("button", "", this.tools, { type: "button" });
      button.textContent = format.toUpperCase();
      button.addEventListener("click", () => this.save(format));
      return button;
    });
    this.listen();
    this.room = this.root.clientWidth; // asked once: asking makes the browser lay out the page
    this.observer = new ResizeObserver(([{ contentRect }]) => {
      const room = Math.round(contentRect.width);
      if (room === this.room) return;
      this.room = room;
      this.draw();
    });
    this.observer.observe(this.root);
  }

  listen() {
    const { plot } = this;
    // Plotly takes a press for the start of a drag: it would swallow swipes and report taps twice.
    for (const press of ["touchstart", "mousedown"])
      plot.addEventListener(press, (event) => event.target.closest(".draglayer") && event.stopPropagation(), {
        capture: true,
        passive: true,
      });
    plot.addEventListener("mousedown", () => plot.classList.remove("by-keys"));
    plot.addEventListener("mousemove", (event) => plot.classList.toggle("over-cell", Boolean(this.cellAt(event))));
    plot.addEventListener("click", (event) => {
      const cell = this.cellAt(event);
      if (!cell) return;
      this.cursor = cell;
      this.choose(cell);
    });
    plot.addEventListener("focus", () => plot.matches(":focus-visible") && this.moveTo(this.current(), true));
    plot.addEventListener("blur", () => plot.classList.remove("by-keys"));
    plot.addEventListener("keydown", (event) => this.key(event));
  }

  update(component) {
    const { data } = component;
    const { plot, help } = this;
    this.component = component;
    this.seen(data.seen);
    if (data.figure !== this.source || data.narrow !== this.narrowSource) {
      this.source = data.figure;
      this.narrowSource = data.narrow;
      this.wide = JSON.parse(data.figure);
      this.narrow = data.narrow && JSON.parse(data.narrow);
    }
    const clickable = Object.keys(data.panels).length > 0;
    plot.setAttribute("role", clickable ? "application" : "img");
    plot.setAttribute("aria-label", data.alt);
    plot.toggleAttribute("tabindex", clickable);
    if (clickable) plot.tabIndex = 0;
    help.textContent = clickable ? data.words.cells : "";
    for (const [i, format] of ["png", "svg"].entries()) {
      this.buttons[i].title = data.words[format];
      this.buttons[i].setAttribute("aria-label", data.words[format]);
    }
    this.draw();
    this.calls += 1;
    return this.calls;
  }

  isCurrent(call) {
    return call === this.calls;
  }

  remove() {
    this.gone = true;
    this.observer.disconnect();
    if (this.drawn) window.Plotly.purge(this.graph);
    this.root.remove();
  }

  async draw() {
    const { room } = this;
    const { width: wanted = NARROW, least = wanted - 2 } = this.wide.layout.meta ?? {};
    const figure = this.narrow && room && room < least ? this.narrow : this.wide;
    const { height: given } = this.component.data;
    const height = figure === this.narrow ? figure.layout.height ?? given : given;
    this.plot.style.height = `${height}px`;
    if (!room) return; // in a hidden tab; the observer calls when it is shown
    try {
      const plotly = await loadPlotly(this.component.data.chunk);
      if (this.gone || this.room !== room) return;
      const width = Math.min(room, figure.layout.meta?.width ?? room);
      const template = this.theme();
      const look = JSON.stringify([width, height, template]);
      if (figure === this.drawn && look === this.look) return;
      const layout = { ...structuredClone(figure.layout), width, height, template };
      this.plot.style.width = `${width}px`;
      this.tools.classList.toggle("beside", room - width > 56);
      this.plot.classList.toggle("gliding", Boolean(this.drawn) && this.drawn !== figure);
      // Plotly takes the node of an empty text out of its group, and puts none into a group that is there.
      for (const group of this.graph.querySelectorAll(".textpoint:empty")) group.remove();
      await plotly.react(this.graph, fitted(figure, width), layout, { displayModeBar: false, doubleClick: false });
      if (this.gone) return;
      this.drawn = figure;
      this.look = look;
      this.showCursor();
    } catch (problem) {
      if (!this.gone) this.fail(problem);
    }
  }

  fail(problem) {
    if (this.failed) return;
    this.failed = true;
    console.warn("Pictures are drawn by Streamlit's own chart:", problem);
    this.component.setTriggerValue("failed", true);
  }

  // Fonts and colours a figure leaves open, as a Plotly template.
  theme() {
    const style = getComputedStyle(this.root);
    const of = (name) => style.getPropertyValue(`--st-${name}`).trim();
    const line = of("border-color");
    const font = { color: of("text-color"), family: of("font") };
    const axis = {
      ticks: "",
      gridcolor: line,
      zerolinecolor: line,
      linecolor: line,
      tickcolor: line,
      fixedrange: true,
      ticklabeloverflow: "allow", // else Plotly measures every label at every change, a quarter of the time
    };
    return {
      layout: {
        font,
        paper_bgcolor: of("background-color"),
        plot_bgcolor: "rgba(0,0,0,0)",
        colorway: of("chart-categorical-colors").split(","),
        dragmode: false,
        hoverlabel: { bgcolor: of("secondary-background-color"), bordercolor: line, font },
        xaxis: axis,
        yaxis: axis,
      },
    };
  }

  // A saved picture leaves the page that says where its numbers come from and which side asks: it takes these along.
  async save(format) {
    const { data, layout, _fullLayout } = this.graph;
    const { words } = this.component.data;
    const { l, b } = _fullLayout._size;
    const { paper_bgcolor, font } = this.theme().layout;
    const lines = wrapped(words.below, layout.width - 12, `12px ${font.family}`);
    const room = lines.length && lines.length * 16 + 10;
    const below = { text: lines.map(literal).join("<br>"), x: 0, y: 0, xref: "paper", yref: "paper", xanchor: "left" };
    const place = { yanchor: "top", xshift: 6 - l, yshift: -b, align: "left", showarrow: false, font: { size: 12 } };
    const annotations = [...(layout.annotations ?? []), { ...below, ...place }];
    const margin = { ...layout.margin, b: layout.margin.b + room };
    const height = layout.height + room;
    await window.Plotly.downloadImage(
      { data, layout: { ...layout, paper_bgcolor, margin, height, annotations } },
      {
        format,
        filename: words.file,
        width: layout.width,
        height,
        scale: format === "png" ? 2 : 1,
      },
    );
  }

  // --- cells -------------------------------------------------------------------------------------

  // The clickable heatmaps as drawn now: name, size in cells, trace and axes.
  panels() {
    if (!this.drawn) return [];
    const { _fullData: traces, _fullLayout: layout } = this.graph;
    return Object.entries(this.component.data.panels).flatMap(([name, [rows, columns]]) => {
      const trace = traces.find((one) => one.type === "heatmap" && one.meta === name);
      if (!trace) return [];
      const axis = (id) => layout[`${id[0]}axis${id.slice(1)}`];
      return [{ name, rows, columns, trace, x: axis(trace.xaxis), y: axis(trace.yaxis) }];
    });
  }

  // The cell under the pointer. Plotly's own last hover can be 50 ms old.
  cellAt({ clientX, clientY }) {
    const box = this.graph.getBoundingClientRect();
    for (const { name, rows, columns, x, y } of this.panels()) {
      const column = Math.round(x.p2d(clientX - box.left - x._offset));
      const row = Math.round(y.p2d(clientY - box.top - y._offset));
      if (row >= 0 && row < rows && column >= 0 && column < columns) return { panel: name, row, column };
    }
    return null;
  }

  // Where a cell is drawn, in px: left, top, right, bottom.
  place({ panel, row, column }) {
    const { x, y } = this.panels().find(({ name }) => name === panel);
    const xs = [x.d2p(column - 0.5), x.d2p(column + 0.5)].map((px) => px + x._offset);
    const ys = [y.d2p(row - 0.5), y.d2p(row + 0.5)].map((px) => px + y._offset);
    return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
  }

  // Every unanswered click is sent again with a new one, as [number, panel, row, column]: of clicks that reach
  // the server together a callback sees only the last, and a run that is stopped early loses its click.
  choose({ panel, row, column }) {
    this.clicks += 1;
    this.waiting.push([this.clicks, panel, row, column]);
    this.component.setTriggerValue("click", this.waiting);
  }

  seen(number) {
    this.clicks = Math.max(this.clicks, number);
    this.waiting = this.waiting.filter(([click]) => click > number);
  }

  // --- keyboard ----------------------------------------------------------------------------------

  // The keyboard's cell, or the first one when there is none (any more).
  current() {
    const panels = this.panels();
    const { panel, row, column } = this.cursor ?? {};
    if (panels.some(({ name, rows, columns }) => name === panel && row < rows && column < columns)) return this.cursor;
    return panels.length ? { panel: panels[0].name, row: 0, column: 0 } : null;
  }

  key(event) {
    const cell = this.current();
    if (!cell || event.ctrlKey || event.altKey || event.metaKey) return;
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const { columns } = this.panels().find(({ name }) => name === cell.panel);
    if (event.key in steps) this.moveTo(this.neighbour(cell, ...steps[event.key]));
    else if (event.key === "Home") this.moveTo({ ...cell, column: 0 });
    else if (event.key === "End") this.moveTo({ ...cell, column: columns - 1 });
    else if (event.key === "Enter" || event.key === " ") {
      this.moveTo(cell);
      if (!event.repeat) this.choose(cell);
    } else return;
    event.preventDefault();
  }

  // One step on; at a panel's edge, the nearest cell of the nearest panel in that direction.
  neighbour(cell, down, right) {
    const panels = this.panels();
    const here = panels.find(({ name }) => name === cell.panel);
    const next = { ...cell, row: cell.row + down, column: cell.column + right };
    if (next.row >= 0 && next.row < here.rows && next.column >= 0 && next.column < here.columns) return next;
    const from = this.place(cell);
    let best = cell;
    let least = Infinity;
    for (const { name, rows, columns } of panels) {
      if (name === cell.panel) continue;
      for (let row = 0; row < rows; row += 1)
        for (let column = 0; column < columns; column += 1) {
          const to = this.place({ panel: name, row, column });
          const across = (to.left + to.right - from.left - from.right) / 2;
          const along = (to.top + to.bottom - from.top - from.bottom) / 2;
          const ahead = across * right + along * down;
          const aside = Math.abs(across * down) + Math.abs(along * right);
          if (ahead > 0 && ahead >= aside && ahead + 2 * aside < least) {
            least = ahead + 2 * aside;
            best = { panel: name, row, column };
          }
        }
    }
    return best;
  }

  moveTo(cell, entering = false) {
    if (!cell) return;
    const { trace } = this.panels().find(({ name }) => name === cell.panel);
    const named = (entering || cell.panel !== this.cursor?.panel) && trace.name !== cell.panel;
    this.cursor = cell;
    this.plot.classList.add("by-keys");
    this.showCursor();
    this.said.textContent = (named ? `${plain(trace.name)}. ` : "") + this.sentence(cell);
  }

  showCursor() {
    const cell = this.cursor && this.current();
    if (!cell) return;
    const { left, top, right, bottom } = this.place(cell);
    Object.assign(this.ring.style, {
      left: `${left}px`,
      top: `${top}px`,
      width: `${right - left}px`,
      height: `${bottom - top}px`,
    });
  }

  // A cell in words: what its hover says, or "row → column: number".
  sentence({ panel, row, column }) {
    const { trace, x, y } = this.panels().find(({ name }) => name === panel);
    const hover = trace.hovertext?.[row]?.[column];
    if (hover) return plain(hover);
    const label = (axis, i) => {
      const at = Array.from(axis.tickvals ?? []).indexOf(i);
      return plain(axis.ticktext?.[at] ?? i + 1);
    };
    const number = trace.z[row][column];
    const text = trace.text?.[row]?.[column] ?? (Number.isFinite(number) ? Number(number.toPrecision(3)) : "–");
    return `${label(y, row)} → ${label(x, column)}: ${plain(text)}`;
  }
}
