"""The √d experiment: its draws against plain loops, its averages against the lesson's table, its refusals."""

import math
import statistics
import tracemalloc

import numpy as np
import pytest
from curves import saturation_curves
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_core import InputError, softmax, trace_attention
from attention_core.scaling import (
    N_KEYS,
    N_SAMPLES,
    SCALINGS,
    TEMPERATURES,
    WIDTHS,
    check_temperature,
    combined_scale,
    growing_dot_products,
    random_dot_products,
    random_scores,
    rescale,
    saturation,
    sensitivity,
)

ABC = [[1, 0], [0, 1], [1, 1]]
ONE_TWO_ONE = [[1, 0], [1, 1], [0, 1]]


def weights_at(query, key, scaling="sqrt", temperature=1.0):
    scale = combined_scale(scaling, 2, temperature)
    return trace_attention([query], key, np.eye(3), scale=scale).weights[0]


# The draws


def loop_draw(n_features, n_keys, n_samples, spread, aligned, seed):
    """Dot products and cosines by multiplying entry by entry, from the documented streams of numbers."""
    pieces, start = [], 0
    for segment, stop in enumerate(width for width in WIDTHS if width <= n_features):
        random = np.random.default_rng([seed, segment])
        pieces.append(random.standard_normal((n_samples, n_keys + 1, stop - start), dtype=np.float32))
        start = stop
    products, cosines = [], []
    for vectors in np.concatenate(pieces, axis=2).tolist():
        query, *keys = [[spread * entry for entry in vector] for vector in vectors]
        if aligned:
            keys[0] = query
        products.append([sum(a * b for a, b in zip(query, key, strict=True)) for key in keys])
        cosines.append(
            [product / (math.hypot(*query) * math.hypot(*key)) for product, key in zip(products[-1], keys, strict=True)]
        )
    return products, cosines


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from([1, 2, 4, 8, 32]),
    st.integers(1, 6),
    st.integers(4, 9),
    st.sampled_from([0.5, 1.0, 3.0]),
    st.booleans(),
    st.integers(0, 2**40),
)
def test_draws_are_the_products_of_seeded_normal_entries(d, n_keys, n_samples, spread, aligned, seed):
    drawn = random_dot_products(d, n_keys, n_samples, spread=spread, aligned=aligned, seed=seed)
    products, cosines = loop_draw(d, n_keys, n_samples, spread, aligned, seed)
    np.testing.assert_allclose(drawn.products, products, rtol=1e-12, atol=1e-12 * spread**2)
    np.testing.assert_allclose(drawn.cosines, cosines, rtol=1e-12, atol=1e-12)


def test_the_same_seed_gives_the_same_draw_and_another_seed_another():
    first, again, other = (random_dot_products(16, seed=seed).products for seed in (5, 5, 6))
    np.testing.assert_array_equal(first, again)
    assert not np.isclose(first, other).any(axis=1).all()


def test_drawing_touches_no_global_random_state():
    np.random.seed(1)
    before = np.random.get_state()[1].copy()
    random_dot_products(16)
    np.testing.assert_array_equal(np.random.get_state()[1], before)


def test_more_samples_add_to_the_draw_and_leave_the_first_alone():
    few, many = random_dot_products(64, n_samples=7).products, random_dot_products(64, n_samples=900).products
    np.testing.assert_allclose(many[:7], few, rtol=1e-12)


def test_a_shorter_vector_is_the_start_of_a_longer_one():
    for drawn in growing_dot_products(256, n_samples=50, seed=3):
        alone = random_dot_products(drawn.n_features, n_samples=50, seed=3)
        np.testing.assert_array_equal(drawn.products, alone.products)
        np.testing.assert_array_equal(drawn.cosines, alone.cosines)


def test_growing_covers_the_powers_of_two():
    widths = [drawn.n_features for drawn in growing_dot_products(n_keys=1, n_samples=4)]
    assert widths == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]


def test_the_largest_draw_stays_within_a_few_megabytes_of_its_answer():
    """300 queries with 100 keys at d = 1024 are 250 MB of entries; only a slice may exist at a time."""
    tracemalloc.start()
    try:
        random_dot_products(1024, n_keys=100, n_samples=300)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 25e6


