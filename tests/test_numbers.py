"""Every number box of every page, found by walking the pages: what is typed is read as the grids read it, or refused
with the number that counts until then; nothing typed is lost. And sizes, whose cut-off numbers come back."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from visit import number_box, open_page, run

from pages.ui.state.fields import written

PAGES = sorted(path.stem for path in (Path(__file__).parent.parent / "pages").glob("[0-9]*.py"))
NUMBERS = {
    "0,5": 0.5, "1/3": 1 / 3, "−2": -2, "２": 2, " +3 ": 3, "2.5": 2.5, "123456.789": 123456.789, "1e300": 1e300,
    "-1e300": -1e300,
}  # fmt: skip
NO_NUMBERS = ("", "abc", "1e999", "1/0", "1,000", "2 3")
#: Which cell or card is looked at, and what the frame around the page does, changes no box.
LEFT_ALONE = re.compile(r"language|.*_(row|column|start|end|feature|tiles_seen|card|exercise|precision|sort_\w+)")


def boxes(at: AppTest) -> list[str]:
    """The keys of the number boxes that are on the page."""
    assert not at.number_input, "the browser's own number input reads 0,5 as 5"
    found = (re.fullmatch(r"(.*)_box_\d+", box.key or "") for box in at.text_input)
    return [box[1] for box in found if box]


def walk(at: AppTest) -> Iterator[None]:
    """Bring the page into every state where a choice might show a box: all open, all switched on, each option."""
    for popover in at.get("popover"):
        at.session_state[re.sub(r"^\$\$ID-[0-9a-f]+-", "", popover.proto.popover.id)] = True
    for toggle in at.toggle:
        toggle.set_value(toggle.key != "projector")
    run(at)
    yield
    yield from choose_all(at, set())


def choose_all(at: AppTest, done: set[str]) -> Iterator[None]:
    """Each option of each group of options, and of those groups that an option shows."""
    for group in [*at.pills, *at.segmented_control]:
        if group.key in done or group.disabled or LEFT_ALONE.fullmatch(group.key):
            continue
        done.add(group.key)
        for option in group.options:
            there = [now for now in [*at.pills, *at.segmented_control] if now.key == group.key]
            if there and not there[0].disabled:
                there[0].set_value(option)
                run(at)
                yield
                yield from choose_all(at, done)


def type_in(at: AppTest, key: str, text: str) -> AppTest:
    number_box(at, key).set_value(text)
    return run(at)


def refusals(at: AppTest) -> list[str]:
    return [re.sub(r"\\(.)", r"\1", warning.value) for warning in at.warning]


def counted(at: AppTest) -> dict[str, int]:
    """Three counts that must go together are used as they last did."""
    name = "projections_and_heads_counted"
    together = at.session_state[name] if name in at.session_state else {}  # noqa: SIM401 - it has no get()
    return {f"projections_and_heads_{name}": number for name, number in together.items()}


def check_box(at: AppTest, key: str, texts: tuple[str, ...]) -> None:
    """Type these into one box, one after the other, and end with what was there."""
    first, at_first = number_box(at, key).value, refusals(at)
    for text in (*texts, first):
        good = at.session_state["typed"][key]["number"]
        type_in(at, key, text)
        assert number_box(at, key).value == text, f"{key}: {text!r} is lost"
        now = at.session_state["typed"][key]["number"]
        said = [line for line in refusals(at) if re.search(" Until then (?!these)", line) and line not in at_first]
        if text not in NO_NUMBERS and not said:
            assert now == NUMBERS.get(text, now), f"{key}: {text} read as {now}"
            continue
        assert text != first, f"{key}: the box refuses what the app wrote into it: {said}"
        assert now == good, f"{key}: {text} is refused and used"
        used = counted(at).get(key, good)
        assert any(written(used) in line.partition(" Until then ")[2] for line in said), f"{key}, {text}: {said}"
        if text in NUMBERS:
            assert not any("is not a number" in line for line in said), said


@pytest.mark.parametrize("page", PAGES)
def test_every_box_reads_what_the_grids_read_or_says_what_counts_until_then(page, full):
    texts = (*NUMBERS, *NO_NUMBERS)
    at, checked = open_page(page), []
    for _ in walk(at):
        for key in boxes(at):
            if key not in checked:
                checked.append(key)
                check_box(at, key, texts if full else texts[len(checked) % 7 :: 7])
    assert checked


def test_a_page_shows_every_digit_that_is_computed_with():
    at = open_page("02_matrix_lab", scaling="own", own_scale="123456.789", temperature="0.1234567891")
    assert number_box(at, "matrix_lab_own_scale").value == "123456.789"
    assert number_box(at, "matrix_lab_temperature").value == "0.1234567891"
    type_in(at, "matrix_lab_own_scale", "1/3")
    assert number_box(at, "matrix_lab_own_scale").value == "1/3"
    assert at.session_state["matrix_lab_own_scale"] == 1 / 3
    at.button(key="matrix_lab_undo").click()
    assert number_box(run(at), "matrix_lab_own_scale").value == "123456.789"


def test_what_was_refused_stays_until_the_page_is_left_and_after():
    at = open_page("02_matrix_lab", temperature="2")
    type_in(at, "matrix_lab_temperature", "0")
    at.switch_page("pages/03_scaling.py")
    run(at).switch_page("pages/02_matrix_lab.py")
    assert number_box(run(at), "matrix_lab_temperature").value == "0"
    assert "Until then 2 is used" in refusals(at)[0]
    at.button(key="matrix_lab_reset").click()
    assert number_box(run(at), "matrix_lab_temperature").value == "1"
    assert not at.warning


def test_what_was_refused_counts_as_soon_as_there_is_room_for_it():
    at = open_page("04_masks", rule="window", left="1", right="0")
    type_in(at, "masks_left", "5")
    assert "Until then 1 is used" in refusals(at)[0]
    assert at.session_state["masks_left"] == 1
    at.session_state["masks_tokens"] = True
    type_in(run(at), "masks_n_query", "8")
    run(at)
    assert not [line for line in refusals(at) if "reaches beyond" in line]
    assert at.session_state["masks_left"] == 5


@pytest.mark.parametrize(
    ("typed", "used"),
    [
        ("65,536", 65536), ("1,234", 1234), ("2,5", 16), ("1,000", 16), ("12,34", 16), ("1/2", 16), ("4,5678", 16),
        ("0,123", 16), ("1,234.5", 16), ("12.000", 12), ("4.2e1", 42), ("84/2", 42),
    ],
)  # fmt: skip
def test_a_thousands_comma_is_read_where_it_can_be_nothing_else(typed, used):
    at = type_in(open_page("07_cost"), "cost_n", typed)
    assert at.session_state["cost_n"] == used
    assert (used == 16) == bool(at.warning)
    assert all("Until then this is used: 16" in line for line in refusals(at))


def test_a_whole_number_is_changed_by_a_click_and_no_farther_than_its_limits():
    at = open_page("02_matrix_lab", rule="window", left="1", right="0")
    at.button(key="matrix_lab_left_step_1").click()
    run(at)
    assert at.session_state["matrix_lab_left"] == 2
    assert at.button(key="matrix_lab_left_step_1").disabled
    at.button(key="matrix_lab_left_step_-1").click()
    assert number_box(run(at), "matrix_lab_left").value == "1"


@pytest.mark.parametrize(("page", "prefix"), [("02_matrix_lab", "matrix_lab"), ("04_masks", "masks")])
@pytest.mark.parametrize(("size", "part"), [("n_query", "query"), ("n_key", "value"), ("d_k", "key"), ("d_v", "value")])
def test_what_a_smaller_size_cuts_off_comes_back_with_the_larger_one(page, prefix, size, part):
    at = open_page(page)
    at.session_state[f"{prefix}_tokens"] = True
    first = at.session_state[f"{prefix}_{part}"]["numbers"]
    now = int(number_box(run(at), f"{prefix}_{size}").value)
    type_in(at, f"{prefix}_{size}", "2.5")
    assert "2.5 is not a whole number" in refusals(at)[0]
    assert at.session_state[f"{prefix}_{part}"]["numbers"] == first
    type_in(at, f"{prefix}_{size}", str(now - 1))
    assert np.shape(at.session_state[f"{prefix}_{part}"]["numbers"]) != np.shape(first)
    at.button(key=f"{prefix}_undo").click()
    assert run(at).session_state[f"{prefix}_{part}"]["numbers"] == first
    at.button(key=f"{prefix}_redo").click()
    type_in(run(at), f"{prefix}_{size}", str(now))
    assert at.session_state[f"{prefix}_{part}"]["numbers"] == first


def test_what_another_example_cut_off_does_not_come_back():
    at = open_page("02_matrix_lab")
    at.session_state["matrix_lab_tokens"] = at.session_state["matrix_lab_examples"] = True
    type_in(run(at), "matrix_lab_n_query", "2")
    at.button(key="matrix_lab_example_one_two_one").click()
    type_in(run(at), "matrix_lab_n_query", "4")
    assert at.session_state["matrix_lab_query"]["numbers"][3] == [0] * len(
        at.session_state["matrix_lab_query"]["numbers"][0]
    )


def test_heads_and_their_part_of_the_output_matrix_come_back():
    at = open_page("06_projections_and_heads", w_output="1,2,3;4,5,6;7,8,9;10,11,12", heads=2)
    first = at.session_state["projections_and_heads_w_output"]["numbers"]
    for count in (1, 2):
        at.segmented_control(key="projections_and_heads_heads").set_value(count)
        run(at)
    assert at.session_state["projections_and_heads_w_output"]["numbers"] == first
    at.session_state["projections_and_heads_sizes"] = True
    for count in ("1", "2"):
        type_in(run(at), "projections_and_heads_size_d_v", count)
    assert at.session_state["projections_and_heads_w_output"]["numbers"] == first
    for count in ("2", "3"):
        type_in(at, "projections_and_heads_size_d_model", count)
    assert at.session_state["projections_and_heads_w_output"]["numbers"] == first


@pytest.mark.parametrize("number", [1000.0, 0.1, 1 / 3, 123456.789, 1e-6, 2**53 + 2.0, 5e-324, -1.5e300, 7])
def test_a_number_is_written_with_every_digit_and_a_whole_one_without_a_point(number):
    assert float(written(number)) == number
    assert not written(number).endswith(".0")
