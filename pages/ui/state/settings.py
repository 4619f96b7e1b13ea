"""What a visitor has set on a page as one value, a mapping of field names to texts, and everything made from it.

A link is that value in an address, a file is that value in JSON, undo is a list of such values. A page declares its
fields once, as a ``Page``, and has all of these. Texts from outside are not trusted: every field is checked, and one
that cannot be used is named and left at what it was.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from attention_core import InputError
from pages.ui.state.fields import Field, Mask, Matrix, Text
from pages.ui.state.history import History
from pages.ui.state.links import CHECK, KEPT, checksum
from pages.ui.state.matrices import matrix_of, painted_mask, put_mask, put_matrix, start_anew
from pages.ui.state.session import asked_in_link, forget, is_kept, keep, kept
from pages.ui.text import clean_label

Values = dict[str, object]  #: by field name; what is not set is missing
Texts = dict[str, str]
Problems = list[tuple[str, InputError]]  #: by the name of a field, of a file, or of what is no field


@dataclass(frozen=True)
class Page:
    """What can be set on a page, and what it is at first. Its name is its lesson's."""

    name: str
    fields: tuple[Field, ...] = ()
    #: start(words, values) has every value as the start asked for in these has it: an example, a language's sentence
    start: Callable[[Callable[[str], str], Values], Values] = lambda words, values: {}
    opening: Mapping[str, object] = ()  #: what is set otherwise when a page is opened and nothing is asked for
    #: fit(values, asked) changes values that others do not allow and returns what was wrong with those asked for
    fit: Callable[[Values, set[str]], Problems] = lambda values, asked: []
    in_use: Callable[[Values], Values] = dict  #: in_use(values) has those that count as things are, as they count
    #: on_put(before, values) is called when some were set by something else than their controls
    on_put: Callable[[Values, Values], None] = lambda before, values: None

    def key(self, name: str) -> str:
        """What a setting is called in the session, and its control in the browser."""
        return f"{self.name}_{name}"

    def field(self, name: str) -> Field:
        return next(field for field in self.fields if field.name == name)

    def first(self, words: Callable[[str], str], values: Values = {}) -> Values:  # noqa: B006 - never changed
        """Every value at its first, as the start asked for in these values has it."""
        plain = {field.name: field.first for field in self.fields}
        return plain | self.start(words, plain | values)


def values_of(page: Page) -> Values:
    """The last good value of everything that is set on the page now."""
    values = {field.name: _value(page, field) for field in page.fields}
    return {name: value for name, value in values.items() if value is not None}


def _value(page: Page, field: Field):
    key = page.key(field.name)
    match field.kind:
        case Matrix():
            return matrix_of(key) if is_kept(key) else None
        case Mask():
            return painted_mask(page.name)
        case Text() if is_kept(key):
            try:
                good = field.read(kept(key, "") or "")
            except InputError:
                return kept(f"{key}_good", field.first)
            keep(f"{key}_good", good)
            return good
    return kept(key, None) if is_kept(key) else None


def put(page: Page, values: Values, is_new: bool = False) -> None:
    """Set things by something other than their own controls; None forgets them. Of new matrices nothing was cut off."""
    before = values_of(page)
    for field in page.fields:
        if field.name not in values or isinstance(field.kind, Mask) or field.name == "rule":
            continue
        key, value = page.key(field.name), values[field.name]
        if value is None:
            forget(key)
        elif isinstance(field.kind, Matrix):
            put_matrix(key, value, is_new)
        else:
            keep(key, value)
    if "rule" in values or "mask" in values:
        put_mask(page.name, values.get("rule") or "full", values.get("mask"))
    page.on_put(before, values)


def used_values(page: Page) -> Values:
    """What counts of everything that is set on the page now, as it counts: what links and undo carry."""
    return page.in_use(values_of(page))


def texts_of(page: Page, words: Callable[[str], str], values: Values) -> Texts:
    """What differs in these values from the page's start, as texts."""
    first, texts = page.first(words, values), {}
    for field in page.fields:
        if field.name in values:
            text = field.write(values[field.name])
            if field.is_always or first.get(field.name) is None or text != field.write(first[field.name]):
                texts[field.name] = text
    return texts


def read(page: Page, words: Callable[[str], str], texts: Texts) -> tuple[Values, Problems]:
    """Every value of the page as these texts ask for it, and which of them cannot be used."""
    asked, problems = {}, []
    for field in page.fields:
        if field.name in texts:
            try:
                asked[field.name] = field.read(texts[field.name])
            except InputError as error:
                problems.append((field.name, error))
    values = page.first(words, asked) | asked
    problems += page.fit(values, set(asked))
    return values, problems + unknown_names(texts, page.fields)


