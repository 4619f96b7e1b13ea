"""The recording of a real model: whole, true to transformers, and showing what the page says of it."""

from pathlib import Path

import numpy as np
import pytest

from attention_core import trace_attention
from attention_core.sentences import minilm, record
from attention_core.sentences.clean_text import clean
from attention_core.sentences.recorded import (
    FILE,
    NAMED_HEADS,
    STEPS,
    hide_special,
    named_cells,
    named_weight,
    recorded_layers,
    recorded_sentences,
)
from attention_core.sentences.tokenise import Token

ANSWERS = Path(__file__).parent / "fixtures/minilm/answers.npz"
SENTENCES = recorded_sentences()
TIRED, SOFT = SENTENCES[:2]
IT, CAT, MAT = 8, 2, 6


def labelled(*labels):
    return tuple(Token(label, 0, 0, label) for label in labels)


def labels_of(sentence):
    return [token.label for token in sentence.tokens]


def test_twelve_sentences_are_recorded_and_they_are_those_of_the_script():
    assert [sentence.text for sentence in SENTENCES] == list(record.SENTENCES)
    assert len(SENTENCES) == 12
    assert {"I love AI", "The cat sat on the mat because it was tired"} <= {s.text for s in SENTENCES}


def test_the_file_is_small_and_holds_whole_65535ths():
    assert FILE.stat().st_size < 400_000
    with np.load(FILE) as stored:
        assert {stored[f"weights_{number}"].dtype for number in range(12)} == {np.dtype(np.uint16)}


def test_rounding_moves_no_weight_by_a_step_and_keeps_the_sum():
    weights = np.random.default_rng(3).dirichlet(np.full(40, 0.1), size=500)
    steps = record.in_steps(weights)
    assert (steps.sum(axis=-1, dtype=int) == STEPS).all()
    assert np.abs(steps - weights * STEPS).max() < 1
    assert record.in_steps(np.array([1.0, 0.0])).tolist() == [STEPS, 0]
    assert record.in_steps(np.full(2, 0.5)).tolist() == [32768, 32767]


def test_the_note_names_the_model_its_weights_and_its_licence():
    note = FILE.with_suffix(".md").read_text(encoding="utf-8")
    assert "sentence-transformers/all-MiniLM-L6-v2" in note
    assert "Apache License 2.0" in note
    assert minilm.SHA256["model.safetensors"] in note


@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda sentence: sentence.text)
def test_a_sentence_is_complete(sentence):
    n_tokens = len(sentence.tokens)
    assert sentence.weights.shape == (6, 12, n_tokens, n_tokens)
    assert sentence.value_norms.shape == (6, 12, n_tokens)
    np.testing.assert_allclose(sentence.weights.sum(axis=-1), 1, rtol=0, atol=1e-12)
    assert sentence.value_norms.min() > 0
    assert not sentence.weights.flags.writeable
    assert not sentence.value_norms.flags.writeable


@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda sentence: sentence.text)
def test_the_tokens_lie_in_the_text_and_cover_it(sentence):
    assert clean(sentence.text).text == sentence.text
    first, *words, last = sentence.tokens
    assert (first.label, last.label) == ("[CLS]", "[SEP]")
    for word in words:
        assert sentence.text[word.start : word.end] == word.text
        assert word.label.removeprefix("##") == word.text.lower()
    assert "".join(word.text for word in words) == sentence.text.replace(" ", "")


@pytest.mark.parametrize("number", [0, 1])
def test_the_recording_is_what_transformers_computed(number):
    with np.load(ANSWERS) as answers:
        text, expected = str(answers[f"text_{number}"]), answers[f"attention_{number}"]
    (sentence,) = (sentence for sentence in SENTENCES if sentence.text == text)
    # One step of the storage is 1.5e-5; the rest is float32.
    np.testing.assert_allclose(sentence.weights, expected, rtol=0, atol=2e-5)


def test_each_named_head_is_the_best_of_all_72_at_what_it_is_named_for():
    for name, place in NAMED_HEADS.items():
        strengths = np.zeros((6, 12))
        for sentence in SENTENCES:
            for query, key in named_cells(name, sentence.tokens):
                strengths[:, :] += sentence.weights[:, :, query, key]
        assert np.unravel_index(strengths.argmax(), (6, 12)) == place, name


def test_the_named_heads_show_on_the_cat_sentence_what_the_page_says():
    weights = {name: named_weight(name, TIRED) for name in NAMED_HEADS}
    assert weights.pop("same_word") is None
    assert weights == pytest.approx(
        {"previous_word": 1.00, "next_word": 0.66, "parking": 0.85, "it_to_cat": 0.68}, abs=0.005
    )


