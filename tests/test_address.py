"""A link carries its own check, and the address bar is given it after each run."""

from urllib.parse import parse_qsl

import pytest
from visit import address, open_page, run

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
