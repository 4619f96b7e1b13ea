"""A matrix with the names of its rows and columns, written for other programs."""

import csv
import json
import re
from collections.abc import Callable, Sequence
from io import StringIO
from typing import NamedTuple

import numpy as np

from .code import names_in_comments
from .errors import InputError
from .matrix_text import write_matrix


class Form(NamedTuple):
    """How a matrix is written in one form."""

    ending: str  #: of its files
    write: Callable[[np.ndarray, Sequence[str], Sequence[str]], str]  #: from (matrix, rows, columns)
    comment: str = ""  #: what begins a comment, where the names stand in comments above the matrix


def export_matrix(
    matrix, form: str, rows: Sequence[str], columns: Sequence[str], sides: tuple[str, str] = ("rows", "columns")
) -> str:
    """Write a matrix (R, C) of numbers, -inf or booleans in one of FORMS, with R row and C column names.

    ``read_matrix`` reads the numbers back, to the last bit, and the names of CSV, TSV and JSON. Only LaTeX, which is
    for reading, gets six digits. Booleans stay booleans where the form has them: as 1.0 and 0.0 a mask would be added
    to the scores. JSON has no infinity: -inf is null there. Code and LaTeX name rows and columns in comments, where
    ``sides`` says which is which.
    """
    matrix = np.asarray(matrix)
    if form not in FORMS:
        raise InputError("unknown_form", f"form must be one of {', '.join(FORMS)}, got {form!r}", value=form)
    if matrix.shape != (len(rows), len(columns)):
        raise ValueError(f"{len(rows)} row names and {len(columns)} column names for shape {matrix.shape}")
    body = FORMS[form].write(matrix if matrix.dtype == bool else matrix.astype(np.float64), rows, columns)
    if sign := FORMS[form].comment:
        return "\n".join([*names_in_comments(sign, dict(zip(sides, (rows, columns), strict=True))), body])
    return body


def _table(separator: str, decimal: str):
    def write(matrix: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> str:
        cells = matrix.astype(np.float64).tolist()
        if decimal == "comma":
            lines = (write_matrix([row], "semicolon") for row in cells)
            cells = csv.reader(lines, delimiter=";")
        text = StringIO()
        # Names stand in quotes and numbers do not: a token 1 is a name, too, and a name may hold whatever it likes.
        writer = csv.writer(text, delimiter=separator, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
        writer.writerow(["", *map(_no_formula, columns)])
        writer.writerows([_no_formula(row), *line] for row, line in zip(rows, cells, strict=True))
        return text.getvalue().removesuffix("\n")

    return write


def _no_formula(name: str) -> str:
    """The name with a ' before what a spreadsheet would compute: names may come from somebody else's link."""
    return f"'{name}" if re.match(r"'*[=+\-@\t\r].", name, re.DOTALL) else name


def _json(matrix: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> str:
    values = [[None if cell == -np.inf else cell for cell in row] for row in matrix.tolist()]
    lines = ",\n  ".join(json.dumps(row, allow_nan=False) for row in values)
    names = ",\n ".join(
        f'"{n}": {json.dumps(list(v), ensure_ascii=False)}' for n, v in (("rows", rows), ("columns", columns))
    )
    return f'{{{names},\n "values": [\n  {lines}\n ]}}'


def _code(form: str):
    def write(matrix: np.ndarray, _rows: Sequence[str], _columns: Sequence[str]) -> str:
        return _booleans(matrix, form) if matrix.dtype == bool else write_matrix(matrix, form)

    return write


def _booleans(matrix: np.ndarray, form: str) -> str:
    if form == "matlab":
        return f"logical({write_matrix(matrix, form)})"
    opening, closing = ("np.array(", ")") if form == "numpy" else ("torch.tensor(", ")")
    rows = (",\n" + " " * (len(opening) + 1)).join(map(str, matrix.tolist()))
    return f"{opening}[{rows}]{closing}"


def _latex(matrix: np.ndarray, _rows: Sequence[str], _columns: Sequence[str]) -> str:
    return write_matrix([[float(f"{cell:.6g}") for cell in row] for row in matrix.tolist()], "latex")


#: Every form that can be written. A new one is one entry here, and its name (``form_<code>``) where it is shown.
FORMS = {
    "csv": Form("csv", _table(",", "point")),
    "tsv": Form("tsv", _table("\t", "point")),
    "semicolon": Form("csv", _table(";", "comma")),
    "json": Form("json", _json),
    "numpy": Form("py", _code("numpy"), "#"),
    "torch": Form("py", _code("torch"), "#"),
    "matlab": Form("m", _code("matlab"), "%"),
    "latex": Form("tex", _latex, "%"),
}
