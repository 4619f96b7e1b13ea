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
        if _GROUPED.fullmatch(cell.lstrip("+-")):
            raise _thousands(cell)
    return _number(cell, decimal, allow_negative_infinity)


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
        raise _cell_fault("not_finite", str(matrix[row, column]), "is not a finite number", at)
    # 1.0 in Python code stays a float there, and in CSV it cannot be taken for a part of 1,234.5.
    python = form in ("csv", "nested", "numpy", "torch")
    rows = [[repr(number) if python else repr(number).removesuffix(".0") for number in row] for row in matrix.tolist()]
    if decimal == "comma":
        rows = [[cell.replace(".", ",") for cell in row] for row in rows]
        # 1,234 could be meant as 1234; 1,2340 cannot.
        rows = [[f"{cell}0" if _GROUPED.fullmatch(cell.lstrip("-")) else cell for cell in row] for row in rows]
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


# --- Characters ---------------------------------------------------------------------------------------------

# What keyboards, word processors and web pages put for plain signs. A full-width comma never marks
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
    if thousands := _NO_BREAK_THOUSANDS.search(text):
        raise _thousands(thousands[0])
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
    if _is_latex(text) or not _IN_PARENTHESES.search(text):
        return text
    bare = _IN_PARENTHESES.sub("", text)
    if any(bracket in bare for bracket in "([{"):
        return _IN_PARENTHESES.sub(r"\1\2", text)
    for sign, number in _IN_PARENTHESES.findall(text):
        if sign:
            raise _cell_fault("expression", f"({sign}{number})", "is a calculation; write its result", {})
    lines = text.strip().split("\n")
    counted = [line.lstrip().startswith(f"({i})") for i, line in enumerate(lines, 1)]
    if len(lines) > 1 and all(counted) and text.count("(") == len(lines) and bare.strip():
        raise _extra_text("(1)")  # the rows are counted, perhaps
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
    _refuse_empty_below(table.columns, table.cells)
    if decimal is None:
        text = " ".join(cell for row in table.cells for cell in row)
        decimal = "comma" if table.form != "nested" and "," in text and "." not in text else "point"
        if decimal == "comma":
            _refuse_nothing_but_thousands(text)
    matrix = _numbers(table.cells, decimal, allow_negative_infinity)
    return Reading(matrix, table.form, decimal, None, tuple(table.rows), tuple(table.columns))


# --- The comma: separator or decimal mark -------------------------------------------------------------------


def _possible_marks(text: str) -> tuple[str, ...]:
    """The decimal marks that the text could have, the likelier first."""
    if not re.search(r"\d,\d", text):
        return ("point",)
    bracketed = _is_bracketed(text)
    if _is_latex(text) or ("\t" in text and not bracketed):
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
    return text if _is_bracketed(text) else _BARE_COMMA.sub(r"\g<0>0", text)


def _refuse_nothing_but_thousands(text: str) -> None:
    """1,234 in a cell of its own is 1.234 or 1234: only a 0,5 or 12,5 in the same matrix tells which."""
    with_comma = re.findall(r"(?<![\d.])[\d.]+,[\d.,]+", text)
    if with_comma and all(map(_GROUPED.fullmatch, with_comma)):
        raise _thousands(with_comma[0])


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


# --- From text to rows of cells -----------------------------------------------------------------------------

_WRAPPER = re.compile(r"\s*(?:Parameter containing:\s*)?([A-Za-z_][\w.]*)\(\s*(?=\[)")
_ARGUMENTS = re.compile(r"(?:,(?:[^()\[\]]|\([^()\[\]]*\))*)?\)")  # , dtype=float32, shape=(2, 2))


def _is_latex(text: str) -> bool:
    return "\\" in text or "&" in text


def _is_bracketed(text: str) -> bool:
    return text.lstrip()[:1] in tuple("[({") or _wrapper(text) is not None


def _wrapper(text: str) -> re.Match | None:
    """array( or tensor( at the start, whatever library it is from."""
    found = _WRAPPER.match(text)
    return found if found and found[1].lower().endswith(("array", "matrix", "tensor")) else None


