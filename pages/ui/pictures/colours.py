"""The colours of all pictures, and which text can be read on them."""

from functools import cache

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


# Colour, dash and shape of a line, hatch of a bar.
STYLES = (
    ("#d55e00", "dash", "triangle-up", "/"),
    (BLUES[6], "solid", "circle", ""),
    ("#009e73", "dot", "square", "."),
    ("#cc79a7", "dashdot", "diamond", "x"),
)
