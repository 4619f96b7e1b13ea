"""Figures of vectors: arrows, values and their hull, what each key puts in. As figures.py, they know no words."""

from itertools import pairwise

import numpy as np

from pages.ui.pictures.bars import bars_layout
from pages.ui.pictures.colours import PUOR, ROLES, SELECTED, TOKEN_COLOURS, TOKEN_SHAPES, readable_on
from pages.ui.pictures.numbers import shown
from pages.ui.pictures.plane import plane_layout
from pages.ui.pictures.texts import literal


def arrows_figure(query: np.ndarray, keys: np.ndarray, labels: list[str], limit: float) -> dict:
    """The query and the keys as arrows from the origin of a plane; both axes go from -limit to limit."""
    arrows = [(key, label, ROLES["key"], 2) for key, label in zip(keys, labels, strict=True)]
    arrows.append((query, "q", ROLES["query"], 3.5))
    layout = plane_layout(300, 280) | _square_axes(-limit, limit, -limit, limit)
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
    tips = np.array([tip for tip, *_ in arrows])
    names = {
        "type": "scatter",
        "mode": "text",
        "x": tips[:, 0] + np.where(tips[:, 0] < 0, -1, 1) * limit * 0.07,
        "y": tips[:, 1] + limit * np.array([0.08] * len(keys) + [-0.1]),  # q below its tip, keys above theirs
        "text": [*_names_of(keys, labels), "<b>q</b>"],
        "textfont": {"size": 14},
        "cliponaxis": False,
        "hoverinfo": "skip",
    }
    return {"data": [names], "layout": layout}


def _names_of(points: np.ndarray, labels: list[str]) -> list[str]:
    """The names of points; where several lie in one place, the first has all their names."""
    places = [tuple(point) for point in points.tolist()]
    shared = {place: [label for at, label in zip(places, labels, strict=True) if at == place] for place in places}
    return [
        f"<b>{literal(', '.join(shared[place]))}</b>" if places.index(place) == i else ""
        for i, place in enumerate(places)
    ]


def score_bars_figure(scores: np.ndarray, labels: list[str], allowed: np.ndarray, ranks: list[int]) -> dict:
    """One query's scores as bars up and down from 0: they have no upper limit and no percent."""
    layout = bars_layout(labels, ranks)
    seen = np.where(allowed, scores, 0.0)
    low, high = min(0.0, float(seen.min())), max(0.0, float(seen.max()))
    room = 0.14 * (high - low or 1)
    layout["yaxis"] = {
        "range": [low - (room if low else 0), high + (room if high or not low else 0)],
        "zeroline": True,
        "nticks": 5,
        "fixedrange": True,
    }
    places = np.flatnonzero(allowed)
    bars = {
        "type": "bar",
        "x": places,
        "y": scores[allowed],
        "width": 0.8,
        "marker": {"color": [PUOR[8] if score >= 0 else PUOR[2] for score in scores[allowed]]},
        "text": [shown(score, 2) for score in scores[allowed]],
        "textposition": "outside",
        "textangle": 0,
        "textfont": {"size": 12},
        "cliponaxis": False,
        "hoverinfo": "skip",
    }
    return {"data": [bars], "layout": layout}


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
    layout = plane_layout(width, width - 20) | _square_axes(low - room, high + room, low - room, high + room)
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
        "x": values[:, 0],
        "y": values[:, 1],
        "text": _names_of(values, labels),
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
        "x": closed[:, 0],
        "y": closed[:, 1],
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
            "x": row,
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
            "textfont": {"color": readable_on(TOKEN_COLOURS[j % len(TOKEN_COLOURS)]), "size": 13},
            "hovertemplate": f"{literal(label)}: %{{x:.3f}}<extra></extra>",
        }
        for j, (row, label) in enumerate(zip(contributions, labels, strict=True))
    ]
    layout = plane_layout(300, 70 + 44 * n_features) | {
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
        "x": outputs[:, 0],
        "y": outputs[:, 1],
        "text": [f"<b>{literal(name)}</b>" for name in names],
        "textfont": {"size": 14, "color": SELECTED},
        "marker": {"symbol": "circle-open", "size": 12, "color": SELECTED, "line": {"width": 3}},
        "cliponaxis": False,
        "hovertemplate": "%{text} (%{x:.3f}, %{y:.3f})<extra></extra>",
    }
    low = min(0.0, float(values.min()), float(outputs.min(initial=0)))
    high = max(0.0, float(values.max()), float(outputs.max(initial=0)))
    # Close neighbours get their names on different sides, so that the names do not cover each other.
    sides = ["middle left", "top right", "bottom left", "bottom right"]
    turns = np.zeros(len(outputs), dtype=int)
    for before, here in pairwise(np.argsort(outputs[:, 0])):
        if np.linalg.norm(outputs[here] - outputs[before]) < 0.12 * (high - low):
            turns[here] = turns[before] + 1
    rings["textposition"] = [sides[turn % len(sides)] for turn in turns]
    room = 0.12 * (high - low or 1)
    layout = plane_layout(360, 330) | _square_axes(low - room, high + room, low - room, high + room)
    return {"data": [*_values_and_hull(values, labels, allowed), rings], "layout": layout}


def convex_hull(points: np.ndarray) -> np.ndarray:
    """The corners of the smallest convex shape around points of a plane, in order (Andrew 1979)."""
    ordered = np.unique(points, axis=0)

    def half(sequence) -> list[np.ndarray]:
        chain: list[np.ndarray] = []
        for point in sequence:
            while len(chain) >= 2 and turn_of(chain[-2], chain[-1], point) <= 0:
                chain.pop()
            chain.append(point)
        return chain[:-1]

    return np.array(half(ordered) + half(ordered[::-1])) if len(ordered) > 2 else ordered


def turn_of(a, b, c) -> float:
    """Above 0 for a turn to the left on the way a, b, c."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _square_axes(x0: float, x1: float, y0: float, y1: float) -> dict:
    axis = {"fixedrange": True, "zeroline": True, "tickfont": {"size": 12}, "nticks": 6}
    return {
        "xaxis": axis | {"range": [x0, x1], "constrain": "domain"},
        "yaxis": axis | {"range": [y0, y1], "scaleanchor": "x", "constrain": "domain"},
    }