def _read(text: str, decimal: str, allow_negative_infinity: bool) -> Reading:
    row_names = column_names = []
    if decimal == "comma":
        # In 1,5, 2,5 the comma with a blank behind it still separates.
        text = re.sub(r"(?<=\d), +(?=[-+]?\d)", " ", _with_zeros(text))
    if _is_latex(text):
        form, rows = "latex", _latex_rows(text)
    elif _is_bracketed(text):
        form, rows = _bracketed_rows(text, decimal)
    else:
        if "[" in text and "\t" not in text:
            raise _extra_text(text[: text.index("[")].strip())
        form, rows = _delimited_rows(text, decimal)
        if form != "matlab":
            rows, row_names, column_names = _without_words(rows)
    matrix = _numbers(rows, decimal, allow_negative_infinity)
    return Reading(matrix, form, decimal, None, tuple(row_names), tuple(column_names[: matrix.shape[1]]))


def _cells(row: str, separator: str) -> list[str]:
    """The cells of one line: the separator or blanks lie between them, but 1 - 2 stays together."""
    if separator not in row:
        return row.split()
    cells = []
    for cell in row.split(separator):
        parts = cell.split()
        if _holds_several(parts):
            cells += parts
        else:
            cells.append(cell.strip())
    return cells


def _holds_several(parts: list[str]) -> bool:
    return len(parts) > 1 and all(_STARTS_A_NUMBER.match(part) for part in parts)


def _delimited_rows(text: str, decimal: str) -> tuple[str, list[list[str]]]:
    """Lines with tabs, commas, semicolons or blanks between cells; or MATLAB's rows without its brackets."""
    text = re.sub(r",[ \t]+", ", ", text)
    lines = [line for line in text.split("\n") if line.strip()]
    separator = "," if decimal == "point" else ";"
    if any("\t" in line.strip() for line in lines):
        form, rows = "tsv", _split_table(text, "\t")
    elif ";" in text:
        _refuse_thousands(text, decimal)
        rows = _split_table(text, ";")
        form = "semicolon"
        if any(_holds_several(_cells(cell, separator)) for row in rows for cell in row):
            form, rows = "matlab", [_cells(cell, separator) for row in rows for cell in row if cell]
    elif '"' in text or ("," in text and decimal == "point"):
        _refuse_thousands(text, decimal)
        _refuse_both_marks(lines)
        form = "csv"
        rows = _split_table(text, ",") if '"' in text else [_cells(line, ",") for line in lines]
    else:
        form, rows = "spaces", [line.split() for line in lines]
    # A spreadsheet's selection may reach over empty rows above and below the numbers.
    filled = [number for number, row in enumerate(rows) if any(row)]
    return form, rows[filled[0] : filled[-1] + 1] if filled else rows[:1]


def _refuse_both_marks(lines: list[str]) -> None:
    """1.5 2,5: blanks part the cells, so the comma cannot, and it cannot mark decimals beside a point."""
    for row, line in enumerate(lines):
        parts = line.split()
        commas = [column for column, part in enumerate(parts) if re.fullmatch(r"[-+]?\d+,\d+", part)]
        if commas and any(re.fullmatch(r"[-+]?\d*\.\d+", part) for part in parts):
            at = {"row": row, "column": commas[0]}
            fault = _cell_fault("decimal_mark", parts[commas[0]], "does not have the decimal point of the others", at)
            fault.details["decimal"] = "point"
            raise fault


def _split_table(text: str, separator: str) -> list[list[str]]:
    """Rows of cells; a cell in quotes may hold separators and line breaks."""
    try:
        rows = list(csv.reader(StringIO(text), delimiter=separator, skipinitialspace=True, strict=True))
    except csv.Error:
        raise InputError("unbalanced_quotes", "a quoted cell does not end where its quotation mark closes") from None
    return [[cell.strip() for cell in row] for row in rows if any(map(str.strip, row)) or len(row) > 1]


def _without_words(rows: list[list[str]]) -> tuple[list[list[str]], list[str], list[str]]:
    """(the rows without a first column and a first row of words, this column, this row); [] for what is not there."""
    labels, header = [], []
    if (
        len(rows) > 1
        and any(rows[0])
        and all(_is_word(cell) or not cell for cell in rows[0])
        and not all(_is_word(cell) for cell in rows[1])
    ):
        header, rows = rows[0], rows[1:]
    # Names over all columns but the first: it is a table's index, whatever stands in it.
    if header and all(len(row) == len(header) + 1 for row in rows):
        header = ["", *header]
    if all(len(row) > 1 and _is_word(row[0]) and not _is_word(row[1]) for row in rows) or (
        header and not header[0] and len(header) > 1 and all(len(row) == len(header) and row[0] for row in rows)
    ):
        labels, rows = [row[0] for row in rows], [row[1:] for row in rows]
        header = header[1:]
    _refuse_empty_below(header, rows)
    return rows, labels, header