def test_draws_are_read_only():
    drawn = random_dot_products(4)
    for array in (drawn.products, drawn.cosines):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1


# What the draws show


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(
    ("d", "variance", "largest", "effective", "sensitive"),
    [
        (1, 1.0, (0.27, 0.27), (7.8, 7.8), (0.82, 0.82)),
        (4, 4.0, (0.49, 0.30), (4.7, 7.3), (0.64, 0.81)),
        (16, 15.8, (0.73, 0.31), (2.4, 7.1), (0.38, 0.81)),
        (64, 64.0, (0.87, 0.32), (1.5, 7.0), (0.19, 0.81)),
        (512, 511.0, (0.95, 0.32), (1.2, 7.0), (0.08, 0.81)),
    ],
)
def test_the_lessons_reference_table(d, variance, largest, effective, sensitive, seed):
    """10 keys, 1500 draws. Allowed: 10 % on the variance (most needed at d = 1), 0.02 on weights and
    sensitivity, 0.15 on the effective number: about four standard errors and the table's own rounding."""
    drawn = random_dot_products(d, seed=seed)
    for column, scaling in enumerate(("none", "sqrt")):
        found = saturation(rescale(drawn, scaling))
        assert found.largest_weight == pytest.approx(largest[column], abs=0.02)
        assert found.effective_number == pytest.approx(effective[column], abs=0.15)
        assert found.sensitivity == pytest.approx(sensitive[column], abs=0.02)
    assert drawn.products.var() == pytest.approx(variance, rel=0.1)


@pytest.mark.parametrize("d", WIDTHS[:9])
@pytest.mark.parametrize("spread", [0.5, 1.0, 2.0])
def test_the_variance_of_a_product_is_d_times_the_spread_to_the_fourth(d, spread):
    drawn = random_dot_products(d, n_samples=6000, spread=spread)
    assert drawn.products.var() == pytest.approx(d * spread**4, rel=0.06)
    assert rescale(drawn, "sqrt").var() == pytest.approx(spread**4, rel=0.06)
    assert drawn.products.mean() == pytest.approx(0, abs=4 * spread**2 * math.sqrt(d / 6000))


def test_unscaled_weights_saturate_and_scaled_ones_stay():
    curves = saturation_curves()
    unscaled = [point.largest_weight for point in curves["none"]]
    scaled = [point.largest_weight for point in curves["sqrt"]]
    assert unscaled == sorted(unscaled)
    assert unscaled[2] == pytest.approx(0.496, abs=0.02)
    assert unscaled[8] == pytest.approx(0.947, abs=0.02)
    assert all(0.29 < largest < 0.34 for largest in scaled[2:])


def test_at_d_2_scaling_hardly_matters_in_the_hand_example():
    assert weights_at([1, 1], ONE_TWO_ONE, "none")[1] == pytest.approx(0.576, abs=5e-4)
    assert weights_at([1, 1], ONE_TWO_ONE, "sqrt")[1] == pytest.approx(0.503, abs=5e-4)


def test_four_samples_do_not_show_the_variance_and_ten_thousand_do():
    few = [random_dot_products(2, 1, 4, seed=seed).products.var() for seed in range(200)]
    many = [random_dot_products(2, 1, 10_000, seed=seed).products.var() for seed in range(20)]
    assert min(few) < 0.2
    assert max(few) > 8
    assert all(abs(variance - 2) < 0.25 for variance in many)


def test_an_aligned_key_grows_with_d_and_only_dividing_by_d_keeps_it_at_one():
    for d in (64, 1024):
        drawn = random_dot_products(d, aligned=True)
        own, others = drawn.products[:, 0], drawn.products[:, 1:]
        assert own.mean() == pytest.approx(d, rel=0.02)
        assert others.var() == pytest.approx(d, rel=0.1)
        assert rescale(drawn, "sqrt")[:, 0].mean() == pytest.approx(math.sqrt(d), rel=0.02)
        assert rescale(drawn, "d")[:, 0].mean() == pytest.approx(1, rel=0.02)
        np.testing.assert_allclose(drawn.cosines[:, 0], 1, rtol=1e-12)
        assert saturation(rescale(drawn, "sqrt")).largest_weight > 0.98


