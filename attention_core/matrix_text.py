"""Matrices as people paste them, read and written.

Spreadsheets, CSV, NumPy, PyTorch, Python, MATLAB and LaTeX all write the same numbers differently. Nothing
here is evaluated: the text is cut into cells, and each cell must be one number. A comma may separate cells or
mark decimals; where both make sense, the reading says so, and the caller may ask for the other one.
"""

import csv
import json
import re
import unicodedata
from dataclasses import dataclass, replace
from io import StringIO
from typing import NamedTuple

import numpy as np

from .errors import InputError
from .matrix_cells import GROUPED, cell_fault, extra_text, read_cell, read_cells, thousands
from .matrix_rows import (
    bracketed_rows,
    delimited_rows,
    is_bracketed,
    is_latex,
    latex_rows,
    refuse_empty_below,
    without_words,
)

LONGEST_TEXT = 100_000  #: characters that are read at most
FORMS = ("tsv", "csv", "semicolon", "nested", "numpy", "torch", "matlab", "latex")  #: what can be written


@dataclass(frozen=True, eq=False)
class Reading:
    """A matrix that was read from text, and how the text was understood."""

    matrix: np.ndarray  #: (R, C) float64, read-only
    form: str  #: one of FORMS, or "spaces"
    decimal: str  #: "point" or "comma"
    other_decimal: str | None  #: the mark with which the same text is another, also valid matrix
    rows: tuple[str, ...]  #: names of the rows, where the text has them
    columns: tuple[str, ...]  #: names of the columns, where the text has them


def read_matrix(text: str, decimal: str | None = None, allow_negative_infinity: bool = False) -> Reading:
    """Read a pasted matrix, (R, C) with at least one cell.

    ``decimal`` says whether "point" or "comma" marks decimals; None finds out. Numbers are finite; fractions
    such as 1/3 are welcome. ``allow_negative_infinity`` lets -inf through as well, for a matrix that is added
    to scores.

    Raises InputError for anything else. Its rows and columns do not count names.
    """
    _check_decimal(decimal)
    _check_length(text)
    if table := _object(text) or _quoted_table(text):
        return _read_table(table, decimal, allow_negative_infinity)
    text = _without_prompts(_COMMENT.sub("", _clean(text)))
    text = _without_parentheses(_ASSIGNMENT.sub("", _with_continued_lines(text)))
    if not text.strip():
        raise InputError("empty_text", "there is nothing to read")
    if cut := _CUT_SHORT.search(text):
        raise InputError(
            "truncated",
            f"{cut[0]} stands where numbers were left out; print the whole matrix and copy it again",
            text=cut[0],
        )
    # A text is read with each mark that makes sense: only then is it known whether the comma is ambiguous.
    marks = _possible_marks(_with_zeros(text))
    if decimal is not None:
        marks = (decimal, *(mark for mark in marks if mark != decimal))
    readings, faults = [], []
    for mark in marks:
        try:
            readings.append(_read(text, mark, allow_negative_infinity))
        except InputError as fault:
            if mark == decimal:
                raise
            faults.append(fault)
    if not readings:
        raise faults[0]
    best = readings[0]
    if decimal is None and len(readings) == 1 and best.decimal == "comma":
        _refuse_nothing_but_thousands(text)
    if len(readings) == 2 and not np.array_equal(best.matrix, readings[1].matrix):
        return replace(best, other_decimal=readings[1].decimal)
    return best


def read_number(text: str, decimal: str | None = None, allow_negative_infinity: bool = False) -> float:
    """Read one cell: 2, -0.5, .5, 1,5 (one and a half), 1e-3, 1/3, ½. InputError for anything else."""
    _check_decimal(decimal)
    _check_length(text)
    cell = _without_parentheses(_clean(text).strip())
    if decimal is None:
        decimal = "comma" if "," in cell and "." not in cell else "point"
        if GROUPED.fullmatch(cell.lstrip("+-")):
            raise thousands(cell)
    return read_cell(cell, decimal, allow_negative_infinity)


