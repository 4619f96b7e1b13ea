"""Figures of the √d experiment: curves, histograms, bars beside each other. As figures.py, they know no words."""

from itertools import pairwise

import numpy as np

from pages.ui.pictures.colours import HATCH, SELECTED, STYLES
from pages.ui.pictures.numbers import shown, without_zero
from pages.ui.pictures.plane import Series, legend_above, plane_layout, side_note
from pages.ui.pictures.texts import fitted_labels, label_height, literal, text_width


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
    heights = [0.03 + _apart(np.array(at), font / 105) for at in zip(*(c.numbers for c in curves), strict=True)]
    side = -1 if chosen > 0 else 1  # of the mark: curves that rise leave room for numbers at the left of it
    data.append(
        {
            "type": "scatter",
            "mode": "text",
            "x": np.full(len(curves), chosen + 0.2 * side),
            "y": heights[chosen].astype(np.float32),
            "text": [f"<b>{shown(curve.numbers[chosen], 2, True)}</b>" for curve in curves],
            "textposition": "top right" if side > 0 else "top left",
            "textfont": {"size": font + 1},
            "cliponaxis": False,
            "hoverinfo": "skip",
            "showlegend": False,
        }
    )
    layout = plane_layout(width, round(width * 0.6)) | {
        "margin": {"l": round(font * 2.4), "r": 14, "t": round(font * 2.2), "b": round(font * 2.2)},
        "showlegend": True,
        "legend": legend_above(font),
        "xaxis": {
            "tickvals": list(range(len(labels))),
            "ticktext": [literal(label) for label in labels],
            "tickangle": 0,
            "range": [-0.4, len(labels) - 0.6],
            "tickfont": {"size": font},
            "fixedrange": True,
            "showgrid": False,
        },
        # Room for the numbers at any place, so that the axis stays when another is marked.
        "yaxis": _zero_to_one(max(1.15, 0.13 + float(np.max(heights))), font),
        "shapes": [_upright(chosen, 0, 1, SELECTED, "solid")],
    }
    return {"data": data, "layout": layout}


def histogram_figure(
    upper: Series, lower: Series, mark: float, mark_label: str, reach: float, font: int, width: int
) -> dict:
    """Two sets of numbers over one axis, -reach ... reach, each as its own histogram, with ± ``mark`` through both.

    The number of each bar is a share of its set; numbers beyond the axis count in the bars at its ends.
    """
    edges = np.linspace(-reach, reach, 130)
    middles = ((edges[:-1] + edges[1:]) / 2).astype(np.float32)
    data, notes = [], []
    domains = ([0.57, 1], [0, 0.43])
    for i, (series, domain) in enumerate(zip((upper, lower), domains, strict=True)):
        colour, _, _, hatch = STYLES[series.style]
        shares = np.histogram(np.clip(series.numbers, -reach, reach), edges)[0] / series.numbers.size
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
        notes.append(side_note(text, 0, domain[1], "left", "bottom", font))
    notes.append(side_note(literal(mark_label), mark, 1, "left", "bottom", font) | {"xref": "x"})
    height = {"fixedrange": True, "showgrid": False, "showticklabels": False, "rangemode": "tozero"}
    layout = plane_layout(width, round(width * 0.6)) | {
        "margin": {"l": 10, "r": 14, "t": round(font * 1.7), "b": round(font * 2.2)},
        "bargap": 0,
        "xaxis": {
            "range": [-reach, reach],
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


def bars_beside_figure(sets: list[Series], labels: list[str], font: int, width: int, decimals: int = 2) -> dict:
    """Sets of weights as bars side by side for each key, 0 ... 1; numbers and labels where they have room."""
    n_keys = len(labels)
    room, below = (width - round(font * 2.4) - 14) // n_keys, round(font * 2.2)
    texts, size = _numbers_on_bars(sets, decimals, room, max(12, font - 3))
    small = max(12, font - 1)
    shown_keys, names, angle = range(n_keys), [literal(label) for label in labels], 0
    if room < small:  # names would stand closer than lines of text do
        shown_keys = range(9, n_keys, 10)
    else:
        names, angle = fitted_labels(labels, room, small)
        below = max(below, 8 + label_height(labels, room, small))
    data = []
    for series, written in zip(sets, texts, strict=True):
        colour, _, _, hatch = STYLES[series.style]
        data.append(
            {
                "type": "bar",
                "x": np.arange(n_keys),
                "y": series.numbers.astype(np.float32),
                "name": literal(series.name),
                "marker": {"color": colour, "line": {"width": 0}, "pattern": {"shape": hatch, "size": 5}},
                "text": written,
                "textposition": "outside",
                "textangle": 0,
                "textfont": {"size": size},
                "cliponaxis": False,
                "hovertemplate": f"{literal(series.name)}, %{{x}}: %{{y:.4f}}<extra></extra>",
            }
        )
    layout = plane_layout(width, round(width * 0.56) + below - round(font * 2.2)) | {
        "margin": {
            "l": round(font * 2.4),
            "r": 14,
            "t": round(font * 2.2) if len(sets) > 1 else 8,
            "b": below,
        },
        "showlegend": len(sets) > 1,
        "legend": legend_above(font),
        "bargap": 0.25,
        "xaxis": {
            "tickvals": list(shown_keys),
            "ticktext": [names[i] for i in shown_keys],
            "tickangle": angle,
            "range": [-0.6, n_keys - 0.4],
            "tickfont": {"size": small},
            "fixedrange": True,
            "showgrid": False,
        },
        "yaxis": _zero_to_one(1.12, font),
    }
    return {"data": data, "layout": layout}


def _numbers_on_bars(sets: list[Series], decimals: int, room: int, size: int) -> tuple[list[list[str] | None], int]:
    """The numbers of each set and their size: none where ``room``, the pixels of a key, is too small for 9 px."""
    step = room - 2 if len(sets) == 1 else 0.75 * room / len(sets)  # to the next bar
    for write in (str, without_zero):
        texts = [[write(shown(w, decimals, True)) for w in series.numbers] for series in sets]
        fits = int(step / max(text_width(text, 100) / 100 for row in texts for text in row))
        if fits >= size:
            break
    return (texts, min(fits, size)) if fits >= 9 else ([None] * len(sets), size)


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
        side_note(literal(title), 0, i - thick, "left", "middle", font) | {"yref": "y"}
        for i, title in enumerate(titles)
    ]
    layout = plane_layout(width, round(width * 0.56)) | {
        "margin": {"l": 8, "r": round(font * 3.2), "t": round(font * 2.2), "b": 6},
        "showlegend": True,
        "legend": legend_above(font),
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


def _upright(x: float, y0: float, y1: float, colour: str, dash: str) -> dict:
    line = {"color": colour, "width": 2, "dash": dash}
    return {
        "type": "line", "xref": "x", "yref": "paper", "x0": x, "x1": x, "y0": y0, "y1": y1, "line": line,
        "layer": "below",
    }  # fmt: skip
