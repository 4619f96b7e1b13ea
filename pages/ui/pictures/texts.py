"""How numbers and labels are written on pictures, and how much room they take."""

import html
from functools import lru_cache


def literal(label: str) -> str:
    """A label that Plotly shows as it is: no tag, entity or formula in it comes alive."""
    return html.escape(str(label), quote=False).replace("$", "&#36;")


def lines_of(text: str) -> str:
    return literal(text).replace("\n", "<br>")


BACK_ROW = 22  #: pixels of a font that is read from there


# Streamlit's font, measured: digits and signs are half as wide as the font is high, small letters hardly more.
_NARROW, _BROAD = frozenset(" !'(),-./:;I[]fijlrt{|}·"), frozenset("%&@GHMNOQUWmw∞…ЖМШЩЮжмшщюω")


def text_width(text: str, font: int) -> int:
    return round(ems(text) * font)


@lru_cache(4096)
def em(character: str) -> float:
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


def overhang(labels: list[str], cell: int, font: int) -> int:
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


def ems(text: str) -> float:
    return sum(map(em, text))
