"""The page on scaling: what it shows, what it refuses, what its link carries."""

import base64
import re
from functools import partial

import numpy as np
import pytest
from curves import saturation_curves
from streamlit.testing.v1 import AppTest
from visit import APP, number_box, open_page, pictures, value_of

from attention_core import InputError
from attention_core.scaling import (
    SCALINGS,
    WIDTHS,
    random_dot_products,
    rescale,
    saturation,
)
from pages.ui.lessons import scaling as scaling_panels
from pages.ui.lessons import scaling_experiment
from pages.ui.state.fields import written
from pages.ui.text import LANGUAGES, sections, slots_of

opened = partial(open_page, "03_scaling")


FIRST = {field.name: field.first for field in scaling_panels.PAGE.fields}


def said(at: AppTest) -> str:
    return "\n".join(e.value for kind in (at.markdown, at.caption, at.warning) for e in kind).replace("\\", "")


# What it shows


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("scaling", SCALINGS)
def test_the_page_runs_with_every_scaling_in_both_languages(language, scaling):
    at = opened(lang=language, scaling=scaling, d=2, spread=2, aligned=1, temperature=3)
    assert len(pictures(at)) == 9
    assert all(picture["alt"] for picture in pictures(at).values())


@pytest.mark.parametrize("seed", [0, 1])
def test_its_table_is_the_reference_table_of_the_lesson(seed):
    """Allowed: 10 % on the variance, 0.02 on weights and sensitivity, 0.15 on the effective number (four
    standard errors of 1500 draws), and half a last digit for the rounding of this table."""
    at = AppTest.from_file(APP, default_timeout=30)
    at.switch_page("pages/03_scaling.py")
    at.query_params["seed"] = str(seed)
    at.session_state["scaling_reference"] = True
    table = at.run().table[0].value
    expected = {
        1: (1.0, 0.27, 0.27, 7.8, 7.8, 0.82, 0.82),
        4: (4.0, 0.49, 0.30, 4.7, 7.3, 0.64, 0.81),
        16: (15.8, 0.73, 0.31, 2.4, 7.1, 0.38, 0.81),
        64: (64, 0.87, 0.32, 1.5, 7.0, 0.19, 0.81),
        512: (511, 0.95, 0.32, 1.2, 7.0, 0.08, 0.81),
    }
    assert list(table.index) == list(WIDTHS)
    for d, (variance, *others) in expected.items():
        shown = [float(text) for text in table.loc[d]]
        assert shown[0] == pytest.approx(variance, rel=0.1)
        for number, other, allowed in zip(shown[1:], others, (0.025,) * 2 + (0.2,) * 2 + (0.025,) * 2, strict=True):
            assert number == pytest.approx(other, abs=allowed)


def test_at_d_2_it_says_plainly_that_scaling_hardly_matters():
    text = said(opened(d=2))
    assert "scaling hardly matters" in text
    assert "from 0.576 to 0.503" in text
    assert "scaling hardly matters" not in said(opened(d=64))


def test_the_histogram_has_both_sets_on_one_axis_with_the_root_of_d_marked():
    picture = pictures(opened(d=256))["histogram"]
    marks = [shape["x0"] for shape in picture["figure"]["layout"]["shapes"]]
    assert marks == [-16, 16]
    assert "√256 = 16" in picture["alt"]
    assert float(re.search(r"standard deviation is ([\d.]+)", picture["alt"])[1]) == pytest.approx(16, rel=0.05)
    assert picture["alt"].endswith(("is 0.99.", "is 1.00.", "is 1.01."))


@pytest.mark.parametrize(
    "link", [{}, {"scaling": "cosine", "temperature": 0.1}, {"scaling": "none", "spread": 2}, {"aligned": 1, "seed": 5}]
)
def test_no_axis_and_no_colour_scale_moves_with_d_so_the_raw_spread_grows_on_screen(link):
    axes, spreads = {}, []
    for d in (1, 4, 64, 1024):
        drawn = pictures(opened(**link, samples=300, d=d, stage="scores"))
        for name, picture in drawn.items():
            layout, data = picture["figure"]["layout"], picture["figure"]["data"]
            seen = [layout[axis].get("range") for axis in ("xaxis", "yaxis")] + [t.get("zmax") for t in data]
            axes.setdefault(name, []).append(seen)
        bars = [np.array(decoded(bar["y"])) for bar in drawn["histogram"]["figure"]["data"][:2]]
        places = np.linspace(-1, 1, len(bars[0]))  # of the picture's width
        spreads.append([float(np.sqrt(bar @ places**2)) for bar in bars])
        assert all(bar.sum() == pytest.approx(1, abs=1e-5) for bar in bars)
    for name, seen in axes.items():
        assert seen.count(seen[0]) == len(seen), name
    before, after = np.transpose(spreads)
    assert before[3] > 3 * before[2] > 0
    if not link:
        np.testing.assert_allclose(after, after[0], atol=0.005)


