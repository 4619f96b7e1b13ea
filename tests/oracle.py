"""Attention and masks once more, in plain Python loops: no NumPy and no line shared with attention_core.

Matrices are lists of rows. Slow on purpose: each formula is written as one would say it.
"""

from math import exp, inf, sqrt, tanh


def attention(query, key, value, allowed=None, bias=None, is_causal=False, scale=None, softcap=None):
    """Every step of attention as a dict of lists, and the blind queries."""
    steps = {name: [] for name in ("scores", "scaled", "capped", "masked", "weights", "output")}
    steps["blind_queries"] = []
    if scale is None:
        scale = 1 / sqrt(len(query[0]))
    for i, q in enumerate(query):
        scores = [sum(a * b for a, b in zip(q, k, strict=True)) for k in key]
        scaled = [score * scale for score in scores]
        capped = scaled if softcap is None else [softcap * tanh(score / softcap) for score in scaled]
        masked = []
        for j, score in enumerate(capped):
            blocked = (allowed is not None and not allowed[i][j]) or (is_causal and j > i)
            added = 0.0 if bias is None else bias[i][j]
            masked.append(-inf if blocked else score + added)
        weights = softmax(masked)
        if not any(score > -inf for score in masked):
            steps["blind_queries"].append(i)
        output = [sum(w * v[f] for w, v in zip(weights, value, strict=True)) for f in range(len(value[0]))]
        row = {"scores": scores, "scaled": scaled, "capped": capped, "masked": masked}
        for name, numbers in (row | {"weights": weights, "output": output}).items():
            steps[name].append(numbers)
    return steps


def softmax(scores):
    """The share of each score in the sum of exponentials; zeros if there is nothing to share."""
    largest = max(scores)
    if largest == -inf:
        return [0.0 for _ in scores]
    exponentials = [exp(score - largest) for score in scores]
    total = sum(exponentials)
    return [e / total for e in exponentials]


def mask(n_query, n_key, rule):
    """The matrix of rule(query, key) for every query and key."""
    return [[bool(rule(i, j)) for j in range(n_key)] for i in range(n_query)]


def causal(offset=0):
    """Nothing after the query's position."""
    return lambda i, j: j <= i + offset


def sliding_window(left, right, offset=0):
    """At most ``left`` places before and ``right`` places after the query's position."""

    def rule(i, j):
        position = i + offset
        return (left is None or j >= position - left) and (right is None or j <= position + right)

    return rule


def prefix(length, offset=0):
    """The first ``length`` keys, and nothing else after the query's position."""
    return lambda i, j: j < length or j <= i + offset


def padding(n_key, length, side):
    """The first ``length`` keys, or the last if the padding is on the left."""
    real = range(length) if side == "right" else range(n_key - length, n_key)
    return lambda i, j: j in real


def same_document(query_documents, key_documents):
    """Query and key have one document number."""
    return lambda i, j: query_documents[i] == key_documents[j]


def dilated(step, offset=0):
    """Keys a whole number of steps away."""
    return lambda i, j: abs(j - (i + offset)) % step == 0


def only_self(offset=0):
    """The key at the query's own position."""
    return lambda i, j: j == i + offset
