"""Arrays and labels in, a Plotly figure out. Knows neither Streamlit nor the core nor any words.

Rows are drawn top to bottom, columns left to right with their labels on top. Axes are positions 0 ... n-1, never
labels: equal labels would merge and dates would become a time axis. Colours have fixed meanings and fixed ranges,
and are the same in the light and the dark theme.
"""

import html
import math
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import itemgetter
from typing import NamedTuple

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


def _lines(text: str) -> str:
    return literal(text).replace("\n", "<br>")


def shown(number: float, decimals: int, weight: bool = False) -> str:
    """A number as it is printed: a small weight is never printed as a 0, which is kept for blocked cells."""
    if weight and 0 < abs(number) < 0.5 * 10.0**-decimals:
        least = without_zero(f"{10.0**-decimals:.{decimals}f}")
        return f"<{least}" if number > 0 else f">−{least}"
    if number == -np.inf:
        return "−∞"
    if abs(number) >= 10_000:
        return f"{number:.1e}".replace("-", "−").replace("e+0", "e").replace("e+", "e")
    return rounded(number, decimals)


def rounded(number: float, decimals: int) -> str:
    """A number with so many decimals. It ends in zeros only where digits were cut off: 0.50 is not quite 0.5."""
    text = f"{number:.{decimals}f}"
    if "." in text and math.isclose(float(text), number, rel_tol=1e-9):
        text = text.rstrip("0").rstrip(".")
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


def without_zero(text: str) -> str:
    """0.25 as .25; 10.5 and 0.00 stay as they are."""
    return text.replace("0.", ".", 1) if text.removeprefix("−").startswith("0.") and text.strip("−0.") else text


def decimals_for(numbers: np.ndarray, columns: int, at_most: int = 3) -> int:
    """How many decimals fit: as few as print every number exactly, fewer in a wider matrix."""
    most = min(at_most, 3 if columns <= 6 else 2 if columns <= 10 else 1)
    finite = numbers[np.isfinite(numbers)]
    return next((d for d in range(most) if np.allclose(np.round(finite, d), finite, rtol=1e-9, atol=0)), most)


def text_colour(numbers: np.ndarray, colours: str, limit: float) -> np.ndarray:
    """Black or white for each number, whichever stands out more (at least 4.58:1) from its cell's colour."""
    stops, low, high = (BLUES, 0.0, 1.0) if colours == "weight" else (PUOR, -limit, limit)
    scale = _rgb_of(tuple(stops))
    place = np.clip((np.nan_to_num(numbers, neginf=low) - low) / (high - low), 0, 1) * (len(stops) - 1)
    channels = np.stack([np.interp(place, np.arange(len(stops)), scale[:, i]) for i in range(3)], axis=-1)
    return black_or_white(channels)


@cache
def _rgb_of(stops: tuple[str, ...]) -> np.ndarray:
    return np.array([rgb(stop) for stop in stops])


def rgb(colour: str) -> list[float]:
    return [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]


def black_or_white(channels: np.ndarray) -> np.ndarray:
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return np.where(linear @ [0.2126, 0.7152, 0.0722] > 0.179, "#000000", "#ffffff")


def readable_on(colour: str) -> str:
    return str(black_or_white(np.array(rgb(colour))))


def symmetric_limit(*matrices: np.ndarray) -> float:
    """One range around 0 for matrices that are to be compared."""
    largest = max(float(np.abs(m[np.isfinite(m)]).max(initial=0)) for m in matrices)
    return largest or 1.0


# Pixels of a cell's side by the largest number of cells in a row or column.
MANY = 16  # more cells in a row or column: small cells with small labels, no sums
_SMALL = ((24, 19), (32, 14), (48, 9), (64, 7))
CELL_SIZES = {
    "beside": ((4, 40), (7, 34), (12, 27), (MANY, 19), *_SMALL),
    "pair": _SMALL,
    "half": _SMALL,
    "alone": _SMALL,
    "wide": ((8, 62), (12, 44), (MANY, 32), *_SMALL),
    "projector": ((24, 30), (32, 22), (48, 15), (64, 12)),
    "phone": ((64, 40),),  # or as much as there is
}
# Where a picture of up to MANY cells has a part of the page to itself: pixels across it all and down its cells, so
# that it stands on the first screen of 1280 x 720, and a cell's height at least and at most.
ROOMS = {
    "pair": (290, 372, 22, 60),
    "half": (480, 372, 22, 60),
    "alone": (590, 372, 22, 60),
    "projector": (760, 376, 30, 92),
}
PHONE = 340  #: pixels across that every phone has
BACK_ROW = 22  #: pixels of a font that is read from there
NUMBER_NEEDS = 22  #: pixels of a cell's side, to hold a number one can read


