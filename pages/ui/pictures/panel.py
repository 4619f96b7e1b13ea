"""One matrix as a picture shows it."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Panel:
    """One matrix as a heatmap: R x C numbers with the labels of its rows and columns."""

    numbers: np.ndarray  #: (R, C); where blocked the number is not drawn
    rows: list[str]
    columns: list[str]
    code: str  #: tells which panel was clicked
    colours: str = "score"  #: "score": diverging, -limit ... limit; "weight": sequential, 0 ... 1
    limit: float = 1.0
    blocked: np.ndarray | None = None  #: (R, C) bool: a category of its own, grey and hatched
    blocked_text: str = ""
    hover: list[list[str]] | None = None
    row: int | None = None  #: selected, outlined
    column: int | None = None
    beside: list[str] | None = None  #: a text right of each row
    below: list[str] | None = None  #: a text under each column
    title: str = ""
    role: str = "score"
    behind: np.ndarray | None = None  #: (R, C) a number in small type under the text of a blocked cell
    texts: list[list[str]] | None = None  #: what is printed in the cells instead of their numbers
    named_hover: bool = False  #: without ``hover``, labels and number of a cell: cheap however many there are


def symmetric_limit(*matrices: np.ndarray) -> float:
    """One range around 0 for matrices that are to be compared."""
    largest = max(float(np.abs(m[np.isfinite(m)]).max(initial=0)) for m in matrices)
    return largest or 1.0


# Pixels of a cell's side by the largest number of cells in a row or column.
MANY = 16  # more cells in a row or column: small cells with small labels, no sums