def begin(page: Page, words: Callable[[str], str]) -> None:
    """Set the page as it opens when nothing is asked for."""
    start_anew(page.name)
    put(page, page.first(words) | dict(page.opening), is_new=True)


def take_link(page: Page, words: Callable[[str], str]) -> None:
    """Take over what the address asks for, once in a visit."""
    if is_kept(page.key("problems")):
        return
    asked = asked_in_link()
    if key := asked.pop(KEPT, ""):  # the browser is asked for it, and until then the page opens as ever
        keep(page.key("wanted"), key)
    if asked:
        take_texts(page, words, asked)
    else:
        begin(page, words)
        keep(page.key("problems"), [])


def take_texts(page: Page, words: Callable[[str], str], texts: Texts, in_browser: bool = False) -> None:
    """Take over what a link asks for; one that is kept ``in_browser`` may be forgotten."""
    if in_browser and not texts:
        keep(page.key("problems"), [(KEPT, InputError("link_forgotten", "this browser does not have the link"))])
        return
    cut = texts.pop(CHECK, None) not in (None, checksum(texts))
    problems = [(CHECK, InputError("link_changed", "the link is not as it was made: cut short, or changed"))] * cut
    keep(page.key("problems"), problems + _take(page, words, texts))


def _take(page: Page, words: Callable[[str], str], texts: Texts) -> Problems:
    values, problems = read(page, words, texts)
    start_anew(page.name)
    keep(page.key("asked"), sorted(texts))
    put(page, values, is_new=True)
    return problems


def take_file(page: Page, words: Callable[[str], str], content: bytes) -> Problems:
    """Set the page from a saved file's bytes; returns what in it cannot be used."""
    try:
        saved = json.loads(content.decode("utf-8-sig"))
    except (UnicodeDecodeError, ValueError, RecursionError):
        return [("file", InputError("not_json", "the file is not JSON text"))]
    if not isinstance(saved, dict) or "attention_lab" not in saved:
        return [("file", InputError("not_our_file", "the file was not saved by this app"))]
    names = {field.name for field in page.fields}
    texts = {name: text for name, text in saved.items() if name in names and isinstance(text, str)}
    if isinstance(saved.get("answers"), dict):  # the exercises take them over
        keep("recalled", {code: text for code, text in saved["answers"].items() if isinstance(text, str)})
        keep("recalled_anew", True)
    return _take(page, words, texts) + unknown_names(set(saved) - set(texts) - {"attention_lab", "answers"})


def unknown_names(names: Iterable[str], fields: tuple[Field, ...] = ()) -> Problems:
    """Those names in a link or file that are no setting of the page."""
    unknown = sorted(set(names) - {field.name for field in fields})
    return [(clean_label(name), InputError("unknown_field", f"{name} is not a field of this page")) for name in unknown]


def note_step(page: Page, values: Values) -> None:
    """Note these values for undo and redo, if they are new; views are no step. Called when a run's changes are in."""
    now = {f.name: f.write(values[f.name]) for f in page.fields if f.name in values and not f.is_view}
    key = page.key("history")
    keep(key, kept(key, History((now,))).noted(now))


def step(page: Page, by: int) -> bool:
    """Some steps back (below 0) or forward again; whether there was anything to go to."""
    key = page.key("history")
    history = kept(key, None)
    moved = history and history.moved(by)
    if not moved:
        return False
    keep(key, moved)
    was = {field.name: None for field in page.fields if not (field.is_view or isinstance(field.kind, Matrix))}
    was |= {field.name: field.read(moved.now[field.name]) for field in page.fields if field.name in moved.now}
    put(page, was)
    return True


def too_high(values: Values, name: str, count: int, low: int = 0) -> Problems:
    """Takes out a place beyond the last of ``count``, which are counted from ``low``; returns what was wrong."""
    high = low + count - 1
    if (values.get(name) or 0) <= high:
        return []
    value = values.pop(name)
    return [(name, InputError("out_of_range", f"{value} is not in {low} ... {high}", value=value, low=low, high=high))]


def wrong_mask(values: Values, n_query: int, n_key: int) -> Problems:
    """Takes out a mask of another size; returns what was wrong."""
    mask = values.get("mask")
    if mask is None or np.shape(mask) == (n_query, n_key):
        return []
    shape = np.shape(values.pop("mask"))
    message = f"the mask has shape {shape}, expected {(n_query, n_key)}"
    return [("mask", InputError("mask_shape", message, expected=(n_query, n_key), shape=shape))]
