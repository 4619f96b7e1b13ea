"""A matrix with the names of its rows and columns, written for other programs."""

import csv
import json
import re
from collections.abc import Callable, Sequence
from io import StringIO
from typing import NamedTuple

import numpy as np

from .errors import InputError
from .matrix_text import write_matrix


class Form(NamedTuple):
    """How a matrix is written in one form: the ending of its files, and the writer of (matrix, rows, columns)."""

    ending: str
    write: Callable[[np.ndarray, Sequence[str], Sequence[str]], str]


def export_matrix(matrix, form: str, rows: Sequence[str], columns: Sequence[str]) -> str:
    """Write a matrix (R, C) of numbers, -inf or booleans in one of FORMS, with R row and C column names.

    Numbers keep every digit; only LaTeX, which is for reading, gets six. Booleans stay booleans where the form has
    them: as 1.0 and 0.0 a mask would be added to the scores. JSON has no infinity: -inf is null there.
    """
    matrix = np.asarray(matrix)
    if form not in FORMS:
        raise InputError("unknown_form", f"form must be one of {', '.join(FORMS)}, got {form!r}", value=form)
    if matrix.shape != (len(rows), len(columns)):
        raise ValueError(f"{len(rows)} row names and {len(columns)} column names for shape {matrix.shape}")
    return FORMS[form].write(matrix if matrix.dtype == bool else matrix.astype(np.float64), rows, columns)


def _table(form: str, separator: str, decimal: str):
    def write(matrix: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> str:
        numbers = (write_matrix([row], form, decimal) for row in matrix.tolist())
        cells = [next(csv.reader([line], delimiter=separator)) for line in numbers]
        text = StringIO()
        writer = csv.writer(text, delimiter=separator, lineterminator="\n")
        writer.writerow(["query", *map(_as_name, columns)])
        writer.writerows([_as_name(row), *line] for row, line in zip(rows, cells, strict=True))
        return text.getvalue().removesuffix("\n")

    return write


_SEPARATOR = re.compile(r'[,;\t"]|\.\.\.|…')
_NO_NAMES = {"inf", "infinity", "nan", "none", "null", "true", "false"}


def _as_name(name: str) -> str:
    """A name that ``read_matrix`` takes for one: it begins with a letter and holds nothing that parts cells."""
    name = _SEPARATOR.sub("_", name)
    return name if name[:1].isalpha() and name.lower() not in _NO_NAMES else f"x{name}"


def _json(matrix: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> str:
    values = [[None if cell == -np.inf else cell for cell in row] for row in matrix.tolist()]
    lines = ",\n  ".join(json.dumps(row, allow_nan=False) for row in values)
    names = ",\n ".join(
        f'"{n}": {json.dumps(list(v), ensure_ascii=False)}' for n, v in (("rows", rows), ("columns", columns))
    )
    return f'{{{names},\n "values": [\n  {lines}\n ]}}'


def _code(form: str, comment: str):
    def write(matrix: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> str:
        names = [f"{comment} {side}: {', '.join(names)}" for side, names in (("rows", rows), ("columns", columns))]
        return "\n".join([*names, _booleans(matrix, form) if matrix.dtype == bool else write_matrix(matrix, form)])

    return write


def _booleans(matrix: np.ndarray, form: str) -> str:
    if form == "matlab":
        return f"logical({write_matrix(matrix, form)})"
    opening, closing = ("np.array(", ")") if form == "numpy" else ("torch.tensor(", ")")
    rows = (",\n" + " " * (len(opening) + 1)).join(map(str, matrix.tolist()))
    return f"{opening}[{rows}]{closing}"


def _latex(matrix: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> str:
    rounded = [[float(f"{cell:.6g}") for cell in row] for row in matrix.tolist()]
    names = [f"% {side}: {', '.join(names)}" for side, names in (("rows", rows), ("columns", columns))]
    return "\n".join([*names, write_matrix(rounded, "latex")])


#: Every form that can be written. A new one is one entry here, and its name (``form_<code>``) where it is shown.
FORMS = {
    "csv": Form("csv", _table("csv", ",", "point")),
    "tsv": Form("tsv", _table("tsv", "\t", "point")),
    "semicolon": Form("csv", _table("semicolon", ";", "comma")),
    "json": Form("json", _json),
    "numpy": Form("py", _code("numpy", "#")),
    "torch": Form("py", _code("torch", "#")),
    "matlab": Form("m", _code("matlab", "%")),
    "latex": Form("tex", _latex),
}
