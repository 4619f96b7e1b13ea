"""Pages 7 and 8: what they show, what they refuse, what their links carry."""

import base64
import re
from threading import Timer
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from visit import APP, number_box, open_page, pictures, run, value_of

from attention_core import cost
from attention_core.insight import winners
from pages.ui.exercises.limits import CLAIMS, DOCUMENTS, STATEMENTS, exposing
from pages.ui.lessons import cost as cost_panels
from pages.ui.lessons import limits as limits_panels
from pages.ui.text import LANGUAGES, words

FILES = {"cost": "07_cost", "limits": "08_limits"}


def opened(page: str, language: str = "en", **link) -> AppTest:
    return open_page(FILES[page], lang=language, **link)


def alt(at: AppTest, name: str) -> str:
    return pictures(at)[name]["alt"]


def numbers(packed: dict) -> np.ndarray:
    """What an array was before it was packed for the browser."""
    return np.frombuffer(base64.b64decode(packed["bdata"]), packed["dtype"])


def said(at: AppTest) -> str:
    kinds = (at.markdown, at.caption, at.warning)
    return "\n".join(e.value for kind in kinds for e in kind).replace("\\", "")


def press(at: AppTest, key: str) -> AppTest:
    at.button(key=key).click()
    return run(at)


def settings(at: AppTest, page: str) -> dict:
    return value_of(at, {"cost": cost_panels, "limits": limits_panels}[page].PAGE)


COST_PICTURES = {"recurrent", "attention", "square", "measures", "window"}
LIMITS_PICTURES = {"weights", "plane", "effects", "sink", "ray", "example", "random", "block"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("page", "expected"), [("cost", COST_PICTURES), ("limits", LIMITS_PICTURES)])
def test_every_picture_is_there_with_its_facts_and_every_badge_has_its_words(page, expected, language):
    at = opened(page, language)
    found = pictures(at)
    assert set(found) == expected
    assert all(re.search(r"\d|→", picture["alt"]) for picture in found.values())
    badges = [text for text in (e.value for e in at.markdown) if "-badge[" in text]
    assert len(badges) >= 3


@pytest.mark.parametrize("page", FILES)
def test_the_projector_writes_larger(page):
    at = AppTest.from_file(APP, default_timeout=30)
    at.switch_page(f"pages/{FILES[page]}.py")
    at.session_state["projector"] = True
    for picture in pictures(run(at)).values():
        sizes = [trace["textfont"]["size"] for trace in picture["figure"]["data"] if trace.get("textfont")]
        assert all(np.min(size) >= 19 for size in sizes if np.size(size))


# 7: hand-overs.


def test_cat_and_it_are_6_hand_overs_apart_in_a_chain_and_1_in_a_star():
    at = opened("cost", start=2, end=8)
    assert '"cat" to "it" the path hands over 6 times' in alt(at, "recurrent")
    assert '"cat" to "it" the path hands over 1 time;' in alt(at, "attention")
    assert "0.531 of the first is left" in alt(at, "recurrent")


def test_the_korean_page_opens_with_the_korean_sentence_of_5_hand_overs():
    at = opened("cost", "ko")
    assert "5번 전달" in alt(at, "recurrent")
    assert "나는" in alt(at, "recurrent")


def test_ten_people_hand_over_nine_times():
    at = press(opened("cost"), "cost_sentence_people")
    assert "hands over 9 times; 0.387" in alt(at, "recurrent")
    number_box(at, "cost_fidelity").set_value("0.9884")
    assert "0.900 of the first" in alt(run(at), "recurrent")


def test_the_chain_is_as_dark_as_what_is_left_and_the_star_has_one_arc_to_each_word():
    at = opened("cost", start=1, end=4, fidelity=0.5)
    chain, star = (pictures(at)[name]["figure"] for name in ("recurrent", "attention"))
    assert [t for t in chain["data"][1]["text"] if t] == ["1", ".5", ".25", ".12"]
    assert chain["data"][2]["text"] == ["<b>1</b>", "<b>2</b>", "<b>3</b>"]
    assert sum(shape["type"] == "path" for shape in star["layout"]["shapes"]) == 9
    assert [t for t in star["data"][1]["text"] if t] == ["1", ".5"]


def test_a_word_to_itself_needs_no_hand_over_and_backwards_is_said():
    assert "hands over 0 times" in alt(opened("cost", start=3, end=3), "attention")
    at = opened("cost", start=8, end=2)
    assert "hands over 6 times" in alt(at, "recurrent")
    assert "carries nothing backwards" in said(at)


