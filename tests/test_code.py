"""The programs that the core writes really compute the trace they were written from."""

import ast
import contextlib
import io
import sys
import warnings
from itertools import product
from math import exp, inf
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import default_scale, trace_attention
from attention_core.code import COMMENTS, numpy_source, torch_source
from attention_core.comparisons import cosine_attention
from attention_core.examples import EXAMPLE_NAMES, example
from pages.ui.text import LANGUAGES, sections

SAID = {place: f"says {place}" for place in COMMENTS}
STEPS = ("scores", "scaled", "masked", "weights", "output")


@st.composite
def traces(draw):
    """Traces of all kinds up to 16 x 16: masks, biases, causal, softcaps, own scales, blind queries."""
    n_query, n_key, n_feature, n_value = (draw(st.integers(1, 16)) for _ in range(4))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))

    def numbers(*shape):
        return random.normal(size=shape) * 10.0 ** random.integers(-3, 2)

    bias = None
    if draw(st.booleans()):
        bias = numbers(n_query, n_key)
        if draw(st.booleans()):
            bias[random.random(bias.shape) < random.random()] = -inf
    return trace_attention(
        numbers(n_query, n_feature),
        numbers(n_key, n_feature),
        numbers(n_key, n_value),
        random.random((n_query, n_key)) < random.random() if draw(st.booleans()) else None,
        bias=bias,
        is_causal=draw(st.booleans()),
        scale=draw(st.sampled_from([None, 0.0, 1.0, -0.3, default_scale(n_feature), np.float64(0.1)])),
        softcap=draw(st.sampled_from([None, None, 2.5, np.float64(30)])),
    )


def comments_in(language):
    return {place: sections(language, "common")[f"comment_{place}"] for place in COMMENTS}


def abc(**options):
    given = example("abc")
    return trace_attention(given.query, given.key, given.value, **options)


def run(source):
    """What the program defines, and what it printed. A warning is a failure: readers would see it."""
    names, printed = {}, io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(compile(source, "source", "exec"), names)
    return names, printed.getvalue()


def assert_reproduces(names, printed, trace):
    for name in ("query", "key", "value"):
        assert np.asarray(names[name]).dtype == np.float64
        np.testing.assert_array_equal(np.asarray(names[name]), getattr(trace, name))
    assert names["scale"] == trace.scale
    for step in STEPS:
        np.testing.assert_allclose(np.asarray(names[step]), getattr(trace, step), rtol=1e-12, atol=1e-14)
    assert str(names["weights"]) in printed
    assert str(names["output"]) in printed


@settings(max_examples=200, deadline=None)
@given(traces())
def test_the_numpy_program_reproduces_the_trace(trace):
    assert_reproduces(*run(numpy_source(trace)), trace)


@pytest.mark.parametrize("name", EXAMPLE_NAMES)
def test_the_numpy_program_reproduces_the_examples(name):
    given = example(name)
    trace = trace_attention(given.query, given.key, given.value, given.allowed)
    assert_reproduces(*run(numpy_source(trace)), trace)


def softmax_in_loops(matrix, dim):
    """Softmax as PyTorch has it: a row of nothing but -inf becomes NaN."""
    assert dim == 1
    rows = []
    for row in matrix.tolist():
        exponentials = [exp(score - max(row)) if score > -inf else 0.0 for score in row]
        rows.append([e / sum(exponentials) if max(row) > -inf else np.nan for e in exponentials])
    return np.array(rows)


def sdpa_in_loops(query, key, value, attn_mask=None, scale=None):
    """PyTorch's function as its documentation has it, with 0 for a query that may look at nothing."""
    output = np.zeros((len(query), value.shape[1]))
    for i, q in enumerate(query):
        shares = []
        for j, k in enumerate(key):
            score = sum(float(a) * float(b) for a, b in zip(q, k, strict=True)) * scale
            if attn_mask is not None and attn_mask.dtype == bool:
                score = score if attn_mask[i, j] else -inf
            elif attn_mask is not None:
                score += attn_mask[i, j]
            shares.append(score)
        exponentials = [exp(s - max(shares)) if s > -inf else 0.0 for s in shares]
        for share, v in zip(exponentials, value, strict=True):
            if share:
                output[i] += share / sum(exponentials) * v
    return output


