"""Heatmaps that cannot mislead: known faults of others, each with its right value here."""

import numpy as np
import plotly.graph_objects as go
import pytest

from pages.ui.pictures import heatmaps, numbers
from pages.ui.pictures import spread as spread_figures
from pages.ui.pictures import vectors as vector_figures
from pages.ui.pictures.bars import bars_figure
from pages.ui.pictures.colours import BLOCKED, BLOCKED_TEXT, BLUES, PUOR, ROLES, text_colour
from pages.ui.pictures.heatmaps import PHONE, ROOMS
from pages.ui.pictures.numbers import decimals_for
from pages.ui.pictures.panel import Panel, symmetric_limit
from pages.ui.pictures.plane import Series
from pages.ui.pictures.texts import fitted_labels, label_height, text_width


def panel(numbers, rows=None, columns=None, **more) -> Panel:
    numbers = np.array(numbers, dtype=float)
    rows = rows or [str(i) for i in range(numbers.shape[0])]
    columns = columns or [str(j) for j in range(numbers.shape[1])]
    return Panel(numbers, rows, columns, "weights", **more)


def matrix_figure(*panels) -> go.Figure:
    """The figure, checked by Plotly."""
    return go.Figure(heatmaps.matrix_figure(*panels))


def product_figure(*panels) -> go.Figure:
    return go.Figure(heatmaps.product_figure(*panels))


def heatmap(figure: go.Figure, code: str = "weights"):
    return next(trace for trace in figure.data if trace.type == "heatmap" and trace.meta == code)


def texts(figure: go.Figure) -> list[str]:
    return [str(t) for trace in figure.data if trace.type == "scatter" and trace.mode == "text" for t in trace.text]


def luminance(colour: str) -> float:
    channels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(
    "labels",
    [
        ["the", "cat", "the"],
        ["2020-01-01", "2020-01-05", "met"],
        ["1", "10", "2"],
        ["", " ", "x"],
        ["NaN", "None", "0"],
    ],
    ids=["B65 repeated", "B68 dates", "numbers", "B80 blank", "odd words"],
)
def test_every_row_and_column_is_there_whatever_the_labels(labels):
    figure = matrix_figure(panel(np.arange(9).reshape(3, 3) / 10, labels, labels), "beside")
    trace = heatmap(figure)
    assert np.shape(trace.z) == (3, 3)
    assert trace.x is None  # positions 0, 1, 2, never the labels themselves
    assert list(figure.layout.xaxis.tickvals) == list(figure.layout.yaxis.tickvals) == [0, 1, 2]
    assert len(figure.layout.xaxis.ticktext) == 3


def test_b66_the_first_row_is_on_top():
    figure = matrix_figure(panel([[1, 2, 3], [4, 5, 6], [7, 8, 9]]), "beside")
    bottom, top = figure.layout.yaxis.range
    assert bottom > top


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("<b>x</b>", "&lt;b&gt;x&lt;/b&gt;"),
        ("</s>", "&lt;/s&gt;"),
        ("&lt;b&gt;", "&amp;lt;b&amp;gt;"),
        ('<a href="https://example.com">hi</a>', '&lt;a href="https://example.com"&gt;hi&lt;/a&gt;'),
        ("$x^2$", "&#36;x^2&#36;"),
    ],
)
def test_b69_marks_in_labels_and_hover_are_shown_literally(label, shown):
    figure = matrix_figure(panel([[0.5]], [label], [label], hover=[[f"{label} reads"]]), "wide")
    assert figure.layout.yaxis.ticktext[0] == shown
    assert shown.replace("<br>", "") in figure.layout.xaxis.ticktext[0].replace("<br>", "")
    assert heatmap(figure).hovertext[0][0].startswith(shown)


def test_b71_blocked_cells_carry_a_written_mark_and_no_number():
    blocked = np.array([[False, True]])
    figure = matrix_figure(panel([[1.0, -np.inf]], blocked=blocked, blocked_text="−∞"), "beside")
    assert texts(figure) == ["1", "−∞"]
    assert np.isnan(heatmap(figure).z[0][1])
    assert heatmap(figure).hoverongaps


