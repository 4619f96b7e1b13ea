"""Exports: every matrix in every form, with names, readable where it is read again."""

import ast
import csv
import json
import re
from io import StringIO
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import trace_attention
from attention_core.examples import example
from attention_core.export import FORMS, export_matrix
from attention_core.matrix_text import read_matrix, write_matrix

#: Names that a reader or a form could take for something else than names.
AWKWARD = [
    "[CLS]", "a&b", '"x"', "a,b", "a\tb", "a\nb", "a\r\nb", "|", "$x$", "<b>", "그", "👩\u200d🚀", "", " ", "1", "-2,5",
    "1/3", "½", "1,234", "1\u00a0234", "a;b", "#", "# a", "%", "\\", "\\end{bmatrix}", "...", "…", "nan", "null",
    "-inf", "“x”", "'", "\x85", "\u2028", "\0", "\u200b", "\ufeff", "=1+1", "'=1+1", "''=1+1", "@x", "-", "{", "]",
    "np.array([", ">>> ", "query",
]  # fmt: skip
NAMES = st.lists(st.sampled_from(AWKWARD) | st.text(max_size=8), min_size=1, max_size=5)
TABLES = {"csv": ",", "tsv": "\t", "semicolon": ";"}
TORCH = SimpleNamespace(tensor=lambda cells, dtype=None: np.array(cells), float64=float, inf=np.inf)


@given(st.sampled_from(sorted(FORMS)), NAMES, NAMES, st.integers(0, 99))
def test_what_is_exported_can_be_read_back_to_the_last_bit(form, rows, columns, seed):
    random = np.random.default_rng(seed)
    matrix = random.normal(size=(len(rows), len(columns))) * 10.0 ** random.integers(-320, 300)
    matrix[random.random(matrix.shape) < 0.2] = -np.inf
    back = read_matrix(export_matrix(matrix, form, rows, columns), allow_negative_infinity=True)
    if form == "latex":
        np.testing.assert_allclose(back.matrix, matrix, rtol=5e-6)
    else:
        np.testing.assert_array_equal(back.matrix, matrix)
    if form == "json" or form in TABLES:
        assert (back.rows, back.columns) == (tuple(rows), tuple(columns))
    assert back.other_decimal is None


@given(st.sampled_from(sorted(TABLES)), NAMES, NAMES)
def test_other_readers_of_tables_find_the_names_too(form, rows, columns):
    text = export_matrix(np.ones((len(rows), len(columns))), form, rows, columns)
    (corner, *header), *lines = csv.reader(StringIO(text), delimiter=TABLES[form], strict=True)
    assert corner == ""
    for written, name in zip([*header, *(line[0] for line in lines)], [*columns, *rows], strict=True):
        assert written in (name, f"'{name}")
    assert {len(line) for line in lines} == {len(columns) + 1}


def test_a_spreadsheet_computes_no_name():
    text = export_matrix(np.ones((4, 4)), "csv", ["=1+1", "@x", "-", "a=b"], ["+1", "\t=1", "'=1", "'a"])
    (_, *header), *lines = csv.reader(StringIO(text))
    assert header == ["'+1", "'\t=1", "''=1", "'a"]
    assert [line[0] for line in lines] == ["'=1+1", "'@x", "-", "a=b"]


@given(st.sampled_from(["numpy", "torch", "matlab", "latex"]), NAMES)
def test_no_name_gets_out_of_its_comment(form, names):
    lines = export_matrix(np.eye(len(names)), form, names, names, ("행", "열")).split("\n")
    assert all(line.isprintable() for line in lines)
    sign = FORMS[form].comment
    above = [line for line in lines if line.startswith(f"{sign} ")]
    assert above == lines[: len(above)]
    assert "".join(lines[len(above) :]) == "".join(write_matrix(np.eye(len(names)), form).split("\n"))
    rows, columns = " ".join(line.removeprefix(sign).strip() for line in above).removeprefix("행: ").split("] 열: ")
    assert len(ast.literal_eval(f"{rows}]")) == len(ast.literal_eval(columns)) == len(names)


@pytest.mark.parametrize("form", sorted(FORMS))
def test_names_stand_in_every_form(form):
    text = export_matrix([[0.25, 0.75]], form, ["query-word"], ["left-key", "right-key"])
    assert all(name in text for name in ("query-word", "left-key", "right-key"))


def strict_json(text):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def test_json_is_json_also_with_minus_infinity():
    saved = strict_json(export_matrix([[1, -np.inf]], "json", ["B"], ["A", "C"]))
    assert saved == {"rows": ["B"], "columns": ["A", "C"], "values": [[1.0, None]]}


def test_a_mask_stays_a_mask_in_numpy_and_torch():
    """As floats 1.0 and 0.0 it would be added to the scores: .645, .117, .237 for [1, 0, 0]."""
    given = example("abc")
    mask = np.array([[True, False, False]])
    for form, names in (("numpy", {"np": np}), ("torch", {"torch": TORCH})):
        back = eval(export_matrix(mask, form, ["q"], ["A", "B", "C"]), names)
        assert back.dtype == bool
        assert trace_attention(given.query, given.key, given.value, back).weights.tolist() == [[1, 0, 0]]
    assert strict_json(export_matrix(mask, "json", ["q"], ["A", "B", "C"]))["values"] == [[True, False, False]]
    assert "logical([1 0 0])" in export_matrix(mask, "matlab", ["q"], ["A", "B", "C"])


def test_latex_is_for_reading():
    text = export_matrix([[1 / 3, 1e-7 / 3]], "latex", ["A"], ["B", "C"])
    assert max(map(len, re.findall(r"\d+", text))) <= 6
    assert r"3.33333 \times 10^{-8}" in text


def test_names_of_another_size_and_unknown_forms_are_refused():
    with pytest.raises(ValueError, match="2 row names"):
        export_matrix([[1, 2]], "csv", ["A", "B"], ["A", "B"])
    with pytest.raises(ValueError, match="form must be one of"):
        export_matrix([[1]], "excel", ["A"], ["A"])
