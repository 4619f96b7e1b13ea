"""The rules that make a mask: their settings as fields, and the limits that the number of tokens sets these."""

from attention_core import InputError

from .engine import Problems, Values
from .fields import MOST, Choice, Field, Mask, Text, Whole

RULE_SETTINGS = {
    "full": (),
    "causal": ("corner",),
    "window": ("left", "right", "corner"),
    "padding": ("length", "side"),
    "prefix": ("length", "corner"),
    "dilated": ("step", "corner"),
    "only_self": ("corner",),
    "documents": ("documents",),
    "custom": (),
}
#: A second rule can be combined with any but these: one hides nothing, the other is what was painted.
ALONE = ("full", "custom")


def document_numbers(text: str) -> list[int]:
    """The numbers in "1 1 2" or "1, 1, 2"; which numbers they are does not matter, only which are equal."""
    numbers = text.replace(",", " ").split()
    for number in numbers:
        if not number.isdecimal() or len(number) > 9:
            raise InputError("not_a_document", f"{number!r} is not a whole number of at most 9 digits", text=number)
    return [int(number) for number in numbers]


def documents_of(text: str, count: int) -> list[int]:
    """A document number for each of so many tokens."""
    numbers = document_numbers(text)
    if len(numbers) != count:
        raise InputError("document_count", f"{count} numbers are needed, got {len(numbers)}", count=count, given=len(numbers))
    return numbers


RULE_FIELDS = (
    Field("left", Whole(0, MOST), label="mask_left"),
    Field("right", Whole(0, MOST), label="mask_right"),
    Field("length", Whole(0, MOST), label="mask_length"),
    Field("step", Whole(1, MOST), label="mask_step"),
    Field("side", Choice(("right", "left"), "mask_side"), label="mask_side"),
    Field("corner", Choice(("top", "bottom"), "mask_corner"), label="mask_corner"),
    Field("documents", Text(check=document_numbers), label="documents"),
)


def rule_fields(*rules: str) -> tuple[Field, ...]:
    """Which of these rules makes the mask, their settings, and the mask where something else made it."""
    rule = Field("rule", Choice(rules, "rule"), "full", label="mask")
    return rule, *RULE_FIELDS, Field("mask", Mask(), label="mask_grid")


def limits_of(n_query: int, n_key: int) -> dict[str, Whole]:
    """Of the settings that are numbers, among so many tokens."""
    longest = max(n_query, n_key)
    return {
        "left": Whole(0, longest - 1, "left_too_far"),
        "right": Whole(0, longest - 1, "right_too_far"),
        "length": Whole(0, n_key, "too_many_real"),
        "step": Whole(1, longest),
    }


def used_settings(values: Values) -> set[str]:
    """The settings of the rules that are chosen."""
    used = set(RULE_SETTINGS[values.get("rule") or "full"])
    if values.get("rule") not in (None, *ALONE) and values.get("combine", "alone") != "alone" and values.get("second"):
        used |= {"second", *(f"second_{name}" for name in RULE_SETTINGS[values["second"]])}
    return used


def fit_rules(values: Values, asked: set[str], n_query: int, n_key: int) -> Problems:
    """Takes out settings of the chosen rules that so many tokens do not allow; returns what was wrong."""
    problems: Problems = []
    for name in sorted(used_settings(values) & asked):
        setting = name.removeprefix("second_")
        try:
            if setting in (limits := limits_of(n_query, n_key)):
                limits[setting].check(values[name])
            elif setting == "documents":
                documents_of(values[name], max(n_query, n_key))
        except InputError as error:
            values[name] = None
            problems.append((name, error))
    return problems
