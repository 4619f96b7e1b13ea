"""Pasted matrices: each way of writing one is read right or refused with its reason, never misread."""

import ast
import contextlib
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from attention_core.errors import InputError
from attention_core.matrix_text import FORMS, LONGEST_TEXT, read_matrix, read_number, write_matrix

ONE_TO_FOUR = [[1, 2], [3, 4]]


def assert_reads(text, matrix, **asked):
    reading = read_matrix(text, **asked)
    np.testing.assert_array_equal(reading.matrix, np.array(matrix, dtype=np.float64), strict=True)
    return reading


def refusal(text, **asked):
    with pytest.raises(InputError) as caught:
        read_matrix(text, **asked)
    return caught.value


@pytest.mark.parametrize(
    ("text", "matrix"),
    [
        ("(1)\t(2)\n(100)\t3", [[-1, -2], [-100, 3]]),
        ("(1)\t(2)", [[-1, -2]]),
        ("(100)", [[-100]]),
        ("(1)\n(2)", [[-1], [-2]]),
        ("( 1.5 ) 2\n3 (1e3)", [[-1.5, 2], [3, -1000]]),
        ("(1),(2)\n(3),(4)", [[-1, -2], [-3, -4]]),
        ("(1,5)\t(2)", [[-1.5, -2]]),
        ("（１）\t２", [[-1, 2]]),
        ("[(1), (2)]", [[1, 2]]),  # in code they are only parentheses
        ("[(1) -(2); 3 4]", [[1, -2], [3, 4]]),
        ("((1), (2))", [[1, 2]]),
        ("((1, 2), (3, 4))", [[1, 2], [3, 4]]),
        ("(1 2)\n(3 4)", [[1, 2], [3, 4]]),
        ("[1;2;3;4]", [[1], [2], [3], [4]]),
        ("A = [1 2 ...\n 3; 4 5 6]", [[1, 2, 3], [4, 5, 6]]),
        ("A = [1 2 ...\r\n 3; 4 5 6]", [[1, 2, 3], [4, 5, 6]]),
        ("[1 2 ... % the first row\n 3; 4 5 6]", [[1, 2, 3], [4, 5, 6]]),
        ("A = [1 2 3; ...\n     4 5 6]", [[1, 2, 3], [4, 5, 6]]),
        ("A = [1, 2, ...\n3]", [[1, 2, 3]]),
    ],
)
def test_parentheses_and_continued_lines_are_read_as_they_were_meant(text, matrix):
    assert_reads(text, matrix)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(-1)\t(2)", "expression"),
        ("(1) 2 3\n(2) 4 5", "extra_text"),  # counted rows, perhaps
        ("[1;2;;3;4]", "empty_cell"),  # two columns in Julia, one in MATLAB
        ("[1 2 ...\n 8 9]", "truncated"),  # NumPy's print of a long row
        ("A = [1 2 ... 3; 4 5 6]", "truncated"),
        ("[[1 2 ...\n 3]; [4 5 6]]", "truncated"),
        ("array([1, 2, ...,\n 8, 9])", "truncated"),
    ],
)
def test_what_could_be_meant_in_two_ways_is_asked_about(text, reason):
    assert refusal(text).reason == reason


