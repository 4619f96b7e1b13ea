"""What a visitor has set on the sentence page, as a link and back, with undo.

State is only what was put in; the tokens and all numbers follow from it.
"""

import json

import numpy as np

from attention_core import InputError
from attention_core.sentences.clean_text import READ_AT_MOST
from attention_core.sentences.kinds import KINDS, seek_table
from attention_core.sentences.recorded import recorded_sentences

from . import share
from .inputs import MOST_SCALE, matrix_of, painted_mask, put_mask, put_matrix, settings_of
from .share import (
    RULE_FIELDS,
    STAGE,
    Field,
    field_text,
    integer_in,
    number_in,
    one_of,
    read_cells,
    read_flag,
    rule_fields,
    written_matrix,
)
from .shell import Lesson, is_kept, keep, kept
from .text import clean_label, whole

PREFIX = "sentences"
SOURCES = ("trained", "kinds", "table", "recorded", "live", "random")
TOKENISERS = ("words", "korean", "characters", "bytes", "bpe")
MOST_MERGES = 200
RULES = ("full", "causal", "window", "only_self", "custom")
RULES_OF_TABLE = ("full", "causal", "custom")  #: its queries are no part of its keys
#: Where a source has several heads, the one to begin with: (layer, head).
FIRST_HEAD = {"trained": (1, 0), "recorded": (5, 11), "live": (5, 11)}
#: Heads in each layer of a source; any other has one.
HEADS = {"trained": (2, 1), "recorded": (12,) * 6, "live": (12,) * 6}
#: name -> (sentence, how it is cut)
PRESETS = {
    "tired": ("The cat sat on the mat because it was tired", "words"),
    "soft": ("The cat sat on the mat because it was soft", "words"),
    "love": ("I love AI", "words"),
    "merges": ("low low low low low lower lower newest newest newest newest newest newest widest widest widest", "bpe"),
    "ko_cat": ("그 고양이가 매트 위에서 잠을 잤는데, 그것은 매우 편안해 보였다", "korean"),
    "ko_tired": ("그 고양이가 매트 위에서 잠을 잤는데, 그것은 매우 피곤해 보였다", "korean"),
    "ko_soft": ("그 고양이가 매트 위에서 잠을 잤는데, 그것은 매우 푹신해 보였다", "korean"),
    "ko_apple": ("민지는 사과를 깎아서 그것을 친구에게 주었다", "korean"),
    "ko_soccer": ("나는 어제 친구와 공원에서 축구를 했다", "words"),
    "ko_deadline": ("신청 기한은 연장됐지만 지원 자격은 그대로다", "korean"),
}
#: Those whose words the trained models know; the others are read with the hand-built kinds at first.
PRESETS_OF_GRAMMAR = ("tired", "soft", "ko_cat", "ko_tired", "ko_soft")


def _text(text: str) -> str:
    return whole(text)[:READ_AT_MOST]


def _seeks(text: str) -> np.ndarray:
    matrix = read_cells(text)
    if matrix.shape != (len(KINDS), len(KINDS)):
        raise InputError("seek_table_shape", f"the table must be 6 x 6, got {matrix.shape}", shape=matrix.shape)
    return matrix


def _kinds(text: str) -> dict[str, str]:
    """{"cat": "thing"}: the words whose kind is not the guessed one."""
    try:
        kinds = json.loads(text)
    except (ValueError, RecursionError):
        kinds = None
    if not isinstance(kinds, dict) or not all(kind in KINDS for kind in kinds.values()):
        raise InputError("unknown_choice", "expected kinds of words", text=clean_label(text), options=", ".join(KINDS))
    return {whole(word): kind for word, kind in kinds.items()}


FIELDS = (
    Field("source", one_of(*SOURCES), "trained", options="source"),
    Field("text", _text, ""),
    Field("tokeniser", one_of(*TOKENISERS), "words", options="tokeniser"),
    Field("merges", integer_in(0, MOST_MERGES), 10),
    Field("free_layer", read_flag, True),
    Field("positions", read_flag, True),
    Field("kinds", _kinds, {}),
    Field("seeks", _seeks, label="seen_seeks"),
    Field("recorded", integer_in(0, len(recorded_sentences()) - 1), 0),
    Field("special_hidden", read_flag, False),
    Field("seed", integer_in(0, 999_999), 1, label="seed_box"),
    Field("slope", number_in(-100, 100), 0.0),
    Field("temperature", number_in(1 / MOST_SCALE, MOST_SCALE), 1.0),
    *rule_fields(*RULES),
    Field("layer", integer_in(0, 99), 1),
    Field("head", integer_in(0, 99), 0),
    Field("row", integer_in(0, 63), is_view=True, label="choose_row"),
    Field("column", integer_in(0, 63), 0, is_view=True, label="choose_column"),
    STAGE,
    Field("transposed", read_flag, False, is_view=True),
)


def of(name: str):
    """What the visitor has set under this name."""
    return kept(f"{PREFIX}_{name}", None)


def put(**values) -> None:
    """Set things by something other than their own widgets."""
    for name, value in values.items():
        keep(f"{PREFIX}_{name}", value)


