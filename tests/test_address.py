"""A link carries its own check, and the address bar is given it after each run."""

from urllib.parse import parse_qsl

import pytest
from visit import address, number_box, open_page, run

from pages.ui.state.links import checksum, query_of, with_check

LESSONS = {
    "01_by_hand": {"scaling": "off"},
    "02_matrix_lab": {"rule": "causal"},
    "03_scaling": {"d": "16"},
    "04_masks": {"rule": "only_self"},
    "05_sentences": {"rule": "causal"},
    "06_projections_and_heads": {"key_from": "y"},
    "07_cost": {"end": "3"},
    "08_limits": {"values": "ones"},
}


def fields(query: str) -> dict[str, str]:
    return dict(parse_qsl(query, keep_blank_values=True))


@pytest.mark.parametrize("file", LESSONS)
def test_the_address_is_the_pages_value(file):
    link = LESSONS[file]
    told = address(open_page(file, **link))
    assert told["page"] == file[3:]
    assert link.items() <= fields(told["query"]).items()
    again = open_page(file, **fields(told["query"]))
    assert not again.warning
    assert address(again) == told


def test_blanks_are_written_so_that_no_messenger_turns_them_into_plus_signs():
    assert query_of({"text": "the cat+1", "query": "1,0;0,1"}) == "text=the%20cat%2B1&query=1,0;0,1"


@pytest.mark.parametrize("file", LESSONS)
def test_a_link_that_was_cut_short_or_changed_is_noticed(file):
    query = address(open_page(file, **LESSONS[file]))["query"]
    last = list(fields(query))[-1]
    for asked in (
        fields(query) | {last: fields(query)[last][:-1]},
        {k: v for k, v in fields(query).items() if k != last},
    ):
        at = open_page(file, **asked)
        assert any("not as it was made" in warning.value for warning in at.warning)


def test_a_link_without_a_check_is_read_as_it_is():
    assert not open_page("04_masks", rule="only_self").warning


def test_the_check_does_not_go_by_the_order_of_fields():
    assert checksum({"a": "1", "b": "2"}) == checksum({"b": "2", "a": "1"}) != checksum({"a": "1", "b": "3"})
    assert with_check({}) == {}


def test_the_address_follows_a_look_at_another_row_of_the_lab():
    at = open_page("02_matrix_lab")
    at.button_group(key="matrix_lab_row").set_value(2)
    assert fields(address(run(at))["query"])["row"] == "2"


def with_size(file: str, size: str, number: str, link: dict[str, str]):
    """The page of this link after another size was typed."""
    at = open_page(file, **link)
    at.session_state[f"{file[3:]}_tokens"] = True
    number_box(run(at), f"{file[3:]}_{size}").set_value(number)
    return run(run(at))


@pytest.mark.parametrize(
    ("link", "counts"),
    [
        ({"rule": "window", "left": "2", "right": "0"}, {"left": "1"}),
        ({"rule": "documents", "documents": "1 1 2"}, {"documents": "1 1"}),
        ({"tile": "3", "real": "3"}, {"tile": "2", "real": "2"}),
    ],
)
def test_the_address_says_what_counts_after_the_page_got_smaller_and_opens_without_a_word(link, counts):
    matrices = {"query": "1,0;0,1", "key": "1,0;0,1;1,1", "value": "1,0;0,1;1,1"}
    at = with_size("04_masks", "n_key", "2", matrices | link)
    told = fields(address(at)["query"])
    assert {name: told.get(name) for name in counts} == counts
    again = open_page("04_masks", **told)
    assert not [box.value for box in again.warning if "(`" in box.value]
    assert (
        again.session_state["masks_scene"].trace.allowed.tolist()
        == at.session_state["masks_scene"].trace.allowed.tolist()
    )


def test_a_sentences_window_of_any_width_comes_back_from_the_address():
    text = " ".join("abcdefghijklmnopqrstuvwxyz")
    at = open_page("05_sentences", source="kinds", text=text, rule="window", left="20", right="0")
    assert not at.warning
    told = fields(address(at)["query"])
    assert told["left"] == "20"
    shorter = open_page("05_sentences", **told | {"text": "a b c d", "check": ""})
    assert "(`left`)" in shorter.warning[0].value