def test_one_cell_in_parentheses_is_read_like_a_whole_table_of_them():
    assert read_number("(5)") == -5
    assert read_number("(1,5)") == -1.5


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("1\t2\n3\t4", "tsv"),
        ("1\t2\r\n3\t4\r\n", "tsv"),
        ("1\t2\t\n3\t4\t\n\t\t\n", "tsv"),
        ('"1"\t"2"\n"3\n"\t4', "tsv"),
        ("1,2\n3,4", "csv"),
        ("1, 2\n3, 4\n", "csv"),
        ("1,2,\n3,4,", "csv"),
        ("1,2,\n3,4", "csv"),
        ("1,\t2\n3,\t4", "csv"),
        ('"1","2"\r\n"3","4"', "csv"),
        ("1;2\n3;4", "semicolon"),
        ("1;2;\n3;4;", "semicolon"),
        ("1 2\n3 4", "spaces"),
        ("\n  1   2\n\n  3   4\n\n", "spaces"),
        ("A =\n\n     1     2\n     3     4\n", "spaces"),
        ("1 2; 3 4", "matlab"),
        ("1, 2; 3, 4;", "matlab"),
        ("[1 2; 3 4]", "matlab"),
        ("[1, 2; 3, 4]", "matlab"),
        ("[1,2;3,4]", "matlab"),
        ("Q = [1 2\n 3 4];", "matlab"),
        ("[[1 2]; [3 4]]", "matlab"),
        ("[[1,2],[3,4]]", "nested"),
        ("[[1, 2,], [3, 4,],]", "nested"),
        ("[[1,2][3,4]]", "nested"),
        ("[1, 2],\n[3, 4]", "nested"),
        ("((1, 2), (3, 4))", "nested"),
        ("{{1, 2}, {3, 4}}", "nested"),
        ('[["1", "2"], ["3", "4"]]', "nested"),
        ("[[np.float64(1.0), np.float64(2.0)], [np.int64(3), 4]]", "nested"),
        ("[[1. 2.]\n [3. 4.]]", "numpy"),
        ("array([[1., 2.],\n       [3., 4.]], dtype=float32)", "numpy"),
        (">>> Q\narray([[1, 2],\n       [3, 4]])\n>>> ", "numpy"),
        (">>> Q = np.array([[1, 2],\n...               [3, 4]])", "numpy"),
        ("Out[2]: \nArray([[1., 2.],\n       [3., 4.]], dtype=float32)", "numpy"),
        ("tensor([[1., 2.],\n        [3., 4.]], device='cuda:0', grad_fn=<MulBackward0>)", "torch"),
        ("Parameter containing:\ntensor([[1, 2], [3, 4]], requires_grad=True)", "torch"),
        ("tf.Tensor(\n[[1. 2.]\n [3. 4.]], shape=(2, 2), dtype=float32)", "torch"),
        (r"1 & 2 \\ 3 & 4", "latex"),
        (r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}", "latex"),
        (r"$$Q = \left[\begin{array}{c|c} 1 & 2 \\ \hline 3 & 4 \\ \end{array}\right].$$", "latex"),
        (r"\[ \mathbf{Q}^T = \begin{bmatrix} 1 & 2 \\[2pt] 3 & \phantom{-}4 \end{bmatrix} \]", "latex"),
    ],
)
def test_the_same_matrix_is_read_from_every_form(text, form):
    assert assert_reads(text, ONE_TO_FOUR).form == form


@pytest.mark.parametrize(
    ("text", "matrix"),
    [
        ("[1, 2, 3]", [[1, 2, 3]]),
        ("[1; 2; 3]", [[1], [2], [3]]),
        ("[[1],[2],[3]]", [[1], [2], [3]]),
        ("[1, 2,\n 3]", [[1, 2, 3]]),
        ("7", [[7]]),
        ("0\n0\n0", [[0], [0], [0]]),
        ("１２ ３．５", [[12, 3.5]]),
        ("－１", [[-1]]),
        ("１，２", [[1, 2]]),
        ("［［１，２］，［３，４］］", ONE_TO_FOUR),
        ("٣ ४", [[3, 4]]),
        ("−1 –2 ‐3 ﹣4 ー5", [[-1, -2, -3, -4, -5]]),
        ("\ufeff1\u00a02\u30003\u200b4", [[1, 2, 3, 4]]),
        ("1\u20282", [[1], [2]]),
        ("1/2 -3/8; ½ 1", [[0.5, -0.375], [0.5, 1]]),
        ("1⁄4 1½ -⅓ 1/-8", [[0.25, 1.5, -1 / 3, -0.125]]),
        ("1e-3 2.5E+02 .5 5. +1", [[0.001, 250, 0.5, 5, 1]]),
        ("1 -2", [[1, -2]]),
        ("[1 -2, 3]", [[1, -2, 3]]),
        (r"\frac{1}{2} & -\frac12 \\ - \dfrac{ 3 }{ 4 } & \tfrac{-1}{4}", [[0.5, -0.5], [-0.75, -0.25]]),
        (r"1.5 \times 10^{-3} & -2\cdot10^2 & {-1}", [[0.0015, -200, -1]]),
    ],
)
def test_numbers_are_read_in_every_spelling(text, matrix):
    reading = assert_reads(text, matrix)
    assert (reading.decimal, reading.other_decimal) == ("point", None)