@pytest.mark.parametrize("colours", ["weight", "score"])
def test_b72_every_number_stands_out_from_its_cell(colours):
    stops, low = (BLUES, 0) if colours == "weight" else (PUOR, -1)
    numbers = np.linspace(low, 1, 301)
    chosen = text_colour(numbers, colours, 1.0)
    for number, text in zip(numbers, chosen, strict=True):
        place = (number - low) / (1 - low) * (len(stops) - 1)
        below, part = min(int(place), len(stops) - 2), place - min(int(place), len(stops) - 2)
        ends = [[int(stops[below + k][i : i + 2], 16) for i in (1, 3, 5)] for k in (0, 1)]
        cell = "#" + "".join(f"{round(a + part * (b - a)):02x}" for a, b in zip(*ends, strict=True))
        assert contrast(cell, text) >= 4.5


def test_white_headings_stand_out_from_every_role_colour():
    assert min(contrast(colour, "#ffffff") for colour in ROLES.values()) >= 4.5
    assert contrast(BLOCKED, BLOCKED_TEXT) >= 4.5


def test_b74_weights_have_one_range_and_scores_one_around_zero():
    low, high = panel([[0.1, 0.4]], colours="weight"), panel([[0.0, 1.0]], colours="weight")
    for one in (low, high):
        trace = heatmap(matrix_figure(one, "beside"))
        assert (trace.zmin, trace.zmax) == (0, 1)
    trace = heatmap(matrix_figure(panel([[-3.0, 1.0]], limit=3.0), "beside"))
    assert (trace.zmin, trace.zmax) == (-3, 3)
    assert symmetric_limit(np.array([[-3.0, 1.0]]), np.array([[2.0, -np.inf]])) == 3
    assert symmetric_limit(np.zeros((2, 2))) == 1


@pytest.mark.parametrize("size", ["beside", "alone", "wide", "projector", "phone"])
@pytest.mark.parametrize("n", [1, 2, 5, 8, 12, 16])
def test_b75_every_label_of_every_size_is_there_and_the_figure_is_as_wide_as_it_says(size, n):
    labels = [f"token{i}" for i in range(n)]
    figure = matrix_figure(panel(np.full((n, n), 1 / n), labels, labels, colours="weight"), size)
    assert len(figure.layout.xaxis.ticktext) == n
    margin = figure.layout.margin
    plot_width = figure.layout.meta["width"] - margin.l - margin.r
    assert plot_width >= 9 * n or n == 1
    if size == "phone":
        assert figure.layout.meta["width"] <= PHONE + 20


def test_b77_no_annotation_per_cell():
    figure = matrix_figure(panel(np.full((12, 12), 0.1)), "beside")
    assert len(texts(figure)) == 144
    assert len(figure.layout.annotations) <= 1


def test_a_matrix_with_all_cells_blocked_still_says_so():
    figure = matrix_figure(panel([[-np.inf]], blocked=np.array([[True]]), blocked_text="−∞"), "beside")
    assert texts(figure) == ["−∞"]


@pytest.mark.parametrize(
    ("number", "decimals", "weight", "text"),
    [
        (2.061e-9, 2, True, "<.01"),
        (0.0, 2, True, "0"),
        (0.004, 2, True, "<.01"),
        (0.005, 2, True, "0.01"),
        (0.0004, 3, True, "<.001"),
        (-0.001, 2, False, "0.00"),
        (-3.14159, 2, False, "−3.14"),
        (-np.inf, 2, False, "−∞"),
        (123456.0, 1, False, "1.2e5"),
        (-1e-300, 3, False, "0.000"),
    ],
)
def test_b109_a_small_weight_never_reads_as_the_0_of_a_blocked_cell(number, decimals, weight, text):
    assert numbers.shown(number, decimals, weight) == text


@pytest.mark.parametrize(
    ("number", "decimals", "text"),
    [
        (10.0, 3, "10"),
        (1 / 3, 3, "0.333"),
        (0.25, 6, "0.25"),
        (0.2500004, 6, "0.250000"),
        (0.4999999, 4, "0.5000"),
        (0.1 + 0.2, 6, "0.3"),
        (2**0.5 * 2**0.5, 3, "2"),
        (-10.0, 3, "−10"),
        (-1e-9, 3, "0.000"),
        (0.0, 3, "0"),
        (100.0, 0, "100"),
    ],
)
def test_a_number_ends_in_zeros_only_where_digits_were_cut_off(number, decimals, text):
    assert numbers.shown(number, decimals) == text