def decoded(packed: dict) -> np.ndarray:
    """Numbers as a figure packs them for the browser."""
    return np.frombuffer(base64.b64decode(packed["bdata"]), packed["dtype"])


def test_the_curves_mark_d_and_gain_a_third_line_for_another_scaling():
    def lines(**link):
        figure = pictures(opened(**link))["curves"]["figure"]
        return [trace["name"] for trace in figure["data"] if "name" in trace], figure["layout"]["shapes"][0]["x0"]

    assert lines() == (["without √d", "÷ √d"], WIDTHS.index(64))
    assert lines(scaling="cosine", d=8) == (["without √d", "÷ √d", "cosine"], 3)


def test_the_worked_example_shows_the_coincidence_of_0_707():
    link = {"source": "one_two_one", "stage": "scores"}
    assert pictures(opened(**link))["after"]["alt"].endswith("q: 0.71, 1.41, 0.71.")
    at = opened(**link, scaling="cosine")
    assert pictures(at)["after"]["alt"].endswith("q: 0.71, 1, 0.71.")
    assert "coincidence" in said(at)


def test_a_temperature_of_1_744_gives_b_a_quarter_and_a_tie_is_named():
    text = said(opened(source="abc_self", temperature=1.744))
    assert "**A, C** tie" in text
    assert "A 0.3750, B 0.2500, C 0.3750" in text


def test_the_difference_of_two_rows_of_weights_adds_to_0():
    for source in ("random", "abc_self", "one_two_one"):
        rows = pictures(opened(source=source))["difference"]["alt"].split(". ", 1)[1].rstrip(".").split("; ")
        for row in rows:
            changes = [float(text.replace("−", "-").replace("e", "e")) for text in row.split(": ")[1].split(", ")]
            assert sum(changes) == pytest.approx(0, abs=0.005 * len(changes))


def test_a_gap_of_8_saturates_and_a_spread_of_4_leaves_5_of_100_books():
    text = said(opened(gap=8, score_spread=4))
    assert "the sensitivity 1 − Σp² is **0.006" in text
    assert float(re.search(r"number of books is \*\*([\d.]+)\*\*", text)[1]) == pytest.approx(5.4, abs=0.2)
    assert float(re.search(r"number of books is \*\*([\d.]+)\*\*", said(opened()))[1]) == pytest.approx(62, abs=2)


def test_wider_entries_and_an_aligned_key_are_explained_with_their_numbers():
    assert "σ⁴ = 16" in said(opened(spread=2))
    text = said(opened(spread=2, aligned=1))
    own, by_root, by_d = map(
        float,
        re.search(r"product is ([\d.]+) on average.*leaves ([\d.]+),.*leaves ([\d.]+)\. For", text).groups(),
    )
    assert own == pytest.approx(64 * 4, rel=0.05)
    assert by_root == pytest.approx(own / 8, abs=0.06)
    assert by_d == pytest.approx(own / 64, abs=0.006)


# The controls


def draws() -> int:
    """How often random numbers were drawn in this process."""
    return sum(cached.cache_info().misses for cached in (scaling_experiment._draw, scaling_experiment._draw_all))


def test_the_dials_draw_no_new_random_numbers():
    at = opened(keys=7)
    before = pictures(at)
    drawn = draws()
    number_box(at, "scaling_temperature").set_value("2").run()
    at.segmented_control(key="scaling_scaling").set_value("d").run()
    after = pictures(at)
    assert draws() == drawn
    raw = [pictured["histogram"]["alt"].split("; after")[0] for pictured in (before, after)]
    assert raw[0] == raw[1]
    assert before["histogram"]["alt"] != after["histogram"]["alt"]
    assert before["row"]["figure"]["data"][0]["y"] == after["row"]["figure"]["data"][0]["y"]


