"""Matrices as heatmaps, alone or as factors around their product."""

from operator import itemgetter
from typing import NamedTuple

import numpy as np

from pages.ui.pictures.bars import bars_above
from pages.ui.pictures.colours import BLOCKED, BLOCKED_TEXT, BLUES, HATCH, PUOR, ROLES, SELECTED, text_colour
from pages.ui.pictures.numbers import decimals_for, shown, without_zero
from pages.ui.pictures.panel import MANY, Panel
from pages.ui.pictures.texts import BACK_ROW, ems, fitted_labels, label_height, lines_of, literal, overhang, text_width

MOST_NUMBERS = 12  # more rows or columns: numbers in the selected row only


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
        "r": 10 + max(*last, overhang(outer[-1].columns, cell.least, font)),
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
        traces += bars_above(bars, [floor, floor + tall / height], tall, font, layout)
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
            "hovertext": [[lines_of(text) for text in texts] for texts in panel.hover] if panel.hover else None,
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
    fills = [(cell.width - 3) / max(1, ems(text)) for text in texts]  # the size at which a number fills its cell
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
        if (weight and many) or any(ems(text) * 12 > width - 3 for text in texts):
            texts = [without_zero(text) for text in texts]
        if all(ems(text) * size <= room for text in texts if text[:1] != "<"):
            return texts
    if weight or panel.texts:
        return texts
    # Not even whole numbers fit: their size in one digit, as 2e3, or nothing rather than one over the other.
    short = [f"{panel.numbers[i, j]:.0e}" for i, j in zip(rows, columns, strict=True)]
    short = [text.replace("e+0", "e").replace("-", "−") for text in short]
    pairs = ((s if ems(text) * 9 > width else text) for s, text in zip(short, texts, strict=True))
    return [text if ems(text) * 9 <= width else "" for text in pairs]


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
