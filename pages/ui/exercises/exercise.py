"""What a task is, without words, and how to see whether it is there; each lesson has a module of its own tasks.

Every check is a function of plain facts, so it can be tried on any answer. Options and reasons are codes;
their words, like the questions, hints and explanations, are in pages/text/*/exercises.md.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from attention_core import AttentionTrace, default_scale, softmax
from attention_core.examples import example


@dataclass(frozen=True)
class Exercise:
    """One question.

    kind
        "guess": an option (or a number) is chosen, then locked, and only then shown. "choice": an option and
        a reason, both right; "impossible" may be the right option. "state": what is on screen has to pass
        ``check``, and the reason has to be right. "numbers": each number has to pass its own check.
    """

    code: str  #: lesson and letter, as in "1a"; "1p" is the poll of lesson 1
    kind: str
    options: tuple[str, ...] = ()
    right: str = ""  #: the right option
    reasons: tuple[str, ...] = ()
    reason: str = ""  #: the right reason
    numbers: Mapping[str, Callable[[float], bool]] = field(default_factory=dict)
    example: str = ""  #: a state's own start, by its name on the lesson's page; "" is the page as it opens
    fixed: tuple[str, ...] = ()  #: what has to stay as in the example; see ``changed``
    facts: tuple[str, ...] = ("trace",)  #: the names of what ``check`` looks at
    check: Callable[..., bool] | None = None
    watch: Callable[..., dict[str, object]] | None = None  #: what of a state is told, by name; see ``watched``


#: The fixed parts of a state that is reached by matrices alone, not by a mask or another scale; see ``changed``.
AS_DEFINED = ("allowed", "scale", "softmax")


def changed(exercise: Exercise, trace: AttentionTrace) -> tuple[str, ...]:
    """Which fixed parts are not as the exercise has them.

    "query", "key" and "value" have to be the example's. "allowed" means that nothing may be masked, "scale"
    that scores are divided by √d, "softmax" that each row of weights is the softmax of its scores.
    """
    start = example(exercise.example) if {"query", "key", "value"} & set(exercise.fixed) else None
    same = {
        "query": lambda: np.array_equal(trace.query, start.query),
        "key": lambda: np.array_equal(trace.key, start.key),
        "value": lambda: np.array_equal(trace.value, start.value),
        "allowed": lambda: bool(trace.allowed.all()),
        "scale": lambda: bool(np.isclose(trace.scale, default_scale(trace.query.shape[1]), rtol=1e-9)),
        "softmax": lambda: bool(np.allclose(trace.weights, softmax(trace.masked))),
    }
    return tuple(part for part in exercise.fixed if not same[part]())


def reached(exercise: Exercise, facts: Mapping[str, object]) -> bool:
    """Whether what is on screen is what the exercise asks for, with all its fixed parts in place."""
    if any(facts.get(name) is None for name in exercise.facts):
        return False
    if exercise.fixed and changed(exercise, facts["trace"]):
        return False
    return bool(exercise.check(*(facts[name] for name in exercise.facts)))


def watched(exercise: Exercise, facts: Mapping[str, object]) -> dict[str, object]:
    """What of a state is told beside what is needed: numbers, points, whether a condition holds.

    None stands for what is not on screen. Empty where nothing can be told, and where a fixed part was changed.
    """
    if any(facts.get(name) is None for name in exercise.facts):
        return {}
    if exercise.fixed and changed(exercise, facts["trace"]):
        return {}
    return exercise.watch(*(facts[name] for name in exercise.facts))


def near(answer: float, within: float = 0) -> Callable[[float], bool]:
    """The check of a number that may be this far from the answer."""
    return lambda number: abs(number - answer) <= within + 1e-12


def output_near(trace: AttentionTrace, row: int, point: tuple[float, float], within: float) -> bool:
    """Whether the output in this row is this point, in each coordinate within so much."""
    output = trace.output[row]
    return output.size == 2 and bool(np.abs(output - point).max() < within)