def _refuse_empty_below(header: list[str], rows: list[list[str]]) -> None:
    """A column that has a name has numbers; one without both is a separator too many."""
    for row, cells in enumerate(rows):
        for column, name in enumerate(header):
            if name and column < len(cells) and not cells[column]:
                raise _empty_cell(row, column)


def _is_word(cell: str) -> bool:
    return (
        cell[:1].isalpha()
        and not _INFINITY.fullmatch(cell)
        and cell.lower() not in ("nan", "none", "null", "true", "false")
    )


def _bracketed_rows(text: str, decimal: str) -> tuple[str, list[list[str]]]:
    """Lists of lists, NumPy's and PyTorch's prints of them, and MATLAB's brackets."""
    form = None
    text = text.strip().rstrip("; \n")
    if wrapper := _wrapper(text):
        form = "torch" if wrapper[1].lower().endswith("tensor") else "numpy"
        end = text.rfind("]") + 1
        if not end:
            raise _unbalanced("[")
        if not _ARGUMENTS.fullmatch(rest := text[end:].strip()):
            raise _extra_text(rest) if rest else _unbalanced("(")
        text = text[wrapper.end() : end]
    lists, between, depth = _lists(text)
    if depth > 2:
        raise InputError("not_2d", f"the brackets are nested {depth} deep; a matrix is a list of rows", depth=depth)
    if depth == 1:
        rows = _flat_rows(lists[0], decimal)
        if ";" in lists[0] or len(rows) > 1:
            return form or "matlab", rows
        return form or ("nested" if "," in lists[0] else "numpy"), rows
    rows = [_cells(row, "," if decimal == "point" else ";") for row in lists]
    if ";" in between:
        return form or "matlab", rows
    return form or ("nested" if "," in text else "numpy"), rows


def _lists(text: str) -> tuple[list[str], str, int]:
    """(what stands in the innermost lists, what stands between them, how deep the lists are nested)."""
    closing_of = {"[": "]", "(": ")", "{": "}"}
    opened = []
    at_depth = {0: [], 1: [], 2: []}
    groups, depth = 0, 0
    for piece in re.split(r"([\[\](){}])", text):
        if piece in closing_of:
            groups += not opened
            opened.append(piece)
            depth = max(depth, len(opened))
        elif piece in ("]", ")", "}"):
            if not opened or closing_of[opened.pop()] != piece:
                raise _unbalanced(piece)
        elif len(opened) < 3:
            at_depth[len(opened)].append(piece)
    if opened:
        raise _unbalanced(opened[-1])
    for piece in at_depth[0]:
        if piece.strip(" \t\n,;"):
            raise _extra_text(piece.strip())
    if groups > 1:  # [1, 2], [3, 4]: the rows of a list without its own brackets
        between, rows, depth = at_depth[0], at_depth[1], depth + 1
    elif depth == 1:
        return at_depth[1], "", 1
    else:
        between, rows = at_depth[1], at_depth[2]
    if depth > 2:
        return [], "", depth
    for row, piece in enumerate(between):  # what stands before each row, and after the last
        separators = "".join(piece.split())
        if separators.strip(",;"):
            text = _shown(piece.strip(" \t\n,;"))
            raise InputError(
                "mixed_nesting",
                f'"{text}" stands beside lists; each row must be a list of its own',
                text=text,
            )
        if len(separators) > (row > 0):
            raise _empty_cell(row, 0)
    return rows, "".join(between), depth


def _flat_rows(text: str, decimal: str) -> list[list[str]]:
    """The rows in one pair of brackets: ; or a new line starts a row, unless the line was only too long."""
    text = re.sub(r",[ \t]*\n", ", ", text)
    if "," not in text and ";" not in text and _was_wrapped(text):
        text = text.replace("\n", " ")
    if ";;" in "".join(text.split()).rstrip(";"):  # MATLAB ignores what is between, Julia begins a column
        raise _empty_cell(text[: text.index(";")].count("\n") + 1, 0)
    rows = [row for row in re.split(r"[;\n]", text) if row.strip()]
    return [_cells(row, ",") if decimal == "point" else row.split() for row in rows]