@pytest.mark.parametrize(
    ("text", "matrix"),
    [
        ("4\t6,2\n8\t1", [[4, 6.2], [8, 1]]),
        ("0,234\t1,5", [[0.234, 1.5]]),
        ("1,234\t1,5", [[1.234, 1.5]]),
        ('"1,5","2,5"\n"3",4', [[1.5, 2.5], [3, 4]]),
        ('a,b\n"1,5","2,5"', [[1.5, 2.5]]),
        ("A;B\n1,5;2,25", [[1.5, 2.25]]),
        ("[[1,5; 2]; [3; 4]]", [[1.5, 2], [3, 4]]),
        (r"1,5 & 2{,}5", [[1.5, 2.5]]),
    ],
)
def test_a_comma_that_can_only_mark_decimals_marks_decimals(text, matrix):
    reading = assert_reads(text, matrix)
    assert (reading.decimal, reading.other_decimal) == ("comma", None)
    assert_reads(text, matrix, decimal="comma")


@pytest.mark.parametrize(
    ("text", "likelier", "as_point", "as_comma"),
    [
        ("1,5", "point", [[1, 5]], [[1.5]]),
        ("12,5", "point", [[12, 5]], [[12.5]]),
        ("0,7\n2,3\n6,0", "point", [[0, 7], [2, 3], [6, 0]], [[0.7], [2.3], [6]]),
        ("1,5 2,5", "comma", [[1, 5, 2, 5]], [[1.5, 2.5]]),
        ("1 2,5", "comma", [[1, 2, 5]], [[1, 2.5]]),
        ("1,5;2,5", "comma", [[1, 5], [2, 5]], [[1.5, 2.5]]),
        ('"1,5";"2,5"', "comma", [[1, 5], [2, 5]], [[1.5, 2.5]]),
        ("1,5, 2,5", "point", [[1, 5, 2, 5]], [[1.5, 2.5]]),
        ("[1,2;3,4]", "point", ONE_TO_FOUR, [[1.2], [3.4]]),
        ("[1,5 2,5]", "comma", [[1, 5, 2, 5]], [[1.5, 2.5]]),
    ],
)
def test_an_ambiguous_comma_is_said_and_can_be_switched(text, likelier, as_point, as_comma):
    readings = {
        "point": assert_reads(text, as_point, decimal="point"),
        "comma": assert_reads(text, as_comma, decimal="comma"),
    }
    assert (readings["point"].other_decimal, readings["comma"].other_decimal) == ("comma", "point")
    assert read_matrix(text).decimal == likelier
    assert_reads(text, readings[likelier].matrix)


@pytest.mark.parametrize("text", ["[[1,2],[3,4]]", "[[1,2], [3,4]]", "1, 2", "1,2,3", "[1,2]", "np.array([[1,2]])"])
def test_a_comma_that_can_only_separate_is_not_called_ambiguous(text):
    assert read_matrix(text).other_decimal is None


def names_in(text):
    reading = assert_reads(text, ONE_TO_FOUR)
    return reading.rows, reading.columns


def test_words_around_the_numbers_are_names():
    assert names_in("A\tB\n1\t2\n3\t4") == ((), ("A", "B"))
    assert names_in("x,y,\n1,2\n3,4") == ((), ("x", "y"))
    assert names_in("나는 1 2\n학교에 3 4") == (("나는", "학교에"), ())
    assert names_in("\tA\tB\na\t1\t2\nb\t3\t4") == (("a", "b"), ("A", "B"))
    assert names_in("1 2\n3 4") == ((), ())


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_names_in_quotes_around_an_empty_corner_may_be_anything(separator):
    names = ("1,234", "[a], b\n# c\t...", 'say ""so"" & \\')
    text = f'""{separator}"{names[0]}"{separator}"{names[1]}"\r\n"{names[2]}"{separator}1.5{separator}"-2"\r\n'
    for written in (text, f"\ufeff{text}\n"):
        reading = read_matrix(written)
        assert reading.matrix.tolist() == [[1.5, -2]]
        assert (reading.rows, reading.columns) == (('say "so" & \\',), names[:2])
        assert reading.other_decimal is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('"","a","b"\n"x",1,2\n"y",3,\n', "empty_cell"),
        ('"","a"\n"x",1\n"y",\n', "empty_cell"),
        ('"","a","b"\n"x",1,2\n"y",3\n', "ragged"),
        ('"","a"\n"x",z\n', "not_a_number"),
        ('"";"a"\n"x";1,234\n', "thousands"),
        ('"";"a";"b"\n"x";1,5;1.5\n', "decimal_mark"),
        ('"","a"\n', "empty_matrix"),
        ('"","a"\n"x,1\n', "unbalanced_quotes"),
        ('{"values": [[1, NaN]]}', "not_finite"),
        ('{"values": [[1, null]]}', "not_finite"),
        ('{"values": [[1, 2], [3]]}', "ragged"),
        ('{"values": [[1, true]]}', "not_a_number"),
        ('{"values": ' + "[" * 40_000, "unbalanced_brackets"),
    ],
)
def test_what_is_wrong_in_a_table_with_names_is_refused(text, reason):
    assert refusal(text).reason == reason


