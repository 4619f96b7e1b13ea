"""The real model is optional: without it, tests that need it are skipped aloud; where it must be there, they fail."""

import os
from importlib.util import find_spec

import pytest

from attention_core.sentences import minilm


def need(*modules):
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        message = f"NOT CHECKED: {', '.join(missing)} missing; {minilm.HOW_TO_INSTALL}"
        if os.environ.get("NEED_MODEL") == "true":
            pytest.fail(message)
        pytest.skip(message)


def need_minilm():
    need(minilm.PACKAGE, "safetensors", "tokenizers")
