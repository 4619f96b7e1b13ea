"""Arrays and labels in, a Plotly figure out. Knows neither Streamlit nor the core nor any words.

Rows are drawn top to bottom, columns left to right with their labels on top. Axes are positions 0 ... n-1, never
labels: equal labels would merge and dates would become a time axis. Colours have fixed meanings and fixed ranges,
and are the same in the light and the dark theme.
"""

import html
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

# ColorBrewer's Blues and PuOr (orange is negative, white is zero, purple is positive).
BLUES = ["#ffffff", "#deebf7", "#c6dbef", "#9ecae1", "#6baed6", "#4292c6", "#2171b5", "#08519c", "#08306b"]
PUOR = [
    "#7f3b08",
    "#b35806",
    "#e08214",
    "#fdb863",
    "#fee0b6",
    "#ffffff",
    "#d8daeb",
    "#b2abd2",
    "#8073ac",
    "#542788",
    "#2d004b",
]
BLOCKED, HATCH, BLOCKED_TEXT = "#e6e6e6", "#8c8c8c", "#4d4d4d"
SELECTED = "#e8590c"
# Okabe and Ito's colours with a shape each, so that no token is told by colour alone.
TOKEN_COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"]
TOKEN_SHAPES = ["circle", "triangle-up", "square", "diamond", "cross", "star"]
ROLES = {
    "query": "#1565c0",
    "key": "#b3154a",
    "value": "#1b7a43",
    "score": "#5b5b66",
    "weight": "#08306b",
    "output": "#1b7a43",
}
MOST_NUMBERS = 12  # more rows or columns: numbers in the selected row only


@dataclass(frozen=True, eq=False)
class Panel:
    """One matrix as a heatmap: R x C numbers with the labels of its rows and columns."""

    numbers: np.ndarray  #: (R, C); where blocked the number is not drawn
    rows: list[str]
    columns: list[str]
    code: str  #: tells which panel was clicked
    colours: str = "score"  #: "score": diverging, -limit ... limit; "weight": sequential, 0 ... 1
    limit: float = 1.0
    blocked: np.ndarray | None = None  #: (R, C) bool: a category of its own, grey and hatched
    blocked_text: str = ""
    hover: list[list[str]] | None = None
    row: int | None = None  #: selected, outlined
    column: int | None = None
    beside: list[str] | None = None  #: a text right of each row
    below: list[str] | None = None  #: a text under each column
    title: str = ""
    role: str = "score"
    behind: np.ndarray | None = None  #: (R, C) a number in small type under the text of a blocked cell
    texts: list[list[str]] | None = None  #: what is printed in the cells instead of their numbers
    named_hover: bool = False  #: without ``hover``, labels and number of a cell: cheap however many there are


def literal(label: str) -> str:
    """A label that Plotly shows as it is: no tag, entity or formula in it comes alive."""
    return html.escape(str(label), quote=False).replace("$", "&#36;")


def shown(number: float, decimals: int, weight: bool = False) -> str:
    """A number as it is printed: a small weight is never printed as a 0, which is kept for blocked cells."""
    if weight and 0 < number < 0.5 * 10.0**-decimals:
        return f"<{10.0**-decimals:.{decimals}f}".replace("0.", ".")
    if number == -np.inf:
        return "−∞"
    if abs(number) >= 10_000:
        return f"{number:.1e}".replace("-", "−").replace("e+0", "e").replace("e+", "e")
    if number == 0:
        return "0"
    text = f"{number:.{decimals}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


def decimals_for(numbers: np.ndarray, columns: int, at_most: int = 3) -> int:
    """How many decimals fit: as few as print every number exactly, fewer in a wider matrix."""
    most = min(at_most, 3 if columns <= 6 else 2 if columns <= 10 else 1)
    finite = numbers[np.isfinite(numbers)]
    return next((d for d in range(most) if np.array_equal(np.round(finite, d), finite)), most)


def text_colour(numbers: np.ndarray, colours: str, limit: float) -> np.ndarray:
    """Black or white for each number, whichever stands out more (at least 4.58:1) from its cell's colour."""
    stops, low, high = (BLUES, 0.0, 1.0) if colours == "weight" else (PUOR, -limit, limit)
    rgb = _rgb_of(tuple(stops))
    place = np.clip((np.nan_to_num(numbers, neginf=low) - low) / (high - low), 0, 1) * (len(stops) - 1)
    channels = np.stack([np.interp(place, np.arange(len(stops)), rgb[:, i]) for i in range(3)], axis=-1)
    return _black_or_white(channels)


@cache
def _rgb_of(stops: tuple[str, ...]) -> np.ndarray:
    return np.array([_rgb(stop) for stop in stops])


def _rgb(colour: str) -> list[float]:
    return [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]


def _black_or_white(channels: np.ndarray) -> np.ndarray:
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return np.where(linear @ [0.2126, 0.7152, 0.0722] > 0.179, "#000000", "#ffffff")


def _readable_on(colour: str) -> str:
    return str(_black_or_white(np.array(_rgb(colour))))


def symmetric_limit(*matrices: np.ndarray) -> float:
    """One range around 0 for matrices that are to be compared."""
    largest = max(float(np.abs(m[np.isfinite(m)]).max(initial=0)) for m in matrices)
    return largest or 1.0


# Pixels of a cell's side by the largest number of cells in a row or column: for the room there is.
MANY = 16  # more cells in a row or column: small cells with small labels, no sums
_SMALL = ((24, 19), (32, 14), (48, 9), (64, 7))
CELL_SIZES = {
    "beside": ((4, 40), (7, 34), (12, 27), (MANY, 19), *_SMALL),
    "alone": ((4, 60), (7, 48), (12, 36), (MANY, 26), *_SMALL),
    "wide": ((8, 62), (12, 44), (MANY, 32), *_SMALL),
    "projector": ((4, 92), (6, 76), (8, 62), (12, 50), (MANY, 40), (24, 30), (32, 22), (48, 15), (64, 12)),
    "phone": ((64, 40),),  # or as much as there is
}
PHONE = 340  #: pixels across that every phone has
NUMBER_NEEDS = 22  #: pixels of a cell's side, to hold a number one can read


