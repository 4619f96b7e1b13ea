"""Let torch.nn.MultiheadAttention compute some random cases and store its answers.

    pip install -r tests/goldens/requirements-goldens.txt
    python tests/goldens/make_mha_goldens.py

float64, without biases, weights of every head asked for (so the plain kernel computes). Its masks are the
other way round (True = may not look); what is stored is True = may look. Its matrices act from the left, so
each is stored transposed, as it stands in X @ W.

torch_mha.npz holds ``cases`` (a row of integers each, columns in COLUMNS), ``inputs`` in 64ths (X, source,
W_Q, W_K, W_V, W_O, mask, one case after the other) and ``answers`` (weights of each head, output).
"""

import numpy as np
import torch
from make_goldens import save

COLUMNS = ("n_query", "n_key", "n_heads", "head_width", "source_width", "is_cross", "is_masked")


def random_case(rng):
    """The row of integers that describes a case, and its matrices in 64ths."""
    n_query, n_key = rng.integers(1, 6, size=2)
    n_heads, head_width = rng.integers(1, 5), rng.integers(1, 4)
    width = n_heads * head_width
    is_cross, is_masked = rng.random(2) < 0.5
    source_width = rng.integers(1, 7) if is_cross else width
    n_key = n_key if is_cross else n_query
    shapes = [(n_query, width), (n_key, source_width), (width, width), (source_width, width), (source_width, width)]
    matrices = [np.round(rng.normal(size=shape) * 64).astype(np.int16) for shape in (*shapes, (width, width))]
    if not is_cross:
        matrices[1] = matrices[0]
    allowed = rng.random((n_query, n_key)) < 0.6
    allowed[:, rng.integers(n_key)] = True  # a row with nothing allowed gives NaN there
    case = (n_query, n_key, n_heads, head_width, source_width, is_cross, is_masked)
    return case, [*matrices, allowed.astype(np.int16)]


def answer(case, matrices):
    """PyTorch's (H, L, S) weights and (L, width) output."""
    facts = dict(zip(COLUMNS, case, strict=True))
    x, source, w_query, w_key, w_value, w_output = (torch.tensor(matrix / 64.0) for matrix in matrices[:6])
    width = x.shape[1]
    layer = torch.nn.MultiheadAttention(
        width, int(facts["n_heads"]), bias=False, kdim=int(facts["source_width"]), vdim=int(facts["source_width"]),
        batch_first=True, dtype=torch.float64,
    )  # fmt: skip
    with torch.no_grad():
        layer.out_proj.weight.copy_(w_output.T)
        if layer.in_proj_weight is not None:
            layer.in_proj_weight.copy_(torch.cat([w_query.T, w_key.T, w_value.T]))
        else:
            layer.q_proj_weight.copy_(w_query.T)
            layer.k_proj_weight.copy_(w_key.T)
            layer.v_proj_weight.copy_(w_value.T)
        mask = torch.tensor(matrices[6] == 0) if facts["is_masked"] else None
        output, weights = layer(
            x[None], source[None], source[None], attn_mask=mask, need_weights=True, average_attn_weights=False
        )
    return weights[0].numpy(), output[0].numpy()


if __name__ == "__main__":
    save("torch_mha.npz", 24, random_case, answer)