@pytest.mark.parametrize("text", ["<b>a</b> $x$", "**a** [b](c)", "a \u202e \ud800b", "가 나", "a a a a", ":cat: x"])
def test_any_sentence_is_shown_literally(text):
    at = opened("cost")
    at.text_input(key="cost_text").set_value(text.encode("utf-8", "replace").decode())
    run(at)
    labels = pictures(at)["recurrent"]["figure"]["data"][0]["text"]
    assert len(labels) == len(text.split())
    assert not any("<b>a" in label.removeprefix("<b>").removesuffix("</b>") for label in labels)


def test_a_long_sentence_is_cut_and_says_so_and_the_choice_of_words_follows():
    at = opened("cost", text=" ".join(map(str, range(40))))
    assert "first 16 are used" in said(at)
    assert settings(at, "cost")["end"] == 16
    at.text_input(key="cost_text").set_value("only three words")
    assert settings(run(at), "cost")["end"] == 3


def test_one_word_is_refused_beside_its_box_and_the_last_sentence_stays():
    at = opened("cost")
    before = alt(at, "recurrent")
    at.text_input(key="cost_text").set_value("alone")
    run(at)
    assert "at least two words" in at.warning[0].value
    assert alt(at, "recurrent") == before


# 7: three measures.


def test_the_table_has_a_line_for_each_measure_with_the_numbers_of_the_core():
    table = opened("cost", n=1000, d=512, back=100).table[0].value
    cells = table.map(lambda text: text.replace("\\", ""))
    assert cells.iloc[0].tolist()[0].endswith("2.62 × 10⁸")
    assert cells.iloc[0].tolist()[1].endswith("5.12 × 10⁸")
    assert cells.iloc[1].tolist() == ["n = 1,000", "1", "1"]
    assert cells.iloc[2].tolist() == ["n − 1 = 999", "1", "⌈(n − 1) ÷ w⌉ = 10"]
    assert cells.iloc[6].nunique() == 1  # generating: token after token, all of them


@pytest.mark.parametrize(("n", "which"), [(511, "less"), (512, "equal"), (513, "more")])
def test_where_attention_starts_to_multiply_more_is_said(n, which):
    assert f"**{which}**" in said(opened("cost", n=n, d=512))


def test_the_memory_of_the_longest_text_is_32_gib():
    text = said(opened("cost", n=131_072))
    assert "**32 GiB**" in text
    assert "1.72 × 10¹⁰" in text


@pytest.mark.parametrize("n", [2, 16, 32, 33, 300, 4096, 131_072])
def test_the_square_is_to_scale_in_its_frame(n):
    figure = pictures(opened("cost", n=n))["square"]["figure"]
    bar, square = figure["layout"]["shapes"][:2]
    assert bar["y1"] - bar["y0"] == square["y1"] - square["y0"] == square["x1"] - square["x0"] == n
    assert n <= figure["layout"]["yaxis"]["range"][0]


@pytest.mark.parametrize(
    ("x", "text"),
    [(999_999, "999,999"), (1_000_000, "1.00 × 10⁶"), (9_999_999, "1.00 × 10⁷"), (17_179_869_184, "1.72 × 10¹⁰")],
)
def test_big_numbers_are_rounded_right(x, text):
    assert cost_panels.big(x) == text


@pytest.mark.parametrize(
    ("count", "text"), [(1, "1 B"), (1023, "1023 B"), (1024, "1 KiB"), (2**35, "32 GiB"), (2**45, "32768 GiB")]
)
def test_bytes_are_written_in_their_unit(count, text):
    assert cost_panels.size_of(count) == text


def test_word_10_hears_word_1_after_5_layers_of_a_window_of_2():
    assert "words 2 to 10" in alt(opened("cost", window=2, layers=4), "window")
    at = opened("cost", window=2, layers=5)
    assert "words 1 to 10" in alt(at, "window")
    rows = pictures(at)["window"]["figure"]["data"]
    dots = next(trace for trace in rows if trace.get("mode") == "text" and "●" in trace["text"])
    assert dots["text"].count("●") == 1 + 3 + 5 + 7 + 9 + 10


# 7: the clock.


