"""The rules that make a mask: their settings as fields, and the limits that the number of tokens sets these."""

from attention_core import InputError, masks
from attention_core.sentences.tokenise import DRAW_AT_MOST
from pages.ui.state.fields import Choice, Field, Mask, Text, Whole
from pages.ui.state.settings import Problems, Values

RULES = (*masks.RULES, "custom")  #: "custom" is painted by hand
#: A second rule can be combined with any but these: one hides nothing, the other is what was painted.
ALONE = ("full", "custom")


def settings_of(rule: str) -> dict[str, masks.Number | masks.Choice | None]:
    """The settings of a rule by name; what was painted by hand has none."""
    return dict(masks.RULES[rule].settings) if rule in masks.RULES else {}


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
        raise InputError(
            "document_count", f"{count} numbers are needed, got {len(numbers)}", count=count, given=len(numbers)
        )
    return numbers


def documents_used(text: str, count: int) -> list[int]:
    """The last good numbers where there are other tokens by now: as many of them as there is room for."""
    return (document_numbers(text) + [1] * count)[:count]


def _field(name: str, setting: masks.Number | masks.Choice | None) -> Field:
    if isinstance(setting, masks.Number):
        return Field(name, Whole(setting.low, DRAW_AT_MOST), label=f"mask_{name}")
    if setting is None:
        return Field(name, Text(check=document_numbers), label="documents")
    return Field(name, Choice(setting.options, f"mask_{name}"), label=f"mask_{name}")


#: One for each setting that a rule has.
RULE_FIELDS = tuple(
    _field(*item) for item in {name: kind for rule in RULES for name, kind in settings_of(rule).items()}.items()
)


def rule_fields(*rules: str) -> tuple[Field, ...]:
    """Which of these rules makes the mask, their settings, and the mask where something else made it."""
    rule = Field("rule", Choice(rules, "rule"), "full", label="mask")
    return rule, *RULE_FIELDS, Field("mask", Mask(), label="mask_grid")


def limits_of(setting: masks.Number, n_query: int, n_key: int) -> Whole:
    """Of a setting that is a number, among so many tokens."""
    return Whole(setting.low, setting.high(n_query, n_key), setting.reason)


def used_settings(values: Values) -> set[str]:
    """The settings of the rules that are chosen."""
    used = set(settings_of(values.get("rule") or "full"))
    if values.get("rule") not in (None, *ALONE) and values.get("combine", "alone") != "alone" and values.get("second"):
        used |= {"second", *(f"second_{name}" for name in settings_of(values["second"]))}
    return used


def rules_in_use(values: Values, n_query: int, n_key: int) -> Values:
    """The values without settings of rules that are not chosen, the others as they count among so many tokens."""
    used = used_settings(values)
    left_out = {"second", *(f"{which}{field.name}" for field in RULE_FIELDS for which in ("", "second_"))} - used
    in_use = {name: value for name, value in values.items() if name not in left_out}
    for name in used & set(in_use):
        match _setting(values, name):
            case masks.Number() as setting:
                in_use[name] = limits_of(setting, n_query, n_key).nearest(in_use[name])
            case None:
                in_use[name] = " ".join(map(str, documents_used(in_use[name], max(n_query, n_key))))
    return in_use


def _setting(values: Values, name: str) -> masks.Number | masks.Choice | str | None:
    """What is in RULES about a setting of one of the rules that are chosen."""
    rule = values["second" if name.startswith("second_") else "rule"]
    return settings_of(rule).get(name.removeprefix("second_"), "the second rule itself")


def fit_rules(values: Values, asked: set[str], n_query: int, n_key: int) -> Problems:
    """Takes out settings of the chosen rules that so many tokens do not allow; returns what was wrong."""
    problems: Problems = []
    for name in sorted(used_settings(values) & asked):
        try:
            match _setting(values, name):
                case masks.Number() as setting:
                    limits_of(setting, n_query, n_key).check(values[name])
                case None:
                    documents_of(values[name], max(n_query, n_key))
        except InputError as error:
            values[name] = None
            problems.append((name, error))
    return problems