def test_cosines_lie_between_minus_one_and_one_and_forget_the_spread():
    small, large = random_dot_products(8, spread=0.5), random_dot_products(8, spread=4)
    assert (np.abs(small.cosines) <= 1 + 1e-12).all()
    np.testing.assert_array_equal(small.cosines, large.cosines)


def test_cosines_get_flatter_with_d_where_scaled_scores_stay_the_same():
    cosine, scaled = saturation_curves(("cosine", "sqrt")).values()
    assert cosine[-1].largest_weight < 0.12 < 0.3 < scaled[-1].largest_weight
    assert cosine[-1].variance == pytest.approx(1 / 1024, rel=0.1)


@given(st.sampled_from(SCALINGS[:3]), st.sampled_from(WIDTHS), st.floats(0.01, 100))
def test_the_two_dials_multiply(scaling, d, temperature):
    divisor = {"none": 1, "sqrt": d**0.5, "d": d}[scaling]
    assert combined_scale(scaling, d, temperature) == pytest.approx(1 / divisor / temperature, rel=1e-12)


@pytest.mark.parametrize("scaling", SCALINGS)
def test_rescaling_touches_every_score_in_the_same_way(scaling):
    drawn = random_dot_products(16, n_samples=20)
    raw = drawn.cosines if scaling == "cosine" else drawn.products
    divisor = {"none": 1, "sqrt": 4, "d": 16, "cosine": 1}[scaling]
    np.testing.assert_allclose(rescale(drawn, scaling, 2.5), raw / divisor / 2.5, rtol=1e-12)


@pytest.mark.parametrize("aligned", [False, True])
def test_a_curve_is_made_of_the_single_experiments(aligned):
    options = {"n_keys": 5, "n_samples": 60, "spread": 1.5, "aligned": aligned, "seed": 9}
    curves = saturation_curves(SCALINGS, 0.7, n_features=128, **options)
    assert tuple(curves) == SCALINGS
    for scaling, curve in curves.items():
        assert curve == tuple(saturation(rescale(random_dot_products(d, **options), scaling, 0.7)) for d in WIDTHS[:8])


# The averages


@given(arrays(float, st.tuples(st.integers(1, 5), st.integers(1, 6)), elements=st.floats(-20, 20)))
def test_saturation_is_the_average_over_rows(scores):
    largest, effective, sensitive = [], [], []
    for row in scores.tolist():
        exponentials = [math.exp(score) for score in row]
        weights = [e / sum(exponentials) for e in exponentials]
        largest.append(max(weights))
        effective.append(math.prod(w**-w for w in weights))
        sensitive.append(1 - sum(w * w for w in weights))
    found = saturation(scores)
    assert found.variance == pytest.approx(statistics.pvariance(scores.ravel().tolist()), abs=1e-10)
    assert found.largest_weight == pytest.approx(statistics.fmean(largest), rel=1e-9)
    assert found.effective_number == pytest.approx(statistics.fmean(effective), rel=1e-9)
    assert found.sensitivity == pytest.approx(statistics.fmean(sensitive), abs=1e-12)


@given(arrays(float, st.integers(1, 8), elements=st.floats(-20, 20)))
def test_sensitivity_is_the_trace_of_the_measured_jacobian(scores):
    """Each score is nudged and the weights watched; rows add to 0 and the norm is at most 1/2."""
    step = 1e-5
    jacobian = np.array(
        [(softmax(scores + step * e) - softmax(scores - step * e)) / (2 * step) for e in np.eye(len(scores))]
    )
    weights = softmax(scores)
    assert sensitivity(weights[None])[0] == pytest.approx(np.trace(jacobian), abs=1e-8)
    np.testing.assert_allclose(jacobian, np.diag(weights) - np.outer(weights, weights), atol=1e-8)
    np.testing.assert_allclose(jacobian.sum(axis=1), 0, atol=1e-8)
    assert np.linalg.norm(jacobian, 2) <= 0.5 + 1e-8


