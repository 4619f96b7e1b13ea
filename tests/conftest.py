"""What all tests share: property tests without a wall-clock limit, because the machines are shared.

In CI their examples are the same for the same code, so that a change is judged by what it changes; everywhere else
each run looks at other ones.
"""

import os

from hypothesis import settings

settings.register_profile("shared_machine", deadline=None, max_examples=60, derandomize="CI" in os.environ)
settings.load_profile("shared_machine")
