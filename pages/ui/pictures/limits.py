"""Figures of what weights do not tell: rankings, the map of a block. As figures.py, they know no words."""

import numpy as np

from pages.ui.pictures.colours import BLOCKED_TEXT, BLUES, HATCH, SELECTED, TOKEN_COLOURS
from pages.ui.pictures.numbers import shown
from pages.ui.pictures.plane import side_note
from pages.ui.pictures.texts import literal


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
        notes.append(side_note(f"<b>{literal(title)}</b>", 0, top, "left", "top", font))
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