def write_matrix(matrix, form: str, decimal: str | None = None) -> str:
    """Write a matrix (R, C) of finite numbers or -inf so that ``read_matrix`` gives back every bit of it.

    ``form`` is one of FORMS. ``decimal`` is "point", or "comma" for "tsv" and "semicolon"; None means a comma
    for "semicolon" and a point for all others.
    """
    if form not in FORMS:
        raise InputError("unknown_form", f"form must be one of {', '.join(FORMS)}, got {form!r}", value=form)
    _check_decimal(decimal)
    decimal = decimal or ("comma" if form == "semicolon" else "point")
    if decimal == "comma" and form not in ("tsv", "semicolon"):
        raise InputError("comma_not_possible", f"{form} has no decimal comma", form=form)
    matrix = np.asarray(matrix, dtype=np.float64)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise InputError("not_2d", f"expected rows and columns, got shape {matrix.shape}", depth=matrix.ndim)
    for row, column in np.argwhere(np.isnan(matrix) | (matrix == np.inf)).tolist():
        at = {"row": row, "column": column}
        raise cell_fault("not_finite", str(matrix[row, column]), "is not a finite number", at)
    # 1.0 in Python code stays a float there, and in CSV it cannot be taken for a part of 1,234.5.
    python = form in ("csv", "nested", "numpy", "torch")
    rows = [[repr(number) if python else repr(number).removesuffix(".0") for number in row] for row in matrix.tolist()]
    if decimal == "comma":
        rows = [[cell.replace(".", ",") for cell in row] for row in rows]
        # 1,234 could be meant as 1234; 1,2340 cannot.
        rows = [[f"{cell}0" if GROUPED.fullmatch(cell.lstrip("-")) else cell for cell in row] for row in rows]
        if matrix.shape[1] == 1:  # alone in its line, 1,5 would look like two cells
            rows = [[f'"{cell}"'] for (cell,) in rows]
    if form in ("tsv", "csv", "semicolon"):
        separator = {"tsv": "\t", "csv": ",", "semicolon": ";"}[form]
        return "\n".join(separator.join(row) for row in rows)
    if form == "matlab":
        return "[" + "; ".join(" ".join(row) for row in rows).replace("inf", "Inf") + "]"
    if form == "latex":
        body = " \\\\\n".join(" & ".join(row) for row in rows).replace("inf", r"\infty")
        body = re.sub(r"e\+?(-?)0*(\d+)", r" \\times 10^{\1\2}", body)
        return "\\begin{bmatrix}\n" + body + "\n\\end{bmatrix}"
    opening = {"nested": "[", "numpy": "np.array([", "torch": "torch.tensor(["}[form]
    closing = {"nested": "]", "numpy": "])", "torch": "], dtype=torch.float64)"}[form]
    lists = (",\n" + " " * len(opening)).join("[" + ", ".join(row) + "]" for row in rows)
    infinity = {"nested": "inf", "numpy": "np.inf", "torch": "torch.inf"}[form]
    return opening + lists.replace("inf", infinity) + closing


def _read(text: str, decimal: str, allow_negative_infinity: bool) -> Reading:
    row_names = column_names = []
    if decimal == "comma":
        # In 1,5, 2,5 the comma with a blank behind it still separates.
        text = re.sub(r"(?<=\d), +(?=[-+]?\d)", " ", _with_zeros(text))
    if is_latex(text):
        form, rows = "latex", latex_rows(text)
    elif is_bracketed(text):
        form, rows = bracketed_rows(text, decimal)
    else:
        if "[" in text and "\t" not in text:
            raise extra_text(text[: text.index("[")].strip())
        form, rows = delimited_rows(text, decimal)
        if form != "matlab":
            rows, row_names, column_names = without_words(rows)
    matrix = read_cells(rows, decimal, allow_negative_infinity)
    return Reading(matrix, form, decimal, None, tuple(row_names), tuple(column_names[: matrix.shape[1]]))


# --- Characters ---------------------------------------------------------------------------------------------

# What keyboards, word processors and web pages write instead of plain signs. A full-width comma never marks
# decimals, so a blank behind it makes it a separator for good.
_PLAIN = (
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212\ufe63ー", "-")
    | dict.fromkeys("\u2044\u2215", "/")
    | dict.fromkeys("，、､﹐", ", ")
    | dict.fromkeys("“”", '"')
    | dict.fromkeys("‘’", "'")
    | dict.fromkeys("…⋯⋮⋱", "...")
    | dict.fromkeys("\r\v\f\x85\u2028\u2029", "\n")
    | {"。": ".", "｡": ".", "∞": "inf"}
)

_UNSEEN = "\u2060"  # stands for every character that nobody sees

_NO_BREAK_THOUSANDS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}[\u00a0\u2007\u2009\u202f]\d{3}(?!\d)")

