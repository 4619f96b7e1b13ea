"""The grammar, the model trained on it and its training; the hand-built kinds.

The stored weights are trained anew here, and everything the page says about the model is measured.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from attention_core import InputError
from attention_core.examples import example
from attention_core.sentences import grammar, kinds, model, train
from attention_core.sentences.tokenise import korean, words

ROOT = Path(__file__).resolve().parent.parent
LANGUAGES = grammar.LANGUAGES
TOKENISER = {"en": words, "ko": korean}
IT = {"en": "it", "ko": "그것"}
CAT = {"en": "cat", "ko": "고양이"}
MAT = {"en": "mat", "ko": "매트"}
TIRED = {
    "en": "The cat sat on the mat because it was tired",
    "ko": "그 고양이가 매트 위에서 잠을 잤는데, 그것은 매우 피곤해 보였다",
}
SOFT = {"en": TIRED["en"].replace("tired", "soft"), "ko": TIRED["ko"].replace("피곤해", "푹신해")}


def labels(text, language):
    return [token.label for token in TOKENISER[language](text).tokens]


def generated(language, count=400, held_out=False, seed=5):
    rng = np.random.default_rng(seed)
    return [grammar.generate(language, rng, held_out) for _ in range(count)]


def pointed(text, language, **options):
    """The weights of *it*, by word; a word that stands twice is kept once."""
    read = labels(text, language)
    _, (pointer,) = model.sentence(read, language, **options)
    return dict(zip(read, pointer.weights[read.index(IT[language])], strict=True))


def share_right(sentences, language, rows=lambda sentence: [sentence.pronoun], **options):
    """The share of rows whose largest weight lies on a right noun."""
    right = []
    for sentence in sentences:
        _, (pointer,) = model.sentence(sentence.words, language, **options)
        right += [pointer.weights[row].argmax() in sentence.about[row] for row in rows(sentence)]
    return np.mean(right)


def all_rows(sentence):
    return range(len(sentence.words))


def about_it(sentences, language):
    return [sentence for sentence in sentences if sentence.words[sentence.pronoun] == IT[language]]


# ---- the grammar


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_generated_sentence_reads_back_from_its_text(language):
    """So typing what the grammar writes gives the words the model was trained on."""
    for sentence in generated(language):
        text = grammar.as_text(sentence.words, language)
        assert [label.casefold() for label in labels(text, language)] == list(sentence.words), text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_of_the_grammar_is_in_the_vocabulary_once(language):
    vocabulary = grammar.vocabulary(language)
    assert len(set(vocabulary)) == len(vocabulary)
    for sentence in generated(language):
        assert set(sentence.words) <= set(vocabulary)
        assert len(sentence.words) <= model.LONGEST


def test_the_answers_of_the_cat_sentence():
    choose = TIRED["en"].lower().split()
    frame = grammar.parts(grammar.FRAMES["en"][0])
    chosen, gaps = iter(choose), []
    for part in frame:
        gaps.append(None if part.optional else next(chosen))
    sentence = grammar.fill(frame, "en", gaps)
    assert list(sentence.words) == choose
    assert sentence.about == ((1,), (1,), (1,), (5,), (5,), (5,), (6,), (1,), (1,), (1,))
    assert (sentence.pronoun, sentence.clue) == (7, 9)
    soft = grammar.fill(frame, "en", ["soft" if word == "tired" else word for word in gaps])
    assert soft.about[7] == (5,)
    comfortable = grammar.fill(frame, "en", ["comfortable" if word == "tired" else word for word in gaps])
    assert comfortable.about[7] == (1, 5)


def test_articles_and_particles_fit_the_sound_beside_them():
    for sentence in generated("en"):
        for word, following in zip(sentence.words, sentence.words[1:], strict=False):
            assert (word == "an") <= (following[0] in "aeiou")
            assert (word == "a") <= (following[0] not in "aeiou")
    together = {pair for s in generated("ko") for pair in zip(s.words, s.words[1:], strict=False)}
    assert {("고양이", "##가"), ("곰", "##이"), ("왕", "##을"), ("공주", "##를")} <= together
    assert not {("고양이", "##이"), ("곰", "##가"), ("왕", "##를"), ("공주", "##을")} & together


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_held_out_pair_of_noun_and_clue_is_ever_trained_on(language):
    def pairs(sentences):
        return {
            (sentence.words[noun], sentence.words[sentence.clue])
            for sentence in sentences
            if sentence.clue is not None and len(sentence.about[sentence.clue]) == 1
            for noun in sentence.about[sentence.clue]
        }

    trained, held_out = pairs(generated(language, 4000)), pairs(generated(language, 1000, held_out=True))
    assert not trained & held_out
    assert {noun for noun, _ in held_out} <= {noun for noun, _ in trained}  # only the pair is new
    assert {clue for _, clue in held_out} <= {clue for _, clue in trained}
    assert not {("cat", "tired"), ("mat", "soft"), ("고양이", "피곤해"), ("매트", "푹신해")} & trained


# ---- what the model has learned


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_finds_the_noun_of_pairs_it_never_saw(language):
    sentences = generated(language, 1000, held_out=True)
    assert share_right(sentences, language) >= 0.99
    assert share_right(sentences, language, all_rows) >= 0.99


@pytest.mark.parametrize("language", LANGUAGES)
def test_another_adjective_moves_it_from_the_cat_to_the_mat(language):
    tired, soft = pointed(TIRED[language], language), pointed(SOFT[language], language)
    assert tired[CAT[language]] > 0.8
    assert tired[MAT[language]] < 0.1
    assert soft[MAT[language]] > 0.8
    assert soft[CAT[language]] < 0.1


@pytest.mark.parametrize(("language", "word"), [("en", "comfortable"), ("ko", "편안해")])
def test_a_clue_that_fits_both_leaves_it_undecided(language, word):
    undecided = pointed(TIRED[language].replace("tired", word).replace("피곤해", word), language)
    cat, mat = undecided[CAT[language]], undecided[MAT[language]]
    assert min(cat, mat) > 0.2
    assert cat + mat > 0.75


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_the_free_layer_it_is_a_coin_flip(language):
    sentences = about_it(generated(language, 1000, held_out=True), language)
    assert 0.4 < share_right(sentences, language, free_layer=False) < 0.6
    tired, soft = (pointed(text[language], language, free_layer=False) for text in (TIRED, SOFT))
    # The pointer of *it* cannot know the adjective: the cat is ahead of the mat in both, or in neither.
    assert (tired[CAT[language]] > tired[MAT[language]]) == (soft[CAT[language]] > soft[MAT[language]])


@pytest.mark.parametrize(("language", "at_most"), [("en", 0.85), ("ko", 0.94)])
def test_without_positions_it_does_worse(language, at_most):
    sentences = generated(language, 500, held_out=True)
    assert share_right(sentences, language, all_rows, positions=False) < at_most
    determiners = ("the", "a", "an", "##이", "##가", "##을", "##를")  # which of the nouns is theirs?

    def rows(sentence):
        return [row for row, word in enumerate(sentence.words) if word in determiners]

    assert share_right(sentences, language, rows) > 0.99
    assert share_right(sentences, language, rows, positions=False) < 0.85


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_free_head_was_never_told_but_finds_the_clue(language):
    sentences = about_it(generated(language, 400, held_out=True), language)
    on_clue = [
        [head.weights[sentence.pronoun, sentence.clue] for head in model.sentence(sentence.words, language)[0]]
        for sentence in sentences
    ]
    assert np.mean(on_clue, axis=0).max() > 0.6


def test_its_limits_are_as_the_page_says():
    unknown_cat = pointed(TIRED["en"].replace("cat", "zebra"), "en")
    assert max(unknown_cat, key=unknown_cat.get) == "zebra"
    sentences = about_it(generated("en", 600, held_out=True), "en")
    nouns = {word for gap in ("animal", "thing") for word in grammar.GAPS["en"][gap]}

    def right_with(read):
        right = [
            model.sentence(read(s), "en")[1][0].weights[s.pronoun].argmax() in s.about[s.pronoun] for s in sentences
        ]
        return np.mean(right)

    no_nouns = right_with(lambda s: ["zzz" if word in nouns else word for word in s.words])
    no_clue = right_with(lambda s: [*s.words[: s.clue], "zzz", *s.words[s.clue + 1 :]])
    assert 0.3 < no_nouns < 0.7
    assert 0.4 < no_clue < 0.7


# ---- its interface


def test_every_head_is_an_ordinary_trace():
    n = 10
    free, (pointer,) = model.sentence(labels(TIRED["en"], "en"), "en")
    assert [head.query.shape for head in free] == [(n, 16), (n, 16)]
    assert pointer.value.shape == (n, 32)
    for head in (*free, pointer):
        np.testing.assert_allclose(head.weights.sum(axis=1), 1)
        np.testing.assert_allclose(head.scores, head.query @ head.key.T)
    # the layers hang together: the pointer reads the words plus what the free heads bring
    weights = model.load("en")
    x = weights["word"][model.numbers(labels(TIRED["en"], "en"), "en")] + weights["position"][:n]
    read = np.hstack([head.output for head in free])
    np.testing.assert_allclose(pointer.value, x + read @ weights["output"])


def test_a_mask_holds_in_both_layers():
    causal = np.tri(10, dtype=bool)
    free, (pointer,) = model.sentence(labels(TIRED["en"], "en"), "en", causal)
    for head in (*free, pointer):
        assert (head.weights[~causal] == 0).all()
    tired, soft = (model.sentence(labels(t["en"], "en"), "en", causal)[1][0] for t in (TIRED, SOFT))
    np.testing.assert_array_equal(tired.weights[7], soft.weights[7])  # it cannot see the adjective


def test_without_the_free_layer_its_tuple_is_empty():
    layers = model.sentence(["the", "cat"], "en", free_layer=False)
    assert [len(heads) for heads in layers] == [0, 1]


def test_without_positions_order_only_reorders():
    read = labels(TIRED["en"], "en")
    order = np.random.default_rng(0).permutation(len(read))
    (*_, straight), (*_, shuffled) = (
        [head for heads in model.sentence(text, "en", positions=False) for head in heads]
        for text in (read, [read[i] for i in order])
    )
    np.testing.assert_allclose(shuffled.weights, straight.weights[np.ix_(order, order)], atol=1e-12)


def test_unknown_words_have_number_0_and_capitals_do_not_matter():
    assert model.numbers(["zorp", "[unk]", "attentionattent…"], "en") == [0, 0, 0]
    assert model.numbers(["The"], "en") == model.numbers(["the"], "en") != [0]
    assert model.sentence(["zorp"], "en")[1][0].weights == [[1]]


@pytest.mark.parametrize("count", [0, model.LONGEST + 1])
def test_no_or_too_many_words_are_refused(count):
    with pytest.raises(InputError) as refusal:
        model.sentence(["cat"] * count, "en")
    assert refusal.value.details == {"length": count, "longest": model.LONGEST}


def test_an_unknown_language_is_refused():
    with pytest.raises(InputError, match="'fr'"):
        model.sentence(["chat"], "fr")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_stored_weights_are_small_and_half_precise(language):
    file = model.weights_file(language)
    assert file.stat().st_size <= 40_000
    with np.load(file) as stored:
        assert {stored[name].dtype for name in stored.files} == {np.dtype(np.float16)}
        assert stored["word"].shape == (len(grammar.vocabulary(language)), model.WIDTH)
    assert not model.load(language)["word"].flags.writeable


# ---- its training


def batch(language="en", count=6):
    """Small random weights, and a batch with padding, unknown words, late beginnings, free layers skipped."""
    rng = np.random.default_rng(2)
    weights = {name: 0.5 * array for name, array in train.start(language, rng).items()}
    read, answers = train.sentences(language, rng, count=count)
    read[0, 1] = 0
    assert (read < 0).any()
    first = rng.integers(train.LONGEST - (read >= 0).sum(1) + 1)
    return weights, read, first, np.arange(count) % 3 == 0, answers


def test_the_gradient_is_that_of_finite_differences():
    weights, *rest = batch()
    _, _, gradient = train.loss_and_gradient(weights, *rest)
    rng = np.random.default_rng(3)
    step = 1e-5
    for name, array in weights.items():
        used = np.argwhere(gradient[name] != 0)
        for cell in map(tuple, rng.choice(used, 12)):
            original = array[cell]
            losses = []
            for array[cell] in (original + step, original - step):
                losses.append(train.loss_and_gradient(weights, *rest)[0])
            array[cell] = original
            slope = (losses[0] - losses[1]) / (2 * step)
            assert slope == pytest.approx(gradient[name][cell], rel=1e-5, abs=1e-9), (name, cell)


def test_training_computes_what_the_page_shows():
    weights, read, first, skip, answers = batch()
    _, pointed_at, _ = train.loss_and_gradient(weights, read, np.zeros_like(first), skip, answers)
    vocabulary = grammar.vocabulary("en")
    for i, row in enumerate(read):
        shown = [vocabulary[number] for number in row if number >= 0]
        _, (pointer,) = model.sentence(shown, "en", free_layer=not skip[i], weights=weights)
        n = len(shown)
        np.testing.assert_allclose(pointed_at[i, :n, :n], pointer.weights, atol=1e-12)
        assert (pointed_at[i, :, n:] == 0).all()


def test_accuracy_counts_words_and_no_padding():
    answers = np.zeros((1, 3, 3))
    answers[0, :2, :2] = [[0.95, 0.05], [0.5, 0.5]]
    pointer = np.array([[[0.2, 0.8, 0], [0.1, 0.9, 0], [1, 0, 0]]])
    assert train.accuracy(pointer, answers) == 0.5


@pytest.fixture(scope="module")
def retrained(tmp_path_factory):
    """Both languages trained by the command itself, side by side: {language: (file, what it printed)}."""
    folder = tmp_path_factory.mktemp("weights")
    command = [sys.executable, "-m", "attention_core.sentences.train"]
    running = {
        language: subprocess.Popen(
            [*command, language, str(folder / f"{language}.npz")],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONIOENCODING": "utf-8"},
        )
        for language in LANGUAGES
    }
    printed = {language: process.communicate(timeout=300)[0] for language, process in running.items()}
    assert [process.returncode for process in running.values()] == [0, 0]
    return {language: (folder / f"{language}.npz", printed[language]) for language in LANGUAGES}


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_training_again_gives_the_stored_weights(language, retrained):
    with np.load(retrained[language][0]) as stored:
        again = {name: stored[name].astype(np.float64) for name in stored.files}
    assert again.keys() == model.load(language).keys()
    for sentence in generated(language, 100, held_out=True):
        for heads, heads_again in zip(
            model.sentence(sentence.words, language),
            model.sentence(sentence.words, language, weights=again),
            strict=True,
        ):
            for head, head_again in zip(heads, heads_again, strict=True):
                np.testing.assert_allclose(head_again.weights, head.weights, atol=1e-3)


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_training_shows_loss_and_accuracy_as_it_goes(language, retrained):
    printed = retrained[language][1]
    progress = re.findall(r"\[(#*) *\] (\d+)/(\d+)  loss (\d\.\d+)  right (\d+\.\d)%", printed)
    assert len(progress) == train.STEPS
    assert len(progress[0][0]) < len(progress[-1][0])
    assert float(progress[-1][3]) < float(progress[0][3])
    assert float(progress[0][4]) < 50 < 90 < float(progress[-1][4])
    held_out = re.search(r"^held-out .*: (\d+\.\d+)% of the words right$", printed, re.MULTILINE)
    assert float(held_out[1]) >= 99


def test_training_asks_for_a_language_it_knows(capsys):
    assert train.main(["fr"]) == 2
    assert "en|ko" in capsys.readouterr().err


# ---- the hand-built kinds


def test_the_kinds_reproduce_the_toy_example():
    read = words("The cat sat on the mat because it was tired").tokens
    guessed = [kinds.guess_kind(token.label) for token in read]
    assert guessed == [
        *("function", "animate", "verb", "function", "function", "thing", "function"),
        *("pronoun", "verb", "adjective"),
    ]
    ((head,),) = kinds.sentence(guessed, kinds.seek_table())
    toy = example("cat_toy")
    np.testing.assert_array_equal(head.query, toy.query)
    np.testing.assert_allclose(head.weights[7, [1, 7, 5]], [0.397, 0.175, 0.117], atol=5e-4)


def test_one_seek_entry_moves_it_to_the_mat():
    seeks = kinds.seek_table()
    seeks[kinds.KINDS.index("pronoun"), kinds.KINDS.index("thing")] = 9
    guessed = [kinds.guess_kind(token.label) for token in words(TIRED["en"]).tokens]
    ((head,),) = kinds.sentence(guessed, seeks)
    assert head.weights[7, 5] == pytest.approx(0.504, abs=5e-4)


def test_korean_words_have_kinds_too():
    assert [kinds.guess_kind(label) for label in ("고양이", "매트", "그것", "##가", "보였다", "zorp")] == [
        *("animate", "thing", "pronoun", "function", "verb", "function"),
    ]


@pytest.mark.parametrize(
    ("given", "seeks", "reason"),
    [
        (["animal"], np.eye(6), "unknown_kind"),
        (["thing"], np.eye(5), "seek_table_shape"),
        ([], np.eye(6), "not_a_matrix"),
        (["thing"], np.full((6, 6), np.nan), "not_finite"),
    ],
)
def test_bad_kinds_and_tables_are_refused(given, seeks, reason):
    with pytest.raises(InputError) as refusal:
        kinds.sentence(given, seeks)
    assert refusal.value.reason == reason