def test_the_named_heads_on_average_over_the_sentences():
    means = {
        name: np.mean([w for sentence in SENTENCES if (w := named_weight(name, sentence)) is not None])
        for name in NAMED_HEADS
    }
    assert means == pytest.approx(
        {"previous_word": 1.00, "next_word": 0.69, "same_word": 0.51, "parking": 0.86, "it_to_cat": 0.66},
        abs=0.005,
    )


def test_the_same_word_head_finds_bank_but_passes_over_the():
    (river,) = (sentence for sentence in SENTENCES if "river" in sentence.text)
    first, second = (at for at, label in enumerate(labels_of(river)) if label == "bank")
    assert river.weights[2, 9, first, second] > 0.65
    assert river.weights[2, 9, second, first] > 0.8
    first, second = (at for at, label in enumerate(labels_of(TIRED)) if label == "the")
    assert TIRED.weights[2, 9, second, first] < 0.05
    assert TIRED.weights[0, 8, second, first] > 0.4


def test_it_reads_cat_whether_the_cat_is_tired_or_the_mat_is_soft():
    assert labels_of(TIRED)[CAT] == labels_of(SOFT)[CAT] == "cat"
    assert labels_of(TIRED)[IT] == labels_of(SOFT)[IT] == "it"
    assert TIRED.weights[5, 11, IT, CAT] == pytest.approx(0.68, abs=0.005)
    assert SOFT.weights[5, 11, IT, CAT] == pytest.approx(0.64, abs=0.005)
    assert SOFT.weights[5, 11, IT, MAT] == pytest.approx(0.11, abs=0.005)


def test_the_mean_over_heads_hides_what_one_head_does():
    by_layer = TIRED.weights[:, :, IT, CAT].mean(axis=1)
    assert by_layer == pytest.approx([0.04, 0.03, 0.05, 0.10, 0.10, 0.17], abs=0.005)


def test_half_of_the_weight_lies_on_cls_but_its_value_vector_is_short():
    assert TIRED.weights[..., 0].mean() == pytest.approx(0.49, abs=0.005)
    assert TIRED.weights[..., -1].mean() < 0.06
    assert TIRED.value_norms[..., 0].mean() < 0.1 * TIRED.value_norms[..., 1:].mean()
    carried = TIRED.weights * TIRED.value_norms[:, :, None, :]
    carried /= carried.sum(axis=-1, keepdims=True)
    assert carried[..., 0].mean() == pytest.approx(0.11, abs=0.005)


def test_recorded_layers_are_traces_with_the_recorded_weights():
    for sentence in SENTENCES:
        layers = recorded_layers(sentence)
        assert [len(heads) for heads in layers] == [12] * 6
        for heads, weights in zip(layers, sentence.weights, strict=True):
            for head, expected in zip(heads, weights, strict=True):
                np.testing.assert_allclose(head.weights, expected, rtol=0, atol=5e-6)
                np.testing.assert_array_equal(head.output, head.weights)


def test_hiding_cls_and_sep_is_masking_them():
    head = recorded_layers(TIRED)[5][11]
    allowed = np.ones(head.weights.shape, dtype=bool)
    allowed[:, [0, -1]] = False
    masked = trace_attention(head.query, head.key, head.value, allowed, scale=head.scale).weights
    hidden = hide_special(TIRED.weights)
    assert hidden.weights.shape == (6, 12, 10, 10)
    np.testing.assert_allclose(hidden.weights[5, 11], masked[1:-1, 1:-1], rtol=0, atol=1e-5)


def test_hiding_says_how_much_of_each_row_is_not_shown():
    hidden = hide_special(np.array([[0.2, 0.3, 0.3, 0.2], [0.5, 0.1, 0.3, 0.1], [0.6, 0, 0, 0.4], [1, 0, 0, 0]]))
    np.testing.assert_allclose(hidden.weights, [[0.25, 0.75], [0, 0]], atol=1e-15)
    np.testing.assert_allclose(hidden.share, [0.6, 1.0], atol=1e-15)


def test_named_cells_by_hand():
    tokens = labelled("[CLS]", "it", "cat", "ran", "cat", "[SEP]")
    assert named_cells("previous_word", tokens) == [(2, 1), (3, 2), (4, 3)]
    assert named_cells("next_word", tokens) == [(1, 2), (2, 3), (3, 4)]
    assert named_cells("same_word", tokens) == [(2, 4), (4, 2)]
    assert named_cells("parking", tokens) == [(1, 0), (2, 0), (3, 0), (4, 0)]
    assert named_cells("it_to_cat", tokens) == [(1, 2), (1, 4)]
    assert named_cells("same_word", labelled("[CLS]", "the", "the", "[SEP]")) == []