def _was_wrapped(text: str) -> bool:
    """One long row as NumPy prints it: a line ends where another number would not fit into 75 columns."""
    parts = [number.partition(".") for number in text.split()]
    # NumPy pads numbers to one width, with the points below each other, and cuts the blanks at a line's end.
    width = max((len(whole) for whole, *_ in parts), default=0) + max(
        (len(p + rest) for _, p, rest in parts), default=0
    )
    lines = text.strip("\n").split("\n")[:-1]
    return all(max(len(line.rstrip()), len(line.split()) * (width + 1)) + 1 + width >= 73 for line in lines)


_BEGIN = re.compile(r"\\begin\s*\{((?:[a-zA-Z]*matrix\*?)|array|tabular)\}")
_BEFORE_LATEX = re.compile(r"\$+|\\\[|\\\(|\\displaystyle|\\left\s*(?:\\[{|]|[(\[|.])")
_AFTER_LATEX = re.compile(r"\$+|\\\]|\\\)|\\right\s*(?:\\[}|]|[)\]|.])|[.,;]")
_LATEX_ROW_END = re.compile(r"\\\\(?:\[[^\]\\\n]{0,20}\])?|\\cr\b|\\tabularnewline")
_LATEX_IGNORED = re.compile(r"\\(?:hline|toprule|midrule|bottomrule|[hv]?phantom\{[^{}]{0,20}\}|[,;:! ]|q?quad)|~")
_LATEX_FRACTION = re.compile(r"([-+]?) ?\\[dtc]?frac ?(?:\{ ?([^{} ]+) ?\} ?\{ ?([^{} ]+) ?\}|(\d) ?(\d))")


def _latex_rows(text: str) -> list[list[str]]:
    """The cells between \\begin and \\end, or of the whole text when it has neither."""
    if begin := _BEGIN.search(text):
        end = rf"\end{{{begin[1]}}}"
        start, stop = begin.end(), text.find(end, begin.end())
        if stop < 0:
            raise _unbalanced(begin[0])
        before = _BEFORE_LATEX.sub("", text[: begin.start()]).strip()
        after = _AFTER_LATEX.sub("", text[stop + len(end) :]).strip()
        if before and not before.endswith("="):
            raise _extra_text(before)
        if after:
            raise _extra_text(after)
        body = text[start:stop]
        if begin[1] in ("array", "tabular"):
            body = re.sub(r"\A\s*(?:\[\w?\])?\{[^{}]*\}", "", body)
    else:
        body = text.replace("$", "")
        body = re.sub(r"\\(?:left|right)\s*(?:\\[{}|]|[()\[\]|.])", "", body)
    rows = (row.split("&") for row in _LATEX_ROW_END.split(body))
    cells = [[_latex_cell(cell) for cell in row] for row in rows]
    return [row for row in cells if any(row) or len(row) > 1]


def _latex_cell(cell: str) -> str:
    cell = " ".join(_LATEX_IGNORED.sub(" ", cell).split())
    cell = cell.replace(r"\infty", "inf")
    cell = _LATEX_FRACTION.sub(lambda found: f" {found[1]}{found[2] or found[4]}/{found[3] or found[5]} ", cell)
    cell = re.sub(r" ?(?:\\times|\\cdot|×) ?10 ?\^ ?\{? ?([-+]?\d+) ?\}?", r"e\1", cell)
    cell = cell.replace("{", "").replace("}", "").strip()
    return re.sub(r"^([-+]) ", r"\1", cell)


# --- From cells to numbers ----------------------------------------------------------------------------------

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
_INFINITY = re.compile(r"[-+]?(?:(?:np|numpy|torch|math)\.)?inf(?:inity)?", re.IGNORECASE)
_STARTS_A_NUMBER = re.compile(rf"[-+]?(?:[.,]?\d|[{_VULGAR}]|inf)", re.IGNORECASE)
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+")
_THOUSANDS = re.compile(  # 1,234.5 and 1.234,5
    r"(?<![\w.+/-])[-+]?[1-9]\d{0,2}(?:(?:,\d{3}){1,4}\.\d|(?:\.\d{3}){1,4},\d+(?![\d.eE/]))"
)