def test_a_total_that_is_small_is_not_drawn_as_0_and_neither_is_a_small_negative_weight():
    assert numbers.shown(0.000037, 2, True) == "<.01"
    assert numbers.shown(-0.000037, 2, True) == ">−.01"
    assert numbers.shown(1.004, 2, True) == "1.00"


def test_whole_numbers_are_printed_whole_and_thirds_with_the_decimals_that_fit():
    assert decimals_for(np.array([[1.0, 2.0]]), 2) == 0
    assert decimals_for(np.array([[0.5, 2.0]]), 2) == 1
    assert decimals_for(np.array([[1 / 3]]), 3) == 3
    assert decimals_for(np.array([[1 / 3]]), 9) == 2


def test_the_factors_stand_where_they_meet():
    left, top = panel(np.ones((3, 2))), panel(np.ones((2, 4)))
    product = panel(np.ones((3, 4)))
    figure = product_figure(left, top, product, "beside")
    x_left, x_top, x_product = figure.layout.xaxis, figure.layout.xaxis2, figure.layout.xaxis3
    assert x_top.domain == x_product.domain
    assert figure.layout.yaxis.domain == figure.layout.yaxis3.domain
    assert x_left.domain[1] <= x_product.domain[0]
    assert figure.layout.yaxis2.domain[0] >= figure.layout.yaxis3.domain[1]


def test_bars_stand_over_their_columns():
    row = panel([[0.25, 0.75]], colours="weight")
    figure = matrix_figure(panel([[0.25, 0.75]], colours="weight"), "alone", row)
    bars = next(trace for trace in figure.data if trace.type == "bar")
    assert (bars.xaxis or "x") == (heatmap(figure).xaxis or "x")
    assert list(figure.layout.yaxis9.range) == [0, 1.12]


def test_the_hull_holds_every_point_and_the_output_lies_in_it():
    rng = np.random.default_rng(0)
    for _ in range(50):
        points = rng.integers(-5, 6, size=(rng.integers(1, 9), 2)).astype(float)
        hull = vector_figures.convex_hull(points)
        weights = rng.dirichlet(np.ones(len(points)))
        for inside in (*points, weights @ points):
            if len(hull) > 2:
                sides = zip(hull, np.roll(hull, -1, axis=0), strict=True)
                turns = [vector_figures.turn_of(a, b, inside) for a, b in sides]
                assert min(turns) >= -1e-9


def test_the_same_input_gives_the_same_figure():
    one, other = (matrix_figure(panel([[0.1, 0.9]], colours="weight"), "beside").to_json() for _ in "ab")
    assert one == other


def test_the_line_of_even_weights_crosses_no_number_out():
    panel = Panel(np.array([[0.02, 0.2, 0.25, 0.53]]), [""], list("abcd"), "weights", "weight")
    line = bars_figure(panel)["data"][-1]
    assert line["x"] == [-0.5, 0.5, None, 1.5, 2.5, None, 2.5, 3.5, None]  # the number of b would be crossed
    assert line["y"][:2] == [0.25, 0.25]


def test_a_row_that_reads_nothing_has_no_line_of_even_weights():
    blocked = np.array([[True, True, True]])
    row = Panel(np.zeros((1, 3)), [""], list("abc"), "weights", "weight", blocked=blocked)
    line = bars_figure(row)["data"][-1]
    assert line["x"] == line["y"] == []


WORDS = [
    "The",
    "cat",
    "sat",
    "on",
    "the",
    "mat",
    "because",
    "it",
    "was",
    "tired",
    "and",
    "so",
    "were",
    "we",
    "all",
    "too",
]


