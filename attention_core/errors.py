"""The one error the core raises for input that it cannot use."""


class InputError(ValueError):
    """Input that cannot be used, and why.

    ``str(error)`` is an English sentence that says what was expected and what came. ``reason`` is a short code
    and ``details`` its facts (numbers counted from 0, and texts), so that whoever shows the error can word it
    anew in another language.
    """

    def __init__(self, reason: str, message: str, **details):
        super().__init__(message)
        self.reason = reason
        self.details = details
