"""Attention Lab's core: attention computed step by step with NumPy alone."""

from . import masks
from .attention import AttentionTrace, attention_steps, default_scale, softmax, trace_attention
from .errors import InputError

__all__ = [
    "AttentionTrace",
    "InputError",
    "attention_steps",
    "default_scale",
    "masks",
    "softmax",
    "trace_attention",
]