def _numbers(rows: list[list[str]], decimal: str, allow_negative_infinity: bool) -> np.ndarray:
    """(R, C) the numbers in the cells; a separator at the end of lines does not make a column."""
    if not any(rows):
        raise InputError("empty_matrix", "the matrix has no cells")
    used = max([1, *(column + 1 for row in rows for column, cell in enumerate(row) if cell)])
    rows = [row[:used] for row in rows]
    numbers = []
    for row, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            if not cell:
                raise _empty_cell(row, column)
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
                _number(cell, decimal, allow_negative_infinity, row=row, column=column)
                for column, cell in enumerate(cells)
            ]
        )
    matrix = np.array(numbers, dtype=np.float64)
    matrix.setflags(write=False)
    return matrix


def _number(cell: str, decimal: str, allow_negative_infinity: bool, **at) -> float:
    """One number, or the error that says why the cell is none. ``at`` is its row and column, if any."""
    if len(cell) > 1 and cell[0] == cell[-1] and cell[0] in "\"'":
        cell = cell[1:-1].strip()
    if not cell:
        raise _empty_cell(**at)
    found = _NUMBER[decimal].fullmatch(cell)
    if found is None:
        if allow_negative_infinity and cell[0] == "-" and _INFINITY.fullmatch(cell):
            return -np.inf
        raise _why_not_a_number(cell, decimal, at)
    sign = -1.0 if found["sign"] == "-" else 1.0
    if found["vulgar"]:
        return sign * (float(found["whole"] or 0) + unicodedata.numeric(found["vulgar"]))
    top = float(found["top"].replace(",", "."))
    bottom = float((found["bottom"] or "1").replace(",", "."))
    if bottom == 0:
        raise _cell_fault("division_by_zero", cell, "divides by zero", at)
    if np.inf in (top, abs(bottom)) or abs(top / bottom) == np.inf:
        raise _cell_fault("too_large", cell, "is beyond the largest number (about 1.8e308)", at)
    return sign * top / bottom


def _why_not_a_number(cell: str, decimal: str, at: dict) -> InputError:
    if _INFINITY.fullmatch(cell) or cell.lower().lstrip("+-") == "nan":
        return _cell_fault("not_finite", cell, "is not a finite number", at)
    if re.fullmatch(r"[-+]?\d[\d.,']*", cell) and ("'" in cell or cell.count(".") + cell.count(",") > 1):
        return _thousands(cell, **at)
    if _NUMBER["comma" if decimal == "point" else "point"].fullmatch(cell):
        fault = _cell_fault("decimal_mark", cell, f"does not have the decimal {decimal} of the others", at)
        fault.details["decimal"] = decimal
        return fault
    if _holds_several(cell.split()):
        return _cell_fault("several_numbers", cell, "is more than one number in a cell", at)
    if re.fullmatch(r"[-+*/^().,\d\seE×÷]*", cell) and re.search(r"[-+*/^×÷]", cell):
        advice = "is a calculation; write its result, and a minus sign right before its number"
        return _cell_fault("expression", cell, advice, at)
    return _cell_fault("not_a_number", cell, "is not a number", at)


# --- Errors -------------------------------------------------------------------------------------------------


def _place(row: int | None = None, column: int | None = None) -> str:
    return "" if row is None else f"row {row + 1}, column {column + 1}: "


def _shown(text: str) -> str:
    """The text, short and fit to be shown anywhere."""
    text = " ".join(text[:31].split())
    text = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)
    return text if len(text) <= 30 else text[:30] + "…"


def _cell_fault(reason: str, cell: str, what: str, at: dict) -> InputError:
    cell = _shown(cell)
    return InputError(reason, f'{_place(**at)}"{cell}" {what}', text=cell, **at)


def _empty_cell(row: int | None = None, column: int | None = None) -> InputError:
    at = {} if row is None else {"row": row, "column": column}
    return InputError("empty_cell", f"{_place(row, column)}there is no number", **at)


def _extra_text(text: str) -> InputError:
    return InputError("extra_text", f'"{_shown(text)}" is not part of a matrix; leave it out', text=_shown(text))


def _unbalanced(text: str) -> InputError:
    return InputError("unbalanced_brackets", f'"{_shown(text)}" has no partner', text=_shown(text))


def _thousands(text: str, **at) -> InputError:
    return InputError(
        "thousands",
        f'{_place(**at)}"{_shown(text)}" may hold a thousands separator; leave those out, mark decimals with '
        "a point, and put a blank after a comma between numbers",
        text=_shown(text),
        **at,
    )


def _refuse_thousands(text: str, decimal: str) -> None:
    if decimal == "point" and (found := _THOUSANDS.search(text)):
        raise _thousands(found[0])
