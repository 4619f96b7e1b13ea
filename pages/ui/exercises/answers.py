"""What a visitor has answered: kept for the visit, and as a text for each exercise in the browser and in files."""

import json

from pages.ui.state.session import is_kept, keep, kept

LONGEST = 200  #: characters of a number that was typed


def answer_of(code: str) -> dict:
    return kept(f"exercise_{code}", {})


def put_answer(code: str, more: dict) -> None:
    answer = answer_of(code)
    if "locked" in answer and set(more) & {"option", "locked"}:
        return  # a guess that can be changed after the answer is shown is no guess
    keep(f"exercise_{code}", answer | more)


def is_solved(code: str) -> bool:
    return code in kept("solved", [])


def solve(code: str) -> None:
    if not is_solved(code):
        keep("solved", [*kept("solved"), code])


def take_back(code: str, fields: tuple[str, ...]) -> None:
    """As if the exercise, which has these boxes for numbers, had never been answered."""
    keep(f"exercise_{code}", {})
    keep("solved", [other for other in kept("solved", []) if other != code])
    for name in fields:
        keep(f"exercise_{code}_{name}", "")


def note_answer(code: str, fields: tuple[str, ...]) -> None:
    """Keep what was answered as a text too: the browser remembers these, and a file carries them."""
    lasting = {name: value for name, value in answer_of(code).items() if name not in ("begun", "there")}
    typed = {name: kept(f"exercise_{code}_{name}", "") or "" for name in fields}
    whole = {"answer": lasting, "numbers": {name: text for name, text in typed.items() if text}}
    text = json.dumps(whole | {"solved": is_solved(code)}, ensure_ascii=False)
    keep("answers", kept("answers", {}) | {code: text})


def recall(fields_of: dict[str, tuple[str, ...]]) -> None:
    """Take over what a browser remembers or a file says, of the exercises there are, by their boxes for numbers.

    What was answered in this visit stays, unless it is a file that says so. Nothing of it is trusted.
    """
    told, anew = kept("recalled", {}), kept("recalled_anew", False)
    for code, text in told.items():
        if code in fields_of and (anew or not (is_kept(f"exercise_{code}") and answer_of(code))):
            _take_over(code, fields_of[code], text)
    if told:
        keep("recalled", {})
        keep("recalled_anew", False)


def _take_over(code: str, fields: tuple[str, ...], text: str) -> None:
    try:
        whole = json.loads(text)
        answer, numbers, solved = whole["answer"], whole["numbers"], whole["solved"]
        plain = {str(name): value for name, value in answer.items() if isinstance(value, (str, bool, dict))}
        typed = {name: str(numbers[name])[:LONGEST] for name in fields if name in numbers}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return  # not written by this app
    keep(f"exercise_{code}", plain)
    for name, number in typed.items():
        keep(f"exercise_{code}_{name}", number)
    if solved is True:
        solve(code)
    note_answer(code, fields)
