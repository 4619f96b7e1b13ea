"""Figures of a sentence: one row as a strip, all heads at a glance, shares. As figures.py, they know no words."""

import numpy as np

from pages.ui.pictures.colours import BLOCKED, BLOCKED_TEXT, BLUES, HATCH, SELECTED, black_or_white, rgb
from pages.ui.pictures.numbers import shown, without_zero
from pages.ui.pictures.texts import literal, text_width


def strip_figure(
    labels: list[str], weights: np.ndarray, allowed: np.ndarray, query: int | None, font: int, width: int
) -> dict:
    """The tokens as one reads them, line by line, each as dark as its weight and with its number below.

    ``query`` is outlined if it stands among them. What may not be read is grey and crossed.
    """
    line, gap = round(font * 2.9), 5
    x, y, places = 0, 0, []
    for label in labels:
        wide = max(text_width(label, font) + 10, round(font * 2.6))
        if x and x + wide > width:
            x, y = 0, y + line + gap
        places.append((x, y, wide))
        x += wide + 3
    height = y + line + 4
    stops = np.array([rgb(stop) for stop in BLUES])
    place = np.clip(weights, 0, 1) * (len(BLUES) - 1)
    fills = np.stack([np.interp(place, np.arange(len(BLUES)), stops[:, c]) for c in range(3)], axis=-1)
    inks = np.where(allowed, black_or_white(fills), BLOCKED_TEXT).tolist()
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
            f"{literal(label)}<br><b>{without_zero(shown(w, 2, True)) if ok else '✕'}</b>"
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
    left = 10 + max(text_width(name, font) for name in names)
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
