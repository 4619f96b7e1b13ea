"""Exports: every matrix in every form, with names, readable where it is read again."""

import json
import re
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import trace_attention
from attention_core.examples import example
from attention_core.export import FORMS, export_matrix
from attention_core.matrix_text import read_matrix

NAMES = st.lists(
    st.sampled_from(["A", "1", "-2,5", "1/3", "그", 'say "x"', "a,b", "a;b", "#", "½"]), min_size=1, max_size=5
)
TORCH = SimpleNamespace(tensor=lambda cells, dtype=None: np.array(cells), float64=float, inf=np.inf)


@given(st.sampled_from(sorted(FORMS)), NAMES, NAMES, st.integers(0, 99))
def test_what_is_exported_can_be_read_back_to_the_last_bit(form, rows, columns, seed):
    matrix = np.random.default_rng(seed).normal(size=(len(rows), len(columns)))
    back = read_matrix(export_matrix(matrix, form, rows, columns)).matrix
    if form == "latex":
        np.testing.assert_allclose(back, matrix, rtol=5e-6)
    else:
        np.testing.assert_array_equal(back, matrix)


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