@pytest.mark.parametrize(
    ("text", "reason", "details"),
    [
        ("", "empty_text", {}),
        (" \n\t\u200b", "empty_text", {}),
        ("Q = ", "empty_text", {}),
        ("[]", "empty_matrix", {}),
        ("[[], []]", "empty_matrix", {}),
        ("[,]", "empty_cell", {"row": 0, "column": 0}),
        (",", "empty_cell", {"row": 0, "column": 0}),
        ("1,,3", "empty_cell", {"row": 0, "column": 1}),
        ("[1,,3]", "empty_cell", {"row": 0, "column": 1}),
        ("[[1,2],,[3,4]]", "empty_cell", {"row": 1, "column": 0}),
        ("[,[1,2]]", "empty_cell", {"row": 0, "column": 0}),
        ("1\t2\n3\t", "empty_cell", {"row": 1, "column": 1}),
        ("A\tB\n1\t2\n3\t", "empty_cell", {"row": 1, "column": 1}),
        ("1\t2\n\t\n3\t4", "empty_cell", {"row": 1, "column": 0}),
        (r"1 & & 3", "empty_cell", {"row": 0, "column": 1}),
        ("1 2 3\n4 5", "ragged", {"row": 1, "found": 2, "expected": 3}),
        ("[[1,2],[3]]", "ragged", {"row": 1, "found": 1, "expected": 2}),
        ("[1 2; 3 4 5]", "ragged", {"row": 1, "found": 3, "expected": 2}),
        ("abc", "not_a_number", {"text": "abc", "row": 0, "column": 0}),
        ("1 2\n3 x", "not_a_number", {"text": "x", "row": 1, "column": 1}),
        ("x 1\n2 3", "not_a_number", {"text": "x", "row": 0, "column": 0}),
        ("a b\nc d", "not_a_number", {"text": "a", "row": 0, "column": 0}),
        ("1_000", "not_a_number", {"text": "1_000", "row": 0, "column": 0}),
        ("⅟", "not_a_number", {"text": "⅟", "row": 0, "column": 0}),
        ("3²", "not_a_number", {"text": "3²", "row": 0, "column": 0}),
        ("1 True", "not_a_number", {"text": "True", "row": 0, "column": 1}),
        ("1\t#DIV/0!", "not_a_number", {"text": "#DIV/0!", "row": 0, "column": 1}),
        ("1-2", "expression", {"text": "1-2", "row": 0, "column": 0}),
        ("1 - 2", "expression", {"text": "-", "row": 0, "column": 1}),
        ("1, 3 - 2", "expression", {"text": "3 - 2", "row": 0, "column": 1}),
        ("[2*3, 1]", "expression", {"text": "2*3", "row": 0, "column": 0}),
        ("1 / 3", "expression", {"text": "/", "row": 0, "column": 1}),
        ("1/2/3", "expression", {"text": "1/2/3", "row": 0, "column": 0}),
        ("1 inf", "not_finite", {"text": "inf", "row": 0, "column": 1}),
        ("nan", "not_finite", {"text": "nan", "row": 0, "column": 0}),
        ("inf nan\n1 2", "not_finite", {"text": "inf", "row": 0, "column": 0}),
        ("-∞ 1", "not_finite", {"text": "-inf", "row": 0, "column": 0}),
        ("[[0, -np.inf]]", "not_finite", {"text": "-np.inf", "row": 0, "column": 1}),
        ("1e400", "too_large", {"text": "1e400", "row": 0, "column": 0}),
        ("1 1e300/1e-300", "too_large", {"text": "1e300/1e-300", "row": 0, "column": 1}),
        ("1/2 -3/8; ½ 1/0", "division_by_zero", {"text": "1/0", "row": 1, "column": 1}),
        (r"\frac{1}{0}", "division_by_zero", {"text": "1/0", "row": 0, "column": 0}),
        ("1,234.5", "thousands", {"text": "1,234.5"}),
        ("1.234,5", "thousands", {"text": "1.234,5"}),
        ("1\u00a0234,5", "thousands", {"text": "1 234"}),
        ("2\t1,234", "thousands", {"text": "1,234"}),
        (r"1{,}234 & 2", "thousands", {"text": "1,234"}),
        ("2\t1,234.5", "thousands", {"text": "1,234.5", "row": 0, "column": 1}),
        ("1'000 2", "thousands", {"text": "1'000", "row": 0, "column": 0}),
        ("1.5\t2,5", "decimal_mark", {"text": "1.5", "row": 0, "column": 0, "decimal": "comma"}),
        ("1.5;2,5", "decimal_mark", {"text": "1.5", "row": 0, "column": 0, "decimal": "comma"}),
        ("1 2\t3", "several_numbers", {"text": "1 2", "row": 0, "column": 0}),
        (r"1\frac12", "several_numbers", {"text": "1 1/2", "row": 0, "column": 0}),
        ("[[1 2 ... 9]]", "truncated", {"text": "..."}),
        ("[[1, 2],\n ...,\n [3, 4]]", "truncated", {"text": "..."}),
        ("1 … 9", "truncated", {"text": "..."}),
        (r"1 & \cdots & 9", "truncated", {"text": r"\cdots"}),
        ("[[[1, 2]]]", "not_2d", {"depth": 3}),
        ("[[1,2]],[[3,4]]", "not_2d", {"depth": 3}),
        ("[" * 5000 + "1" + "]" * 5000, "not_2d", {"depth": 5000}),
        ("[[1, 2], 3]", "mixed_nesting", {"text": "3"}),
        ("[1 2", "unbalanced_brackets", {"text": "["}),
        ("[[1, 2], [3, 4]", "unbalanced_brackets", {"text": "["}),
        ("[1 2)", "unbalanced_brackets", {"text": ")"}),
        ("np.array([[1, 2]]", "unbalanced_brackets", {"text": "("}),
        (r"\begin{pmatrix} 1 & 2", "unbalanced_brackets", {"text": r"\begin{pmatrix}"}),
        ('"1,2', "unbalanced_quotes", {}),
        ('"1"2\t3', "unbalanced_quotes", {}),
        ("[1 2]'", "extra_text", {"text": "'"}),
        ("[[1,2]] + [[3,4]]", "extra_text", {"text": "+"}),
        ("np.array([[1,2]]).T", "extra_text", {"text": ").T"}),
        ("softmax([[1, 2],\n [3, 4]])", "extra_text", {"text": "softmax("}),
        ("Q = [[1, 2]]\nK = [[3, 4]]", "extra_text", {"text": "K ="}),
        (r"2 \begin{bmatrix} 1 & 2 \end{bmatrix}", "extra_text", {"text": "2"}),
        (r"\begin{bmatrix} 1 & 2 \end{bmatrix}^T", "extra_text", {"text": "^T"}),
        ("1" * (LONGEST_TEXT + 1), "too_long", {"length": LONGEST_TEXT + 1, "limit": LONGEST_TEXT}),
    ],
)
def test_a_fault_has_its_reason_and_its_place(text, reason, details):
    error = refusal(text)
    assert (error.reason, error.details) == (reason, details)
    if "column" in details:
        assert str(error).startswith(f"row {details['row'] + 1}, column {details['column'] + 1}: ")