def test_the_button_measures_the_core_and_draws_it_against_n_squared(monkeypatch):
    rows = [(64, 0.001), (128, 0.004), (256, 0.016), (512, 0.064), (1024, 0.256), (2048, 1.024)]
    monkeypatch.setattr(cost_panels, "timings", lambda: ((n, best, 1.2 * best) for n, best in rows))
    at = opened("cost")
    assert "timings" not in pictures(at)
    press(at, "cost_measure")
    picture = pictures(at)["timings"]
    assert "n = 2048: 1024 ms" in picture["alt"]
    assert "grew by **4**" in said(at)
    assert any("measured on this machine just now" in e.value for e in at.markdown)
    square, straight, measured = (numbers(trace["y"]) for trace in picture["figure"]["data"])
    np.testing.assert_allclose(measured, [seconds for _, seconds in rows])
    np.testing.assert_allclose(square, measured)  # times that grow like n² lie on its line
    np.testing.assert_allclose(straight, [1.024 * n / 2048 for n, _ in rows])
    assert "⚠" not in said(at)
    run(at)
    assert "timings" in pictures(at)


def test_times_of_a_busy_machine_are_marked(monkeypatch):
    monkeypatch.setattr(cost_panels, "timings", lambda: iter([(64, 0.001, 0.0011), (128, 0.004, 0.009)]))
    at = press(opened("cost"), "cost_measure")
    assert "n = 64: 1 ms, n = 128: 4 ms ⚠" in pictures(at)["timings"]["alt"]
    assert "length marked ⚠" in said(at)


def test_a_measurement_that_ran_out_of_time_says_where_it_stopped(monkeypatch):
    monkeypatch.setattr(cost_panels, "timings", lambda: iter([(64, 0.001, 0.001), (128, 5.0, 5.0)]))
    assert "Stopped after n = 128" in said(press(opened("cost"), "cost_measure"))


def test_only_one_measures_at_a_time_and_the_lock_is_given_back(monkeypatch):
    monkeypatch.setattr(cost_panels, "timings", lambda: iter([(64, 0.001, 0.001)]))
    at = opened("cost")
    with cost_panels._measuring:
        press(at, "cost_measure")
        assert "Somebody else is measuring" in said(at)
        assert "timings" not in pictures(at)
    press(at, "cost_measure")
    assert "Somebody else" not in said(at)
    assert not cost_panels._measuring.locked()


def test_the_lock_is_given_back_after_a_failure(monkeypatch):
    def broken():
        raise MemoryError
        yield

    monkeypatch.setattr(cost_panels, "timings", broken)
    at = opened("cost")
    at.button(key="cost_measure").click()
    at.run()
    assert at.exception
    assert not cost_panels._measuring.locked()


def test_the_real_measurement_is_bounded():
    at = press(opened("cost"), "cost_measure")
    times = at.session_state["cost_timings"]
    assert [n for n, *_ in times] == list(cost.TIMED[: len(times)])
    assert times


# 8: the output that stays.


@pytest.mark.parametrize(("s", "weight"), [(-6, "0.85"), (0, "37.5"), (6, "97.66")])
def test_c_goes_from_1_to_98_percent_and_the_output_stays(s, weight):
    at = opened("limits", s=s)
    assert f"C weighs **{weight} %**. Output: **(4, 6)**" in said(at)
    mark = pictures(at)["plane"]["figure"]["data"][-1]
    assert (mark["x"], mark["y"]) == (pytest.approx([4]), pytest.approx([6]))


def test_equal_values_give_themselves_for_any_query():
    for link in ({"s": 6}, {"walk": "free", "q1": -3, "q2": 5}):
        at = opened("limits", values="ones", **link)
        assert "Output: **(1, 1)**" in said(at)


def test_three_measures_give_three_orders_for_q_1_0():
    at = press(opened("limits", s=4, hide_c=1, values="ones"), "limits_one_zero")
    assert "By weight: **A = C > B**" in said(at)
    assert "**A > C > B**" in said(at)
    assert "when the key is removed: **A > B > C**" in said(at)
    assert "removed: A 4.153, B 1.958, C 1.53" in alt(at, "effects")


def test_at_s_6_removing_c_moves_nothing():
    far = opened("limits", s=6).table[0].value.iloc[2].tolist()[-1]
    assert float(far.replace("−", "-").replace("e", "e")) < 1e-12


def test_a_sink_of_4_takes_915_thousandths_and_keeps_the_direction():
    text = said(opened("limits", sink=4))
    assert "S takes **91.5 %**" in text
    assert "(0.476, 0.372)" in text
    assert "**1.281**" in text
    assert "**1.281**" in said(opened("limits", sink=-4))


def test_the_random_map_is_random_and_wears_its_badge():
    one, other = (alt(opened("limits", seed=seed), "random") for seed in (0, 1))
    assert one != other
    assert one == alt(opened("limits", "en", seed=0), "random")
    share = np.mean([winners(limits_panels.random_map(seed).weights, 0) == (1,) for seed in range(2000)])
    assert share == pytest.approx(1 / 8, abs=0.03)  # as the page says: once in 8 draws