def test_sensitivity_runs_from_even_to_saturated_and_a_blind_row_has_none():
    weights = np.array([[0.25] * 4, [1, 0, 0, 0], [0, 0, 0, 0]])
    assert sensitivity(weights).tolist() == [0.75, 0, 0]


# The exercises


def test_3a_the_standard_deviation_at_d_64_is_8():
    assert random_dot_products(64).products.std() == pytest.approx(8, abs=0.5)


def test_3b_unscaled_the_average_largest_weight_passes_85_percent_at_d_64():
    largest = [point.largest_weight for point in saturation_curves(n_features=64)["none"]]
    assert largest[-2] == pytest.approx(0.805, abs=0.02)
    assert largest[-1] == pytest.approx(0.866, abs=0.02)
    assert [width for width, weight in zip(WIDTHS, largest, strict=False) if weight > 0.85] == [64]


def test_3c_scaled_no_d_brings_the_average_largest_weight_above_a_half():
    scaled = saturation_curves()["sqrt"]
    assert len(scaled) == len(WIDTHS)
    assert max(point.largest_weight for point in scaled) < 0.34


@pytest.mark.parametrize(("spread", "largest", "variance"), [(1.5, 0.57, 5.06), (2.0, 0.73, 16.0)])
def test_3d_a_wider_spread_saturates_in_spite_of_scaling(spread, largest, variance):
    found = saturation(rescale(random_dot_products(64, spread=spread), "sqrt"))
    assert found.largest_weight == pytest.approx(largest, abs=0.02)
    assert found.largest_weight > 0.5
    assert found.variance == pytest.approx(variance, rel=0.1)


def test_3e_temperature_1_744_gives_b_a_quarter():
    assert weights_at([1, 0], ABC, temperature=1.744)[1] == pytest.approx(0.25, abs=0.0002)
    assert abs(weights_at([1, 0], ABC, temperature=1.6)[1] - 0.25) > 0.003


def test_3f_temperature_0_2446_gives_the_second_token_90_percent():
    assert weights_at([1, 1], ONE_TWO_ONE, temperature=0.2446)[1] == pytest.approx(0.9, abs=0.0005)
    assert abs(weights_at([1, 1], ONE_TWO_ONE, temperature=0.26)[1] - 0.9) > 0.003


@given(st.floats(*TEMPERATURES))
def test_3g_no_temperature_brings_a_tied_key_above_a_half(temperature):
    a, _, c = weights_at([1, 0], ABC, temperature=temperature)
    assert a == c
    assert a <= 0.5


def test_3g_towards_zero_a_tie_is_shared_equally():
    np.testing.assert_allclose(weights_at([1, 0], ABC, temperature=0.01), [0.5, 0, 0.5], atol=1e-12)


def test_3h_a_gap_of_8_among_ten_tokens_leaves_a_sensitivity_below_1_percent():
    weights = softmax(np.array([[8.0] + [0.0] * 9, [7.0] + [0.0] * 9]))
    assert sensitivity(weights)[0] == pytest.approx(0.006, abs=0.0005)
    assert sensitivity(weights)[1] > 0.01


@pytest.mark.parametrize(("spread", "books"), [(1.0, 62), (4.0, 5.4)])
def test_3i_of_a_hundred_books_the_spread_of_scores_decides_how_many_count(spread, books):
    assert saturation(random_scores(100, spread=spread)).effective_number == pytest.approx(books, rel=0.03)


def test_3i_spread_4_meets_the_goal_and_spread_1_does_not():
    assert saturation(random_scores(100, spread=4)).effective_number <= 5.5
    assert saturation(random_scores(100, spread=1)).effective_number > 5.5


def test_random_scores_are_seeded_and_have_the_spread_asked_for():
    scores = random_scores(50, 2000, spread=3, seed=4)
    assert scores.shape == (2000, 50)
    np.testing.assert_array_equal(scores, random_scores(50, 2000, spread=3, seed=4))
    assert (scores != random_scores(50, 2000, spread=3, seed=5)).all()
    assert scores.std() == pytest.approx(3, rel=0.02)
    assert scores.mean() == pytest.approx(0, abs=0.05)