def test_two_numbers_are_never_joined():
    for gap in (" ", "\u00a0", "\u200b", "\u00ad", "\u2060", "\n", "\t", ";", "\u3000", "，"):
        assert read_matrix(f"1{gap}2").matrix.ravel().tolist() == [1, 2]


def test_a_wrong_mark_that_was_asked_for_is_refused():
    assert refusal("1.5 2", decimal="comma").reason == "decimal_mark"
    assert refusal("1,5\t2", decimal="point").reason == "decimal_mark"
    assert refusal("1", decimal="dot").reason == "unknown_decimal"


def test_minus_infinity_is_read_only_when_allowed():
    minus = -np.inf
    for text in ("0 -inf", "0 -∞", "[[0, -np.inf]]", '[[0, float("-inf")]]', r"0 & -\infty", "[0 -Inf]"):
        assert refusal(text).reason == "not_finite"
        assert_reads(text, [[0, minus]], allow_negative_infinity=True)
    for text in ("0 inf", "0 nan", "0 -nan"):
        assert refusal(text, allow_negative_infinity=True).reason == "not_finite"
    assert refusal("-1e400", allow_negative_infinity=True).reason == "too_large"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("3", 3),
        (" 3 ", 3),
        (".5", 0.5),
        ("5.", 5),
        ("1,5", 1.5),
        (",5", 0.5),
        ("-1e-2", -0.01),
        ("1/3", 1 / 3),
        ("½", 0.5),
        ("2¾", 2.75),
        ("−3", -3),
        ("－３．５", -3.5),
        ("1,5/2", 0.75),
        ("0" * 9000 + "1", 1),
    ],
)
def test_a_cell_is_read(text, number):
    assert read_number(text) == number


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty_cell"),
        ("abc", "not_a_number"),
        ("1_000", "not_a_number"),
        ("0x10", "not_a_number"),
        ("True", "not_a_number"),
        ("inf", "not_finite"),
        ("nan", "not_finite"),
        ("1e400", "too_large"),
        ("9" * 9000, "too_large"),
        ("1 2", "several_numbers"),
        ("１，５", "several_numbers"),
        ("1/0", "division_by_zero"),
        ("1-2", "expression"),
        ("=A1+1", "not_a_number"),
        ("1,234", "thousands"),
        ("1,234.5", "thousands"),
        ("1,234,567", "thousands"),
    ],
)
def test_a_cell_that_is_no_number_is_refused(text, reason):
    with pytest.raises(InputError) as caught:
        read_number(text)
    assert caught.value.reason == reason
    assert "row" not in caught.value.details


