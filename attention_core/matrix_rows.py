"""From a pasted text to rows of cells, whatever wrote it: CSV, lists, prints of NumPy, MATLAB, LaTeX.

A part of ``matrix_text``, which has cleaned the text before.
"""

import csv
import re
from io import StringIO

from .errors import InputError
from .matrix_cells import (
    INFINITY,
    cell_fault,
    empty_cell,
    extra_text,
    holds_several,
    refuse_thousands,
    shortened,
    unbalanced,
)

_WRAPPER = re.compile(r"\s*(?:Parameter containing:\s*)?([A-Za-z_][\w.]*)\(\s*(?=\[)")
_ARGUMENTS = re.compile(r"(?:,(?:[^()\[\]]|\([^()\[\]]*\))*)?\)")  # , dtype=float32, shape=(2, 2))


def is_latex(text: str) -> bool:
    """Whether the text has LaTeX's commands or parts its cells with &."""
    return "\\" in text or "&" in text


def is_bracketed(text: str) -> bool:
    """Whether the text is a list, an array or MATLAB's brackets."""
    return text.lstrip()[:1] in tuple("[({") or _wrapper(text) is not None


def _wrapper(text: str) -> re.Match | None:
    """array( or tensor( at the start, whatever library it is from."""
    found = _WRAPPER.match(text)
    return found if found and found[1].lower().endswith(("array", "matrix", "tensor")) else None


def _cells(row: str, separator: str) -> list[str]:
    """The cells of one line: the separator or blanks lie between them, but 1 - 2 stays together."""
    if separator not in row:
        return row.split()
    cells = []
    for cell in row.split(separator):
        parts = cell.split()
        if holds_several(parts):
            cells += parts
        else:
            cells.append(cell.strip())
    return cells


def delimited_rows(text: str, decimal: str) -> tuple[str, list[list[str]]]:
    """Lines with tabs, commas, semicolons or blanks between cells; or MATLAB's rows without its brackets."""
    text = re.sub(r",[ \t]+", ", ", text)
    lines = [line for line in text.split("\n") if line.strip()]
    separator = "," if decimal == "point" else ";"
    if any("\t" in line.strip() for line in lines):
        form, rows = "tsv", _split_table(text, "\t")
    elif ";" in text:
        refuse_thousands(text, decimal)
        rows = _split_table(text, ";")
        form = "semicolon"
        if any(holds_several(_cells(cell, separator)) for row in rows for cell in row):
            form, rows = "matlab", [_cells(cell, separator) for row in rows for cell in row if cell]
    elif '"' in text or ("," in text and decimal == "point"):
        refuse_thousands(text, decimal)
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
            fault = cell_fault("decimal_mark", parts[commas[0]], "does not have the decimal point of the others", at)
            fault.details["decimal"] = "point"
            raise fault


def _split_table(text: str, separator: str) -> list[list[str]]:
    """Rows of cells; a cell in quotes may hold separators and line breaks."""
    try:
        rows = list(csv.reader(StringIO(text), delimiter=separator, skipinitialspace=True, strict=True))
    except csv.Error:
        raise InputError("unbalanced_quotes", "a quoted cell does not end where its quotation mark closes") from None
    return [[cell.strip() for cell in row] for row in rows if any(map(str.strip, row)) or len(row) > 1]


def without_words(rows: list[list[str]]) -> tuple[list[list[str]], list[str], list[str]]:
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
    refuse_empty_below(header, rows)
    return rows, labels, header


def refuse_empty_below(header: list[str], rows: list[list[str]]) -> None:
    """A column that has a name has numbers; one without both is a separator too many."""
    for row, cells in enumerate(rows):
        for column, name in enumerate(header):
            if name and column < len(cells) and not cells[column]:
                raise empty_cell(row, column)


def _is_word(cell: str) -> bool:
    return (
        cell[:1].isalpha()
        and not INFINITY.fullmatch(cell)
        and cell.lower() not in ("nan", "none", "null", "true", "false")
    )


def bracketed_rows(text: str, decimal: str) -> tuple[str, list[list[str]]]:
    """Lists of lists, NumPy's and PyTorch's prints of them, and MATLAB's brackets."""
    form = None
    text = text.strip().rstrip("; \n")
    if wrapper := _wrapper(text):
        form = "torch" if wrapper[1].lower().endswith("tensor") else "numpy"
        end = text.rfind("]") + 1
        if not end:
            raise unbalanced("[")
        if not _ARGUMENTS.fullmatch(rest := text[end:].strip()):
            raise extra_text(rest) if rest else unbalanced("(")
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
                raise unbalanced(piece)
        elif len(opened) < 3:
            at_depth[len(opened)].append(piece)
    if opened:
        raise unbalanced(opened[-1])
    for piece in at_depth[0]:
        if piece.strip(" \t\n,;"):
            raise extra_text(piece.strip())
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
            text = shortened(piece.strip(" \t\n,;"))
            raise InputError(
                "mixed_nesting",
                f'"{text}" stands beside lists; each row must be a list of its own',
                text=text,
            )
        if len(separators) > (row > 0):
            raise empty_cell(row, 0)
    return rows, "".join(between), depth


def _flat_rows(text: str, decimal: str) -> list[list[str]]:
    """The rows in one pair of brackets: ; or a new line starts a row, unless the line was only too long."""
    text = re.sub(r",[ \t]*\n", ", ", text)
    if "," not in text and ";" not in text and _was_wrapped(text):
        text = text.replace("\n", " ")
    if ";;" in "".join(text.split()).rstrip(";"):  # MATLAB ignores what is between, Julia begins a column
        raise empty_cell(text[: text.index(";")].count("\n") + 1, 0)
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


def latex_rows(text: str) -> list[list[str]]:
    """The cells between \\begin and \\end, or of the whole text when it has neither."""
    if begin := _BEGIN.search(text):
        end = rf"\end{{{begin[1]}}}"
        start, stop = begin.end(), text.find(end, begin.end())
        if stop < 0:
            raise unbalanced(begin[0])
        before = _BEFORE_LATEX.sub("", text[: begin.start()]).strip()
        after = _AFTER_LATEX.sub("", text[stop + len(end) :]).strip()
        if before and not before.endswith("="):
            raise extra_text(before)
        if after:
            raise extra_text(after)
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
