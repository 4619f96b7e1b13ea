"""What pages hand out: their exports and programs hold the numbers and the names on screen."""

import contextlib
import io
import re

import numpy as np
import pytest
from visit import open_page, run

from attention_core.export import export_matrix
from attention_core.matrix_text import read_matrix

PREFIX = {
    "01_by_hand": "by_hand",
    "02_matrix_lab": "matrix_lab",
    "04_masks": "masks",
    "05_sentences": "sentences",
    "06_projections_and_heads": "projections_and_heads",
}


def opened(file, box, **link):
    """The page with this box at its foot open, and the scene that it shows."""
    at = open_page(file, **link)
    at.session_state[f"{PREFIX[file]}_{box}"] = True
    scene = run(at).session_state[f"{PREFIX[file]}_scene"]
    return at, scene.one if file.startswith("06") else scene


@pytest.mark.parametrize("file", list(PREFIX)[1:])
def test_a_page_exports_what_its_picture_shows_under_its_names(file):
    at, scene = opened(file, "export", lang="ko")
    table = read_matrix(at.code[0].value)
    np.testing.assert_array_equal(table.matrix, scene.trace.weights)
    assert (table.rows, table.columns) == (tuple(scene.queries), tuple(scene.keys))
    at.session_state[f"{PREFIX[file]}_export_form"] = "numpy"
    assert at.run().code[0].value.startswith(f"# 행: {scene.queries}\n# 열: {scene.keys}\nnp.array(")


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize(
    ("file", "link", "lines"),
    [
        ("01_by_hand", {"scaling": "cosine", "query": "3,4"}, ["[3.0, 4.0],", "query = query / np.linalg.norm"]),
        ("02_matrix_lab", {"temperature": "0.3"}, ["scale = 1 / sqrt(query.shape[1])", "temperature = 0.3"]),
        ("04_masks", {"rule": "window"}, ["allowed = np.array(["]),
        ("05_sentences", {"temperature": "0.5"}, ["temperature = 0.5"]),
        ("06_projections_and_heads", {}, ["weights = exponentials / total"]),
    ],
)
def test_the_program_of_a_page_gives_its_numbers_and_speaks_its_language(file, link, lines, language):
    at, scene = opened(file, "code", lang=language, **link)
    program = at.code[0].value
    assert all(line in program for line in lines), program
    names, printed = {}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, "program", "exec"), names)
    for step in ("query", "key", "value", "scores", "scaled", "masked", "weights", "output"):
        np.testing.assert_allclose(names[step], getattr(scene.trace, step), rtol=1e-12, atol=1e-14)
    assert str(names["weights"]) in printed.getvalue()
    queries, keys = ("queries", "keys") if language == "en" else ("쿼리", "키")
    assert f"# {queries}: {scene.queries}"[:90] in program
    assert f"# {keys}: {scene.keys}"[:90] in program
    comments = [line.partition("# ")[2] for line in program.splitlines()[2:] if "# " in line]
    assert comments
    assert all(bool(re.search("[가-힣]", comment)) == (language == "ko") for comment in comments if "[" not in comment)


@pytest.mark.parametrize(("language", "said"), [("en", "left out: [CLS], 1."), ("ko", "읽었어요: [CLS], 1.")])
def test_the_names_in_a_pasted_export_are_said(language, said):
    at = open_page("02_matrix_lab", lang=language)
    at.session_state["matrix_lab_key_tools"] = True
    text = export_matrix([[1, 2]], "csv", ["<b>"], ["[CLS]", "1"])
    run(at).text_area(key="matrix_lab_key_paste").set_value(text)
    captions = [re.sub(r"\\(.)", r"\1", caption.value) for caption in run(at).caption]
    assert any(caption.endswith(said) for caption in captions)
    assert any(caption.endswith(": <b>.") for caption in captions)
