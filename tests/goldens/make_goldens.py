"""Let PyTorch compute attention for a few hundred random cases and store its answers.

    pip install -r tests/goldens/requirements-goldens.txt
    python tests/goldens/make_goldens.py

The answers come from torch.nn.functional.scaled_dot_product_attention in float64 with the MATH backend: the
default CPU kernel turns NaN and overflow into zeros. The weights are its output for V = the identity.

torch_sdpa.npz holds three arrays. ``cases``: one row of integers a case, its columns named in COLUMNS.
``inputs``: query, key, value, mask or bias, one case after the other, in 64ths (so that they are small and
exact); BLOCKED stands for -inf. ``answers``: weights and output, one case after the other.
"""

from pathlib import Path

import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

COLUMNS = ("n_query", "n_key", "n_feature", "n_value", "mask", "is_causal", "has_scale", "scale_64ths")
BLOCKED = -32768


def random_case(rng):
    """The row of integers that describes a case, and its matrices in 64ths."""
    n_query, n_key, n_feature, n_value = rng.integers(1, 7, size=4)
    mask = rng.choice(["none", "boolean", "boolean with a blind row", "bias"])
    has_scale = rng.random() < 0.4
    scale = rng.integers(-128, 129) * has_scale * (rng.random() < 0.9)  # now and then exactly 0
    spread = rng.choice([64, 256, 1024])
    shapes = (n_query, n_feature), (n_key, n_feature), (n_key, n_value)
    matrices = [np.clip(rng.normal(size=shape) * spread, -32000, 32000).astype(np.int16) for shape in shapes]
    if mask == "bias":
        bias = (rng.normal(size=(n_query, n_key)) * 128).astype(np.int16)
        bias[rng.random(bias.shape) < 0.2] = BLOCKED
        matrices.append(bias)
    elif mask != "none":
        allowed = rng.random((n_query, n_key)) < 0.7
        if mask == "boolean with a blind row":
            allowed[rng.integers(n_query)] = False
        matrices.append(allowed.astype(np.int16))
    kind = ("none", "boolean", "boolean with a blind row", "bias").index(mask)
    causal = rng.random() < 0.35
    return (n_query, n_key, n_feature, n_value, kind, causal, has_scale, scale), matrices


def answer(case, matrices):
    """PyTorch's weights and output."""
    facts = dict(zip(COLUMNS, case, strict=True))
    query, key, value = (torch.tensor(matrix / 64.0)[None] for matrix in matrices[:3])
    mask = None
    if facts["mask"] == 3:
        mask = torch.tensor(np.where(matrices[3] == BLOCKED, -np.inf, matrices[3] / 64.0))
    elif facts["mask"]:
        mask = torch.tensor(matrices[3] == 1)
    is_causal = bool(facts["is_causal"])
    if is_causal and mask is not None:  # PyTorch takes only one of the two
        earlier = torch.ones(facts["n_query"], facts["n_key"], dtype=torch.bool).tril()
        mask = mask & earlier if mask.dtype == torch.bool else mask.masked_fill(~earlier, -torch.inf)
        is_causal = False
    scale = facts["scale_64ths"] / 64 if facts["has_scale"] else None

    def attend(values):
        return scaled_dot_product_attention(query, key, values, mask, is_causal=is_causal, scale=scale)[0]

    with sdpa_kernel(SDPBackend.MATH):
        return attend(torch.eye(facts["n_key"], dtype=torch.float64)[None]).numpy(), attend(value).numpy()


def save(name: str, n_cases: int, random_case, answer) -> None:
    """Draw cases, answer them, and store all of it in one small file beside this one."""
    rng = np.random.default_rng(20170612)
    cases, inputs, answers = [], [], []
    for _ in range(n_cases):
        case, matrices = random_case(rng)
        cases.append(case)
        inputs += [matrix.ravel() for matrix in matrices]
        answers += [numbers.ravel() for numbers in answer(case, matrices)]
    np.savez_compressed(
        Path(__file__).with_name(name),
        cases=np.array(cases, dtype=np.int16),
        inputs=np.concatenate(inputs),
        answers=np.concatenate(answers),
    )


if __name__ == "__main__":
    save("torch_sdpa.npz", 320, random_case, answer)
