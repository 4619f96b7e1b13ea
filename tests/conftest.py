"""What all tests share: property tests without a wall-clock limit, because the machines are shared."""

from hypothesis import settings

settings.register_profile("shared_machine", deadline=None, max_examples=60)
settings.load_profile("shared_machine")
