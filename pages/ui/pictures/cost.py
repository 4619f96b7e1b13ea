"""Figures of cost and distance: hops, the n² square, long bars, growth. As figures.py, they know no words."""

import numpy as np

from pages.ui.pictures.colours import BLOCKED, BLUES, HATCH, SELECTED, STYLES, black_or_white, rgb
from pages.ui.pictures.numbers import shown, without_zero
from pages.ui.pictures.plane import Series, legend_above, plane_layout, side_note
from pages.ui.pictures.texts import literal, text_width


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
    names = min(max(text_width(label, font) for label in labels) + 12, width // 2)
    left, right = names, names + box
    room = width - right - round(font * 1.2)
    places = np.clip(np.nan_to_num(strengths), 0, 1) * (len(BLUES) - 1)
    stops = np.array([rgb(stop) for stop in BLUES])
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
        "text": [without_zero(shown(x, 2, True)) if ok else "" for x, ok in zip(strengths, passed, strict=True)],
        "textfont": {"size": font, "color": black_or_white(fills).tolist()},
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
            side_note(f"<b>{literal(inner_label)}</b>", bar + gap + inner * 1.15, inner * 0.5, "left", "middle", font)
            | {"xref": "x", "yref": "y", "bgcolor": "#ffffff", "font": {"size": font, "color": "#000000"}}
        )
    title = side_note(f"<b>{literal(label)}</b>", bar + gap, -frame * 0.02, "left", "bottom", font)
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
    left = max(text_width(name, font) for name in names) + 10
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
        side_note(f"<b>{literal(title)}</b>", -left + 8, float(y[m, 0]) - 1, "left", "middle", font)
        | {"xref": "paper", "yref": "y", "x": 0, "xshift": 8 - left}
        for m, title in enumerate(titles)
    ]
    layout = plane_layout(width, round(line * (n_measures * (n_kinds + 1.25)) + 8)) | {
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
    layout = plane_layout(width, round(width * 0.66)) | {
        "margin": {"l": 10, "r": 14, "t": round(font * 3.6), "b": round(font * 2.2)},
        "showlegend": True,
        "legend": legend_above(font),
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