def test_a_cell_keeps_to_the_mark_that_was_asked_for():
    assert read_number("1,234", decimal="comma") == 1.234
    with pytest.raises(InputError):
        read_number("1,5", decimal="point")
    assert read_number("-inf", allow_negative_infinity=True) == -np.inf


def test_the_matrix_cannot_be_changed_afterwards():
    matrix = read_matrix("1 2").matrix
    assert matrix.dtype == np.float64
    with pytest.raises(ValueError, match="read-only"):
        matrix[0, 0] = 3


# --- Writing ------------------------------------------------------------------------------------------------


def test_each_form_is_written_as_its_readers_expect_it():
    matrix = [[1, 0.5], [-0.0, 1e-7]]
    assert write_matrix(matrix, "tsv") == "1\t0.5\n-0\t1e-07"
    assert write_matrix(matrix, "tsv", decimal="comma") == "1\t0,5\n-0\t1e-07"
    assert write_matrix(matrix, "csv") == "1.0,0.5\n-0.0,1e-07"
    assert write_matrix(matrix, "semicolon") == "1;0,5\n-0;1e-07"
    assert write_matrix(matrix, "semicolon", decimal="point") == "1;0.5\n-0;1e-07"
    assert write_matrix(matrix, "nested") == "[[1.0, 0.5],\n [-0.0, 1e-07]]"
    assert write_matrix(matrix, "numpy") == "np.array([[1.0, 0.5],\n          [-0.0, 1e-07]])"
    assert write_matrix([[1, -np.inf]], "torch") == "torch.tensor([[1.0, -torch.inf]], dtype=torch.float64)"
    assert write_matrix(matrix, "matlab") == "[1 0.5; -0 1e-07]"
    latex = "\\begin{bmatrix}\n1 & 0.5 \\\\\n-0 & 1 \\times 10^{-7}\n\\end{bmatrix}"
    assert write_matrix(matrix, "latex") == latex


WAYS = [(form, None) for form in FORMS] + [("tsv", "comma"), ("semicolon", "point")]
numbers_or_minus_infinity = st.floats(allow_nan=False).filter(lambda number: number != np.inf)
matrices = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=5), elements=numbers_or_minus_infinity)
tidy_matrices = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, max_side=5),
    elements=st.integers(-2000, 2000) | st.decimals(-2000, 2000, places=3).map(float),
)


@pytest.mark.parametrize(("form", "decimal"), WAYS)
@settings(max_examples=80, deadline=None)
@given(matrix=matrices | tidy_matrices)
def test_what_is_written_is_read_back_bit_for_bit(form, decimal, matrix):
    text = write_matrix(matrix, form, decimal)
    assert read_matrix(text, decimal, allow_negative_infinity=True).matrix.tobytes() == matrix.tobytes()


