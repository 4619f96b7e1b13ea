"""One query's weights as bars."""

import numpy as np

from pages.ui.pictures.colours import BLUES, HATCH
from pages.ui.pictures.numbers import shown
from pages.ui.pictures.panel import MANY, Panel
from pages.ui.pictures.plane import plane_layout
from pages.ui.pictures.texts import fitted_labels, label_height, lines_of


def bars_above(row: Panel, y_domain, tall: int, font: int, layout: dict) -> list[dict]:
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
            "hovertext": [lines_of(text) for text in row.hover[0]] if row.hover else None,
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