def test_drawing_until_it_reads_cat_stops_at_the_first_that_does():
    at = press(opened("limits", seed=5), "limits_until")
    seed = settings(at, "limits")["seed"]
    assert winners(limits_panels.random_map(seed).weights, 0) == (1,)
    assert all(winners(limits_panels.random_map(s).weights, 0) != (1,) for s in range(6, seed))
    assert f"It took **{seed - 5} draw" in said(at)
    assert "It took" not in said(press(at, "limits_draw"))


# 8: sorting, checking, testing.


def test_sorting_all_twelve_right_solves_8g_with_its_reason():
    at = opened("limits")
    at.button_group(key="limits_exercise").set_value("8g")
    run(at)
    for code, verdict in STATEMENTS.items():
        at.button_group(key=f"limits_sort_{code}").set_value(verdict)
    run(at)
    assert "12 of 12" not in said(at)  # nothing is told before one asks
    press(at, "limits_judge")
    assert "**12 of 12** in the right drawer" in said(at)
    press(at, "exercise_8g_reason_run_shows")
    assert at.session_state["solved"] == ["8g"]


def test_a_statement_in_the_wrong_drawer_is_marked():
    at = opened("limits")
    at.button_group(key="limits_sort_probability").set_value("true")
    press(at, "limits_judge")
    assert f"✗ {words('en', 'limits', 'statement_probability_why')}" in said(at)
    assert "**0 of 12**" in said(at)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_claim_names_its_article_and_is_told_only_after_a_verdict(language):
    at = opened("limits", language)
    for number, code in enumerate(CLAIMS):
        at.button_group(key="limits_card").set_value(number)
        run(at)
        why = words(language, "limits", f"claim_{code}_why")
        assert re.match(r"\*\*(Article|글) [123]:\*\*", words(language, "limits", f"claim_{code}"))
        assert why not in said(at)
        press(at, "limits_claim_holds")
        assert why in said(at)
        assert ("✓ **" if CLAIMS[code] == "holds" else "✗ **") in said(at)
    assert at.session_state["limits_claims"] == dict.fromkeys(CLAIMS, "holds")


def test_next_card_goes_round():
    at = opened("limits")
    for _ in CLAIMS:
        press(at, "limits_next_card")
    assert at.session_state["limits_card"] == 0


@pytest.mark.parametrize("agent", ["careful", "mixes", "always_both", "always_none"])
def test_the_bench_shows_which_documents_expose_an_agent(agent):
    at = opened("limits")
    at.button_group(key="limits_agent").set_value(agent)
    run(at)
    column = at.table[1].value.iloc[:, 2].tolist()
    assert ["exposed" in text for text in column] == [name in exposing(agent) for name in DOCUMENTS]


# Links, bad input, undo.


@pytest.mark.parametrize(
    ("page", "link"),
    [
        (
            "cost",
            {"text": "a b c d", "start": "2", "end": "4", "fidelity": "0.75", "n": "4096", "d": "64", "back": "8"},
        ),
        ("cost", {"bytes": "4", "window": "3", "layers": "2"}),
        (
            "limits",
            {"walk": "free", "q1": "-1.5", "q2": "2.25", "values": "ones", "hide_c": "1", "sink": "4", "seed": "7"},
        ),
        ("limits", {"s": "-5.75"}),
    ],
)
def test_a_link_comes_back_from_what_it_set(page, link):
    at = opened(page, **link)
    at.session_state[f"{page}_share"] = True
    run(at)
    press(at, f"{page}_make_link")
    made = dict(parse_qsl(urlsplit(at.code[0].value).query))
    assert (link | {"lang": "en"}).items() <= made.items()
    assert settings(opened(page, made.pop("lang"), **made), page) == settings(at, page)


@pytest.mark.parametrize(
    ("page", "field", "text"),
    [
        ("cost", "fidelity", "1.5"),
        ("cost", "fidelity", "nan"),
        ("cost", "n", "1"),
        ("cost", "n", "2.5"),
        ("cost", "n", "131073"),
        ("cost", "d", "0"),
        ("cost", "text", "one"),
        ("cost", "layers", "<b>x</b>"),
        ("limits", "s", "7"),
        ("limits", "walk", "circle"),
        ("limits", "q1", "1e400"),
        ("limits", "hide_c", "2"),
        ("limits", "seed", "-1"),
        ("limits", "sink", "**"),
    ],
)
def test_a_field_of_a_link_that_cannot_be_used_is_named_and_the_rest_stays(page, field, text):
    other = {"cost": ("window", "4", 4), "limits": ("values", "ones", "ones")}[page]
    at = opened(page, **{field: text, other[0]: other[1]})
    assert f"`{field}`" in at.warning[0].value.replace("\\", "")
    assert settings(at, page)[other[0]] == other[2]
    assert settings(at, page)[field] == settings(opened(page), page)[field]
    assert "<b>" not in at.warning[0].value.replace("\\<b\\>", "")
    press(at, f"{page}_dismiss")
    assert not at.warning