def test_what_is_written_for_python_is_python():
    matrix = np.array([[1, -0.0, 1e-300], [0.1, -np.inf, 3e22]])
    written = eval(write_matrix(matrix, "numpy"), {"np": np})
    assert written.tobytes() == matrix.tobytes()
    assert ast.literal_eval(write_matrix(matrix[:, :1], "nested")) == [[1.0], [0.1]]


@pytest.mark.parametrize(("form", "decimal"), WAYS)
def test_the_ends_of_the_number_range_survive(form, decimal):
    matrix = np.array([[-0.0, 5e-324, np.finfo(float).max], [-np.finfo(float).max, 2.0**-1022, 0.1 + 0.2]])
    for part in (matrix, matrix[:1], matrix[:, :1], matrix.reshape(-1, 1)):
        assert read_matrix(write_matrix(part, form, decimal)).matrix.tobytes() == part.tobytes()


@settings(max_examples=100, deadline=None)
@given(matrix=tidy_matrices)
def test_numpy_prints_are_read_back(matrix):
    for text in (repr(matrix), str(matrix), str(matrix[0]), repr(matrix.astype(np.float32).tolist())):
        expected = matrix[:1] if text == str(matrix[0]) and len(matrix) > 1 else matrix
        np.testing.assert_allclose(read_matrix(text).matrix, expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("n", [8, 14, 16, 28, 60])
def test_a_long_row_that_numpy_broke_into_lines_is_one_row(n):
    row = np.random.default_rng(n).normal(size=n)
    for text in (str(row), repr(row)):
        np.testing.assert_allclose(read_matrix(text).matrix, row[None, :], atol=1e-7)


def test_what_cannot_be_written_is_refused():
    for matrix, form, decimal, reason in (
        ([[1, np.nan]], "csv", None, "not_finite"),
        ([[1, np.inf]], "csv", None, "not_finite"),
        ([1, 2], "csv", None, "not_2d"),
        ([[]], "csv", None, "not_2d"),
        ([[1]], "xml", None, "unknown_form"),
        ([[1]], "csv", "comma", "comma_not_possible"),
        ([[1]], "tsv", "dot", "unknown_decimal"),
    ):
        with pytest.raises(InputError) as caught:
            write_matrix(matrix, form, decimal)
        assert caught.value.reason == reason


# --- Any text at all ----------------------------------------------------------------------------------------

WORDS = r"""1 2.5 -3 ,5 1,5 1,234 1/3 1/0 ½ e 1e5 inf nan abc - + * ... = ^ $ | ' " , ， ; & － Q=
    [ ] ( ) { } [[ ]] array( tensor( np.float64( \\ \frac \times10^ \infty \left[
    \begin{bmatrix} \end{bmatrix} \begin{array}"""
BLANKS = [" ", "\t", "\n", "\r\n", "\u00a0", "\u200b", "\x00", "\ud800", ">>> "]
pieces = st.sampled_from([*WORDS.split(), *BLANKS])


@settings(max_examples=800, deadline=None)
@given(
    text=st.text() | st.lists(pieces, max_size=30).map("".join),
    decimal=st.sampled_from([None, "point", "comma"]),
    allow=st.booleans(),
)
def test_any_text_gives_a_matrix_or_an_input_error(text, decimal, allow):
    try:
        reading = read_matrix(text, decimal, allow)
    except InputError as error:
        str(error).encode()
    else:
        assert reading.matrix.ndim == 2
        assert 0 not in reading.matrix.shape
        assert np.all(reading.matrix < np.inf)
        assert allow or np.all(np.isfinite(reading.matrix))
        if reading.other_decimal:
            other = read_matrix(text, reading.other_decimal, allow)
            assert other.other_decimal == reading.decimal
            assert not np.array_equal(other.matrix, reading.matrix)
    try:
        assert read_number(text, decimal, allow) < np.inf
    except InputError as error:
        str(error).encode()


SLOW_FOR_CARELESS_PATTERNS = [
    "1",
    "1,",
    "1,5 ",
    "1 ",
    "[",
    "[1]",
    "(",
    '"',
    " ",
    "\\\\[",
    "\\frac{",
    "\\left ",
]


@pytest.mark.parametrize("unit", [*SLOW_FOR_CARELESS_PATTERNS, "float(", "1,234.", "½", "-", ">>> \n"])
def test_no_text_keeps_the_reader_busy(unit):
    begun = time.process_time()
    for text in (unit * (LONGEST_TEXT // len(unit)), "1,5" + unit * ((LONGEST_TEXT - 4) // len(unit)) + "x"):
        with contextlib.suppress(InputError):
            read_matrix(text)
    # Linear work takes a second or two here; one quadratic search would take minutes.
    assert time.process_time() - begun < 30


# Other inputs of the kinds that users met elsewhere


@pytest.mark.parametrize("length", [12, 37, 42, 75, 150])
def test_a_long_row_that_numpy_wrapped_stays_one_row_whatever_its_numbers_end_in(length):
    for row in (np.arange(length) / 7, np.arange(length) * -1.5, np.where(np.arange(length) % 5, 1 / 7, 0.25)):
        assert read_matrix(str(row)).matrix.shape == (1, length)


@pytest.mark.parametrize("text", ['"1,234","2,345"', '"1,234",5\n"2,345",6', '"12,345","1"', '"1,234";"5"', "1,234;5"])
def test_a_number_that_can_only_be_read_as_a_thousandth_of_what_it_may_mean_is_refused(text):
    assert refusal(text).reason == "thousands"


@pytest.mark.parametrize("matrix", [[[1.234, 5.678]], [[1.234], [-12.345]], [[1.234]], [[-123.456, 2.0]]])
@pytest.mark.parametrize("form", ["tsv", "semicolon"])
def test_three_decimals_are_written_so_that_they_are_no_thousands(matrix, form):
    assert read_matrix(write_matrix(matrix, form, "comma")).matrix.tolist() == matrix


@pytest.mark.parametrize(
    "text",
    [
        "     a    b\n0  1.0  2.0\n1  3.0  4.0",
        ",a,b\n0,1,2\n1,3,4",
        "\ta\tb\n0\t1\t2\n1\t3\t4",
        "a\tb\n7\t1\t2\n8\t3\t4",
    ],
    ids=["pandas print", "to_csv", "to_clipboard", "one name less"],
)
def test_the_index_of_a_table_is_no_column_of_the_matrix(text):
    reading = read_matrix(text)
    assert reading.matrix.tolist() == [[1, 2], [3, 4]]
    assert len(reading.rows) == 2
    assert reading.columns == ("a", "b")


def test_a_named_column_without_numbers_is_named():
    error = refusal("A\tB\tC\n1\t2\t\n3\t4\t")
    assert (error.reason, error.details) == ("empty_cell", {"row": 0, "column": 2})


@pytest.mark.parametrize("text", ["1.5 2,5", "1,234 5.5", "2 1.5 3,5"])
def test_both_decimal_marks_beside_each_other_are_refused(text):
    assert refusal(text).reason == "decimal_mark"


@pytest.mark.parametrize(
    ("text", "row"),
    [("1\u200e.5 2", [1.5, 2]), ("\u200e-\u200e1.5 2", [-1.5, 2]), ("\ufeff1 2", [1, 2]), ("1\u00ad e", None)],
)
def test_what_nobody_sees_takes_no_sign_and_no_point_from_its_number(text, row):
    if row is None:
        assert refusal(text).reason == "not_a_number"
    else:
        assert read_matrix(text).matrix.tolist() == [row]


@pytest.mark.parametrize(("text", "rows"), [(",5;1,5", [[0.5, 1.5]]), (",5\t1", [[0.5, 1]]), ("1\t-,5", [[1, -0.5]])])
def test_a_decimal_comma_needs_no_zero_before_it(text, rows):
    assert read_matrix(text).matrix.tolist() == rows
    assert read_matrix(text).other_decimal is None


@pytest.mark.parametrize(
    "text",
    [
        ">>> w[0]\narray([[1., 2.],\n       [3., 4.]])",
        "In [1]: w[0]\nOut[1]: array([[1., 2.], [3., 4.]])",
        ">>> np.array([[1,2],[3,4]])\narray([[1, 2],\n       [3, 4]])",
        ">>> [[1,2],[3,4]]\n[[1, 2], [3, 4]]",
        "In [1]: [[1,2],\n   ...:  [3,4]]",
        ">>> x = np.array([[1,2],\n...               [3,4]])",
    ],
)
def test_of_a_session_only_the_answer_is_read_or_the_statement_when_nothing_was_answered(text):
    assert read_matrix(text).matrix.tolist() == [[1, 2], [3, 4]]