@pytest.mark.parametrize("size", ROOMS)
@pytest.mark.parametrize("tokens", [2, 3, 5, 8, 10])
def test_a_picture_keeps_to_its_room_and_its_numbers_can_be_read(size, tokens):
    across, down, *_ = ROOMS[size]
    weights = np.full((tokens, tokens), 1 / tokens)
    names = WORDS[:tokens]
    picture = panel(weights, names, names, colours="weight", beside=["Σ 1.000"] * tokens)
    figure = heatmaps.matrix_figure(picture, size, panel(weights[:1], [""], names, colours="weight"))
    layout = figure["layout"]
    assert layout["meta"]["width"] <= across or size == "pair"  # two of many tokens stand one over the other
    assert layout["height"] <= down + (210 if size == "projector" else 120)  # labels and the name come to the cells
    number = next(trace for trace in figure["data"] if trace.get("mode") == "text")
    assert min(number["textfont"]["size"]) >= {"projector": 22, "alone": 13, "half": 13, "pair": 9}[size]


def test_a_picture_says_how_far_it_may_be_squeezed_before_its_numbers_cannot_be_read():
    weights = np.full((10, 10), 0.1)
    figure = heatmaps.matrix_figure(panel(weights, WORDS[:10], WORDS[:10], colours="weight"), "alone")
    layout = figure["layout"]
    sides = layout["margin"]["l"] + layout["margin"]["r"]
    share = (layout["meta"]["least"] - sides) / (layout["meta"]["width"] - sides)
    fills = next(min(trace["meta"]) for trace in figure["data"] if trace.get("mode") == "text")
    assert 0.5 < share < 0.8
    assert fills * share >= 8.9


def test_two_steps_that_stand_beside_each_other_leave_the_same_room_below():
    with_totals = heatmaps.matrix_figure(panel(np.eye(3), below=["1", "1", "1"]), "pair")
    without = heatmaps.matrix_figure(panel(np.eye(3), below=[""]), "pair")
    assert with_totals["layout"]["margin"]["b"] == without["layout"]["margin"]["b"]
    assert not [a for a in without["layout"]["annotations"] if not a["text"]]


def numbers_of(figure) -> tuple[dict, float]:
    """The trace of the numbers of a figure of one matrix, and the pixels of a cell's width."""
    (trace,) = (t for t in figure["data"] if t.get("mode") == "text")
    layout, (left, right) = figure["layout"], figure["layout"]["xaxis"]["domain"]
    across = layout["meta"]["width"] - layout["margin"]["l"] - layout["margin"]["r"]
    low, high = layout["xaxis"]["range"]
    return trace, across * (right - left) / (high - low)


@pytest.mark.parametrize("size", ["beside", "alone", "half", "projector"])
@pytest.mark.parametrize("tokens", [8, 12, 18, 24, 40])
@pytest.mark.parametrize("largest", [0.5, 30, 369.6, 2456, 98765])
def test_numbers_never_lie_over_each_other_and_no_minus_gets_lost(size, tokens, largest):
    numbers = np.linspace(-largest, largest, tokens)[None, :].repeat(tokens, axis=0)
    trace, width = numbers_of(heatmaps.matrix_figure(panel(numbers, limit=largest, row=3), size))
    for text, pixels, column in zip(trace["text"], trace["textfont"]["size"], trace["x"], strict=True):
        assert text_width(text, pixels) <= width + 1
        assert text.strip("0.") in ("", "−") or text.startswith("−") == (numbers[0, int(column)] < 0)
    if tokens <= 18 and largest < 1000 and trace["text"]:
        assert all(trace["text"])


def test_numbers_wider_than_their_cells_lose_decimals_and_no_digit_before_the_point():
    numbers = np.array([[10.5, -20.25, 0.5, 100.125] * 4])
    trace, _ = numbers_of(heatmaps.matrix_figure(panel(numbers, limit=400.0, row=0), "beside"))
    for text, number in zip(trace["text"], numbers[0], strict=True):
        assert float(text.replace("−", "-")) == pytest.approx(number, abs=0.51)


@pytest.mark.parametrize("colours", ["weight", "score"])
def test_numbers_between_minus_1_and_1_lose_their_zero_before_they_are_small(colours):
    numbers = np.array([[0.01, 0.083, 0.0521, 0.16, -0.681 if colours == "score" else 0.682] * 2])
    trace, _ = numbers_of(heatmaps.matrix_figure(panel(numbers, colours=colours), "beside"))
    assert min(trace["textfont"]["size"]) >= 12
    assert trace["text"][0] in ("0.01", ".01")