def test_turning_d_keeps_the_curves_and_only_marks_another_place():
    at = opened(keys=6)
    computed = scaling_experiment._curves.cache_info().misses
    at.select_slider(key="scaling_d").set_value(256).run()
    assert scaling_experiment._curves.cache_info().misses == computed
    assert pictures(at)["curves"]["figure"]["layout"]["shapes"][0]["x0"] == 8


def test_a_new_seed_draws_other_numbers_and_the_old_one_the_same_again():
    at = opened()
    first = pictures(at)["row"]["alt"]
    at.button(key="scaling_new_seed").click().run()
    assert number_box(at, "scaling_seed").value == "1"
    assert pictures(at)["row"]["alt"] != first
    number_box(at, "scaling_seed").set_value("0").run()
    assert pictures(at)["row"]["alt"] == first


def test_the_dial_of_the_temperature_moves_its_box_and_the_box_the_dial():
    at = opened()
    at.select_slider(key="scaling_temperature_slider_0").set_value(4.0).run()
    assert number_box(at, "scaling_temperature").value == "4"
    number_box(at, "scaling_temperature").set_value("0.021").run()
    assert at.select_slider(key="scaling_temperature_slider_1").value == 0.02
    assert "÷ 0.021" in said(at)


@pytest.mark.parametrize(
    ("name", "bad", "says"),
    [
        ("temperature", 0.0, "one-hot"),
        ("temperature", 1000.0, "between 0.01 and 100"),
        ("spread", 0.0, "above 0"),
        ("spread", -2.0, "above 0"),
        ("samples", 3, "between 4 and 10000"),
        ("samples", 10**9, "between 4 and 10000"),
        ("keys", 0, "between 1 and 100"),
        ("seed", -1, "between 0 and 999999"),
        ("draw", 0, "between 1 and 10000"),
        ("gap", 99.0, "between 0 and 20"),
    ],
)
def test_a_number_that_cannot_be_used_is_said_and_the_last_good_one_stays(name, bad, says):
    at = opened()
    before = {name: picture["alt"] for name, picture in pictures(at).items()}
    number_box(at, f"scaling_{name}").set_value(str(bad)).run()
    assert not at.exception
    assert len(at.warning) == 1
    assert says in at.warning[0].value.replace("\\", "")
    assert f"Until then {written(FIRST[name])} is used" in at.warning[0].value
    assert {name: picture["alt"] for name, picture in pictures(at).items()} == before


def test_undo_goes_one_step_back_and_reset_to_the_start():
    at = opened(d=16)
    number_box(at, "scaling_temperature").set_value("2").run()
    at.select_slider(key="scaling_d").set_value(32).run()
    at.button(key="scaling_undo").click().run()
    assert (at.select_slider(key="scaling_d").value, number_box(at, "scaling_temperature").value) == (
        16,
        "2",
    )
    at.button(key="scaling_reset").click().run()
    assert (at.select_slider(key="scaling_d").value, number_box(at, "scaling_temperature").value) == (
        64,
        "1",
    )


def test_the_settings_survive_a_visit_to_another_page():
    at = opened(d=8, keys=5, temperature=2, scaling="d", aligned=1)
    at.switch_page("pages/01_by_hand.py").run()
    at.switch_page("pages/03_scaling.py").run()
    assert not at.exception
    assert at.select_slider(key="scaling_d").value == 8
    assert [number_box(at, f"scaling_{name}").value for name in ("keys", "temperature")] == ["5", "2"]
    assert at.segmented_control(key="scaling_scaling").value == "d"
    assert at.toggle(key="scaling_aligned").value


@pytest.mark.parametrize("samples", [40, 3000])
def test_the_chosen_d_lies_on_the_curves_and_both_are_what_the_core_draws(samples):
    at = opened(samples=samples, temperature=2, seed=3, d=32)
    assert not at.warning
    core = saturation_curves(SCALINGS, 2.0, n_samples=min(samples, 1953), seed=3)
    assert scaling_experiment._curves(2.0, 10, min(samples, 1953), 1.0, False, 3) == core
    found = saturation(rescale(random_dot_products(32, n_samples=samples, seed=3), "sqrt", 2.0))
    shown = re.search(r"top key \*\*([\d.]+)\*\*", said(at))[1]
    assert shown == f"{found.largest_weight:.2f}"