# What is refused


def test_temperature_0_is_refused_with_the_one_hot_limit_explained():  # known fault B35
    with pytest.raises(InputError, match="one-hot") as error:
        combined_scale("sqrt", 2, 0)
    assert (error.value.reason, error.value.details["lowest"]) == ("temperature_zero", 0.01)
    assert "shared equally" in str(error.value)
    with pytest.raises(InputError, match="one-hot"):
        rescale(random_dot_products(2), "cosine", 0.0)


def test_temperature_0_01_on_scores_2_and_1_is_the_limit():  # known fault B35
    trace = trace_attention([[1.0]], [[2.0], [1.0]], np.eye(2), scale=combined_scale("none", 1, 0.01))
    np.testing.assert_allclose(trace.weights, [[1, 0]], atol=1e-12)


@pytest.mark.parametrize(
    ("temperature", "reason"),
    [
        (-1, "out_of_range"),
        (0.0099, "out_of_range"),
        (100.1, "out_of_range"),
        (1e-320, "out_of_range"),
        ("hot", "not_finite_number"),
        ("", "not_finite_number"),
        (None, "not_finite_number"),
        (math.nan, "not_finite_number"),
        (math.inf, "not_finite_number"),
        (-0.0, "temperature_zero"),
    ],
)
def test_other_temperatures_that_cannot_be_used(temperature, reason):
    with pytest.raises(InputError) as error:
        check_temperature(temperature)
    assert error.value.reason == reason


@pytest.mark.parametrize("temperature", [0.01, 1, 100])
def test_temperatures_within_the_limits_pass(temperature):
    assert check_temperature(temperature) == temperature


@pytest.mark.parametrize(
    ("wrong", "reason", "name"),
    [
        ({"spread": 0}, "spread_not_positive", None),
        ({"spread": -1.5}, "spread_not_positive", None),
        ({"spread": 101}, "out_of_range", "spread"),
        ({"spread": "wide"}, "not_finite_number", "spread"),
        ({"spread": math.nan}, "not_finite_number", "spread"),
        ({"n_keys": 0}, "out_of_range", "n_keys"),
        ({"n_keys": 101}, "out_of_range", "n_keys"),
        ({"n_keys": 2.5}, "not_a_whole_number", "n_keys"),
        ({"n_samples": 3}, "out_of_range", "n_samples"),
        ({"n_samples": 10_001}, "out_of_range", "n_samples"),
        ({"n_samples": "many"}, "not_a_whole_number", "n_samples"),
        ({"seed": -1}, "out_of_range", "seed"),
        ({"seed": 0.5}, "not_a_whole_number", "seed"),
    ],
)
def test_settings_out_of_range_are_refused_with_their_name(wrong, reason, name):
    for draw in (lambda **options: random_dot_products(4, **options), random_scores):
        with pytest.raises(InputError) as error:
            draw(**wrong)
        assert error.value.reason == reason
        assert error.value.details.get("name") == name


@pytest.mark.parametrize("d", [0, -4, 3, 2048, 1.5, "64", None, math.nan])
def test_widths_that_are_no_power_of_two_up_to_1024_are_refused(d):
    with pytest.raises(InputError) as error:
        random_dot_products(d)
    assert error.value.reason == "width_unknown"


def test_settings_are_refused_when_asked_for_not_when_read():
    with pytest.raises(InputError):
        growing_dot_products(spread=0)


def test_the_limits_themselves_are_allowed():
    assert random_dot_products(1, N_KEYS[1], N_SAMPLES[0]).products.shape == (4, 100)
    assert random_dot_products(1, N_KEYS[0], N_SAMPLES[1]).products.shape == (10_000, 1)


def test_an_unknown_scaling_is_refused():
    with pytest.raises(InputError) as error:
        combined_scale("cube", 2)
    assert error.value.reason == "unknown_scaling"
    with pytest.raises(InputError):
        combined_scale("cosine", 2)