def matrix_figure(panel: Panel, size: str, bars: Panel | None = None) -> dict:
    """One matrix alone, or with one row of it drawn as bars above, each over its own column."""
    rows, columns = panel.numbers.shape
    if bars is None:
        return _figure([(panel, 0, 0)], [columns], [rows], size)
    bar_rows = -(-rows // 8) if rows > MANY else 1 if size == "projector" else 2
    return _figure([(panel, 1, 0)], [columns], [bar_rows, rows], size, bars)


def product_figure(left: Panel, top: Panel, product: Panel, size: str, bars: Panel | None = None) -> dict:
    """left @ top = product, standing where they meet: a cell's row is at its left, its column above it.

    ``bars`` is one row, drawn as bars in the free corner above ``left``, each over its own column.
    """
    columns = [left.numbers.shape[1], product.numbers.shape[1]]
    rows = [top.numbers.shape[0], product.numbers.shape[0]]
    return _figure([(left, 1, 0), (top, 0, 1), (product, 1, 1)], columns, rows, size, bars)


def _figure(placed, column_counts, row_counts, size, bars=None) -> dict:
    """Panels in a grid of blocks: (panel, block row, block column). Sizes are in pixels until the very end."""
    font = {"projector": 22, "wide": 16, "phone": 12}.get(size, 13)
    most = max(*column_counts, *row_counts)
    cell = next(pixels for cells, pixels in CELL_SIZES[size] if most <= cells)
    if size == "phone":
        names = max(_text_width(label, font) for panel, _, c in placed if c == 0 for label in panel.rows)
        sums = max(_text_width(text, font) for panel, *_ in placed for text in panel.beside or [""])
        least = 9 if most <= MANY else 4
        cell = max(least, min(cell, (PHONE - 46 - names - sums) // sum(column_counts)))
    chip, line = round(font * 1.9), round(font * 1.5)
    if most > MANY:
        font = max(7, min(font, cell))
    outer = [panel for panel, row, column in placed if row == 0 or len(row_counts) == 1 or bars]
    labels = max(_label_height(panel.columns, cell, font) for panel in outer)
    beside = [max((_text_width(text, font) for text in panel.beside or [""]), default=0) for panel, *_ in placed]
    first = [wide for wide, (_, _, column) in zip(beside, placed, strict=True) if column == 0]
    last = [wide for wide, (_, _, c) in zip(beside, placed, strict=True) if c == len(column_counts) - 1]
    left = 14 + max(_text_width(label, font) for panel, _, c in placed if c == 0 for label in panel.rows)
    if len(column_counts) > 1:
        left = max(left, _text_width(placed[0][0].title, font) - cell * column_counts[0] + 12)
    x_gap = (12 + max(first)) if len(column_counts) > 1 else 0
    y_gap = 0 if len(row_counts) == 1 else 8 + (labels if bars else 0)
    if bars and len(column_counts) == 1:
        top = round(font * 0.8)  # the labels stand between the bars and the matrix
    else:
        top = labels + (chip if len(row_counts) > 1 else 0)
    margin = {
        "l": left,
        "r": 10 + max(*last, _overhang(outer[-1].columns, cell, font)),
        "t": top + 2,
        "b": chip + 6 + (line if any(panel.below for panel, *_ in placed) else 0),
    }
    width = cell * sum(column_counts) + x_gap
    height = cell * sum(row_counts) + y_gap
    layout = {
        "height": height + margin["t"] + margin["b"],
        "margin": margin,
        "shapes": [],
        "annotations": [],
        "showlegend": False,
        "hovermode": "closest",
        "dragmode": False,
        "hoverlabel": {"align": "left"},
        "meta": {"width": max(width + margin["l"] + margin["r"], 120)},
    }
    traces = []
    for number, (panel, row, column) in enumerate(placed, start=1):
        rows, columns = panel.numbers.shape
        x0 = 0 if column == 0 else cell * column_counts[0] + x_gap
        y0 = 0 if row == 0 else cell * row_counts[0] + y_gap
        domain = (
            [x0 / width, min(1, (x0 + cell * columns) / width)],
            [max(0, 1 - (y0 + cell * rows) / height), 1 - y0 / height],
        )
        corner = row == column == 1
        traces += _panel(panel, number, domain, cell, font, layout, labelled=not corner)
        title_above = row == 0 and len(row_counts) > 1
        _title(panel, domain, font, layout, labels if title_above else -line * bool(panel.below), title_above)
    if bars is not None:
        floor = 1 - cell * row_counts[0] / height
        traces += _bars_above(bars, [floor, floor + min(cell * row_counts[0] - font, 110) / height], font, layout)
    return {"data": traces, "layout": layout}


def _text_width(text: str, font: int) -> int:
    return round(sum(1.0 if _is_wide(c) else 0.6 for c in text) * font)


def _is_wide(character: str) -> bool:
    """Hangul, Chinese, kana, emoji: as wide as it is high, and it may be broken into lines anywhere."""
    return 0x1100 <= ord(character) <= 0x11FF or ord(character) >= 0x2E80


def _fitted(labels: list[str], cell: int, font: int) -> tuple[list[str], int]:
    """Column labels that stay inside their columns: turned when too long, in Hangul broken into lines instead."""
    if max((_text_width(label, font) for label in labels), default=0) <= cell - 2:
        return [literal(label) for label in labels], 0
    if any(_is_wide(c) for label in labels for c in label):
        per_line = max(1, cell // font)
        lines = [[label[i : i + per_line] for i in range(0, len(label), per_line)] for label in labels]
        return ["<br>".join(map(literal, parts)) for parts in lines], 0
    return [literal(label) for label in labels], -50 if cell > 1.5 * font else -90


def _overhang(labels: list[str], cell: int, font: int) -> int:
    """How far turned labels reach out to the right of the last column."""
    angle = _fitted(labels, cell, font)[1]
    return round(_text_width(labels[-1], font) * 0.64 - cell / 2 + 6) if angle == -50 else 0


def _label_height(labels: list[str], cell: int, font: int) -> int:
    fitted, angle = _fitted(labels, cell, font)
    if angle:
        longest = max(_text_width(label, font) for label in labels)
        return round(longest * 0.77 + font if angle == -50 else longest + 8)
    return round(font * (0.6 + 1.25 * max(label.count("<br>") + 1 for label in fitted)))


def _panel(panel: Panel, number: int, domain, cell: int, font: int, layout: dict, labelled: bool) -> list[dict]:
    n_rows, n_columns = panel.numbers.shape
    suffix = "" if number == 1 else str(number)
    x, y = f"x{suffix}", f"y{suffix}"
    column_labels, angle = _fitted(panel.columns, cell, font)
    axis = {
        "showgrid": False,
        "zeroline": False,
        "showline": False,
        "fixedrange": True,
        "ticks": "",
        "automargin": False,
        "tickfont": {"size": font},
        "showticklabels": labelled,
        "ticklabelstandoff": 3,
    }
    layout[f"xaxis{suffix}"] = axis | {
        "domain": domain[0],
        "anchor": y,
        "side": "top",
        "range": [-0.5, n_columns - 0.5],
        "tickvals": list(range(n_columns)),
        "ticktext": column_labels,
        "tickangle": angle,
    }
    layout[f"yaxis{suffix}"] = axis | {
        "domain": domain[1],
        "anchor": x,
        "range": [n_rows - 0.5, -0.5],
        "tickvals": list(range(n_rows)),
        "ticktext": [literal(label) for label in panel.rows],
    }
    blocked = np.zeros(panel.numbers.shape, bool) if panel.blocked is None else panel.blocked
    on = {"xaxis": x, "yaxis": y}
    spacing = {"xgap": 1, "ygap": 3 if cell >= 12 else 1}  # rows read as strips
    hover_template = (
        "%{hovertext}<extra></extra>"
        if panel.hover
        else "%{y} → %{x}: %{z:.3f}<extra></extra>"
        if panel.named_hover
        else None
    )
    # The grey cells are there even when there are none: in-place drawing matches traces by their order.
    traces = _blocked_cells(blocked, not panel.blocked_text, on, spacing)
    stops = BLUES if panel.colours == "weight" else PUOR
    traces.append(
        {
            "type": "heatmap",
            "z": np.where(blocked, np.nan, panel.numbers).astype(np.float32),
            "zmin": 0 if panel.colours == "weight" else -panel.limit,
            "zmax": 1 if panel.colours == "weight" else panel.limit,
            "colorscale": [[i / (len(stops) - 1), colour] for i, colour in enumerate(stops)],
            "showscale": False,
            **spacing,
            "hoverongaps": True,
            "hovertext": [[literal(text) for text in texts] for texts in panel.hover] if panel.hover else None,
            "hovertemplate": hover_template,
            "hoverinfo": None if hover_template else "skip",
            "meta": panel.code,
            **on,
        }
    )
    traces += _numbers(panel, blocked, cell, font, on)
    _mark(panel, x, y, domain, cell, font, layout)
    return traces


def _blocked_cells(blocked: np.ndarray, hatched: bool, on: dict, spacing: dict) -> list[dict]:
    rows, columns = np.nonzero(blocked & hatched)
    gaps = np.full(len(rows), np.nan)
    return [
        {
            "type": "heatmap",
            "z": np.where(blocked, 0, np.nan).astype(np.float32),
            "colorscale": [[0, BLOCKED], [1, BLOCKED]],
            "showscale": False,
            **spacing,
            "hoverinfo": "skip",
            **on,
        },
        {
            "type": "scatter",
            "mode": "lines",
            "x": np.stack([columns - 0.42, columns + 0.42, gaps], axis=1).ravel().astype(np.float32),
            "y": np.stack([rows + 0.4, rows - 0.4, gaps], axis=1).ravel().astype(np.float32),
            "line": {"color": HATCH, "width": 1},
            "hoverinfo": "skip",
            **on,
        },
    ]


def _numbers(panel: Panel, blocked: np.ndarray, cell: int, font: int, on: dict) -> list[dict]:
    n_rows, n_columns = panel.numbers.shape
    rows, columns = np.indices(panel.numbers.shape)
    if max(n_rows, n_columns) > MOST_NUMBERS:
        chosen = np.zeros(panel.numbers.shape, bool)
        if panel.row is not None:
            chosen[panel.row] = True
        if panel.row is None and panel.column is not None:
            chosen[:, panel.column] = True
        rows, columns = rows[chosen], columns[chosen]
    rows, columns = rows.ravel(), columns.ravel()
    if cell < NUMBER_NEEDS - 4:
        rows = columns = rows[:0]
    weight = panel.colours == "weight"
    decimals = decimals_for(panel.numbers, n_columns)
    if weight and n_columns > 10 and decimals == 1:
        decimals = 2  # without its 0 a weight has room for them
    colours = text_colour(panel.numbers, panel.colours, panel.limit)
    colours = np.where(blocked, BLOCKED_TEXT, colours)
    texts = [
        panel.texts[i][j]
        if panel.texts
        else panel.blocked_text
        if blocked[i, j]
        else shown(panel.numbers[i, j], decimals, weight)
        for i, j in zip(rows, columns, strict=True)
    ]
    if cell < NUMBER_NEEDS + 4 or (weight and n_columns > 10):
        texts = [text.replace("0.", ".", 1) for text in texts]
    widest = max((_text_width(text, 100) / 100 for text in texts), default=1)
    size = max(9, min(font, int((cell - 3) / max(1, widest))))
    if panel.behind is not None and cell >= 34:
        small = f"<br><span style='font-size:{max(9, size - 4)}px'>"
        texts = [
            f"{text}{small}{shown(panel.behind[i, j], min(decimals, 2))}</span>" if blocked[i, j] else text
            for text, i, j in zip(texts, rows, columns, strict=True)
        ]
    return [
        {
            "type": "scatter",
            "mode": "text",
            "x": columns.astype(np.float32),
            "y": rows.astype(np.float32),
            "text": texts,
            "textfont": {"color": colours[rows, columns].tolist(), "size": size},
            "hoverinfo": "skip",
            "cliponaxis": False,
            **on,
        }
    ]


def _title(panel: Panel, domain, font: int, layout: dict, shift: int, above: bool) -> None:
    """The matrix's name on its role's colour, under the cells or, for the upper factor, over its labels."""
    if not panel.title:
        return
    layout["annotations"].append(
        {
            "text": f"<b>{literal(panel.title)}</b>",
            "xref": "paper",
            "yref": "paper",
            "x": domain[0][0],
            "y": domain[1][1 if above else 0],
            "xanchor": "left",
            "yanchor": "bottom" if above else "top",
            "yshift": shift + (2 if above else -4),
            "showarrow": False,
            "font": {"size": font, "color": "#ffffff"},
            "bgcolor": ROLES[panel.role],
            "borderpad": 2,
        }
    )


def _mark(panel: Panel, x: str, y: str, domain, cell: int, font: int, layout: dict) -> None:
    """Outlines of the selection, and the texts beside the rows and below the columns."""
    n_rows, n_columns = panel.numbers.shape
    spans = []
    if panel.row is not None:
        spans.append((-0.5, n_columns - 0.5, panel.row - 0.5, panel.row + 0.5))
    if panel.column is not None:
        spans.append((panel.column - 0.5, panel.column + 0.5, -0.5, n_rows - 0.5))
    for x0, x1, y0, y1 in spans:
        corners = {"x0": x0, "x1": x1, "y0": y0, "y1": y1}
        line = {"color": SELECTED, "width": 2.5}
        layout["shapes"].append({"type": "rect", "xref": x, "yref": y, **corners, "line": line})
    (left, right), (bottom, top) = domain
    texts = []
    for i, text in enumerate(panel.beside or []):
        texts.append((text, right, top - (i + 0.5) * (top - bottom) / n_rows, "left", "middle", 4, 0))
    for j, text in enumerate(panel.below or [] if cell >= NUMBER_NEEDS else []):
        texts.append((text, left + (j + 0.5) * (right - left) / n_columns, bottom, "center", "top", 0, -2))
    # In paper coordinates, because Plotly hides what lies outside the axes' range.
    for text, at_x, at_y, x_anchor, y_anchor, x_shift, y_shift in texts:
        at = {
            "xref": "paper",
            "yref": "paper",
            "x": at_x,
            "y": at_y,
            "xanchor": x_anchor,
            "yanchor": y_anchor,
        }
        shift = {"xshift": x_shift, "yshift": y_shift, "showarrow": False}
        size = font - 1 if x_anchor == "left" else min(font - 1, round(cell / 2.5))
        layout["annotations"].append({"text": literal(text), **at, **shift, "font": {"size": size}})


def _bars_above(row: Panel, y_domain, font: int, layout: dict) -> list[dict]:
    """One row of weights as bars over the columns of the first panel; the y axis is always 0 ... 1."""
    layout["yaxis9"] = {
        "domain": y_domain,
        "anchor": "x",
        "range": [0, 1.12],
        "tickvals": [0, 1],
        "tickfont": {"size": font - 2},
        "fixedrange": True,
        "showgrid": False,
        "zeroline": True,
        "zerolinewidth": 1,
    }
    return bar_traces(row, {"xaxis": "x", "yaxis": "y9"}, font)


def bar_traces(row: Panel, on: dict, font: int) -> list[dict]:
    weights = row.numbers[0]
    blocked = np.zeros(len(weights), bool) if row.blocked is None else row.blocked[0]
    keys = np.arange(len(weights))
    return [
        {
            "type": "bar",
            "x": keys,
            "y": weights.astype(np.float32),
            "width": 0.8,
            "marker": {"color": BLUES[5], "line": {"color": BLUES[7], "width": 1}},
            "text": [
                "" if b or (len(keys) > MANY and w < 0.1) else shown(w, 2, True)
                for w, b in zip(weights, blocked, strict=True)
            ],
            "textposition": "outside",
            "textangle": 0,
            "textfont": {"size": font - 1},
            "cliponaxis": False,
            "hovertext": [literal(text) for text in row.hover[0]] if row.hover else None,
            "hoverinfo": "text" if row.hover else "skip",
            "meta": row.code,
            **on,
        },
        {
            "type": "scatter",
            "mode": "markers",
            "x": keys[blocked],
            "y": np.full(int(blocked.sum()), 0.06),
            "marker": {"symbol": "x-thin", "size": 9, "line": {"color": HATCH, "width": 2}},
            "hoverinfo": "skip",
            **on,
        },
        {
            "type": "scatter",
            "mode": "lines",
            "x": [-0.5, len(weights) - 0.5],
            "y": [1 / max(1, int((~blocked).sum()))] * 2,
            "line": {"color": HATCH, "width": 1, "dash": "dot"},
            "hoverinfo": "skip",
            **on,
        },
    ]


def bars_figure(row: Panel) -> dict:
    """One query's weights as bars, 0 ... 1, with a dotted line where no key would be preferred.

    The axis reaches further only for numbers that are no weights of attention, below 0 or above 1.
    """
    labels, angle = _fitted(row.columns, 44, 13)
    beyond = [round(float(w), 2) for w in (row.numbers.min(), row.numbers.max()) if not 0 <= w <= 1]
    low, high = 1.12 * min([0, *beyond]), 1.12 * max([1, *beyond])
    layout = _plane_layout(max(200, 60 + 46 * len(row.columns)), 280) | {
        "xaxis": {
            "tickvals": list(range(len(labels))),
            "ticktext": labels,
            "tickangle": angle,
            "range": [-0.5, len(labels) - 0.5],
            "tickfont": {"size": 13},
            "fixedrange": True,
            "showgrid": False,
        },
        "yaxis": {
            "range": [low, high],
            "tickvals": [0, 1, *beyond] if beyond else [0, 0.5, 1],
            "fixedrange": True,
        },
    }
    return {"data": bar_traces(row, {"xaxis": "x", "yaxis": "y"}, 13), "layout": layout}


def arrows_figure(query: np.ndarray, keys: np.ndarray, labels: list[str], limit: float) -> dict:
    """The query and the keys as arrows from the origin of a plane; both axes go from -limit to limit."""
    arrows = [(key, label, ROLES["key"], 2) for key, label in zip(keys, labels, strict=True)]
    arrows.append((query, "q", ROLES["query"], 3.5))
    layout = _plane_layout(300, 280) | _square_axes(-limit, limit, -limit, limit)
    layout["annotations"] = [
        {
            "x": float(tip[0]),
            "y": float(tip[1]),
            "ax": 0,
            "ay": 0,
            "xref": "x",
            "yref": "y",
            "axref": "x",
            "ayref": "y",
            "showarrow": True,
            "arrowhead": 2,
            "arrowwidth": width,
            "arrowcolor": colour,
            "text": "",
        }
        for tip, _, colour, width in arrows
    ]
    tips = np.array([tip for tip, *_ in arrows], dtype=np.float32)
    names = {
        "type": "scatter",
        "mode": "text",
        "x": tips[:, 0] + np.where(tips[:, 0] < 0, -1, 1) * limit * 0.07,
        "y": tips[:, 1] + limit * np.array([0.08] * len(keys) + [-0.1]),  # q below its tip, keys above theirs
        "text": [f"<b>{literal(label)}</b>" for _, label, *_ in arrows],
        "textfont": {"size": 14},
        "cliponaxis": False,
        "hoverinfo": "skip",
    }
    return {"data": [names], "layout": layout}


def values_figure(
    values: np.ndarray,
    labels: list[str],
    allowed: np.ndarray,
    output: np.ndarray,
    font: int = 14,
    width: int = 300,
    ray: bool = False,
) -> dict:
    """Values as points of a plane, the hull of those that may be mixed, and the output, which never leaves it.

    With ``ray`` a dotted line leads from 0 through the output: its direction.
    """
    low, high = (
        min(0.0, float(values.min()), *output.tolist()),
        max(0.0, float(values.max()), *output.tolist()),
    )
    room = 0.12 * (high - low or 1)
    mark = {
        "type": "scatter",
        "mode": "markers",
        "x": [float(output[0])],
        "y": [float(output[1])],
        "marker": {"symbol": "x", "size": font, "color": SELECTED, "line": {"color": "#ffffff", "width": 1}},
        "hovertemplate": "(%{x:.3f}, %{y:.3f})<extra></extra>",
    }
    layout = _plane_layout(width, width - 20) | _square_axes(low - room, high + room, low - room, high + room)
    for axis in ("xaxis", "yaxis"):
        layout[axis]["tickfont"] = {"size": font - 2}
    if ray and output.any():
        far = output / np.abs(output).max() * high
        ends = {"x0": 0, "y0": 0, "x1": float(far[0]), "y1": float(far[1])}
        layout["shapes"] = [{"type": "line", **ends, "line": {"color": SELECTED, "width": 2, "dash": "dot"}}]
    return {"data": [*_values_and_hull(values, labels, allowed, font), mark], "layout": layout}


def _values_and_hull(values: np.ndarray, labels: list[str], allowed: np.ndarray, font: int = 14) -> list[dict]:
    hull = convex_hull(values[allowed]) if allowed.any() else np.empty((0, 2))
    closed = np.concatenate([hull, hull[:1]])
    n = len(values)
    points = {
        "type": "scatter",
        "mode": "markers+text",
        "x": values[:, 0].astype(np.float32),
        "y": values[:, 1].astype(np.float32),
        "text": [f"<b>{literal(label)}</b>" for label in labels],
        "textposition": "top right",
        "textfont": {"size": font},
        "marker": {
            "size": font - 1,
            "color": [TOKEN_COLOURS[i % len(TOKEN_COLOURS)] for i in range(n)],
            "symbol": [TOKEN_SHAPES[i % len(TOKEN_SHAPES)] for i in range(n)],
            "opacity": np.where(allowed, 1.0, 0.3).tolist(),
        },
        "cliponaxis": False,
        "hoverinfo": "skip",
    }
    edge = {
        "type": "scatter",
        "mode": "lines",
        "x": closed[:, 0].astype(np.float32),
        "y": closed[:, 1].astype(np.float32),
        "fill": "toself",
        "fillcolor": "rgba(27,122,67,0.12)",
        "line": {"color": ROLES["value"], "width": 1.5},
        "hoverinfo": "skip",
    }
    return [edge, points]


def contributions_figure(contributions: np.ndarray, labels: list[str], features: list[str]) -> dict:
    """(S, Ev) what each key puts into each coordinate of the output, stacked: every key is in the mixture."""
    n_features = len(features)
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "x": row.astype(np.float32),
            "y": np.arange(n_features),
            "width": 0.6,
            "name": literal(label),
            "marker": {
                "color": TOKEN_COLOURS[j % len(TOKEN_COLOURS)],
                "line": {"color": "#ffffff", "width": 1},
            },
            "text": literal(label),
            "textposition": "inside",
            "insidetextanchor": "middle",
            "textangle": 0,
            "textfont": {"color": _readable_on(TOKEN_COLOURS[j % len(TOKEN_COLOURS)]), "size": 13},
            "hovertemplate": f"{literal(label)}: %{{x:.3f}}<extra></extra>",
        }
        for j, (row, label) in enumerate(zip(contributions, labels, strict=True))
    ]
    layout = _plane_layout(300, 70 + 44 * n_features) | {
        "barmode": "relative",
        "yaxis": {
            "tickvals": list(range(n_features)),
            "ticktext": [literal(f) for f in features],
            "range": [n_features - 0.5, -0.5],
            "fixedrange": True,
            "tickfont": {"size": 13},
        },
        "xaxis": {"fixedrange": True, "zeroline": True, "rangemode": "tozero"},
    }
    return {"data": data, "layout": layout}


def outputs_figure(
    values: np.ndarray, labels: list[str], allowed: np.ndarray, outputs: np.ndarray, names: list[str]
) -> dict:
    """Values as points with the hull of those that may be mixed, and outputs as numbered rings."""
    rings = {
        "type": "scatter",
        "mode": "markers+text",
        "x": outputs[:, 0].astype(np.float32),
        "y": outputs[:, 1].astype(np.float32),
        "text": [f"<b>{literal(name)}</b>" for name in names],
        "textfont": {"size": 14, "color": SELECTED},
        "marker": {"symbol": "circle-open", "size": 12, "color": SELECTED, "line": {"width": 3}},
        "cliponaxis": False,
        "hovertemplate": "%{text} (%{x:.3f}, %{y:.3f})<extra></extra>",
    }
    low = min(0.0, float(values.min()), float(outputs.min()))
    high = max(0.0, float(values.max()), float(outputs.max()))
    # Close neighbours get their names on opposite sides, so that the names do not cover each other.
    sides = np.full(len(outputs), "bottom left", dtype=object)
    order = np.argsort(outputs[:, 0])
    for before, here in pairwise(order):
        close = np.linalg.norm(outputs[here] - outputs[before]) < 0.12 * (high - low)
        sides[here] = "top right" if close and sides[before] == "bottom left" else "bottom left"
    rings["textposition"] = sides.tolist()
    room = 0.12 * (high - low or 1)
    layout = _plane_layout(360, 330) | _square_axes(low - room, high + room, low - room, high + room)
    return {"data": [*_values_and_hull(values, labels, allowed), rings], "layout": layout}


def convex_hull(points: np.ndarray) -> np.ndarray:
    """The corners of the smallest convex shape around points of a plane, in order (Andrew 1979)."""
    ordered = np.unique(points, axis=0)

    def half(sequence) -> list[np.ndarray]:
        chain: list[np.ndarray] = []
        for point in sequence:
            while len(chain) >= 2 and _turn(chain[-2], chain[-1], point) <= 0:
                chain.pop()
            chain.append(point)
        return chain[:-1]

    return np.array(half(ordered) + half(ordered[::-1])) if len(ordered) > 2 else ordered


def _turn(a, b, c) -> float:
    """Above 0 for a turn to the left on the way a, b, c."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _plane_layout(width: int, height: int) -> dict:
    return {
        "height": height,
        "margin": {"l": 34, "r": 16, "t": 12, "b": 30},
        "showlegend": False,
        "hovermode": "closest",
        "dragmode": False,
        "meta": {"width": width},
    }


def _square_axes(x0: float, x1: float, y0: float, y1: float) -> dict:
    axis = {"fixedrange": True, "zeroline": True, "tickfont": {"size": 12}, "nticks": 6}
    return {
        "xaxis": axis | {"range": [x0, x1], "constrain": "domain"},
        "yaxis": axis | {"range": [y0, y1], "scaleanchor": "x", "constrain": "domain"},
    }


# ------------------------------------------------------------------------------------- the √d experiment


@dataclass(frozen=True, eq=False)
class Series:
    """One line or one set of bars with its name, in a colour with a dash, a shape and a hatch of its own."""

    numbers: np.ndarray
    name: str
    style: int = 0  #: which of the four styles


# Colour, dash and shape of a line, hatch of a bar.
STYLES = (
    ("#d55e00", "dash", "triangle-up", "/"),
    (BLUES[6], "solid", "circle", ""),
    ("#009e73", "dot", "square", "."),
    ("#cc79a7", "dashdot", "diamond", "x"),
)


def curves_figure(labels: list[str], curves: list[Series], chosen: int, floor: float, font: int, width: int) -> dict:
    """Lines over equally spaced places, 0 ... 1; one place is marked, its numbers stand beside the lines."""
    places = np.arange(len(labels))
    data = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [-0.3, len(labels) - 0.7],
            "y": [floor, floor],
            "line": {"color": HATCH, "width": 1, "dash": "dot"},
            "hoverinfo": "skip",
            "showlegend": False,
        }
    ]
    for curve in curves:
        colour, dash, shape, _ = STYLES[curve.style]
        data.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "x": places,
                "y": curve.numbers.astype(np.float32),
                "name": literal(curve.name),
                "line": {"color": colour, "dash": dash, "width": 3},
                "marker": {"symbol": shape, "size": font * 0.7, "color": colour},
                "hovertemplate": f"{literal(curve.name)}: %{{y:.3f}}<extra></extra>",
            }
        )
    at_chosen = np.array([curve.numbers[chosen] for curve in curves])
    data.append(
        {
            "type": "scatter",
            "mode": "text",
            "x": np.full(len(curves), chosen),
            "y": _apart(at_chosen, font / 105).astype(np.float32),
            "text": [f"<b>{shown(number, 2, True)}</b>" for number in at_chosen],
            "textposition": "top right" if chosen < len(labels) - 2 else "top left",
            "textfont": {"size": font + 1},
            "cliponaxis": False,
            "hoverinfo": "skip",
            "showlegend": False,
        }
    )
    layout = _plane_layout(width, round(width * 0.6)) | {
        "margin": {"l": round(font * 2.4), "r": 14, "t": round(font * 2.2), "b": round(font * 2.2)},
        "showlegend": True,
        "legend": _legend_above(font),
        "xaxis": {
            "tickvals": list(range(len(labels))),
            "ticktext": [literal(label) for label in labels],
            "tickangle": 0,
            "range": [-0.4, len(labels) - 0.6],
            "tickfont": {"size": font - 1},
            "fixedrange": True,
            "showgrid": False,
        },
        "yaxis": _zero_to_one(1.15, font),
        "shapes": [_upright(chosen, 0, 1, SELECTED, "solid")],
    }
    return {"data": data, "layout": layout}


def histogram_figure(upper: Series, lower: Series, mark: float, mark_label: str, font: int, width: int) -> dict:
    """Two sets of numbers over one axis, each as its own histogram, with ± ``mark`` drawn through both.

    The axis reaches to a power of two, so that it seldom jumps; the number of each bar is a share of its set.
    """
    largest = max(np.abs(upper.numbers).max(), np.abs(lower.numbers).max(), mark, 1e-6)
    limit = 2.0 ** np.ceil(np.log2(largest))
    edges = np.linspace(-limit, limit, 66)
    middles = ((edges[:-1] + edges[1:]) / 2).astype(np.float32)
    data, notes = [], []
    domains = ([0.57, 1], [0, 0.43])
    for i, (series, domain) in enumerate(zip((upper, lower), domains, strict=True)):
        colour, _, _, hatch = STYLES[series.style]
        shares = np.histogram(series.numbers, edges)[0] / series.numbers.size
        data.append(
            {
                "type": "bar",
                "x": middles,
                "y": shares.astype(np.float32),
                "width": edges[1] - edges[0],
                "marker": {"color": colour, "line": {"width": 0}, "pattern": {"shape": hatch, "size": 5}},
                "hovertemplate": "%{x:.2f}: %{y:.1%}<extra></extra>",
                "yaxis": "y2" if i else "y",
            }
        )
        text = f"<b>{literal(series.name)}</b>"
        notes.append(_note(text, 0, domain[1], "left", "bottom", font))
    notes.append(_note(literal(mark_label), mark, 1, "left", "bottom", font) | {"xref": "x"})
    height = {"fixedrange": True, "showgrid": False, "showticklabels": False, "rangemode": "tozero"}
    layout = _plane_layout(width, round(width * 0.6)) | {
        "margin": {"l": 10, "r": 14, "t": round(font * 1.7), "b": round(font * 2.2)},
        "bargap": 0,
        "xaxis": {
            "range": [-limit, limit],
            "anchor": "y2",
            "tickfont": {"size": font},
            "nticks": 9,
            "fixedrange": True,
            "showgrid": False,
            "zeroline": True,
        },
        "yaxis": height | {"domain": domains[0]},
        "yaxis2": height | {"domain": domains[1]},
        "shapes": [_upright(x, 0, 1, SELECTED, "dash") for x in (-mark, mark)],
        "annotations": notes,
    }
    return {"data": data, "layout": layout}


def bars_beside_figure(sets: list[Series], labels: list[str], font: int, width: int) -> dict:
    """Sets of weights as bars side by side for each key, 0 ... 1; numbers and labels where they have room."""
    n_keys = len(labels)
    is_roomy = n_keys * len(sets) * font * 1.9 < width
    data = []
    for series in sets:
        colour, _, _, hatch = STYLES[series.style]
        data.append(
            {
                "type": "bar",
                "x": np.arange(n_keys),
                "y": series.numbers.astype(np.float32),
                "name": literal(series.name),
                "marker": {"color": colour, "line": {"width": 0}, "pattern": {"shape": hatch, "size": 5}},
                "text": [shown(w, 2, True) for w in series.numbers] if is_roomy else None,
                "textposition": "outside",
                "textangle": 0,
                "textfont": {"size": font - 3},
                "cliponaxis": False,
                "hovertemplate": f"{literal(series.name)}, %{{x}}: %{{y:.4f}}<extra></extra>",
            }
        )
    shown_keys = range(n_keys) if n_keys <= 20 else range(9, n_keys, 10)
    layout = _plane_layout(width, round(width * 0.56)) | {
        "margin": {
            "l": round(font * 2.4),
            "r": 14,
            "t": round(font * 2.2) if len(sets) > 1 else 8,
            "b": round(font * 2.2),
        },
        "showlegend": len(sets) > 1,
        "legend": _legend_above(font),
        "bargap": 0.25,
        "xaxis": {
            "tickvals": list(shown_keys),
            "ticktext": [literal(labels[i]) for i in shown_keys],
            "tickangle": 0,
            "range": [-0.6, n_keys - 0.4],
            "tickfont": {"size": font - 1},
            "fixedrange": True,
            "showgrid": False,
        },
        "yaxis": _zero_to_one(1.12, font),
    }
    return {"data": data, "layout": layout}


def meters_figure(titles: list[str], most: np.ndarray, sets: list[Series], font: int, width: int) -> dict:
    """A few measures one above the other, each as bars that are full at its own largest value."""
    n, thick = len(titles), 0.8 / (len(sets) + 1)
    data = []
    for i, series in enumerate(sets):
        colour, _, _, hatch = STYLES[series.style]
        filled = np.divide(series.numbers, most, out=np.zeros(n), where=most > 0)
        data.append(
            {
                "type": "bar",
                "orientation": "h",
                "x": filled.astype(np.float32),
                "y": np.arange(n) + thick * (i + 0.15),
                "width": thick * 0.92,
                "name": literal(series.name),
                "marker": {"color": colour, "line": {"width": 0}, "pattern": {"shape": hatch, "size": 5}},
                "text": [f"<b>{shown(x, 2 if x < 10 else 1, True)}</b>" for x in series.numbers],
                "textposition": "outside",
                "textfont": {"size": font},
                "cliponaxis": False,
                "hoverinfo": "skip",
            }
        )
    notes = [
        _note(literal(title), 0, i - thick, "left", "middle", font) | {"yref": "y"} for i, title in enumerate(titles)
    ]
    layout = _plane_layout(width, round(width * 0.56)) | {
        "margin": {"l": 8, "r": round(font * 3.2), "t": round(font * 2.2), "b": 6},
        "showlegend": True,
        "legend": _legend_above(font),
        "barmode": "overlay",
        "xaxis": {"range": [0, 1], "showticklabels": False, "showgrid": False, "fixedrange": True},
        "yaxis": {
            "range": [n - 0.5, -0.45],
            "showticklabels": False,
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
        "annotations": notes,
    }
    return {"data": data, "layout": layout}


def _apart(heights: np.ndarray, gap: float) -> np.ndarray:
    """Heights for texts: the given ones, pushed up where two would overlap."""
    placed = heights.astype(float)
    order = np.argsort(placed, kind="stable")
    for below, above in pairwise(order):
        placed[above] = max(placed[above], placed[below] + gap)
    return placed


def _zero_to_one(top: float, font: int) -> dict:
    return {"range": [0, top], "tickvals": [0, 0.5, 1], "tickfont": {"size": font}, "fixedrange": True}


def _legend_above(font: int) -> dict:
    return {
        "orientation": "h",
        "x": 0,
        "y": 1,
        "xanchor": "left",
        "yanchor": "bottom",
        "font": {"size": font},
        "itemclick": False,
        "itemdoubleclick": False,
    }


def _upright(x: float, y0: float, y1: float, colour: str, dash: str) -> dict:
    line = {"color": colour, "width": 2, "dash": dash}
    return {
        "type": "line", "xref": "x", "yref": "paper", "x0": x, "x1": x, "y0": y0, "y1": y1, "line": line,
        "layer": "below",
    }  # fmt: skip


def _note(text: str, x: float, y: float, x_anchor: str, y_anchor: str, font: int) -> dict:
    at = {"xref": "paper", "yref": "paper", "x": x, "y": y, "xanchor": x_anchor, "yanchor": y_anchor}
    return {"text": text, **at, "showarrow": False, "font": {"size": font}}


# ------------------------------------------------------------------------------------------- sentences


def strip_figure(
    labels: list[str], weights: np.ndarray, allowed: np.ndarray, query: int | None, font: int, width: int
) -> dict:
    """The tokens as one reads them, line by line, each as dark as its weight and with its number below.

    ``query`` is outlined if it stands among them. What may not be read is grey and crossed.
    """
    line, gap = round(font * 2.9), 5
    x, y, places = 0, 0, []
    for label in labels:
        wide = max(_text_width(label, font) + 10, round(font * 2.6))
        if x and x + wide > width:
            x, y = 0, y + line + gap
        places.append((x, y, wide))
        x += wide + 3
    height = y + line + 4
    stops = np.array([_rgb(stop) for stop in BLUES])
    place = np.clip(weights, 0, 1) * (len(BLUES) - 1)
    fills = np.stack([np.interp(place, np.arange(len(BLUES)), stops[:, c]) for c in range(3)], axis=-1)
    inks = np.where(allowed, _black_or_white(fills), BLOCKED_TEXT).tolist()
    shapes = []
    for i, (left, top, wide) in enumerate(places):
        fill = "#" + "".join(f"{round(c * 255):02x}" for c in fills[i]) if allowed[i] else BLOCKED
        edge = {"color": SELECTED, "width": 3} if i == query else {"color": HATCH, "width": 1}
        corners = {"x0": left + 1, "x1": left + wide - 1, "y0": top + 2, "y1": top + line}
        shapes.append({"type": "rect", **corners, "fillcolor": fill, "line": edge, "layer": "below"})
    data = {
        "type": "scatter",
        "mode": "text",
        "x": [left + wide / 2 for left, _, wide in places],
        "y": [top + line / 2 for _, top, _ in places],
        "text": [
            f"{literal(label)}<br><b>{shown(w, 2, True).replace('0.', '.', 1) if ok else '✕'}</b>"
            for label, w, ok in zip(labels, weights, allowed, strict=True)
        ],
        "textfont": {"size": font, "color": inks},
        "cliponaxis": False,
        "hoverinfo": "skip",
    }
    hidden = {"visible": False, "fixedrange": True}
    layout = {
        "height": height,
        "margin": {"l": 0, "r": 0, "t": 0, "b": 0},
        "showlegend": False,
        "dragmode": False,
        "xaxis": hidden | {"range": [0, width]},
        "yaxis": hidden | {"range": [height, 0]},
        "shapes": shapes,
        "meta": {"width": width},
    }
    return {"data": [data], "layout": layout}


def overview_figure(
    weights: np.ndarray, chosen: tuple[int, int], hover: list[list[str]], font: int, width: int
) -> dict:
    """(layers, heads, n, m) weights as one small map for each head; layers go down, heads to the right.

    The lower picture holds all maps, drawn in 256 steps; the clickable one on top has a cell for each head.
    """
    n_layers, n_heads, n, m = weights.shape
    rows, columns = n + max(1, n // 12), m + max(1, m // 12)  # each map with a gap after it
    tiles = np.full((n_layers, n_heads, rows, columns), np.nan)
    tiles[:, :, :n, :m] = weights
    picture = tiles.transpose(0, 2, 1, 3).reshape(n_layers * rows, n_heads * columns)
    # A gap is the number after the darkest, and has no colour.
    steps = np.where(np.isnan(picture), 255, np.round(np.clip(picture, 0, 1) * 254)).astype(np.uint8)
    scale = [[i / (len(BLUES) - 1) * 254 / 255, colour] for i, colour in enumerate(BLUES)]
    scale += [[254.5 / 255, BLUES[-1]], [254.5 / 255, "rgba(0,0,0,0)"], [1, "rgba(0,0,0,0)"]]
    clear = [[0, "rgba(0,0,0,0)"], [1, "rgba(0,0,0,0)"]]
    data = [
        {
            "type": "heatmap",
            "z": steps,
            "x0": -0.5 + 0.5 / columns,
            "dx": 1 / columns,
            "y0": -0.5 + 0.5 / rows,
            "dy": 1 / rows,
            "zmin": 0,
            "zmax": 255,
            "colorscale": scale,
            "showscale": False,
            "hoverinfo": "skip",
        },
        {
            "type": "heatmap",
            "z": np.zeros((n_layers, n_heads), np.float32),
            "colorscale": clear,
            "showscale": False,
            "hovertext": hover,
            "hovertemplate": "%{hovertext}<extra></extra>",
            "meta": "overview",
        },
    ]
    layer, head = chosen
    box = {
        "x0": head - 0.5,
        "x1": head + 0.5 - 0.8 / columns,
        "y0": layer - 0.5,
        "y1": layer + 0.5 - 0.8 / rows,
    }
    axis = {"showgrid": False, "zeroline": False, "ticks": "", "fixedrange": True, "tickfont": {"size": font}}
    left = round(font * 1.6)
    tall = round((width - left) / n_heads * n_layers * n / m)
    layout = {
        "height": tall + round(font * 1.8),
        "margin": {"l": left, "r": 0, "t": round(font * 1.8), "b": 0},
        "showlegend": False,
        "dragmode": False,
        "xaxis": axis | {"side": "top", "range": [-0.5, n_heads - 0.5], "tickvals": list(range(n_heads))},
        "yaxis": axis | {"range": [n_layers - 0.5, -0.5], "tickvals": list(range(n_layers))},
        "shapes": [{"type": "rect", **box, "line": {"color": SELECTED, "width": 3}}],
        "meta": {"width": width},
    }
    return {"data": data, "layout": layout}


def shares_figure(names: list[str], shares: np.ndarray, font: int, width: int) -> dict:
    """A few named shares, 0 ... 1, as bars that go to the right, the number at each bar's end."""
    data = {
        "type": "bar",
        "orientation": "h",
        "x": shares.astype(np.float32),
        "y": np.arange(len(names)),
        "width": 0.7,
        "marker": {"color": BLUES[5], "line": {"color": BLUES[7], "width": 1}},
        "text": [shown(share, 3, True) for share in shares],
        "textposition": "outside",
        "textfont": {"size": font},
        "cliponaxis": False,
        "hoverinfo": "skip",
    }
    left = 10 + max(_text_width(name, font) for name in names)
    layout = {
        "height": round(font * 1.9) * len(names) + 6,
        "margin": {"l": left, "r": round(font * 3), "t": 2, "b": 4},
        "showlegend": False,
        "dragmode": False,
        "xaxis": {"range": [0, 1], "visible": False, "fixedrange": True},
        "yaxis": {
            "range": [len(names) - 0.5, -0.5],
            "tickvals": list(range(len(names))),
            "ticktext": [literal(name) for name in names],
            "tickfont": {"size": font},
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
        "meta": {"width": width},
    }
    return {"data": [data], "layout": layout}


# ------------------------------------------------------------------------------------- cost and distance


def hops_figure(
    labels: list[str],
    strengths: np.ndarray,
    arcs: list[tuple[int, int]],
    path: list[tuple[int, int]],
    font: int,
    width: int,
) -> dict:
    """Words one under another, joined by arcs; those of the path are thick and numbered.

    ``strengths`` says how much of the path's first word is left at each word: 0 ... 1, NaN where it is not passed.
    """
    n, step = len(labels), round(font * 2.1)
    box = round(font * 2.7)
    names = min(max(_text_width(label, font) for label in labels) + 12, width // 2)
    left, right = names, names + box
    room = width - right - round(font * 1.2)
    places = np.clip(np.nan_to_num(strengths), 0, 1) * (len(BLUES) - 1)
    stops = np.array([_rgb(stop) for stop in BLUES])
    fills = np.stack([np.interp(places, np.arange(len(BLUES)), stops[:, c]) for c in range(3)], axis=-1)
    passed = ~np.isnan(strengths)
    shapes = []
    numbers_at = []
    for i, j in [*(arc for arc in arcs if arc not in path), *path]:
        on_path = (i, j) in path
        bulge = right + room * (0.25 + 0.75 * (abs(i - j) - 1) / max(1, n - 2)) * 2 * 0.95
        y0, y1 = (i + 0.15 * np.sign(j - i), j - 0.15 * np.sign(j - i)) if abs(i - j) == 1 else (i, j)
        shapes.append(
            {
                "type": "path",
                "path": f"M {right} {y0} Q {bulge - (bulge - right) * 0.1} {(i + j) / 2} {right} {y1}",
                "line": {"color": SELECTED if on_path else HATCH, "width": 3.5 if on_path else 1},
                "layer": "below" if not on_path else "above",
            }
        )
        if on_path:
            numbers_at.append((right + (bulge - (bulge - right) * 0.1 - right) / 2, (i + j) / 2))
    for k in range(n):
        fill = "#" + "".join(f"{round(c * 255):02x}" for c in fills[k]) if passed[k] else BLOCKED
        edge = {"color": SELECTED if passed[k] else HATCH, "width": 2 if passed[k] else 1}
        shapes.append(
            {
                "type": "rect", "x0": left, "x1": right, "y0": k - 0.4, "y1": k + 0.4, "fillcolor": fill, "line": edge,
                "layer": "below",
            }
        )  # fmt: skip
    words = {
        "type": "scatter",
        "mode": "text",
        "x": np.full(n, left - 6, np.float32),
        "y": np.arange(n),
        "text": [f"<b>{literal(x)}</b>" if ok else literal(x) for x, ok in zip(labels, passed, strict=True)],
        "textposition": "middle left",
        "textfont": {"size": font},
        "cliponaxis": False,
        "hoverinfo": "skip",
    }
    inside = {
        "type": "scatter",
        "mode": "text",
        "x": np.full(n, (left + right) / 2, np.float32),
        "y": np.arange(n),
        "text": [
            shown(x, 2, True).replace("0.", ".", 1) if ok else "" for x, ok in zip(strengths, passed, strict=True)
        ],
        "textfont": {"size": font, "color": _black_or_white(fills).tolist()},
        "hoverinfo": "skip",
    }
    hops = {
        "type": "scatter",
        "mode": "text",
        "x": [x + 4 for x, _ in numbers_at],
        "y": [y for _, y in numbers_at],
        "text": [f"<b>{k + 1}</b>" for k in range(len(numbers_at))],
        "textposition": "middle right",
        "textfont": {"size": font},
        "cliponaxis": False,
        "hoverinfo": "skip",
    }
    axis = {"visible": False, "fixedrange": True}
    layout = {
        "height": step * n + 8,
        "margin": {"l": 0, "r": 0, "t": 2, "b": 2},
        "showlegend": False,
        "dragmode": False,
        "xaxis": axis | {"range": [0, width]},
        "yaxis": axis | {"range": [n - 0.5, -0.5]},
        "shapes": shapes,
        "meta": {"width": width},
    }
    return {"data": [words, inside, hops], "layout": layout}


def square_figure(n: int, frame: int, inner: int, label: str, inner_label: str, font: int, width: int) -> dict:
    """n x n cells as a square in a frame of ``frame`` tokens, beside one row of them as a bar; single cells where few.

    ``inner`` is the side of the frame before this one, drawn dashed, or 0.
    """
    gap = frame * 0.07
    bar = max(1.0, frame / 60)
    line = {"color": BLUES[7], "width": 1}
    shapes = [
        {"type": "rect", "x0": 0, "x1": bar, "y0": 0, "y1": n, "fillcolor": BLUES[4], "line": line},
        {"type": "rect", "x0": bar + gap, "x1": bar + gap + n, "y0": 0, "y1": n, "fillcolor": BLUES[4], "line": line},
    ]
    if n <= 32:
        for i in range(1, n):
            across = {"x0": bar + gap + i, "x1": bar + gap + i, "y0": 0, "y1": n}
            down = {"x0": bar + gap, "x1": bar + gap + n, "y0": i, "y1": i}
            in_bar = {"x0": 0, "x1": bar, "y0": i, "y1": i}
            white = {"color": "#ffffff", "width": 1}
            shapes += [{"type": "line", **at, "line": white} for at in (across, down, in_bar)]
    whole = {"x0": bar + gap, "x1": bar + gap + frame, "y0": 0, "y1": frame}
    shapes.append({"type": "rect", **whole, "line": {"color": HATCH, "width": 1}, "layer": "below"})
    notes = []
    if inner:
        dashed = {"color": SELECTED, "width": 2, "dash": "dash"}
        corner = {"x0": bar + gap, "x1": bar + gap + inner, "y0": 0, "y1": inner}
        shapes.append({"type": "rect", **corner, "line": dashed})
        notes.append(
            _note(f"<b>{literal(inner_label)}</b>", bar + gap + inner * 1.15, inner * 0.5, "left", "middle", font)
            | {"xref": "x", "yref": "y", "bgcolor": "#ffffff", "font": {"size": font, "color": "#000000"}}
        )
    title = _note(f"<b>{literal(label)}</b>", bar + gap, -frame * 0.02, "left", "bottom", font)
    notes.append(title | {"xref": "x", "yref": "y"})
    axis = {"visible": False, "fixedrange": True}
    layout = {
        "height": round(width * 1.02),
        "margin": {"l": 4, "r": 4, "t": 4, "b": 4},
        "showlegend": False,
        "dragmode": False,
        "xaxis": axis | {"range": [-frame * 0.02, frame + bar + gap], "constrain": "domain"},
        "yaxis": axis | {"range": [frame * 1.02, -frame * 0.13], "scaleanchor": "x", "constrain": "domain"},
        "shapes": shapes,
        "annotations": notes,
        "meta": {"width": width},
    }
    nothing = {"type": "scatter", "x": [0], "y": [0], "mode": "markers", "marker": {"opacity": 0}, "hoverinfo": "skip"}
    return {"data": [nothing], "layout": layout}


def long_bars_figure(
    titles: list[str],
    names: list[str],
    numbers: np.ndarray,
    texts: list[list[str]],
    most: np.ndarray,
    font: int,
    width: int,
) -> dict:
    """(measures, kinds) numbers from 0 up as bars on a logarithmic scale, each measure full at its own largest.

    Each bar has its name at its left and its text at its end.
    """
    n_measures, n_kinds = numbers.shape
    filled = np.log1p(numbers) / np.log1p(most)[:, None]
    line = font * 1.75  # pixels of a bar or a title
    left = max(_text_width(name, font) for name in names) + 10
    y = np.arange(n_measures)[:, None] * (n_kinds + 1.25) + 1 + np.arange(n_kinds)
    data = []
    for k, name in enumerate(names):
        colour, _, _, hatch = STYLES[k]
        data.append(
            {
                "type": "bar",
                "orientation": "h",
                "x": filled[:, k].astype(np.float32),
                "y": y[:, k],
                "width": 0.8,
                "name": literal(name),
                "marker": {"color": colour, "line": {"width": 0}, "pattern": {"shape": hatch, "size": 5}},
                "text": [f"<b>{literal(texts[m][k])}</b>" for m in range(n_measures)],
                "textposition": "outside",
                "textfont": {"size": font},
                "cliponaxis": False,
                "hoverinfo": "skip",
            }
        )
    heads = [
        _note(f"<b>{literal(title)}</b>", -left + 8, float(y[m, 0]) - 1, "left", "middle", font)
        | {"xref": "paper", "yref": "y", "x": 0, "xshift": 8 - left}
        for m, title in enumerate(titles)
    ]
    layout = _plane_layout(width, round(line * (n_measures * (n_kinds + 1.25)) + 8)) | {
        "margin": {"l": left, "r": round(font * 5), "t": 2, "b": 2},
        "barmode": "overlay",
        "xaxis": {"range": [0, 1], "visible": False, "fixedrange": True},
        "yaxis": {
            "range": [float(y[-1, -1]) + 0.6, -0.6],
            "tickvals": y.ravel().tolist(),
            "ticktext": [literal(name) for name in names] * n_measures,
            "tickfont": {"size": font},
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
        "annotations": heads,
    }
    return {"data": data, "layout": layout}


def growth_figure(
    lengths: list[int], measured: Series, lines: list[Series], times: list[str], font: int, width: int
) -> dict:
    """Measured times over lengths, both axes logarithmic, beside the lines they would follow; times at the points."""
    colour, _, shape, _ = STYLES[measured.style]
    data = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": lengths,
            "y": line.numbers.astype(np.float64),
            "name": literal(line.name),
            "line": {"color": STYLES[line.style][0], "dash": STYLES[line.style][1], "width": 2},
            "hoverinfo": "skip",
        }
        for line in lines
    ]
    data.append(
        {
            "type": "scatter",
            "mode": "markers+text",
            "x": lengths[: len(measured.numbers)],
            "y": measured.numbers.astype(np.float64),
            "name": literal(measured.name),
            "marker": {"symbol": shape, "size": font, "color": colour},
            "text": [f"<b>{literal(time)}</b>" for time in times],
            "textposition": "top left",
            "textfont": {"size": font},
            "cliponaxis": False,
            "hoverinfo": "skip",
        }
    )
    lowest = min(series.numbers.min() for series in [measured, *lines])
    highest = max(series.numbers.max() for series in [measured, *lines])
    layout = _plane_layout(width, round(width * 0.66)) | {
        "margin": {"l": 10, "r": 14, "t": round(font * 3.6), "b": round(font * 2.2)},
        "showlegend": True,
        "legend": _legend_above(font),
        "xaxis": {
            "type": "log",
            "range": [float(np.log10(lengths[0])) - 0.28, float(np.log10(lengths[-1])) + 0.08],
            "tickvals": lengths,
            "ticktext": [str(n) for n in lengths],
            "tickangle": 0,
            "tickfont": {"size": font},
            "fixedrange": True,
            "showgrid": False,
        },
        "yaxis": {
            "type": "log",
            "range": [float(np.log10(lowest)) - 0.1, float(np.log10(highest)) + 0.4],
            "showticklabels": False,
            "showgrid": False,
            "fixedrange": True,
        },
    }
    return {"data": data, "layout": layout}


# ------------------------------------------------------------------------------ what weights do not tell


def rankings_figure(titles: list[str], sets: np.ndarray, labels: list[str], font: int, width: int) -> dict:
    """(measures, keys) numbers, each measure as bars of its own height, one under another over the same keys."""
    n_measures, n = sets.shape
    data, notes, layout = [], [], {}
    each = 1 / n_measures
    for m, (title, row) in enumerate(zip(titles, sets, strict=True)):
        top = 1 - m * each
        suffix = "" if m == 0 else str(m + 1)
        data.append(
            {
                "type": "bar",
                "x": np.arange(n),
                "y": row.astype(np.float32),
                "width": 0.7,
                "yaxis": f"y{suffix}",
                "marker": {
                    "color": [TOKEN_COLOURS[j % len(TOKEN_COLOURS)] for j in range(n)],
                    "pattern": {"shape": [("", "/", ".", "x")[j % 4] for j in range(n)], "size": 6},
                    "line": {"color": "#ffffff", "width": 1},
                },
                "text": [f"<b>{shown(abs(x), 3 if x < 1 else 2, True)}</b>" for x in row],
                "textposition": "outside",
                "textfont": {"size": font},
                "cliponaxis": False,
                "hoverinfo": "skip",
            }
        )
        notes.append(_note(f"<b>{literal(title)}</b>", 0, top, "left", "top", font))
        layout[f"yaxis{suffix}"] = {
            "domain": [top - each + 0.02, top - each * 0.36],
            "range": [0, float(row.max()) * 1.05 if row.max() > 1e-9 else 1],
            "visible": False,
            "fixedrange": True,
        }
    layout |= {
        "height": round(font * 8.2) * n_measures + round(font * 2),
        "margin": {"l": 4, "r": 4, "t": 4, "b": round(font * 2)},
        "showlegend": False,
        "dragmode": False,
        "annotations": notes,
        "xaxis": {
            "tickvals": list(range(n)),
            "ticktext": [f"<b>{literal(label)}</b>" for label in labels],
            "tickangle": 0,
            "range": [-0.6, n - 0.4],
            "tickfont": {"size": font},
            "fixedrange": True,
            "showgrid": False,
            "anchor": f"y{n_measures}" if n_measures > 1 else "y",
        },
        "meta": {"width": width},
    }
    return {"data": data, "layout": layout}


def block_figure(boxes: list[str], here: int, detours: list[tuple[int, int]], font: int, width: int) -> dict:
    """Boxes one under another, joined by arrows, one of them marked; detours lead past a stretch of them."""
    n, side = len(boxes), round(font * 2.2)
    left, right, step = side, width - 6, round(font * 3.1)
    shapes, notes = [], []
    ink = {"color": BLOCKED_TEXT, "width": 1.5}
    for i in range(n):
        edge = {"color": SELECTED, "width": 4} if i == here else {"color": HATCH, "width": 1}
        fill = BLUES[2] if i == here else "#ffffff"
        box = {"x0": left, "x1": right, "y0": i - 0.32, "y1": i + 0.32}
        shapes.append({"type": "rect", **box, "fillcolor": fill, "line": edge, "layer": "below"})
        if i:
            notes.append(
                {
                    "x": (left + right) / 2, "y": i - 0.32, "ax": (left + right) / 2, "ay": i - 0.68, "xref": "x",
                    "yref": "y", "axref": "x", "ayref": "y", "showarrow": True, "arrowhead": 2, "arrowwidth": 1.5,
                    "arrowcolor": HATCH, "text": "",
                }
            )  # fmt: skip
    for start, stop in detours:
        path = f"M {left} {start} L {side * 0.3} {start} L {side * 0.3} {stop} L {left} {stop}"
        shapes.append({"type": "path", "path": path, "line": ink | {"color": HATCH, "dash": "dot", "width": 2}})
    texts = {
        "type": "scatter",
        "mode": "text",
        "x": np.full(n, (left + right) / 2, np.float32),
        "y": np.arange(n),
        "text": [f"<b>{literal(box)}</b>" if i == here else literal(box) for i, box in enumerate(boxes)],
        "textfont": {"size": font, "color": "#000000"},
        "hoverinfo": "skip",
    }
    axis = {"visible": False, "fixedrange": True}
    layout = {
        "height": step * n,
        "margin": {"l": 0, "r": 0, "t": 2, "b": 2},
        "showlegend": False,
        "dragmode": False,
        "xaxis": axis | {"range": [0, width]},
        "yaxis": axis | {"range": [n - 0.5, -0.5]},
        "shapes": shapes,
        "annotations": notes,
        "meta": {"width": width},
    }
    return {"data": [texts], "layout": layout}
