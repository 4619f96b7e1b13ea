"""What an addition of CONTRIBUTING.md gives a visitor. tests/test_adding.py runs this in a copy that has it."""

import numpy as np
from streamlit.testing.v1 import AppTest
from visit import APP, address, linked, made_link, number_box, open_page, run

from attention_core import masks

OWN = [[True, True, False], [True, True, False], [False, False, True]]
EARLIER = [[True, True, False], [True, True, False], [True, True, True]]


def press(at: AppTest, name: str, page: str) -> AppTest:
    at.button(key=f"{page}_{name}").click()
    return run(at)


def mask_of(at: AppTest, page: str) -> list[list[bool]]:
    return at.session_state[f"{page}_scene"].trace.allowed.tolist()


def said(at: AppTest) -> str:
    """What is said of a link that cannot be used; nothing where all can."""
    return "\n".join(warning.value for warning in at.warning)


def labels(at: AppTest) -> list[str]:
    return [box.label for box in (*at.text_input, *at.button_group, *at.toggle)]


def test_the_mask_rule():
    np.testing.assert_array_equal(masks.build_mask("blocks", 3, 3, size=2, reach="own"), OWN)
    for file, page in (("02_matrix_lab", "matrix_lab"), ("04_masks", "masks")):
        for language, name, box in (
            ("en", "in blocks", "tokens in a block"),
            ("ko", "우리말 in blocks", "우리말 tokens"),
        ):
            at = open_page(file, lang=language)
            assert name in at.button_group(key=f"{page}_rule").options
            at.button_group(key=f"{page}_rule").set_value("blocks")
            assert mask_of(run(at), page) == OWN
            assert any(label.startswith(box) for label in labels(at))
            assert {"rule": "blocks", "size": "2", "reach": "own"}.items() <= linked(at).items()
            at.button_group(key=f"{page}_reach").set_value("earlier")
            assert mask_of(run(at), page) == EARLIER
            again = open_page(file, lang=language, **linked(at))
            assert mask_of(again, page) == EARLIER
            assert linked(again) == linked(at)
            assert not said(again)
            assert mask_of(press(at, "undo", page), page) == OWN
            assert mask_of(press(at, "redo", page), page) == EARLIER
            wrong = open_page(file, lang=language, rule="blocks", size="4", reach="later")
            assert mask_of(wrong, page)
            assert "`size`" in said(wrong)
            assert "`reach`" in said(wrong)
            assert "earlier" in said(wrong)
    both = open_page("04_masks", rule="causal", combine="and", second="blocks", second_size="2", second_reach="own")
    assert not said(both)
    assert mask_of(both, "masks") == [[True, False, False], [True, True, False], [False, False, True]]


def test_the_export_format():
    for file, page in (("02_matrix_lab", "matrix_lab"), ("04_masks", "masks")):
        for language, name in (("en", "plain text (numpy.loadtxt)"), ("ko", "우리말 plain text (numpy.loadtxt)")):
            at = open_page(file, lang=language)
            at.session_state[f"{page}_export"] = True
            form = run(at).button_group(key=f"{page}_export_form")
            assert name in form.options
            form.set_value("plain")
            scene = run(at).session_state[f"{page}_scene"]
            text = at.code[0].value
            assert str(scene.keys) in text
            np.testing.assert_array_equal(np.loadtxt(text.splitlines()), scene.trace.weights)


def test_the_control():
    wanted = {"loud": "1", "shape": "square", "layers": "5"}
    names = {"en": ["Loud", "shape", "Layers"], "ko": ["우리말 Loud", "우리말 shape", "우리말 Layers"]}
    for language in names:
        at = open_page("08_limits", lang=language)
        assert linked(at) == {}
        assert {name.casefold() for name in names[language]} <= {label.casefold() for label in labels(at)}
        at.toggle(key="limits_loud").set_value(True)
        assert linked(run(at)) == {"loud": "1"}
        shape = at.button_group(key="limits_shape")
        assert [option.removeprefix("우리말 ") for option in shape.options] == ["round", "square"]
        shape.set_value("square")
        run(at)
        number_box(at, "limits_layers").set_value("5")
        assert linked(run(at)) == wanted
        again = open_page("08_limits", lang=language, **wanted)
        assert not said(again)
        assert linked(again) == wanted
        assert again.toggle(key="limits_loud").value is True
        assert again.button_group(key="limits_shape").value == "square"
        assert number_box(again, "limits_layers").value == "5"
        for _ in wanted:
            assert linked(press(at, "undo", "limits")) != wanted
        assert linked(at) == {}
        assert at.toggle(key="limits_loud").value is False
        for _ in wanted:
            press(at, "redo", "limits")
        assert linked(at) == wanted
        assert linked(press(at, "reset", "limits")) == {}
        wrong = open_page("08_limits", lang=language, loud="yes", shape="oval", layers="13", s="1")
        assert linked(wrong) == {"s": "1"}
        for name, label in zip(wanted, names[language], strict=True):
            assert f"**{label}** (`{name}`)".casefold() in said(wrong).casefold()
        assert "square" in said(wrong)
        number_box(wrong, "limits_layers").set_value("13")
        assert linked(run(wrong)) == {"s": "1"}


def test_the_lesson():
    for language, ours in (("en", ""), ("ko", "우리말 ")):
        home = AppTest.from_file(APP, default_timeout=60)
        home.query_params["lang"] = language
        run(home)
        at = open_page("09_name", lang=language)
        for page, times in (
            (home, 2),
            (open_page("08_limits", lang=language), 2),
            (at, 1),
        ):  # in the menu, and on the page
            links = [link.proto.label for link in page.get("page_link")]
            assert sum(f"{ours}9 · Nine" in label for label in links) == times, links
        assert any(caption.value.startswith(f"{ours}you can nine.") for caption in home.caption)
        assert any(text.value == f"{ours}What is nine?" for text in at.markdown)
        assert address(at)["page"] == "name"
        number_box(at, "name_guess").set_value("7")
        assert linked(run(at)) == {"guess": "7"}
        assert at.session_state["name_guess"] == 7
        assert press(at, "undo", "name").session_state["name_guess"] == 3
        assert linked(press(at, "redo", "name")) == {"guess": "7"}
        at.session_state["name_share"] = True
        press(run(at), "make_link", "name")
        assert made_link(at) == {"lang": language, "guess": "7"}
        assert at.get("download_button")
        assert linked(press(at, "reset", "name")) == {}
        again = open_page("09_name", lang=language, guess="7")
        assert not said(again)
        assert again.session_state["name_guess"] == 7
        wrong = open_page("09_name", lang=language, guess="10")
        assert f"**{ours}Your guess** (`guess`)" in said(wrong)
        assert linked(wrong) == {}