def first(lesson: Lesson) -> dict:
    """Every setting as the page opens: the cat sentence in the visitor's language, read by the trained model."""
    text, tokeniser = PRESETS["ko_tired" if lesson.language == "ko" else "tired"]
    return {field.name: field.first for field in FIELDS if field.name != "mask"} | {
        "text": text, "tokeniser": tokeniser, "seeks": seek_table()
    }  # fmt: skip


def follow_words() -> None:
    """Keep the chosen words, and what was painted between words, when [CLS] before them comes or goes."""
    is_hidden = bool(of("special_hidden"))
    if (painted := painted_mask(PREFIX)) is not None:
        cells = np.array(painted)
        put_mask(PREFIX, of("rule"), cells[1:-1, 1:-1] if is_hidden else np.pad(cells, 1, constant_values=True))
        put(painted_for=None)
    step = -1 if is_hidden else 1
    put(**{side: max(0, of(side) + step) for side in ("row", "column") if of(side) is not None})


def apply(values: dict) -> None:
    """Set everything at once: at first, from a link, by undo."""
    was_hidden = bool(of("special_hidden"))
    for name, value in values.items():
        if name == "seeks":
            put_matrix(f"{PREFIX}_seeks", value)
        elif name not in ("mask", "rule") and value is not None:
            keep(f"{PREFIX}_{name}", value)
    if "row" in values:
        put(row=values["row"])
    elif bool(of("special_hidden")) != was_hidden:
        follow_words()
    put_mask(PREFIX, values.get("rule", "full"), values.get("mask"))
    put(painted_for=None)  # the mask belongs to the sentence that came with it


def _heads(asked: dict) -> tuple[int, int]:
    """How many layers the source that a link asks for has, and heads the layer."""
    heads = HEADS.get(asked.get("source", SOURCES[0]), (1,))
    layer = asked.get("layer", FIRST_HEAD.get(asked.get("source", SOURCES[0]), (0, 0))[0])
    return len(heads), heads[min(layer, len(heads) - 1)]


def open_link(lesson: Lesson) -> None:
    """Take over what the address asks for, once in a visit."""
    if not is_kept(f"{PREFIX}_problems"):
        asked, problems = share.read_asked(FIELDS)
        for name, count in zip(("layer", "head"), _heads(asked), strict=True):
            problems += share.too_high(asked, name, count)
        if asked.get("source") == "table" and asked.get("rule", "full") not in RULES_OF_TABLE:
            options = ", ".join(RULES_OF_TABLE)
            message = f"the table has only the rules {options}"
            problems.append(("rule", InputError("unknown_choice", message, text=asked.pop("rule"), options=options)))
        values = first(lesson) | asked
        if "source" in asked and "layer" not in asked:
            values["layer"], values["head"] = FIRST_HEAD.get(values["source"], (0, 0))
        apply(values)
        put(problems=problems, asked={name: asked[name] for name in ("mask", "row", "column") if name in asked})
    put(text=whole(of("text") or ""))  # half characters cannot be sent to a browser


def say_problems(lesson: Lesson, n_query: int, n_key: int) -> None:
    """What in the link cannot be used. Its mask, row and column can be judged only when the text is cut."""
    asked = of("asked")
    if asked and n_query and (beyond := share.beyond(asked, n_query, n_key)):
        put(problems=of("problems") + beyond)
        if "mask" not in asked and any(name == "mask" for name, _ in beyond):
            put_mask(PREFIX, of("rule"))
        put(**{name: None for name, _ in beyond if name == "row"})
    put(asked={} if not asked or "row" in asked else {name: asked[name] for name in asked if name == "column"})
    share.say_problems(lesson, PREFIX, FIELDS)


def snapshot(views: bool = True) -> dict:
    """The value of every setting that is in use."""
    used = settings_of(of("rule"))
    values = {}
    for field in FIELDS:
        if field in RULE_FIELDS and field.name not in used:
            continue
        if field.name == "seeks":
            values["seeks"] = matrix_of(f"{PREFIX}_seeks")
        elif field.name == "mask":
            values["mask"] = painted_mask(PREFIX) if of("rule") == "custom" or painted_mask(PREFIX) else None
        elif (views or not field.is_view) and of(field.name) is not None:
            values[field.name] = of(field.name)
    return values


def texts(values: dict) -> dict[str, str]:
    """Settings as a link writes them; what stands at its first value is left out, but never the text."""
    written = {}
    for field in FIELDS:
        value = values.get(field.name)
        if field.name == "seeks":
            if not np.array_equal(value, seek_table()):
                written["seeks"] = written_matrix(value)
        elif field.name == "mask":
            if value is not None:
                written["mask"] = ";".join("".join("01"[cell] for cell in row) for row in value)
        elif field.name == "kinds":
            if value:
                written["kinds"] = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        elif value is not None and (field.name in ("layer", "head") or value != field.first):
            written[field.name] = field_text(value)
    return written


def undo_reset_share(lesson: Lesson) -> None:
    """Steps back and forward, all as at first, a link. Stands at the page's end, when this run's changes are in."""
    share.remember(PREFIX, snapshot(views=False), texts)
    share.undo_reset_share(lesson, PREFIX, apply, first(lesson), lambda: texts(snapshot()))