# np.float64(0.5) and float("-inf"), as lists of NumPy numbers and hand-written masks hold them.
_SCALAR_CALL = re.compile(r"""(?<![\w.)])(?:np\.|numpy\.|torch\.)?(?:float|int)\d*\(["']?([-+\w.]*)["']?\)(?![\w.])""")
_BARE_COMMA = re.compile(r"(?:^|[;\t]) *[-+]?(?=,\d[^\n]*[;\t])|(?:[;\t]) *[-+]?(?=,\d)", re.MULTILINE)  # ,5 for 0,5
_ASSIGNMENT = re.compile(r"\A\s*[^\W\d]\w*\s*=\s*")
_COMMENT = re.compile(r"^[ \t]*[#%] .*(?:\n|\Z)", re.MULTILINE)
_CUT_SHORT = re.compile(r"\.\.\.|\\[cdlv]?dots")
_CONTINUED = re.compile(r"(?<=[\d,; ]) *\.\.\.[ \t]*(?:%[^\n]*)?\n")  # MATLAB: the row goes on in the next line
_IN_PARENTHESES = re.compile(r"(?<![\w.)])\( *([-+]?)([\d.,/]+(?:[eE][-+]?\d+)?) *\)(?![\w.(])")


def _clean(text: str) -> str:
    """The same text in plain signs: ASCII digits, minus signs, commas and blanks."""
    if found := _NO_BREAK_THOUSANDS.search(text):
        raise thousands(found[0])
    text = text.replace("\r\n", "\n").replace("{,}", ",")
    text = "".join(_PLAIN.get(sign) or (sign if sign.isascii() else _plain(sign)) for sign in text)
    # What nobody sees parts two digits, since numbers are never joined, and is nothing elsewhere: -3, 1.5.
    text = re.sub(rf"(?<=\d){_UNSEEN}+(?=\d)", " ", text).replace(_UNSEEN, "")
    return _SCALAR_CALL.sub(r"\1", text)


def _plain(sign: str) -> str:
    # NFKC for everything would turn 3² into 32 and 1½ into 11/2: only full-width and half-width forms get it.
    if unicodedata.decomposition(sign).startswith(("<wide>", "<narrow>")):
        sign = unicodedata.normalize("NFKC", sign)
        return _PLAIN.get(sign, sign)
    kind = unicodedata.category(sign)
    if kind == "Nd":
        return str(unicodedata.decimal(sign))
    if kind == "Cf" and sign != "\u200b":  # the zero-width blank is one
        return _UNSEEN
    return " " if kind in ("Zs", "Cf") else sign


def _without_prompts(text: str) -> str:
    """A session's text without >>> and what was asked: only what was answered, or the statement itself."""
    if not text.lstrip().startswith((">>>", "In [", "Out[")):
        return text
    lines = text.strip().split("\n")
    asked = [re.match(r"(?:>>>|\.\.\.|In \[\d+\]:| +\.\.\.:|Out\[\d+\]:) ?", line) for line in lines]
    answered = any(prompt is None or prompt[0].startswith("Out") for prompt in asked)
    kept = []
    for line, prompt in zip(lines, asked, strict=True):
        if prompt is None:
            kept.append(line)
        else:
            said = line[prompt.end() :]
            # A question that leaves a bracket open goes on in the lines below, which only look like an answer.
            if prompt[0].startswith("Out") or not answered or said.count("[") != said.count("]"):
                kept.append(said)
    return "\n".join(kept)


def _with_continued_lines(text: str) -> str:
    """MATLAB's rows in one line each. Only what NumPy never writes tells them from a print with numbers left out."""
    start = _ASSIGNMENT.sub("", text).lstrip()
    is_matlab = start.startswith("[") and start.count("[") == 1 and (";" in text or start != text.lstrip())
    return re.sub(r"(?<=\n)\s*\n", "", _CONTINUED.sub(" ", text)) if is_matlab else text


def _without_parentheses(text: str) -> str:
    """Each number in parentheses of its own: in a table a bookkeeper's number below zero, in code the number itself."""
    if is_latex(text) or not _IN_PARENTHESES.search(text):
        return text
    bare = _IN_PARENTHESES.sub("", text)
    if any(bracket in bare for bracket in "([{"):
        return _IN_PARENTHESES.sub(r"\1\2", text)
    for sign, number in _IN_PARENTHESES.findall(text):
        if sign:
            raise cell_fault("expression", f"({sign}{number})", "is a calculation; write its result", {})
    lines = text.strip().split("\n")
    counted = [line.lstrip().startswith(f"({i})") for i, line in enumerate(lines, 1)]
    if len(lines) > 1 and all(counted) and text.count("(") == len(lines) and bare.strip():
        raise extra_text("(1)")  # the rows are counted, perhaps
    return _IN_PARENTHESES.sub(r"-\2", text)


# --- Tables whose names are marked as such ------------------------------------------------------------------


