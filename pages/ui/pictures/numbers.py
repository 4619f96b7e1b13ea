"""Numbers as texts for reading."""

import math

import numpy as np


def shown(number: float, decimals: int, weight: bool = False) -> str:
    """A number as it is printed: a small weight is never printed as a 0, which is kept for blocked cells."""
    if weight and 0 < abs(number) < 0.5 * 10.0**-decimals:
        least = without_zero(f"{10.0**-decimals:.{decimals}f}")
        return f"<{least}" if number > 0 else f">−{least}"
    if number == -np.inf:
        return "−∞"
    if abs(number) >= 10_000:
        return f"{number:.1e}".replace("-", "−").replace("e+0", "e").replace("e+", "e")
    return rounded(number, decimals)


def rounded(number: float, decimals: int) -> str:
    """A number with so many decimals. It ends in zeros only where digits were cut off: 0.50 is not quite 0.5."""
    text = f"{number:.{decimals}f}"
    if "." in text and math.isclose(float(text), number, rel_tol=1e-9):
        text = text.rstrip("0").rstrip(".")
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


def without_zero(text: str) -> str:
    """0.25 as .25; 10.5 and 0.00 stay as they are."""
    return text.replace("0.", ".", 1) if text.removeprefix("−").startswith("0.") and text.strip("−0.") else text


def decimals_for(numbers: np.ndarray, columns: int, at_most: int = 3) -> int:
    """How many decimals fit: as few as print every number exactly, fewer in a wider matrix."""
    most = min(at_most, 3 if columns <= 6 else 2 if columns <= 10 else 1)
    finite = numbers[np.isfinite(numbers)]
    return next((d for d in range(most) if np.allclose(np.round(finite, d), finite, rtol=1e-9, atol=0)), most)


def number(x: float, precision: int = 4) -> str:
    """A number for reading, with ``precision`` decimals where it needs them, and never a false 0."""
    if x == -np.inf:
        return "−∞"
    if abs(x) >= 1e9 or (x and round(x, precision) == 0):  # rounding a huge number would overflow
        text = f"{x:.{max(1, precision - 2)}e}".replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")
        return text.replace("-", "−")
    return rounded(x, precision)