# What a visitor may cost


def test_no_setting_draws_more_than_the_cap_and_the_first_settings_are_not_cut():
    for d in WIDTHS:
        for keys in (1, 7, 10, 100):
            for samples in (4, 1500, 10_000):
                used = scaling_experiment.affordable(samples, keys, d)
                assert 4 <= used <= samples
                assert used * keys * d <= scaling_experiment.MOST_ENTRIES
                assert used * keys <= scaling_experiment.MOST_PRODUCTS
    assert scaling_experiment.affordable(1500, 10, 1024) == 1500


def test_it_says_when_the_cap_bites():
    assert "At most 100,000 products" not in said(opened())
    assert "Of the" not in said(opened())
    assert "of the 10000 queries they use the first 1953" in said(opened(samples=10_000))
    assert "the first 195 are used here" in said(opened(samples=10_000, keys=100, d=1024))


# The link


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("d", "3", "not one of 1, 2, 4, 8"),
        ("d", "0", "not one of 1, 2, 4, 8"),
        ("d", "wide", "not one of 1, 2, 4, 8"),
        ("temperature", "0", "one-hot"),
        ("temperature", "hot", "not a number"),
        ("temperature", "1e-9", "between 0.01 and 100"),
        ("temperature", "nan", "number"),
        ("samples", "1e9", "between 4 and 10000"),
        ("samples", "4.5", "not a whole number"),
        ("keys", "-1", "between 1 and 100"),
        ("spread", "0", "above 0"),
        ("spread", "-1", "above 0"),
        ("spread", "1e400", "computer can hold"),
        ("seed", "1e300", "between 0 and 999999"),
        ("seed", "", "number is expected"),
        ("aligned", "yes", "not one of 0, 1"),
        ("scaling", "own", "not one of as it is (none), ÷ √d (sqrt), ÷ d (d), cosine"),
        ("source", "<b>", "not one of"),
        ("draw", "0", "between 1 and 10000"),
    ],
)
def test_a_bad_value_in_a_link_is_named_and_left_at_its_default(name, text, says):
    at = opened(**{name: text, "gap": "3"})
    assert len(at.warning) == 1
    message = at.warning[0].value.replace("\\", "")
    assert f"`{name}`" in message
    assert says in message
    assert value_of(at, scaling_panels.PAGE) == FIRST | {"gap": 3}
    at.button(key="scaling_dismiss").click().run()
    assert not at.warning


def test_a_link_brings_back_every_setting():
    values = {
        "d": 256, "scaling": "cosine", "temperature": 0.3, "keys": 12, "samples": 30, "spread": 1.25,
        "aligned": True, "seed": 77, "draw": 3, "source": "abc_self", "stage": "scores", "gap": 2.5,
        "score_spread": 4.0,
    }  # fmt: skip
    assert values.keys() == FIRST.keys()
    assert all(values[name] != first for name, first in FIRST.items())
    link = {name: scaling_panels.PAGE.field(name).write(value) for name, value in values.items()}
    assert link["d"] == "256"
    assert value_of(opened(**link), scaling_panels.PAGE) == values


@pytest.mark.parametrize("name", FIRST)
def test_every_first_setting_can_be_read_from_its_own_text(name):
    field = scaling_panels.PAGE.field(name)
    assert field.read(field.write(FIRST[name])) == FIRST[name]


def test_no_bad_text_passes_the_reader():
    for name in FIRST:
        for text in ("", "x", "nan", "inf", "-1", "1;2", "1e999", "\x00", "９" * 400, "<script>"):
            if name in ("gap", "seed") and text == "９" * 400:
                continue
            with pytest.raises(InputError):
                scaling_panels.PAGE.field(name).read(text)


# The words


def test_both_languages_have_the_same_words_with_the_same_slots():
    english, korean = sections("en", "scaling"), sections("ko", "scaling")
    assert english.keys() == korean.keys()
    assert all(slots_of(english[key]) == slots_of(korean[key]) for key in english)


def test_texts_beside_the_curves_do_not_overlap():
    from pages.ui.pictures.spread import _apart

    placed = _apart(np.array([0.32, 0.3, 0.95, 0.31]), 0.1)
    assert np.diff(np.sort(placed)).min() >= 0.1 - 1e-12
    assert placed[1] == 0.3