def matrix_figure(panel: Panel, size: str, bars: Panel | None = None) -> dict:
    """One matrix alone, or with one row of it drawn as bars above, each over its own column."""
    rows, columns = panel.numbers.shape
    if bars is None:
        return _figure([(panel, 0, 0)], [columns], [rows], size)
    bar_rows = -(-rows // 8) if rows > MANY else 2
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
    names = max(text_width(label, font) for panel, _, c in placed if c == 0 for label in panel.rows)
    beside = [max((text_width(text, font) for text in panel.beside or [""]), default=0) for panel, *_ in placed]
    cell = _cell(column_counts, row_counts, size, 46 + names + max(beside), bars is not None)
    chip, line = round(font * 1.9), round(font * 1.5)
    if max(*column_counts, *row_counts) > MANY:
        font = max(7, min(font, cell.height))
    outer = [panel for panel, row, column in placed if row == 0 or len(row_counts) == 1 or bars]
    labels = max(label_height(panel.columns, cell.least, font) for panel in outer)
    first = [wide for wide, (_, _, column) in zip(beside, placed, strict=True) if column == 0]
    last = [wide for wide, (_, _, c) in zip(beside, placed, strict=True) if c == len(column_counts) - 1]
    left = 14 + names
    if len(column_counts) > 1:
        left = max(left, text_width(placed[0][0].title, font) - cell.width * column_counts[0] + 12)
    x_gap = 0
    if len(column_counts) > 1:  # room for sums, and for the upper factor's row names, clear of the column names below
        x_gap = max(12 + max(first), 8 + max(text_width(label, font) for label in placed[1][0].rows))
    y_gap = 0 if len(row_counts) == 1 else 8 + (labels if bars else 0)
    if bars and len(column_counts) == 1:
        top = round(font * 0.8)  # the labels stand between the bars and the matrix
    else:
        top = labels + (chip if len(row_counts) > 1 else 0)
    margin = {
        "l": left,
        "r": 10 + max(*last, _overhang(outer[-1].columns, cell.least, font)),
        "t": top + 2,
        "b": chip + 6 + (line if any(panel.below for panel, *_ in placed) else 0),
    }
    width = cell.width * sum(column_counts) + x_gap
    height = cell.height * sum(row_counts) + y_gap
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
        x0 = 0 if column == 0 else cell.width * column_counts[0] + x_gap
        y0 = 0 if row == 0 else cell.height * row_counts[0] + y_gap
        domain = (
            [x0 / width, min(1, (x0 + cell.width * columns) / width)],
            [max(0, 1 - (y0 + cell.height * rows) / height), 1 - y0 / height],
        )
        corner = row == column == 1
        traces += _panel(panel, number, domain, cell, font, layout, labelled=not corner)
        title_above = row == 0 and len(row_counts) > 1
        _title(panel, domain, font, layout, labels if title_above else -line * bool(panel.below), title_above)
    if bars is not None:
        floor = 1 - cell.height * row_counts[0] / height
        above = cell.height * row_counts[0]
        tall = min(max(above - font, above / 2), 110)
        traces += _bars_above(bars, [floor, floor + tall / height], tall, font, layout)
    if len(placed) == 1:
        fills = [trace["meta"] for trace in traces if trace.get("mode") == "text" and trace["text"]]
        share = min(1, max([cell.least / cell.width, *(9 / min(each) for each in fills)]))
        layout["meta"]["least"] = round(margin["l"] + width * share + margin["r"])
    return {"data": traces, "layout": layout}


class Cell(NamedTuple):
    """Pixels of a cell."""

    width: int
    height: int
    least: int  #: the width it keeps where the browser has to squeeze the picture; column labels fit into it


def _cell(column_counts: list[int], row_counts: list[int], size: str, sides: int, with_bars: bool) -> Cell:
    """A cell's size for so many columns and rows, beside whose blocks ``sides`` pixels are taken."""
    most, columns = max(*column_counts, *row_counts), sum(column_counts)
    if size not in ROOMS or most > MANY:
        side = next(pixels for cells, pixels in CELL_SIZES[size] if most <= cells)
        if size == "phone":
            side = max(9 if most <= MANY else 4, min(side, (PHONE - sides) // columns))
        room = (ROOMS[size][0] - sides) // columns if size in ROOMS else side
        return Cell(max(side, min(round(1.75 * side), room)), side, round(0.8 * side))
    across, down, least, largest = ROOMS[size]
    # Bars take two rows; with and without them cells are of one size.
    rows = sum(row_counts) if with_bars or len(row_counts) > 1 else row_counts[0] + 2
    widest = min(largest, (across - sides) // columns)
    height = max(least, min(largest, down // rows, widest))
    width = max(height, min(widest, round(1.75 * height)))  # numbers are wider than high
    return Cell(width, height, round(max(0.8 * height, 0.7 * width)))


# Streamlit's font, measured: digits and signs are half as wide as the font is high, small letters hardly more.
_NARROW, _BROAD = frozenset(" !'(),-./:;I[]fijlrt{|}·"), frozenset("%&@GHMNOQUWmw∞…ЖМШЩЮжмшщюω")


def text_width(text: str, font: int) -> int:
    return round(_ems(text) * font)


@lru_cache(4096)
def _em(character: str) -> float:
    """At least the width of a character, in heights of the font."""
    if character in _NARROW:
        return 0.36
    return 0.96 if character in _BROAD or _is_wide(character) else 0.52 if character in "0123456789<>+−=" else 0.62


def _is_wide(character: str) -> bool:
    """Hangul, Chinese, kana, emoji: as wide as it is high."""
    return 0x1100 <= ord(character) <= 0x11FF or ord(character) >= 0x2E80


def fitted_labels(labels: list[str], cell: int, font: int) -> tuple[list[str], int]:
    """Column labels as Plotly shows them, and the angle at which they stay inside their columns."""
    is_long = max((text_width(label, font) for label in labels), default=0) > cell - 2
    return list(map(literal, labels)), (-50 if cell > 1.4 * font else -90) if is_long else 0


def _overhang(labels: list[str], cell: int, font: int) -> int:
    """How far slanted labels reach out to the right of the last column."""
    if fitted_labels(labels, cell, font)[1] != -50:
        return 0
    reach = (text_width(label, font) * 0.64 - cell * (i + 0.5) for i, label in enumerate(reversed(labels)))
    return round(max(0, *reach) + 6)


def label_height(labels: list[str], cell: int, font: int) -> int:
    angle = fitted_labels(labels, cell, font)[1]
    if angle:
        longest = max(text_width(label, font) for label in labels)
        return round(longest * 0.77 + 0.8 * font if angle == -50 else longest + 8)
    return round(font * 1.85)


def _panel(panel: Panel, number: int, domain, cell: Cell, font: int, layout: dict, labelled: bool) -> list[dict]:
    n_rows, n_columns = panel.numbers.shape
    suffix = "" if number == 1 else str(number)
    x, y = f"x{suffix}", f"y{suffix}"
    column_labels, angle = fitted_labels(panel.columns, cell.least, font)
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
    spacing = {"xgap": 1, "ygap": 3 if cell.height >= 12 else 1}  # rows read as strips
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
            "z": np.where(blocked, np.nan, panel.numbers).astype(np.float64 if panel.limit > 1e38 else np.float32),
            "zmin": 0 if panel.colours == "weight" else -panel.limit,
            "zmax": 1 if panel.colours == "weight" else panel.limit,
            "colorscale": [[i / (len(stops) - 1), colour] for i, colour in enumerate(stops)],
            "showscale": False,
            **spacing,
            "hoverongaps": True,
            "hovertext": [[_lines(text) for text in texts] for texts in panel.hover] if panel.hover else None,
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


def _numbers(panel: Panel, blocked: np.ndarray, cell: Cell, font: int, on: dict) -> list[dict]:
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
    if cell.height < NUMBER_NEEDS - 4:
        rows = columns = rows[:0]
    texts = _fitting(panel, blocked, rows, columns, cell.width, font)
    colours = text_colour(panel.numbers, panel.colours, panel.limit)
    colours = np.where(blocked, BLOCKED_TEXT, colours)
    fills = [(cell.width - 3) / max(1, _ems(text)) for text in texts]  # the size at which a number fills its cell
    usual = min((f for f, text in zip(fills, texts, strict=True) if text[:1] not in ("<", ">")), default=font)
    fills = [min(f, usual) for f in fills]  # all of one size, but for "<.01": it alone must not make all small
    sizes = [max(9, min(font, int(f))) for f in fills]
    if panel.behind is not None and cell.height >= 34:
        decimals = min(2, decimals_for(panel.numbers, n_columns))
        texts = [
            f"{text}<br><span style='font-size:{max(9, size - 4)}px'>{shown(panel.behind[i, j], decimals)}</span>"
            if blocked[i, j]
            else text
            for text, size, i, j in zip(texts, sizes, rows, columns, strict=True)
        ]
    return [
        {
            "type": "scatter",
            "mode": "text",
            "x": columns.astype(np.float32),
            "y": rows.astype(np.float32),
            "text": texts,
            "textfont": {"color": colours[rows, columns].tolist(), "size": sizes},
            "meta": fills,
            "hoverinfo": "skip",
            "cliponaxis": False,
            **on,
        }
    ]


def _fitting(panel: Panel, blocked: np.ndarray, rows, columns, width: int, font: int) -> list[str]:
    """What stands in these cells, in as many decimals as their ``width`` in pixels has room for.

    From the back row many columns are read by their numbers' size: there decimals go before size does.
    """
    weight, many = panel.colours == "weight", panel.numbers.shape[1] > 10
    most = decimals_for(panel.numbers, panel.numbers.shape[1])
    if weight and many and most == 1:
        most = 2  # without its 0 a weight has room for them
    size, room = (font, width - 3) if many and font >= BACK_ROW else (9, width)
    for decimals in range(most, min(most, int(weight)) - 1, -1):
        texts = _written(panel, blocked, rows, columns, decimals)
        if (weight and many) or any(_ems(text) * 12 > width - 3 for text in texts):
            texts = [without_zero(text) for text in texts]
        if all(_ems(text) * size <= room for text in texts if text[:1] != "<"):
            return texts
    if weight or panel.texts:
        return texts
    # Not even whole numbers fit: their size in one digit, as 2e3, or nothing rather than one over the other.
    short = [f"{panel.numbers[i, j]:.0e}" for i, j in zip(rows, columns, strict=True)]
    short = [text.replace("e+0", "e").replace("-", "−") for text in short]
    pairs = ((s if _ems(text) * 9 > width else text) for s, text in zip(short, texts, strict=True))
    return [text if _ems(text) * 9 <= width else "" for text in pairs]


def _ems(text: str) -> float:
    return sum(map(_em, text))


def _written(panel: Panel, blocked: np.ndarray, rows, columns, decimals: int) -> list[str]:
    """What stands in these cells."""
    if panel.texts:
        return [panel.texts[i][j] for i, j in zip(rows, columns, strict=True)]
    return [
        panel.blocked_text if blocked[i, j] else shown(panel.numbers[i, j], decimals, panel.colours == "weight")
        for i, j in zip(rows, columns, strict=True)
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


def _mark(panel: Panel, x: str, y: str, domain, cell: Cell, font: int, layout: dict) -> None:
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
    for j, text in enumerate(panel.below or [] if cell.width >= NUMBER_NEEDS else []):
        texts.append((text, left + (j + 0.5) * (right - left) / n_columns, bottom, "center", "top", 0, -2))
    # In paper coordinates, because Plotly hides what lies outside the axes' range.
    for text, at_x, at_y, x_anchor, y_anchor, x_shift, y_shift in filter(itemgetter(0), texts):
        at = {
            "xref": "paper",
            "yref": "paper",
            "x": at_x,
            "y": at_y,
            "xanchor": x_anchor,
            "yanchor": y_anchor,
        }
        shift = {"xshift": x_shift, "yshift": y_shift, "showarrow": False}
        size = font - 1 if x_anchor == "left" else min(font - 1, round(cell.width / 2.5))
        layout["annotations"].append({"text": literal(text), **at, **shift, "font": {"size": size}})


def _bars_above(row: Panel, y_domain, tall: int, font: int, layout: dict) -> list[dict]:
    """One row of weights as bars, ``tall`` pixels for 0 ... 1.12, over the columns of the first panel."""
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
    return bar_traces(row, {"xaxis": "x", "yaxis": "y9"}, font, 1.12 * (font + 5) / tall)


def bar_traces(row: Panel, on: dict, font: int, number_height: float) -> list[dict]:
    """Bars with their numbers, ``number_height`` of the axis tall; a dotted line where no key would be preferred."""
    weights = row.numbers[0]
    blocked = np.zeros(len(weights), bool) if row.blocked is None else row.blocked[0]
    keys = np.arange(len(weights))
    even = 1 / max(1, int((~blocked).sum()))
    lined = keys if not blocked.all() else keys[:0]
    struck = ~blocked & (weights < even) & (even < weights + number_height)  # there the line would cross a number out
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
            "hovertext": [_lines(text) for text in row.hover[0]] if row.hover else None,
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
            "x": [x for j in lined[~struck[lined]].tolist() for x in (j - 0.5, j + 0.5, None)],
            "y": [y for _ in lined[~struck[lined]] for y in (even, even, None)],
            "line": {"color": HATCH, "width": 1, "dash": "dot"},
            "hoverinfo": "skip",
            **on,
        },
    ]


def bars_figure(row: Panel, ranks: list[int] | None = None) -> dict:
    """One query's weights as bars, 0 ... 1, with a dotted line where no key would be preferred.

    The axis reaches further only for numbers that are no weights of attention, below 0 or above 1.
    """
    beyond = [round(float(w), 2) for w in (row.numbers.min(), row.numbers.max()) if not 0 <= w <= 1]
    low, high = 1.12 * min([0, *beyond]), 1.12 * max([1, *beyond])
    layout = bars_layout(row.columns, ranks)
    layout["yaxis"] = {
        "range": [low, high],
        "tickvals": [0, 1, *beyond] if beyond else [0, 0.5, 1],
        "fixedrange": True,
    }
    return {"data": bar_traces(row, {"xaxis": "x", "yaxis": "y"}, 13, 0.08 * (high - low)), "layout": layout}


def bars_layout(labels: list[str], ranks: list[int] | None) -> dict:
    """A bar for each token; with ``ranks``, its place in the order of size in a circle below its name (0: none)."""
    names, angle = fitted_labels(labels, 44, 13)
    if ranks:
        names = [f"{name}<br>{chr(0x245F + rank)}" if rank else name for name, rank in zip(names, ranks, strict=True)]
    layout = plane_layout(max(200, 60 + 46 * len(labels)), 280)
    layout["margin"] = layout["margin"] | {"b": max(30, 4 + label_height(labels, 44, 13)) + (18 if ranks else 0)}
    layout["xaxis"] = {
        "tickvals": list(range(len(names))),
        "ticktext": names,
        "tickangle": angle,
        "range": [-0.5, len(names) - 0.5],
        "tickfont": {"size": 13},
        "fixedrange": True,
        "showgrid": False,
    }
    return layout


def enlarged(figure: dict, factor: float) -> dict:
    """The same figure with everything on it ``factor`` times as large, for the back row."""

    def grown(part, name: str = ""):
        if isinstance(part, dict):
            return {key: grown(value, key) for key, value in part.items()}
        if isinstance(part, list) and part and isinstance(part[0], dict):
            return [grown(item) for item in part]
        return round(part * factor) if name in ("size", "height", "l", "r", "t", "b", "arrowwidth") else part

    layout = grown(figure["layout"])
    layout["font"] = {"size": round(12 * factor)}
    layout["meta"] = {"width": round(figure["layout"]["meta"]["width"] * factor)}
    return {"data": grown(figure["data"]), "layout": layout}


def plane_layout(width: int, height: int) -> dict:
    return {
        "height": height,
        "margin": {"l": 34, "r": 16, "t": 12, "b": 30},
        "showlegend": False,
        "hovermode": "closest",
        "dragmode": False,
        "meta": {"width": width},
    }


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


def legend_above(font: int) -> dict:
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


def side_note(text: str, x: float, y: float, x_anchor: str, y_anchor: str, font: int) -> dict:
    at = {"xref": "paper", "yref": "paper", "x": x, "y": y, "xanchor": x_anchor, "yanchor": y_anchor}
    return {"text": text, **at, "showarrow": False, "font": {"size": font}}