@pytest.mark.parametrize(
    ("page", "name", "bad"),
    [("cost", "n", 1), ("cost", "n", None), ("cost", "fidelity", 1.2), ("limits", "s", 9.0), ("limits", "sink", 99.0)],
)
def test_a_number_that_cannot_be_used_is_refused_beside_its_box_and_the_pictures_stay(page, name, bad):
    at = opened(page)
    before = {of: picture["figure"] for of, picture in pictures(at).items()}
    number_box(at, f"{page}_{name}").set_value(str(bad))
    run(at)
    assert len(at.warning) == 1
    assert "Until then" in at.warning[0].value
    assert {of: picture["figure"] for of, picture in pictures(at).items()} == before


@pytest.mark.parametrize(("page", "name", "new"), [("cost", "n", 64), ("limits", "s", 3.0)])
def test_undo_takes_one_step_back_and_reset_all(page, name, new):
    at = opened(page)
    first = settings(at, page)
    number_box(at, f"{page}_{name}").set_value(str(new))
    run(at)
    run(at)
    press(at, f"{page}_undo")
    assert settings(at, page) == first
    number_box(at, f"{page}_{name}").set_value(str(new))
    run(at)
    press(at, f"{page}_reset")
    assert settings(at, page) == first


@pytest.mark.parametrize("page", FILES)
def test_language_changes_words_and_no_number(page):
    at = opened(page, **({"text": "a b c d e"} if page == "cost" else {}))
    before = {name: re.findall(r"\d+\.\d+", picture["alt"]) for name, picture in pictures(at).items()}
    at.session_state["language"] = "ko"
    run(at)
    after = {name: re.findall(r"\d+\.\d+", picture["alt"]) for name, picture in pictures(at).items()}
    assert {name: sorted(numbers) for name, numbers in before.items()} == {n: sorted(x) for n, x in after.items()}


def test_the_two_pages_lead_to_each_other():
    def links(page):
        return [element.proto.page for element in opened(page).main if element.type == "page_link"]

    assert any("limits" in link for link in links("cost"))
    assert any("cost" in link for link in links("limits"))


@pytest.mark.parametrize(("n", "d", "back"), [(16, 512, 256), (2, 16384, 131072), (1024, 64, 16), (8, 1, 7), (8, 1, 8)])
def test_the_windows_formula_gives_the_number_beside_it(n, d, back):
    at = opened("cost", n=n, d=d, back=back)
    window = at.table[0].value.iloc[0, 2]
    formula, result = window.replace("\\", "").split(" = ")
    python = formula.replace("·", "*").replace("÷", "/").replace("−", "-")
    assert cost_panels.big(round(eval(python, {"n": n, "d": d, "w": back}))) == result


def test_a_sentence_of_any_length_is_cut_and_said():
    at = opened("cost", text="word " * 400)
    assert "The text has 400 words" in said(at)
    assert not at.warning


def test_a_word_without_layers_has_heard_itself_alone():
    assert "has heard of **itself alone**" in said(opened("cost", layers=0))


def test_only_a_card_that_was_judged_rightly_has_a_check_mark():
    at = opened("limits")
    first = next(iter(CLAIMS))
    wrong = next(verdict for verdict in ("holds", "soften", "wrong") if verdict != CLAIMS[first])
    for verdict, mark in ((wrong, "✗"), (CLAIMS[first], "✓")):
        press(at, f"limits_claim_{verdict}")
        assert at.button_group(key="limits_card").options[0] == f"{mark} 1"


def test_another_sentence_is_passed_from_its_first_word_to_its_last():
    at = opened("cost", start=3, end=5)
    at.text_input(key="cost_text").set_value("one two three four")
    run(at)
    assert (at.session_state["cost_start"], at.session_state["cost_end"]) == (1, 4)


def test_a_measurement_waits_for_one_that_is_about_to_end():
    """A second click ends the first run at its next step; the lock is free a moment later."""
    cost_panels._measuring.acquire()
    Timer(1, cost_panels._measuring.release).start()
    at = press(opened("cost"), "cost_measure")
    assert not at.warning
    assert at.session_state["cost_timings"]