@pytest.mark.parametrize("tokens", range(11, 17))
def test_from_the_back_row_the_selected_row_of_many_columns_can_be_read(tokens):
    weights = np.random.default_rng(tokens).dirichlet(np.ones(tokens), tokens)
    names = WORDS[:tokens]
    picture = panel(weights, names, names, colours="weight", row=2, beside=["Σ 1.000"] * tokens)
    trace, width = numbers_of(heatmaps.matrix_figure(picture, "projector", panel(weights[:1], [""], names)))
    for text, size, row in zip(trace["text"], trace["textfont"]["size"], trace["y"], strict=True):
        if row == 2:
            assert size >= 22 or text[0] == "<"
            assert text_width(text, size) <= width


@pytest.mark.parametrize(
    "labels", [["because", "tired", "😀"], ["고양이", "너무", "because"], ["고양이가", "매트에", "앉았다"]]
)
@pytest.mark.parametrize("cell", [12, 24, 34])
def test_names_that_do_not_fit_are_slanted_whole_in_every_script(labels, cell):
    fitted, angle = fitted_labels(labels, cell, 13)
    assert fitted == labels
    assert angle in (-50, -90)
    assert label_height(labels, cell, 13) > 30
    assert fitted_labels(["고양", "a"], cell, 5) == (["고양", "a"], 0)


def test_a_slanted_name_stays_inside_the_picture_whichever_column_it_is_over():
    places = [["extraordinarily-long-name" if i == at else "a" for i in range(8)] for at in (0, 6, 7)]
    right = [
        heatmaps.matrix_figure(panel(np.eye(8), columns=names), "half")["layout"]["margin"]["r"] for names in places
    ]
    assert right[0] <= right[1] <= right[2]
    assert right[1] > 30


@pytest.mark.parametrize("count", [3, 10, 27])
def test_every_bar_has_its_name_while_names_have_room(count):
    labels = [f"토큰{i}" if i % 2 else f"token{i}" for i in range(count)]
    sets = [Series(np.full(count, 1 / count), "weight", 1)]
    figure = go.Figure(spread_figures.bars_beside_figure(sets, labels, 12, 560))
    assert len(figure.layout.xaxis.ticktext) == count
    hundred = go.Figure(spread_figures.bars_beside_figure(sets, [str(i) for i in range(count)] * 9, 12, 340))
    assert len(hundred.layout.xaxis.ticktext) < 9 * count or count == 3


def test_turned_names_of_the_left_factor_keep_clear_of_the_names_beside_the_upper_one():
    strip = [f"{head}.{i}" for head in range(1, 5) for i in range(1, 9)]
    left, top = panel(np.ones((3, 32)), columns=strip), panel(np.ones((32, 8)), rows=strip)
    figure = heatmaps.product_figure(left, top, panel(np.ones((3, 8))), "beside")
    layout = figure["layout"]
    across = layout["meta"]["width"] - layout["margin"]["l"] - layout["margin"]["r"]
    gap = (layout["xaxis2"]["domain"][0] - layout["xaxis"]["domain"][1]) * across
    assert gap >= text_width("4.8", layout["yaxis2"]["tickfont"]["size"]) + 7


@pytest.mark.parametrize(("font", "width"), [(12, 344), (12, 560), (14, 310), (22, 780)])
@pytest.mark.parametrize("count", [2, 6, 8, 12, 16, 24])
@pytest.mark.parametrize("n_sets", [1, 2])
def test_numbers_on_bars_keep_apart_and_are_small_only_where_larger_ones_have_no_room(font, width, count, n_sets):
    rng = np.random.default_rng(count)
    sets = [Series(rng.dirichlet(np.ones(count)), str(i), i) for i in range(n_sets)]
    figure = spread_figures.bars_beside_figure(sets, [str(i) for i in range(count)], font, width)
    margin = figure["layout"]["margin"]
    key = (width - margin["l"] - margin["r"]) / (count + 0.2)
    step = key if n_sets == 1 else key * 0.75 / n_sets
    bars = figure["data"]
    texts = [text for trace in bars for text in trace["text"] or []]
    size = bars[0]["textfont"]["size"]
    assert all(text_width(text, size) <= step + 1 for text in texts)
    if texts and size < 12:
        assert max(text_width(text, 12) for text in texts) > step - 2
    if not texts:
        assert text_width("<.01", 9) > step - 3
