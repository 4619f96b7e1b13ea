"""What pictures with two axes share: layout, series, legends, notes."""

from dataclasses import dataclass

import numpy as np


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
