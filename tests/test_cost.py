"""What layers cost, against counting, against masks, and against every number of lesson 7."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import InputError, cost, masks

lengths = st.integers(1, 40)
windows = st.integers(1, 50)


@given(lengths, windows)
def test_cells_are_what_the_masks_allow(n, window):
    assert cost.cells(n) == masks.full(n, n).sum()
    assert cost.cells(n, window) == masks.sliding_window(n, n, window, 0).sum()


@given(lengths, st.integers(1, 64), windows)
def test_work_counts_the_products_of_plain_loops(n, d, window):
    recurrent = sum(d * d for _ in range(n))
    attention = sum(d for i in range(n) for j in range(n))
    windowed = sum(d for i in range(n) for j in range(n) if 0 <= i - j <= window)
    found = [cost.layer_cost(kind, n, d, window).work for kind in cost.KINDS]
    assert found == [recurrent, attention, windowed]


@given(lengths, windows)
def test_steps_and_path_are_found_by_walking(n, window):
    costs = {kind: cost.layer_cost(kind, n, 8, window) for kind in cost.KINDS}
    assert [c.steps for c in costs.values()] == [n, 1, 1]
    walked = 0
    while not cost.receptive_field(masks.sliding_window(n, n, window, 0), walked)[-1, 0]:
        walked += 1
    assert costs["window"].path_length == walked
    chain = 0
    while not cost.receptive_field(masks.sliding_window(n, n, 1, 0), chain)[-1, 0]:
        chain += 1
    assert costs["recurrent"].path_length == chain
    assert costs["attention"].path_length == min(1, n - 1)


@given(st.integers(1, 12), st.integers(0, 6), st.data())
def test_a_receptive_field_is_what_travels_through_real_layers(n, layers, data):
    """Content that is really passed on: numbers above 0 in as many products of matrices as there are layers."""
    cells = data.draw(st.lists(st.booleans(), min_size=n * n, max_size=n * n))
    allowed = np.array(cells).reshape(n, n)
    content = np.eye(n)
    for _ in range(layers):
        content = content + allowed.astype(float) @ content  # what was there, and what was read
    assert (cost.receptive_field(allowed, layers) == (content > 0)).all()


def test_attention_and_rnn_work_the_same_where_n_is_d():
    assert cost.layer_cost("attention", 512, 512).work == cost.layer_cost("recurrent", 512, 512).work
    assert cost.layer_cost("attention", 511, 512).work < cost.layer_cost("recurrent", 511, 512).work
    assert cost.layer_cost("attention", 513, 512).work > cost.layer_cost("recurrent", 513, 512).work


@given(lengths, st.integers(1, 64))
def test_four_projections_cost_four_times_an_rnn(n, d):
    assert cost.projection_work(n, d) == 4 * n * d**2


def test_the_numbers_of_lesson_7():
    assert cost.cells(2 * 37) == 4 * cost.cells(37)  # 7a
    assert cost.cells(1000) == 1_000_000 < cost.cells(1001)  # 7b
    assert cost.cells(1001) - cost.cells(1000) == 2001
    assert (cost.path_length("recurrent", 8 - 2), cost.path_length("attention", 8 - 2)) == (6, 1)  # 7c
    assert cost.path_length("recurrent", 5) == 5  # the Korean sentence of six
    assert cost.fidelity_left(0.9, 9) == pytest.approx(0.387, abs=5e-4)  # ten people
    assert cost.fidelity_left(0.9884, 9) > 0.9 > cost.fidelity_left(0.9883, 9)  # 7d
    assert cost.layers_needed(9, 2) == 5 == cost.path_length("window", 9, 2)  # 7f
    assert cost.cells(10, 2) == 27
    assert cost.memory(131_072) == 32 * 2**30


def test_the_same_place_needs_no_hand_over():
    assert [cost.path_length(kind, 0) for kind in cost.KINDS] == [0, 0, 0]
    assert cost.layers_needed(0, 3) == 0
    assert cost.fidelity_left(0, 0) == 1


@pytest.mark.parametrize(
    ("ask", "reason"),
    [
        (lambda: cost.cells(0), "out_of_range"),
        (lambda: cost.cells(2.5), "not_a_whole_number"),
        (lambda: cost.cells(10, 0), "out_of_range"),
        (lambda: cost.layer_cost("convolution", 4, 4), "unknown_kind"),
        (lambda: cost.layer_cost("attention", 4, 0), "out_of_range"),
        (lambda: cost.layers_needed(9, 0), "out_of_range"),
        (lambda: cost.fidelity_left(1.01, 3), "out_of_range"),
        (lambda: cost.fidelity_left(float("nan"), 3), "not_finite_number"),
        (lambda: cost.memory(10, 0), "out_of_range"),
        (lambda: cost.receptive_field(np.eye(2, dtype=bool), -1), "out_of_range"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(ask, reason):
    with pytest.raises(InputError) as refused:
        ask()
    assert refused.value.reason == reason


# The clock: nothing is asserted about how fast this machine is.


def test_timings_come_in_order_and_are_real_times():
    found = list(cost.timings((4, 8, 16), seconds=60))
    assert [n for n, *_ in found] == [4, 8, 16]
    assert all(median >= best > 0 for _, best, median in found)


def test_timings_time_the_core_and_nothing_else(monkeypatch):
    seen = []
    monkeypatch.setattr(cost, "trace_attention", lambda *parts: seen.append([part.shape for part in parts]))
    list(cost.timings((4, 8), d=3))
    assert {tuple(shapes) for shapes in seen} == {((4, 3),) * 3, ((8, 3),) * 3}


def test_timings_stop_before_what_would_take_too_long(monkeypatch):
    clock = iter(range(10_000))
    monkeypatch.setattr(cost, "perf_counter", lambda: float(next(clock)))  # every look at the clock takes a second
    found = list(cost.timings((2, 4, 8), seconds=39))
    assert [n for n, *_ in found] == [2, 4]


def test_timings_leave_no_thread_behind():
    before = threading.active_count()
    list(cost.timings((4,)))
    assert threading.active_count() == before