# The few things of torch that the program uses, made from NumPy and loops.
TORCH_STAND_IN = SimpleNamespace(
    tensor=np.array,
    float64=np.float64,
    inf=inf,
    tanh=np.tanh,
    abs=np.abs,
    amax=lambda matrix, dim, keepdim: np.max(matrix, axis=dim, keepdims=keepdim),
    linalg=SimpleNamespace(norm=lambda matrix, dim, keepdim: np.linalg.norm(matrix, axis=dim, keepdims=keepdim)),
    where=np.where,
    softmax=softmax_in_loops,
    allclose=np.allclose,
    nn=SimpleNamespace(functional=SimpleNamespace(scaled_dot_product_attention=sdpa_in_loops)),
)


def assert_torch_program_reproduces(trace):
    source = torch_source(trace, SAID)
    names, printed = run(source)
    assert_reproduces(names, printed, trace)
    if trace.softcap is None:
        np.testing.assert_allclose(np.asarray(names["in_one_call"]), trace.output, rtol=1e-9, atol=1e-12)
        assert "in_one_call == output: True" in printed
    else:
        assert "in_one_call" not in names
        assert source.endswith("\n\n# says no_softcap\n")
        assert torch_source(trace).endswith('print("output", output, sep="\\n")\n')


@settings(max_examples=100, deadline=None)
@given(traces())
def test_the_torch_program_reproduces_the_trace_on_a_stand_in_for_torch(trace):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "torch", TORCH_STAND_IN)
        assert_torch_program_reproduces(trace)


@settings(max_examples=200, deadline=None)
@given(traces())
def test_the_torch_program_reproduces_the_trace_on_torch_itself(trace):
    pytest.importorskip("torch")
    assert_torch_program_reproduces(trace)


def test_a_program_contains_only_what_its_trace_needs():
    needs = {
        "allowed": abc(attn_mask=np.array([[True, True, False]])),
        "bias": abc(bias=[[0.5, 0.0, -inf]]),
        "softcap": abc(softcap=5),
        "blind": abc(attn_mask=np.zeros((1, 3), dtype=bool)),
    }
    for source_of in (numpy_source, torch_source):
        plain = source_of(abc(), SAID)
        for word, trace in needs.items():
            assert word not in plain, word
            assert word in source_of(trace, SAID), word
        # A bias of -inf blocks by itself; a mask beside it would say the same twice.
        assert "allowed" not in source_of(needs["bias"], SAID)


def test_the_mask_and_bias_of_the_torch_program_are_one_argument():
    mask, bias = np.array([[True, False, True]]), [[0.0, 1.0, 2.0]]
    call = "attention(\n    query, key, value, {}scale=scale\n)"
    for options, argument in (
        ({}, ""),
        ({"attn_mask": mask}, "attn_mask=allowed, "),
        ({"bias": bias}, "attn_mask=bias, "),
        ({"attn_mask": mask, "bias": bias}, "attn_mask=torch.where(allowed, bias, -torch.inf), "),
    ):
        assert call.format(argument) in torch_source(abc(**options))


def test_the_scale_is_written_as_one_over_a_root_only_if_it_is_that():
    for source_of in (numpy_source, torch_source):
        assert "scale = 1 / sqrt(query.shape[1])" in source_of(abc())
        for scale in (0.0, 0.5, 0.7071):
            assert f"scale = {scale!r}\n" in source_of(abc(scale=scale))
            assert "sqrt" not in source_of(abc(scale=scale))


def test_numbers_are_bit_exact_whatever_their_size():
    awkward = [[0.1, 1 / 3, 5e-324, -0.0], [-1e-17, 123456789.123456789, 1e22, -2.5]]
    trace = trace_attention(awkward, awkward, awkward, scale=1e-50)
    names, _ = run(numpy_source(trace))
    for name in ("query", "key", "value"):
        assert names[name].tobytes() == getattr(trace, name).tobytes()