class _Table(NamedTuple):
    form: str
    rows: list[str]
    columns: list[str]
    cells: list[list[str]]


# Unlike other tables' first rows and columns these names are told by where they stand, so they may be anything:
# numbers, brackets, commas, dots. They are taken off before the text is searched for what a matrix is made of.
_QUOTED_CORNER = re.compile(r'\ufeff?""([,;\t])"')


def _object(text: str) -> _Table | None:
    """A JSON object with its matrix under "values", as this library writes one with names; there null is -inf."""
    try:
        read = json.loads(text.lstrip("\ufeff"))
        values = [["-inf" if cell is None else json.dumps(cell) for cell in row] for row in read["values"]]
        names = [[str(name) for name in read.get(side) or ()] for side in ("rows", "columns")]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return _Table("nested", *names, values)


def _quoted_table(text: str) -> _Table | None:
    """A table with names in quotes and an empty corner between them, as this library and R's write.csv write it."""
    if not (corner := _QUOTED_CORNER.match(text)):
        return None
    try:
        lines = csv.reader(StringIO(text.lstrip("\ufeff")), delimiter=corner[1], strict=True)
        (_, *columns), *rows = (line for line in lines if line)
    except csv.Error:
        return None
    cells = [[_clean(cell).strip() for cell in row[1:]] for row in rows]
    form = {",": "csv", ";": "semicolon", "\t": "tsv"}[corner[1]]
    return _Table(form, [_as_meant(row[0]) for row in rows], [_as_meant(name) for name in columns], cells)


def _as_meant(name: str) -> str:
    """The name without the ' that keeps a spreadsheet from computing it."""
    return name[1:] if re.match(r"'+[=+\-@\t\r].", name, re.DOTALL) else name


def _read_table(table: _Table, decimal: str | None, allow_negative_infinity: bool) -> Reading:
    refuse_empty_below(table.columns, table.cells)
    if decimal is None:
        text = " ".join(cell for row in table.cells for cell in row)
        decimal = "comma" if table.form != "nested" and "," in text and "." not in text else "point"
        if decimal == "comma":
            _refuse_nothing_but_thousands(text)
    matrix = read_cells(table.cells, decimal, allow_negative_infinity)
    return Reading(matrix, table.form, decimal, None, tuple(table.rows), tuple(table.columns))


# --- The comma: separator or decimal mark -------------------------------------------------------------------


def _possible_marks(text: str) -> tuple[str, ...]:
    """The decimal marks that the text could have, the likelier first."""
    if not re.search(r"\d,\d", text):
        return ("point",)
    bracketed = is_bracketed(text)
    if is_latex(text) or ("\t" in text and not bracketed):
        return ("comma", "point")  # cells are told apart by & or tabs, so a comma can only mark decimals
    if '"' in text and not bracketed:
        # Quotes may keep decimal commas apart from commas that separate.
        return ("comma", "point") if ";" in text else ("point", "comma")
    if re.search(r"(?<!\d),|,(?![\d ])", text) or (bracketed and ", " in text):
        return ("point",)  # here a comma separates, so it cannot mark decimals
    spaced = re.search(r"\d,\d+[ \t]+[-+.\d]|\d[ \t]+[-+]?\d+,\d", text)  # 1,5 2,5 or 1 2,5
    if bracketed and not spaced:
        return ("point", "comma") if ";" in text else ("point",)
    return ("comma", "point") if spaced or ";" in text else ("point", "comma")


def _with_zeros(text: str) -> str:
    """,5 at the beginning of a cell as 0,5, where other signs than commas part the cells."""
    return text if is_bracketed(text) else _BARE_COMMA.sub(r"\g<0>0", text)


def _refuse_nothing_but_thousands(text: str) -> None:
    """1,234 in a cell of its own is 1.234 or 1234: only a 0,5 or 12,5 in the same matrix tells which."""
    with_comma = re.findall(r"(?<![\d.])[\d.]+,[\d.,]+", text)
    if with_comma and all(map(GROUPED.fullmatch, with_comma)):
        raise thousands(with_comma[0])


def _check_length(text: str) -> None:
    if len(text) > LONGEST_TEXT:
        raise InputError(
            "too_long",
            f"the text has {len(text)} characters; at most {LONGEST_TEXT} are read",
            length=len(text),
            limit=LONGEST_TEXT,
        )


def _check_decimal(decimal: str | None) -> None:
    if decimal not in (None, "point", "comma"):
        raise InputError("unknown_decimal", f"decimal must be 'point' or 'comma', got {decimal!r}", value=decimal)
