"""How long the live model takes for a sentence, beside transformers where that is installed.

    OPENBLAS_NUM_THREADS=1 python tests/bench/bench_minilm.py

Prints the median of each, and the ratio to transformers on one thread (below 1: NumPy is faster).
Milliseconds hold for one machine, and only while it is idle. On busy cores one BLAS thread is far faster
than two.
"""

import sys
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parents[2]))

from attention_core.sentences.minilm import PACKAGE, load_minilm, read_text

try:
    import torch
    import transformers
except ImportError:
    torch = None

TEXTS = {n_tokens: "word " * (n_tokens - 2) for n_tokens in (9, 64)}  # [CLS] and [SEP] are two more
REPEATS = 41


def milliseconds(call, repeats=REPEATS):
    """The median time of a call, after one that does not count."""
    call()
    times = []
    for _ in range(repeats):
        begin = perf_counter()
        call()
        times.append(1000 * (perf_counter() - begin))
    return median(times)


def transformers_reader():
    """A function that computes the same attention with transformers on one thread."""
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    folder = Path(find_spec(PACKAGE).submodule_search_locations[0]) / "model"
    model = transformers.AutoModel.from_pretrained(
        folder, attn_implementation="eager", use_safetensors=True, trust_remote_code=False
    ).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)

    def read(text):
        with torch.no_grad():
            return model(**tokenizer(text, return_tensors="pt"), output_attentions=True).attentions

    return read


def main():
    """Print one line for loading and one for each length."""
    print(f"load, files checked: {milliseconds(load_minilm, repeats=5):.0f} ms")
    model = load_minilm()
    rival = transformers_reader() if torch else None
    for n_tokens, text in TEXTS.items():
        assert len(read_text(model, text).tokenised.tokens) == n_tokens
        ours = milliseconds(lambda text=text: read_text(model, text))
        line = f"{n_tokens:3} tokens: {ours:.1f} ms"
        if rival:
            theirs = milliseconds(lambda text=text: rival(text))
            line += f", transformers {theirs:.1f} ms, ratio {ours / theirs:.2f}"
        print(line)


if __name__ == "__main__":
    main()