def test_a_16_by_16_program_stays_readable():
    random = np.random.default_rng(0)
    square = random.normal(size=(16, 16))
    trace = trace_attention(square, square, square, random.random((16, 16)) < 0.5, bias=square, softcap=3)
    for source_of, language in product((numpy_source, torch_source), LANGUAGES):
        lines = source_of(trace, comments_in(language)).splitlines()
        assert max(map(len, lines)) <= 110
        assert sum(not line.startswith(" ") for line in lines) <= 40  # all but the rows of the matrices
    three_by_three = numpy_source(abc(), SAID)
    assert len(three_by_three.splitlines()) <= 40


@pytest.mark.parametrize("scale", [None, 1.0, 0.3, 2.0])
@pytest.mark.parametrize("temperature", [0.5, 0.07, 3.0, 100.0])
def test_scale_and_temperature_stand_in_lines_of_their_own(scale, temperature):
    used = default_scale(2) if scale is None else scale
    trace = abc(scale=used / temperature)
    source = numpy_source(trace, temperature=temperature)
    assert_reproduces(*run(source), trace)
    assert f"temperature = {temperature!r}" in source
    assert ("scale = 1 / sqrt(query.shape[1])" if scale is None else f"scale = {scale!r}") in source


def test_a_temperature_that_is_not_in_the_scale_is_not_claimed():
    trace = abc(scale=1 / 3)
    source = numpy_source(trace, temperature=0.3)
    assert_reproduces(*run(source), trace)


@pytest.mark.parametrize("source_of", [numpy_source, torch_source])
@pytest.mark.parametrize("size", [1, 1e-200, 1e200])
def test_a_program_of_cosine_attention_starts_from_the_vectors_as_they_were_typed(source_of, size):
    random = np.random.default_rng(0)
    query, key, value = random.normal(size=(3, 4, 3))
    query *= size
    trace = cosine_attention(query, key, value)
    source = source_of(trace, SAID, before_cosine=(query, key))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "torch", TORCH_STAND_IN)
        names, printed = run(source)
    assert f"[{', '.join(map(repr, query[0].tolist()))}]" in source
    assert "# says cosine\n" in source
    assert ("# says cosine_first" in source) == (size != 1)
    for step in ("query", "key", *STEPS):
        np.testing.assert_allclose(names[step], getattr(trace, step), rtol=1e-12, atol=1e-14)
    assert str(names["weights"]) in printed


@pytest.mark.parametrize("source_of", [numpy_source, torch_source])
@pytest.mark.parametrize("language", LANGUAGES)
def test_comments_are_those_of_the_caller_alone(source_of, language):
    comments = comments_in(language)
    for options in ({"bias": [[0.5, 0.0, -inf]], "softcap": 2}, {"attn_mask": np.zeros((1, 3), dtype=bool)}):
        source = source_of(abc(**options), comments)
        assert {line.partition("# ")[2] for line in source.splitlines() if "#" in line} <= set(comments.values())
        assert "#" not in source_of(abc(**options))


def test_every_comment_is_said_somewhere():
    query, key = np.eye(2)[:1] * 1e200, np.eye(2)
    blind = np.zeros((1, 3), dtype=bool)
    said = ""
    for source_of in (numpy_source, torch_source):
        said += source_of(cosine_attention(query, key, key), SAID, before_cosine=(query, key))
        said += source_of(abc(scale=default_scale(2) / 3, bias=[[1, 2, 3]], softcap=2), SAID, temperature=3.0)
        said += source_of(abc(attn_mask=blind), SAID)
    for place in COMMENTS:
        assert f"# says {place}\n" in said


@given(st.lists(st.text() | st.sampled_from(["a\nraise", "a\x85raise", "\u2028raise", "\r", "\0", "\u202e", "'", "#"])))
def test_no_name_gets_out_of_its_comment(names):
    plain = numpy_source(abc())
    source = numpy_source(abc(), names={"keys": names})
    above = source.removesuffix(plain).splitlines()
    assert all(line.startswith("# ") for line in above)
    assert "".join(source.removesuffix(plain).split("\n")).isprintable()
    written = " ".join(line.removeprefix("#").strip() for line in above).removeprefix("keys: ")
    assert [" ".join(name.split(" ")) for name in ast.literal_eval(written)] or not names
    compile(source, "source", "exec")
