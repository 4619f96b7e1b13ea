"""From the cells of a pasted matrix to numbers, or to the error that says why a cell is none.

A part of ``matrix_text``, which has cleaned the text before.
"""

import re
import unicodedata

import numpy as np

from .errors import InputError

# Each quantifier is followed by something it cannot match itself, so that no text makes the search slow.
_VULGAR = "".join(
    chr(code)
    for code in (0xBC, 0xBD, 0xBE, *range(0x2150, 0x2190))
    if unicodedata.decomposition(chr(code)).startswith("<fraction>") and code != 0x215F
)
_PLAIN_NUMBER = {
    "point": r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?",
    "comma": r"(?:\d+(?:,\d+)?|,\d+)(?:[eE][-+]?\d+)?",
}
_NUMBER = {
    mark: re.compile(
        rf"(?P<sign>[-+]?)(?:(?P<top>{plain})(?:/(?P<bottom>[-+]?{plain}))?|(?P<whole>\d*)(?P<vulgar>[{_VULGAR}]))"
    )
    for mark, plain in _PLAIN_NUMBER.items()
}
INFINITY = re.compile(r"[-+]?(?:(?:np|numpy|torch|math)\.)?inf(?:inity)?", re.IGNORECASE)
_STARTS_A_NUMBER = re.compile(rf"[-+]?(?:[.,]?\d|[{_VULGAR}]|inf)", re.IGNORECASE)
GROUPED = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+")
_THOUSANDS = re.compile(  # 1,234.5 and 1.234,5
    r"(?<![\w.+/-])[-+]?[1-9]\d{0,2}(?:(?:,\d{3}){1,4}\.\d|(?:\.\d{3}){1,4},\d+(?![\d.eE/]))"
)


def holds_several(parts: list[str]) -> bool:
    """Whether these parts of one cell are numbers, each by itself."""
    return len(parts) > 1 and all(_STARTS_A_NUMBER.match(part) for part in parts)


def read_cells(rows: list[list[str]], decimal: str, allow_negative_infinity: bool) -> np.ndarray:
    """(R, C) the numbers in the cells; a separator at the end of lines does not make a column."""
    if not any(rows):
        raise InputError("empty_matrix", "the matrix has no cells")
    used = max([1, *(column + 1 for row in rows for column, cell in enumerate(row) if cell)])
    rows = [row[:used] for row in rows]
    numbers = []
    for row, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            if not cell:
                raise empty_cell(row, column)
        if len(cells) != len(rows[0]):
            raise InputError(
                "ragged",
                f"rows must be equally long: row {row + 1} has {len(cells)}, row 1 has {len(rows[0])}",
                row=row,
                found=len(cells),
                expected=len(rows[0]),
            )
        numbers.append(
            [
                read_cell(cell, decimal, allow_negative_infinity, row=row, column=column)
                for column, cell in enumerate(cells)
            ]
        )
    matrix = np.array(numbers, dtype=np.float64)
    matrix.setflags(write=False)
    return matrix


def read_cell(cell: str, decimal: str, allow_negative_infinity: bool, **at) -> float:
    """One number, or the error that says why the cell is none. ``at`` is its row and column, if any."""
    if len(cell) > 1 and cell[0] == cell[-1] and cell[0] in "\"'":
        cell = cell[1:-1].strip()
    if not cell:
        raise empty_cell(**at)
    found = _NUMBER[decimal].fullmatch(cell)
    if found is None:
        if allow_negative_infinity and cell[0] == "-" and INFINITY.fullmatch(cell):
            return -np.inf
        raise _why_not_a_number(cell, decimal, at)
    sign = -1.0 if found["sign"] == "-" else 1.0
    if found["vulgar"]:
        return sign * (float(found["whole"] or 0) + unicodedata.numeric(found["vulgar"]))
    top = float(found["top"].replace(",", "."))
    bottom = float((found["bottom"] or "1").replace(",", "."))
    if bottom == 0:
        raise cell_fault("division_by_zero", cell, "divides by zero", at)
    if np.inf in (top, abs(bottom)) or abs(top / bottom) == np.inf:
        raise cell_fault("too_large", cell, "is beyond the largest number (about 1.8e308)", at)
    return sign * top / bottom


def _why_not_a_number(cell: str, decimal: str, at: dict) -> InputError:
    if INFINITY.fullmatch(cell) or cell.lower().lstrip("+-") == "nan":
        return cell_fault("not_finite", cell, "is not a finite number", at)
    if re.fullmatch(r"[-+]?\d[\d.,']*", cell) and ("'" in cell or cell.count(".") + cell.count(",") > 1):
        return thousands(cell, **at)
    if _NUMBER["comma" if decimal == "point" else "point"].fullmatch(cell):
        fault = cell_fault("decimal_mark", cell, f"does not have the decimal {decimal} of the others", at)
        fault.details["decimal"] = decimal
        return fault
    if holds_several(cell.split()):
        return cell_fault("several_numbers", cell, "is more than one number in a cell", at)
    if re.fullmatch(r"[-+*/^().,\d\seE×÷]*", cell) and re.search(r"[-+*/^×÷]", cell):
        advice = "is a calculation; write its result, and a minus sign right before its number"
        return cell_fault("expression", cell, advice, at)
    return cell_fault("not_a_number", cell, "is not a number", at)


def _place(row: int | None = None, column: int | None = None) -> str:
    return "" if row is None else f"row {row + 1}, column {column + 1}: "


def shortened(text: str) -> str:
    """The text, short and fit to be shown anywhere."""
    text = " ".join(text[:31].split())
    text = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)
    return text if len(text) <= 30 else text[:30] + "…"


def cell_fault(reason: str, cell: str, what: str, at: dict) -> InputError:
    """The error for a cell that "is ..."; ``at`` is its row and column, or empty."""
    cell = shortened(cell)
    return InputError(reason, f'{_place(**at)}"{cell}" {what}', text=cell, **at)


def empty_cell(row: int | None = None, column: int | None = None) -> InputError:
    """The error for a cell without a number."""
    at = {} if row is None else {"row": row, "column": column}
    return InputError("empty_cell", f"{_place(row, column)}there is no number", **at)


def extra_text(text: str) -> InputError:
    """The error for what stands beside a matrix."""
    return InputError("extra_text", f'"{shortened(text)}" is not part of a matrix; leave it out', text=shortened(text))


def unbalanced(text: str) -> InputError:
    """The error for a bracket without its other half."""
    return InputError("unbalanced_brackets", f'"{shortened(text)}" has no partner', text=shortened(text))


def thousands(text: str, **at) -> InputError:
    """The error for 1,234, which may be 1234 or 1.234."""
    return InputError(
        "thousands",
        f'{_place(**at)}"{shortened(text)}" may hold a thousands separator; leave those out, mark decimals with '
        "a point, and put a blank after a comma between numbers",
        text=shortened(text),
        **at,
    )


def refuse_thousands(text: str, decimal: str) -> None:
    """Where a point marks decimals, 1,234.5 and 1.234,5 are errors and no two cells."""
    if decimal == "point" and (found := _THOUSANDS.search(text)):
        raise thousands(found[0])
