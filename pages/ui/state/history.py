"""What can be undone and redone: the states a page has been in, oldest first, and in which of them it is."""

from dataclasses import dataclass, replace

STEPS = 100  #: back at most


@dataclass(frozen=True, eq=False)
class History:
    states: tuple[dict[str, str], ...]
    at: int = 0  #: which of them the page is in
    has_moved: bool = False  #: whether an undo or a redo brought it there, in this run

    @property
    def now(self) -> dict[str, str]:
        return self.states[self.at]

    def moved(self, by: int) -> "History | None":
        """Some steps back (below 0) or forward again; None where there is nothing to go to."""
        at = self.at + by
        return replace(self, at=at, has_moved=True) if 0 <= at < len(self.states) else None

    def noted(self, state: dict[str, str]) -> "History":
        """With this state as the newest, if it is another one.

        After an undo it takes the place of the state that was gone back to: a page may set it a little differently,
        and what can be redone must not be lost by that. A text that stays is kept once for all states.
        """
        is_new = state != self.now
        state = {name: self.now[name] if self.now.get(name) == text else text for name, text in state.items()}
        if is_new and self.has_moved:
            states = (*self.states[: self.at], state, *self.states[self.at + 1 :])
            return History(states, self.at)
        if is_new:
            states = (*self.states[: self.at + 1], state)[-STEPS - 1 :]
            return History(states, len(states) - 1)
        return replace(self, has_moved=False) if self.has_moved else self
