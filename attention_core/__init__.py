"""Scaled dot-product attention, computed step by step with NumPy alone.

The other modules are imported by name: heads, scaling, cost, comparisons, matrix_text, sentences and so on.
"""

from . import biases, insight, masks
from .attention import AttentionTrace, HeadTrace, attention_steps, default_scale, softmax, trace_attention
from .errors import InputError
from .heads import MultiHead, multi_head_attention
from .online import trace_online

__all__ = [
    "AttentionTrace",
    "HeadTrace",
    "InputError",
    "MultiHead",
    "attention_steps",
    "biases",
    "default_scale",
    "insight",
    "masks",
    "multi_head_attention",
    "softmax",
    "trace_attention",
    "trace_online",
]
